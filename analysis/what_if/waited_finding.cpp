// SPDX-License-Identifier: Apache-2.0
#include "analysis/what_if/waited_finding.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/collectives/clock_gaps.h"
#include "analysis/collectives/collective_reading.h"
#include "analysis/collectives/waited_rank.h"
#include "analysis/engine/cost_severity.h"
#include "analysis/layout/layout_reading.h"
#include "analysis/words/sentences.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;
using words::Arg;
using words::Message;

constexpr double kHoursPerDay = 24;
// The last rank to arrive is late; a trace of collectives does not show why, and one slow rank hides others.
constexpr double kConfidence = 0.5;

Finding findingOf(const WaitedRank& waited, RunId run, const Attempt& attempt, const Rank* place,
                  const std::map<NodeId, std::string>& nodes) {
  const double a_day = waited.cost() * static_cast<double>(waited.ranks) * kHoursPerDay;
  const auto world = static_cast<std::size_t>(std::max(attempt.layout.world, 0));
  Finding finding;
  finding.run = run, finding.attempt = attempt.id;
  finding.kind = "slow_rank", finding.subject = "rank:" + std::to_string(waited.rank);
  finding.severity = severityOfCost(a_day);
  finding.start = waited.from, finding.end = waited.to;
  finding.first_step = attempt.first_step, finding.last_step = attempt.last_step;
  finding.rank = waited.rank;
  if (place != nullptr) finding.node = place->node, finding.dp = place->dp, finding.pp = place->pp, finding.tp = place->tp;
  finding.score = static_cast<double>(waited.last) / static_cast<double>(waited.compared);
  finding.confidence = kConfidence;
  finding.coverage = static_cast<double>(waited.ranks) / static_cast<double>(std::max(world, waited.ranks));
  const auto name = nodes.find(finding.node);
  const Arg node = name != nodes.end() && !name->second.empty() ? Arg(name->second) : Arg();
  const auto steps = [&](std::size_t count) { return waited.late_steps > 0 ? Arg(count) : Arg(); };
  words::setMessage(finding, Message{"waited_rank",
                                     {{"who", Message{"slow_rank", {{"rank", waited.rank}, {"node", node}}}},
                                      {"others", waited.ranks - 1},
                                      {"waited", words::shortDuration(waited.waited)},
                                      {"time", words::shortDuration(waited.time)},
                                      {"cost", words::ratio(waited.cost())},
                                      {"last", waited.last},
                                      {"calls", waited.compared},
                                      {"late_steps", steps(waited.late_steps)},
                                      {"steps", steps(waited.steps)}}});
  finding.evidence =
      Json{{"waited_ns", waited.waited},     {"time_ns", waited.time}, {"cost_ratio", waited.cost()}, {"gpu_hours_per_day", a_day},
           {"collectives", waited.compared}, {"last_of", waited.last}, {"steps", waited.steps},       {"late_steps", waited.late_steps},
           {"ranks", {waited.rank}},         {"pattern", "cell"}}
          .dump();
  return finding;
}

}  // namespace

Result<WaitedLook> waitedFinding(Reader& reader, RunId run, const Attempt& attempt, const std::map<NodeId, std::string>& nodes,
                                 const std::stop_token& stop) {
  RG_ASSIGN(const auto places, placedRanks(reader, attempt.id));
  std::set<std::int32_t> ranks;
  for (const Rank& place : places) ranks.insert(place.rank);
  WaitedLook out;
  if (ranks.size() < 2) return out;
  RG_ASSIGN(const Collectives read, readCollectives(reader, run, attempt.id, ranks, {}, stop));
  RG_ASSIGN(const ClockGapOf gap, readClockGaps(reader, attempt.id, places, read.range.t0));
  const auto waited = waitedRank(read.sets, gap);
  out.looked = read.range;
  if (!waited) return out;
  const auto place = std::ranges::find(places, waited->rank, &Rank::rank);
  out.finding = findingOf(*waited, run, attempt, place != places.end() ? &*place : nullptr, nodes);
  return out;
}

}  // namespace runglass
