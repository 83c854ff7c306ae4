// SPDX-License-Identifier: Apache-2.0
// Alerts: what people were told, or would have been; and what they do not want to hear for a while.
//
// Threading:  plain values.
// Ownership:  values own their strings.
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
  std::int64_t id = 0;  // of the store
  RunId run;            // 0: of no run (a node without a job)
  std::string rule;     // the rule's name
  std::string cause;    // what is wrong with whom, equal as long as it is the same trouble
  std::string kind;     // of the finding or event, or the metric
  Severity severity = Severity::kInfo;
  TimeNs since = 0;                // when the trouble began
  std::optional<TimeNs> end;       // when it was over; absent: it holds, or it was a moment
  std::optional<TimeNs> due;       // when it was last decided to tell people; absent: never (snoozed, held back, not long enough yet)
  std::optional<TimeNs> notified;  // when every target had taken it or was given up, after `due`; absent: still to be told
  std::int64_t count = 0;          // how often it was told
  std::string summary, link;
  std::string delivery;  // what came of it: "pager: sent; mail: failed after 8 tries: refused"
};

// Either a cause or a rule with all its causes.
struct Snooze {
  std::string rule, cause;      // one of them is empty
  std::optional<TimeNs> until;  // absent: not snoozed any more
  std::string author;
};

}  // namespace runglass
