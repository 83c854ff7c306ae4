// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/timeline/trace_steps.h"

#include <algorithm>
#include <vector>

#include "model/step_metrics.h"

namespace runglass {

void TraceSteps::note(std::optional<std::int32_t> rank, std::int64_t step, TimeNs begin, TimeNs end) {
  const std::pair key(rank.value_or(-1), step);
  const auto known = m_steps.find(key);
  if (known != m_steps.end()) {
    known->second = {std::min(known->second.first, begin), std::max(known->second.second, end)};
  } else if (m_steps.size() < kMaxSteps) {
    m_steps.emplace(key, std::pair(begin, end));
  } else {
    ++m_overflowed;
  }
}

void TraceSteps::tell(Recorder& out, AttemptId attempt) const {
  for (auto at = m_steps.begin(); at != m_steps.end();) {
    const std::int32_t rank = at->first.first;
    std::vector<std::int64_t> steps;
    std::vector<TimeNs> times;
    std::vector<double> lengths;
    for (; at != m_steps.end() && at->first.first == rank; ++at) {
      steps.push_back(at->first.second);
      times.push_back(at->second.first);
      lengths.push_back(static_cast<double>(at->second.second) - static_cast<double>(at->second.first));
    }
    SeriesKey key{.attempt = attempt, .metric = std::string(kStepTimeMetric), .unit = "ns", .kind = SeriesKind::kScalar};
    if (rank >= 0) key.rank = rank;
    out.scalars(out.series(key), steps, times, lengths);
  }
}

}  // namespace runglass
