// SPDX-License-Identifier: Apache-2.0
// Gradient watches: how often gradients are clipped, and whether the loss scale of fp16 training collapses.
//
// Threading:  one thread at a time.
// Units:      steps; shares 0..1.
// Errors:     values that are not finite are skipped.
// Cost:       O(1) per point; ClipWatch 300 bits.
//
// Clip pressure: more than 5 % of 300 points above the clip value, and the highest such share: clipping on most steps hides growing
// gradients (the problem that motivates AdaGC, arXiv 2502.11034). Loss scale: a dynamic scaler finds its level in the first 100 steps by
// halving, and later halves occasionally; a fall to 1/32 within 200 steps is a collapse, below 1 a severe one (OPT-175B, arXiv 2205.01068,
// section 2.5: restart from a checkpoint whose scaler is at least 1).
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/topology.h"

namespace runglass {

struct ClipValue {
  double value = 0;
  std::string source;  // the fact or argument that it comes from
};
// The clip value in an attempt's facts: Megatron's clip_grad, DeepSpeed's gradient_clipping, Hugging Face's max_grad_norm, nanoGPT's
// grad_clip, TorchTitan's training.max_norm; as a fact or in argv. A value of 0 disables clipping.
std::optional<ClipValue> clipValueOf(std::span<const Fact> facts);

struct ClipPressure {
  std::int64_t first_step = 0, last_step = 0;  // at which more than kShare of the window was clipped
  double share = 0;                            // maximum
};

class ClipWatch {
 public:
  static constexpr std::size_t kWindow = 300;
  static constexpr double kShare = 0.05;
  void push(std::int64_t step, double norm, double clip);
  const std::optional<ClipPressure>& found() const { return m_found; }

 private:
  std::bitset<kWindow> m_clipped;
  std::size_t m_next = 0, m_seen = 0, m_count = 0;
  std::optional<ClipPressure> m_found;
};

struct ScaleCollapse {
  std::int64_t first_step = 0, last_step = 0;
  int halvings = 0;
  double from = 0, lowest = 0;
  std::optional<std::int64_t> recovered_step;  // first step after the collapse
};

class ScaleWatch {
 public:
  static constexpr std::int64_t kSearch = 100, kWindow = 200;  // steps
  static constexpr int kHalvings = 5;
  void push(std::int64_t step, double scale);
  const std::vector<ScaleCollapse>& found() const { return m_found; }
  const std::vector<std::int64_t>& halvings() const { return m_halvings; }  // steps
  bool any() const { return m_last.has_value(); }

 private:
  std::optional<double> m_last;
  std::int64_t m_first_step = 0;
  struct Halving {
    std::int64_t step;
    double from;
    int times;  // log2 of the factor; more than one where not every step is logged
  };
  std::deque<Halving> m_recent;
  std::vector<std::int64_t> m_halvings;
  bool m_open = false;
  std::vector<ScaleCollapse> m_found;
};

}  // namespace runglass
