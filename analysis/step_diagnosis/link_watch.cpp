// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/link_watch.h"

#include <cmath>

#include "analysis/step_diagnosis/peers.h"

namespace runglass {

void LinkWatch::push(const StepFrame& frame) {
  const double dur = frame.longest().value_or(0);
  m_level.resize(std::max(m_level.size(), frame.dur.size()), std::numeric_limits<float>::quiet_NaN());
  m_learning.resize(m_level.size());
  std::vector<Deviation> deviations(m_level.size());
  for (std::size_t rank = 0; rank < frame.dur.size(); ++rank) {
    const float own = frame.at(StepColumn::kTransfer, rank);
    if (std::isnan(own)) continue;
    if (std::isnan(m_level[rank])) {
      m_learning[rank].push_back(own);
      if (m_learning[rank].size() < kLevelSteps) continue;
      m_level[rank] = medianOf(std::move(m_learning[rank]));
      m_learning[rank] = {};
    }
    const float usual = m_level[rank], excess = own - usual;
    if (!(usual > 0)) continue;
    Deviation& out = deviations[rank];
    out.compared = true, out.own_ns = own, out.usual_ns = usual, out.ratio = excess / usual;
    out.above = out.ratio >= kMinRatio && excess >= kMinExcessNs && excess >= kMinOfStep * static_cast<float>(dur);
  }
  m_persistence.push(frame.step, frame.when, deviations);
}

void LinkWatch::regimeChanged() {
  m_level.clear();
  m_learning.clear();
  m_persistence.finish();
}

}  // namespace runglass
