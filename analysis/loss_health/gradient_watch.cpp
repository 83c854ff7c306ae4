// SPDX-License-Identifier: Apache-2.0
#include "analysis/loss_health/gradient_watch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "analysis/loss_spikes/loss_spikes.h"

namespace runglass {
namespace {

constexpr std::array<std::string_view, 5> kFactNames = {"clip_grad", "gradient_clipping", "max_grad_norm", "grad_clip",
                                                        "training.max_norm"};
constexpr std::array<std::string_view, 7> kArguments = {"--clip-grad",     "--clip_grad", "--gradient_clipping", "--max_grad_norm",
                                                        "--max-grad-norm", "--grad_clip", "--training.max_norm"};
constexpr double kHalf = 0.75;  // of the previous scale: at or below it, the scale was lowered

std::optional<double> numberAt(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t=:,\"'");
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && std::isfinite(value) && value >= 0 ? std::optional(value) : std::nullopt;
}

// The number that follows the argument as a separate word.
std::optional<double> argument(std::string_view argv, std::string_view name) {
  for (std::size_t at = argv.find(name); at != std::string_view::npos; at = argv.find(name, at + 1)) {
    const std::string_view rest = argv.substr(at + name.size());
    if (!rest.empty() && std::string_view(" =,\"'").find(rest.front()) != std::string_view::npos) return numberAt(rest);
  }
  return std::nullopt;
}

int halvingsOf(double from, double to) {
  constexpr int kMax = 64;  // down to 0
  return to > 0 ? std::clamp(static_cast<int>(std::lround(std::log2(from / to))), 1, kMax) : kMax;
}

}  // namespace

std::optional<ClipValue> clipValueOf(std::span<const Fact> facts) {
  std::optional<ClipValue> found;
  for (const Fact& fact : facts) {
    if (std::ranges::find(kFactNames, std::string_view(fact.key)) != kFactNames.end())
      if (const auto value = numberAt(fact.value)) found = {*value, fact.key};
    if (fact.key == "argv")
      for (const std::string_view name : kArguments)
        if (const auto value = argument(fact.value, name)) found = {*value, std::string(name)};
  }
  return found && found->value > 0 ? found : std::nullopt;
}

void ClipWatch::push(std::int64_t step, double norm, double clip) {
  if (!std::isfinite(norm)) return;
  const bool clipped = norm > clip;
  m_count += clipped ? 1 : 0;
  m_count -= m_clipped[m_next] ? 1 : 0;
  m_clipped[m_next] = clipped;
  m_next = (m_next + 1) % kWindow;
  m_seen = std::min(m_seen + 1, kWindow);
  const double share = static_cast<double>(m_count) / kWindow;
  if (m_seen < kWindow || share <= kShare) return;
  if (!m_found) m_found = {.first_step = step};
  m_found->last_step = step;
  m_found->share = std::max(m_found->share, share);
}

void ScaleWatch::push(std::int64_t step, double scale) {
  if (!std::isfinite(scale) || scale < 0) return;
  if (!m_last) m_first_step = step;
  const int times = m_last && scale <= kHalf * *m_last ? halvingsOf(*m_last, scale) : 0;
  if (times > 0) {
    m_halvings.push_back(step);
    if (stepsBetween(m_first_step, step) >= kSearch) m_recent.push_back({step, *m_last, times});
  }
  m_last = scale;
  while (!m_recent.empty() && stepsBetween(m_recent.front().step, step) >= kWindow) m_recent.pop_front();
  int sum = 0;
  for (const Halving& one : m_recent) sum += one.times;
  const bool collapsed = sum >= kHalvings;
  if (collapsed && !m_open) {
    m_found.push_back({.first_step = m_recent.front().step,
                       .halvings = sum - times,  // plus the newest ones, below
                       .from = m_recent.front().from,
                       .lowest = scale,
                       .recovered_step = {}});
    m_open = true;
  } else if (!collapsed && m_open) {
    m_found.back().recovered_step = step;
    m_open = false;
  }
  if (!m_open) return;
  ScaleCollapse& now = m_found.back();
  now.last_step = step;
  now.lowest = std::min(now.lowest, scale);
  now.halvings += times;
}

}  // namespace runglass
