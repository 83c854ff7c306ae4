// SPDX-License-Identifier: Apache-2.0
// AttemptLoss: the training health of one attempt, point by point: all watches on its loss, gradient norm, loss scale and settings.
//
// Threading:  one thread at a time.
// Units:      steps, as the loss counts them.
// Cost:       per point that of its watches, about a microsecond; about 13 KiB plus the results.
//
// Each series is pushed in step order. Settings (learning rate, batch size, epoch) must be pushed before the losses of the same steps,
// since a change of them restarts the search for divergence.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/loss_health/divergence.h"
#include "analysis/loss_health/gradient_watch.h"
#include "analysis/loss_health/regimes.h"
#include "analysis/loss_spikes/loss_spikes.h"

namespace runglass {

class AttemptLoss {
 public:
  void loss(std::int64_t step, double value);
  void gradNorm(std::int64_t step, double value);
  void lossScale(std::int64_t step, double value) { m_scale.push(step, value); }
  RegimeWatch& settings() { return m_settings; }
  void setClip(std::optional<ClipValue> clip) { m_clip_value = std::move(clip); }

  const std::vector<LossSpike>& spikes() const { return m_loss.spikes(); }
  // Rises of the loss that stayed below a spike: at least kRiseLimits, longer than a blip.
  std::vector<LossSpike> rises(bool counts_steps) const;
  const std::vector<LossSpike>& gradSpikes() const { return m_grad.spikes(); }
  const std::vector<Divergence>& divergences() const { return m_divergence.found(); }
  const std::vector<Regime>& regimes() const { return m_settings.changes(); }
  const ScaleWatch& scale() const { return m_scale; }
  const std::optional<ClipValue>& clipValue() const { return m_clip_value; }
  const std::optional<ClipPressure>& clip() const { return m_clip.found(); }
  const std::vector<double>& firstLosses() const { return m_first; }  // at most kLevelAfter finite ones
  std::int64_t points() const { return m_points; }

 private:
  LossSpikeDetector m_loss{kLossLimits}, m_rise{kRiseLimits}, m_grad{kGradNormLimits};
  DivergenceWatch m_divergence;
  RegimeWatch m_settings;
  std::optional<std::int64_t> m_measured_from;  // step of the change that last restarted the search for divergence
  ScaleWatch m_scale;
  std::optional<ClipValue> m_clip_value;
  ClipWatch m_clip;
  std::vector<double> m_first;
  std::int64_t m_points = 0;
};

// The gradient spike that came with a loss spike: from kGradLead steps before it to its end.
inline constexpr std::int64_t kGradLead = 20;
const LossSpike* gradSpikeWith(const LossSpike& loss, const std::vector<LossSpike>& grads);

}  // namespace runglass
