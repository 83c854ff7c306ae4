// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/rank_links.h"

#include <algorithm>
#include <set>

#include "analysis/collectives/bus_reading.h"
#include "widgets/core/language.h"
#include "widgets/core/units.h"
#include "widgets/topology/topology_data.h"

namespace runglass {
namespace {

std::vector<std::int32_t> sorted(std::vector<std::int32_t> ranks) {
  std::ranges::sort(ranks);
  return ranks;
}

class LinkReading {
 public:
  LinkReading(const TopologyData& data, std::int32_t rank) : m_data(data), m_rank(rank) {}

  GroupMembers members() const {
    GroupMembers out;
    for (const CommGroup& group : m_data.groups)
      if (group.ranks.size() > 1 && std::ranges::find(group.ranks, m_rank) != group.ranks.end()) out[group.id] = group.ranks;
    return out;
  }

  RankLinks tell(const BusReading& reading) {
    RankLinks out{.rank = m_rank, .attempt = m_data.attempt.id, .groups = {}, .edges = {}, .note = {}};
    const auto at = std::ranges::lower_bound(m_data.ranks, m_rank, {}, [](const TopologyRank& r) { return r.place.rank; });
    std::set<std::int64_t> reported;
    for (const PeerGroup& peers : peersOf(m_data, static_cast<std::uint32_t>(at - m_data.ranks.begin()))) {
      LinkGroup group = groupOf(peers, reading.bus, reported);
      addEdges(group, reading.bus, out);
      out.groups.push_back(std::move(group));
    }
    // Measured communicators of no known dimension.
    for (const auto& [id, bus] : reading.bus.groups) {
      const auto known = std::ranges::find(m_data.groups, id, &CommGroup::id);
      if (reported.contains(id) || known == m_data.groups.end()) continue;
      LinkGroup group{.kind = std::nullopt, .name = screenText(known->name, 60), .ranks = known->ranks, .stats = {}, .reason = {}};
      fill(group, &bus);
      out.groups.push_back(std::move(group));
    }
    if (!reading.all_of_run)
      out.note = TopologyText::tr("of the newest %1 of the run's spans").arg(formatDuration(reading.range.t1 - reading.range.t0));
    return out;
  }

 private:
  // The communicator with exactly these members represents them: of several the one with the most samples.
  LinkGroup groupOf(const PeerGroup& peers, const BusAnswer& bus, std::set<std::int64_t>& reported) const {
    LinkGroup group{.kind = peers.kind, .name = {}, .ranks = {}, .stats = {}, .reason = {}};
    for (const std::uint32_t i : peers.ranks) group.ranks.push_back(m_data.ranks[i].place.rank);
    const BusOfGroup* best = nullptr;
    std::size_t most = 0;
    bool any = false;
    for (const CommGroup& one : m_data.groups) {
      if (one.ranks.size() != group.ranks.size() || sorted(one.ranks) != sorted(group.ranks)) continue;
      any = true;
      reported.insert(one.id);
      if (group.name.isEmpty()) group.name = screenText(one.name, 60), group.ranks = one.ranks;
      const auto found = bus.groups.find(one.id);
      if (found == bus.groups.end()) continue;
      const BusStats* stats = mainStats(found->second);
      if (best == nullptr || (stats != nullptr && stats->samples > most)) {
        best = &found->second;
        most = stats != nullptr ? stats->samples : 0;
        group.name = screenText(one.name, 60), group.ranks = one.ranks;
      }
    }
    if (any)
      fill(group, best);
    else
      group.reason = TopologyText::tr("no communicator with these members is known");
    return group;
  }

  static void fill(LinkGroup& group, const BusOfGroup* bus) {
    const BusStats* stats = bus != nullptr ? mainStats(*bus) : nullptr;
    if (stats != nullptr) {
      group.stats = *stats;
      group.said = bus->said.has_value();
      group.op = group.said ? BusOp::kNone : stats->worst_sample.op;
      return;
    }
    const auto refusal = bus != nullptr ? mainRefusal(*bus) : std::nullopt;
    group.reason = refusal ? termText(busRefusalText(*refusal)) : TopologyText::tr("no calls of it are in the store");
  }

  void addEdges(const LinkGroup& group, const BusAnswer& bus, RankLinks& out) const {
    const auto& ranks = group.ranks;
    const bool ring = group.kind != PeerKind::kPp && ranks.size() > 2;
    for (std::size_t i = 0; i + (ring ? 0 : 1) < ranks.size(); ++i) {
      LinkEdge edge{.from = ranks[i], .to = ranks[(i + 1) % ranks.size()], .kind = *group.kind, .bytes_per_s = {}};
      const auto pair = bus.pairs.find({std::min(edge.from, edge.to), std::max(edge.from, edge.to)});
      const BusStats* own = pair == bus.pairs.end() ? nullptr : mainStats(pair->second);
      if (own != nullptr)
        edge.bytes_per_s = own->median, edge.own = true;
      else if (group.stats)
        edge.bytes_per_s = group.stats->median;
      out.edges.push_back(edge);
    }
  }

  const TopologyData& m_data;
  const std::int32_t m_rank;
};

}  // namespace

Result<RankLinks> readLinks(Reader& reader, const TopologyData& data, std::int32_t rank, std::stop_token stop) {
  LinkReading links(data, rank);
  const GroupMembers members = links.members();
  std::set<std::int32_t> wanted = {rank};
  for (const auto& [group, ranks] : members) wanted.insert(ranks.begin(), ranks.end());
  std::vector<Rank> places;
  for (const TopologyRank& one : data.ranks)
    if (wanted.contains(one.place.rank)) places.push_back(one.place);
  RG_ASSIGN(const BusReading reading, readBus(reader, data.run.id, data.attempt.id, members, places, {}, std::move(stop)));
  return links.tell(reading);
}

QString linkText(const LinkGroup& group) {
  if (!group.stats) return group.reason;
  return TopologyText::tr("%1 median, %2 worst (%3, n = %4)")
      .arg(formatByteRate(group.stats->median), formatByteRate(group.stats->worst),
           group.said ? TopologyText::tr("as NCCL says") : termText(busOpName(group.op)),
           formatCount(static_cast<std::int64_t>(group.stats->samples)));
}

}  // namespace runglass
