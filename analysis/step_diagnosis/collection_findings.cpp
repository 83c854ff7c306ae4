// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/collection_findings.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/engine/cost_severity.h"
#include "analysis/words/sentences.h"

namespace runglass {
namespace {

constexpr double kCostToWarn = 0.05;
constexpr double kConfirmed = 0.5;  // of the pauses that were checked

struct Confirmation {
  std::size_t asked = 0, found = 0;
};

// Whether a collection was recorded in the steps with a pause. Only tracks of ranks that record collections are read.
Result<Confirmation> confirm(Reader& reader, const AttemptWatch& watch, const Imbalance& one, const std::stop_token& stop) {
  RG_ASSIGN(const auto tracks, reader.tracks(watch.attempt().id));
  std::map<std::int32_t, TrackId> recorded;
  for (const Track& track : tracks)
    if (track.key.rank && track.key.name == "Python GC") recorded[*track.key.rank] = track.id;
  Confirmation out;
  for (const Touch& touch : one.newest) {
    const auto track = recorded.find(watch.ranks()[touch.rank].rank);
    // A rank without collections has no such track; if others have one, that is evidence too.
    if (recorded.empty() || !touch.when) continue;
    ++out.asked;
    if (track == recorded.end()) continue;
    RG_ASSIGN(const auto spans, reader.spans(track->second, *touch.when, stop));
    out.found += spans.size() > 0 ? 1 : 0;
  }
  return out;
}

Result<std::optional<Finding>> findingOf(Reader& reader, const AttemptWatch& watch, const SpellCosts& costs, bool over,
                                         const Imbalance& one, const std::stop_token& stop) {
  const bool reported = one.reported * 2 >= one.touched;
  Confirmation confirmation;
  if (!reported) {
    RG_ASSIGN(confirmation, confirm(reader, watch, one, stop));
    if (confirmation.asked > 0 && static_cast<double>(confirmation.found) < kConfirmed * static_cast<double>(confirmation.asked))
      return std::optional<Finding>();
  }
  const bool sure = reported || confirmation.asked > 0;
  Finding finding;
  finding.attempt = watch.attempt().id;
  finding.kind = "gc_jitter", finding.subject = "run";
  finding.start = one.start, finding.end = one.end;
  if (one.holds && over) finding.end = watch.attempt().end;
  finding.first_step = one.first_step, finding.last_step = one.last_step;
  const StepCost cost = costs.ofImbalance(one);
  finding.score = cost.ratio;
  finding.coverage = watch.coverage(), finding.confidence = sure ? 0.9 : 0.3;
  finding.severity = sure && cost.ratio >= kCostToWarn ? severityOfCost(watch.gpuHoursPerDay(cost.ratio)) : Severity::kInfo;
  finding.evidence = nlohmann::ordered_json{{"cost_ratio", cost.ratio},
                                            {"cost_measured", cost.measured},
                                            {"gpu_hours_per_day", watch.gpuHoursPerDay(cost.ratio)},
                                            {"steps", one.steps},
                                            {"steps_touched", one.touched},
                                            {"steps_told", one.reported},
                                            {"culprits", one.culprits},
                                            {"since_first_step", one.since_before},
                                            {"pauses_looked_up", confirmation.asked},
                                            {"pauses_with_collection", confirmation.found},
                                            {"pattern", "jitter"},
                                            {"step_ns", std::llround(cost.step_ns)}}
                         .dump();
  words::setMessage(finding, words::Message{sure ? "gc_recorded" : "gc_pauses",
                                            {{"ranks", one.culprits},
                                             {"first", one.first_step},
                                             {"touched", one.touched},
                                             {"steps", one.steps},
                                             {"cost", words::ratio(cost.ratio)}}});
  return std::optional(std::move(finding));
}

}  // namespace

Status addCollectionFindings(Reader& reader, const AttemptWatch& watch, bool over, FindingMemory& judged, std::vector<Finding>& findings,
                             const std::stop_token& stop) {
  const SpellCosts costs(watch, judged.costs());
  for (const Imbalance& one : watch.imbalance().collections()) {
    FindingMemory::Key key{"collections", "", one.first_step};
    std::optional<Finding> finding;
    if (const auto* const known = judged.find(key)) {
      finding = *known;
    } else {
      RG_ASSIGN(finding, findingOf(reader, watch, costs, over, one, stop));
      judged.add(watch, std::move(key), one.holds, one.last_step, finding);
    }
    if (finding) findings.push_back(std::move(*finding));
  }
  return {};
}

}  // namespace runglass
