// SPDX-License-Identifier: Apache-2.0
// LastMoved: the last time that any rank of the newest attempt made progress.
//
// Threading:  one thread.
// Where no record gives it (no step has ended, no rank reports the start of its current operation), the run counts as making progress until
// it was first observed: silence before that is not evidence of a standstill.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/events.h"
#include "model/topology.h"

namespace runglass {

class LastMoved {
 public:
  // `stands_since`: start of a standstill of this attempt that an earlier process found and that is still open.
  // `progress`: of this attempt, not empty. The result is never before the attempt's start.
  TimeNs at(const Attempt& attempt, const std::vector<Progress>& progress, std::optional<TimeNs> last_step_end,
            std::optional<TimeNs> stands_since);

 private:
  // The fields of a rank's progress that change as it makes progress.
  struct Place {
    std::optional<std::int64_t> step, microbatch, group, seq;
    std::string op;
    friend bool operator==(const Place&, const Place&) = default;
  };

  AttemptId m_attempt;
  std::map<std::int32_t, Place> m_places;
  std::optional<TimeNs> m_changed, m_first_seen;
};

}  // namespace runglass
