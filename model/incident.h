// SPDX-License-Identifier: Apache-2.0
// Incident: what went wrong as people speak of it: findings that belong together, when, why, what was done, what it rests on.
//
// Threading:  plain values.
// Ownership:  values own their strings.
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
  kMitigated,  // it runs again, the cause is still there
  kResolved,
  kDismissed,  // not a problem; `reason` says why
};
const char* incidentStateName(IncidentState state);  // "open", "mitigated", "resolved", "dismissed"
std::optional<IncidentState> incidentStateFromName(std::string_view name);

// A card: what a view shows of a place, kept at full resolution.
struct IncidentEvidence {
  std::string kind;  // "loss", "steps", "timeline", "device", "series", "log"
  std::string title, caption;
  std::optional<TimeRange> range;
  std::string select;  // what of it, as the `select` of a link (model/place_link.h): "rank=5,step=100"
  friend bool operator==(const IncidentEvidence&, const IncidentEvidence&) = default;
};

struct Incident {
  std::int64_t id = 0;
  std::string uuid;
  RunId run;
  AttemptId attempt;  // 0: of the run as a whole
  std::string title;
  IncidentState state = IncidentState::kOpen;
  Severity severity = Severity::kWarning;
  std::optional<TimeRange> range;  // t1 the highest int64: it is not over
  std::optional<TimeNs> created, updated;
  std::string cause;    // a code of the taxonomy (model/incident_causes.h); "": not known
  std::string summary;  // one sentence in plain words; "": as computed
  std::string notes;    // Markdown
  std::string reason;   // of kDismissed
  std::vector<std::int64_t> findings;
  std::vector<IncidentEvidence> evidence;
  friend bool operator==(const Incident&, const Incident&) = default;
};

}  // namespace runglass
