// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/regime_watch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "analysis/run_summary/roles.h"

namespace runglass {
namespace {

constexpr int kListEvery = 20;  // calls
constexpr std::int64_t kListSteps = 5, kLookBack = 1'000;
constexpr double kTokensMoved = 0.10;   // tokens/s and step time are measured over different intervals
constexpr std::size_t kMovedSteps = 3;  // consecutive, with similar values
constexpr double kAlike = 0.05;
constexpr const char* kTokens = "tokens per step";

// Names of Megatron, DeepSpeed, NeMo, Lightning, torchtitan; case, spaces, - and _ do not matter.
constexpr std::array<std::string_view, 9> kSettingTags = {"globalbatchsize", "batchsize",     "seqlength",
                                                          "sequencelength",  "seqlen",        "microbatchsize",
                                                          "numtokens",       "tokensperstep", "gradientaccumulationsteps"};

bool isSetting(std::string_view tag) {
  if (const auto slash = tag.rfind('/'); slash != std::string_view::npos) tag.remove_prefix(slash + 1);
  std::string plain;
  for (const char c : tag)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::ranges::find(kSettingTags, plain) != kSettingTags.end();
}

}  // namespace

std::optional<double> StepRegimeWatch::before(const std::string& tag) const {
  const auto found = m_before.find(tag);
  return found == m_before.end() ? std::nullopt : std::optional(found->second);
}

Status StepRegimeWatch::list(Reader& reader) {
  SeriesFilter filter;
  filter.attempt = m_attempt;
  filter.kind = SeriesKind::kScalar;
  RG_ASSIGN(auto all, reader.series(filter));
  std::erase_if(all, [](const Series& series) { return series.key.rank.has_value() || series.sample_count == 0; });
  for (const Series& series : all) {
    const bool known = std::ranges::any_of(m_settings, [&](const Setting& one) { return one.id == series.id; });
    if (!known && isSetting(series.key.metric))
      m_settings.push_back({.id = series.id, .tag = series.key.metric, .reported = {}, .value = before(series.key.metric)});
  }
  if (!m_tokens)
    if (const Series* tokens = pickSeries(all, Role::kTokensPerSecond))
      m_tokens = Setting{.id = tokens->id, .tag = kTokens, .reported = {}, .value = before(kTokens)};
  return {};
}

Status StepRegimeWatch::catchUp(Reader& reader, Setting& found, std::int64_t first_step, const std::stop_token& stop) {
  if (std::exchange(found.caught_up, true) || first_step <= 0) return {};
  RG_ASSIGN(const auto points, reader.scalars(found.id, std::max<std::int64_t>(0, first_step - kLookBack), first_step, stop));
  for (const double value : points.value) {
    if (!std::isfinite(value)) continue;
    m_moved_before |= found.value && *found.value != value;
    found.value = value;
  }
  return {};
}

Status StepRegimeWatch::read(Reader& reader, const std::vector<StepFrame>& frames, const std::stop_token& stop) {
  // A series that is logged every few steps appears late in a new run, which is when batches grow.
  if (m_calls_since_list-- <= 0 || frames.back().step >= m_list_at) {
    RG_TRY(list(reader));
    m_calls_since_list = kListEvery;
    m_list_at = frames.back().step + std::max<std::int64_t>(kListSteps, frames.back().step / 4);
    for (Setting& one : m_settings) RG_TRY(catchUp(reader, one, frames.front().step, stop));
  }
  const auto fill = [&](Setting& one) -> Status {
    RG_ASSIGN(const auto points, reader.scalars(one.id, frames.front().step, frames.back().step + 1, stop));
    one.reported.clear();
    for (std::size_t i = 0; i < points.size(); ++i)
      if (std::isfinite(points.value[i])) one.reported[points.step[i]] = points.value[i];
    return {};
  };
  for (Setting& one : m_settings) RG_TRY(fill(one));
  if (m_tokens) RG_TRY(fill(*m_tokens));
  return {};
}

bool StepRegimeWatch::begins(const StepFrame& frame) {
  bool moved = std::exchange(m_moved_before, false);
  for (Setting& one : m_settings) {
    const auto reported = one.reported.find(frame.step);
    if (reported == one.reported.end()) continue;
    moved |= one.value && *one.value != reported->second;
    one.value = reported->second;
  }
  if (moved && m_tokens) m_tokens->value.reset();
  return tokensMoved(frame) || moved;
}

bool StepRegimeWatch::tokensMoved(const StepFrame& frame) {
  const auto dur = frame.longest();
  if (!m_tokens || !dur) return false;
  const auto reported = m_tokens->reported.find(frame.step);
  if (reported == m_tokens->reported.end()) return false;
  const double tokens = reported->second * *dur / kNsPerSecond;
  if (!m_tokens->value) {
    m_tokens->value = tokens;
    return false;
  }
  if (std::fabs(tokens / *m_tokens->value - 1) < kTokensMoved) {
    m_off.clear();
    return false;
  }
  m_off.push_back(tokens);
  if (m_off.size() < kMovedSteps) return false;
  const auto [least, most] = std::ranges::minmax(m_off);
  if (most > least * (1 + kAlike)) {
    m_off.erase(m_off.begin());
    return false;
  }
  m_tokens->value = m_off.back();
  m_off.clear();
  return true;
}

std::map<std::string, double> StepRegimeWatch::values() const {
  std::map<std::string, double> out;
  for (const Setting& one : m_settings)
    if (one.value) out[one.tag] = *one.value;
  if (m_tokens && m_tokens->value) out[m_tokens->tag] = *m_tokens->value;
  return out;
}

}  // namespace runglass
