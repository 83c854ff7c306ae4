// SPDX-License-Identifier: Apache-2.0
// Alerts: notifications that were sent or would have been sent, and snoozes.
//
// Units:      TimeNs.
// Cost:       one row each; identity of an alert is (rule, cause, since).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/events.h"
#include "model/ids.h"
#include "model/time.h"

namespace runglass {

struct Alert {
  std::int64_t id = 0;  // in the store
  RunId run;            // 0: no run (a node without a job)
  std::string rule;     // the rule's name
  std::string cause;    // the problem and its subject; equal as long as the problem is the same
  std::string kind;     // of the finding or event, or the metric
  Severity severity = Severity::kInfo;
  TimeNs since = 0;                // when the problem began
  std::optional<TimeNs> end;       // when it ended; absent: it lasts, or it was instantaneous
  std::optional<TimeNs> due;       // when a notification was last decided; absent: never (snoozed, held back, not lasting long enough yet)
  std::optional<TimeNs> notified;  // when, after `due`, each target had accepted it or its retries had ended; absent: still to be sent
  std::int64_t count = 0;          // number of notifications
  std::string summary, link;
  std::string delivery;  // result: "pager: sent; mail: failed after 8 tries: refused"
};

// Mutes either one cause or a rule with all its causes.
struct Snooze {
  std::string rule, cause;      // exactly one of them is empty
  std::optional<TimeNs> until;  // absent: no longer snoozed
  std::string author;
};

}  // namespace runglass
