// SPDX-License-Identifier: Apache-2.0
// TraceSteps: the training steps of ranks in a trace: from the first start to the last end of a step's spans.
//
// Threading:  one thread.
// Ownership:  owns the noted steps.
// Units:      TimeNs.
// Errors:     steps beyond kMaxSteps are counted by overflowed(), not kept.
// Cost:       one look-up per note; 64 bytes a step.
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "model/recorder.h"

namespace runglass {

class TraceSteps {
 public:
  static constexpr std::size_t kMaxSteps = 1'000'000;

  void note(std::optional<std::int32_t> rank, std::int64_t step, TimeNs begin, TimeNs end);
  // Records each as a value of step_time_ns at its start.
  void tell(Recorder& out, AttemptId attempt) const;
  std::int64_t overflowed() const { return m_overflowed; }

 private:
  std::map<std::pair<std::int32_t, std::int64_t>, std::pair<TimeNs, TimeNs>> m_steps;  // (rank or -1, step) -> begin, end
  std::int64_t m_overflowed = 0;
};

}  // namespace runglass
