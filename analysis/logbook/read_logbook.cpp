// SPDX-License-Identifier: Apache-2.0
#include "analysis/logbook/read_logbook.h"

#include <algorithm>

#include "analysis/incident/read_proposals.h"
#include "analysis/steps/step_at.h"

namespace runglass {

Result<Logbook> readLogbook(Reader& reader, const Run& run, std::span<const Finding> findings, std::span<const Incident> incidents,
                            std::stop_token stop) {
  RG_ASSIGN(const RunPlaces places, readRunPlaces(reader, run, stop));
  RG_ASSIGN(const auto devices, reader.devices());
  RG_ASSIGN(const Goodput goodput, readGoodput(reader, run, findings, std::nullopt, stop));
  RG_ASSIGN(const auto checkpoints, reader.checkpoints(run.id));
  RG_ASSIGN(auto alerts, reader.alerts(kMaxLogbookAlerts));
  std::erase_if(alerts, [&](const Alert& one) { return one.run != run.id; });
  RG_ASSIGN(const auto notes, reader.notes(run.id));
  RG_ASSIGN(const auto events,
            reader.events({.range = {}, .run = run.id, .at_least = Severity::kError, .kind = "", .limit = kMaxLogbookEvents}));
  LogbookSource source{.run = run, .places = places, .devices = devices};
  std::vector<std::pair<const Attempt*, StepAxis>> axes;
  for (const auto& [id, attempt] : places.attempts) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "run log: superseded");
    RG_ASSIGN(source.facts[id], reader.facts(id));
    RG_TRY(axes.emplace_back(&attempt, StepAxis()).second.read(reader, id, stop));
  }
  source.goodput = &goodput;
  source.findings = findings, source.checkpoints = checkpoints, source.alerts = alerts, source.notes = notes;
  source.incidents = incidents, source.events = events;
  source.step_at = [&](TimeNs time) -> std::optional<std::int64_t> {
    for (const auto& [attempt, axis] : axes)
      if (attempt->start && *attempt->start <= time && (!attempt->end || time < *attempt->end)) return axis.at(time);
    return std::nullopt;
  };
  return logbookOf(source);
}

}  // namespace runglass
