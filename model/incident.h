// SPDX-License-Identifier: Apache-2.0
// Incident: a problem as people describe it: related findings, its time, its cause, the actions taken and the evidence.
//
// Units:      TimeNs; half-open ranges.
// Cost:       one row each; `uuid` is its identity across stores, `id` within one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/events.h"
#include "model/ids.h"
#include "model/time.h"

namespace runglass {

enum class IncidentState : std::uint8_t {
  kOpen = 0,
  kMitigated,  // it runs again, but the cause remains
  kResolved,
  kDismissed,  // not a problem; see `reason`
};
const char* incidentStateName(IncidentState state);  // "open", "mitigated", "resolved", "dismissed"
std::optional<IncidentState> incidentStateFromName(std::string_view name);

// A card: a view's content at a place, pinned at full resolution.
struct IncidentEvidence {
  std::string kind;  // "loss", "steps", "timeline", "device", "series", "log"
  std::string title, caption;
  std::optional<TimeRange> range;
  std::string select;  // the selection, as the `select` of a link (model/place_link.h): "rank=5,step=100"
  friend bool operator==(const IncidentEvidence&, const IncidentEvidence&) = default;
};

struct Incident {
  std::int64_t id = 0;
  std::string uuid;
  RunId run;
  AttemptId attempt;  // 0: about the run as a whole
  std::string title;
  IncidentState state = IncidentState::kOpen;
  Severity severity = Severity::kWarning;
  std::optional<TimeRange> range;  // t1 the highest int64: it has not ended
  std::optional<TimeNs> created, updated;
  std::string cause;    // a code of the taxonomy (model/incident_causes.h); "": unknown
  std::string summary;  // one sentence in plain words; "": as computed
  std::string notes;    // Markdown
  std::string reason;   // for kDismissed
  std::vector<std::int64_t> findings;
  std::vector<IncidentEvidence> evidence;
  friend bool operator==(const Incident&, const Incident&) = default;
};

}  // namespace runglass
