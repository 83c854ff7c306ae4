// SPDX-License-Identifier: Apache-2.0
#include "analysis/collectives/bus_reading.h"

#include <algorithm>
#include <set>

#include "analysis/collectives/clock_gaps.h"
#include "analysis/collectives/collective_reading.h"
#include "model/series_extent.h"

namespace runglass {
namespace {

// Bandwidth measured by NCCL Inspector: series of a communicator's members in GB/s. Its communicators list no members; they are the ranks
// of its series.
Status takeSaid(Reader& reader, AttemptId attempt, const std::set<std::int32_t>& ranks, BusAnswer& bus, const std::stop_token& stop) {
  SeriesFilter filter;
  filter.attempt = attempt;
  RG_ASSIGN(const auto series, reader.series(filter));
  RG_ASSIGN(const auto groups, reader.groups(attempt));
  std::map<std::int64_t, std::vector<BusSample>> said;
  for (const Series& one : series) {
    if (one.key.metric != "coll_busbw_gbs" && one.key.metric != "p2p_busbw_gbs") continue;
    if (!one.key.rank || !ranks.contains(*one.key.rank)) continue;
    for (const CommGroup& group : groups) {
      // A communicator's name begins with its hash, which is the series' label.
      const std::string hash = group.name.substr(0, group.name.find(' '));
      if (hash.empty() || one.key.labels.find("\"comm\":\"" + hash + '"') == std::string::npos) continue;
      RG_ASSIGN(const auto points, reader.scalars(one.id, newestOf(one, 1'000), endOf(one), stop));
      for (std::size_t i = 0; i < points.size(); ++i)
        if (points.value[i] > 0 && points.value[i] < 1e9)
          said[group.id].push_back({.group = group.id, .bytes_per_s = points.value[i] * 1e9});
    }
  }
  for (auto& [group, samples] : said) bus.groups[group].said = busStats(std::move(samples));
  return {};
}

}  // namespace

Result<BusReading> readBus(Reader& reader, RunId run, AttemptId attempt, const GroupMembers& members, const std::vector<Rank>& ranks,
                           std::optional<TimeRange> within, std::stop_token stop) {
  BusReading out;
  std::set<std::int32_t> wanted;
  for (const auto& [group, of_group] : members) wanted.insert(of_group.begin(), of_group.end());
  for (const Rank& rank : ranks) wanted.insert(rank.rank);
  RG_ASSIGN(Collectives read, readCollectives(reader, run, attempt, wanted, within, stop));
  out.range = read.range, out.all_of_run = read.all_of_run;
  std::erase_if(read.sets, [&](const CollectiveSet& set) { return !members.contains(set.calls.front().group); });
  RG_ASSIGN(const ClockGapOf gap, readClockGaps(reader, attempt, ranks, out.range.t0));
  out.bus = busOf(read.sets, gap);
  RG_TRY(takeSaid(reader, attempt, wanted, out.bus, stop));
  return out;
}

}  // namespace runglass
