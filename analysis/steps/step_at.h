// SPDX-License-Identifier: Apache-2.0
// StepAxis: the step that an attempt was in at a time, by the steps of its lowest rank.
//
// Units:      TimeNs, steps.
// Errors:     the Reader's; an attempt without clocked steps gives no answer.
// Cost:       one scalar read of at most kMaxSteps points; at(): O(log steps).
#pragma once

#include <optional>
#include <vector>

#include "storage/reader.h"

namespace runglass {

class StepAxis {
 public:
  static constexpr std::int64_t kMaxSteps = 200'000;
  Status read(Reader& reader, AttemptId attempt, std::stop_token stop);
  std::optional<std::int64_t> at(TimeNs time) const;  // absent before the first step

 private:
  std::vector<std::pair<TimeNs, std::int64_t>> m_begins;  // by time
};

}  // namespace runglass
