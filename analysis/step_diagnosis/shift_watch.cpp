// SPDX-License-Identifier: Apache-2.0
// Invariant: m_away is empty exactly while m_sum is 0.
#include "analysis/step_diagnosis/shift_watch.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/peers/slower_than_peers.h"
#include "analysis/statistics/median.h"

namespace runglass {
namespace {

constexpr double kSlack = 0.015, kClamp = 0.10;
constexpr std::size_t kMaxAway = 400;      // deviating steps without a shift: the level follows them
constexpr std::size_t kMaxKept = 100'000;  // of them, however short
constexpr double kBack = 0.02;             // of the level before a shift: within this distance the shift has ended
constexpr double kMaxErrors = 6;
constexpr std::size_t kBeside = 40, kBesideLeast = 15;  // steps on each side of a start, within an hour of it
constexpr DurNs kBesideTime = 3600 * kNsPerSecond;
constexpr double kSharp = 0.7;                       // minimum share of the change between them
constexpr double kSureErrors = 3, kSureShare = 0.3;  // and a minimum share of it that exceeds noise
constexpr double kSwing = 0.05;                      // daily swings stay below
constexpr double kMedianError = 1.253;               // of a median: 1.253 sigma / sqrt(n)

std::vector<double> valuesOf(const std::deque<ShiftWatch::Point>& points) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const auto& point : points) values.push_back(point.value);
  return values;
}

double sigmaOf(const std::vector<double>& values, double middle) {
  std::vector<double> off;
  off.reserve(values.size());
  for (const double value : values) off.push_back(std::fabs(value - middle));
  return 1.4826 * median(std::move(off)).value();
}

ColumnMeans meansOf(const std::deque<ShiftWatch::Point>& points) {
  ColumnMeans means{};
  for (std::size_t c = 0; c < kStepColumnCount; ++c) {
    std::vector<double> values;
    for (const auto& point : points)
      if (!std::isnan(point.parts[c])) values.push_back(point.parts[c]);
    means[c] =
        values.size() * 2 < points.size() ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(median(std::move(values)).value());
  }
  return means;
}

}  // namespace

ShiftWatch::Level ShiftWatch::level() const {
  const auto values = valuesOf(m_level);
  const double middle = runglass::median(values).value();
  return {middle, sigmaOf(values, middle)};
}

void ShiftWatch::push(const Point& point) {
  if (!(point.value > 0)) return;
  follow(point);
  if (m_level.size() < kLevelLeast) {
    m_level.push_back(point);
    return;
  }
  const double median = level().median;
  const double off = std::clamp(point.value / median - 1, -kClamp, kClamp);
  const double before = m_sum;
  if (m_sum == 0)
    m_sum = off > kSlack ? off - kSlack : off < -kSlack ? off + kSlack : 0;
  else
    m_sum += off + (m_sum > 0 ? -kSlack : kSlack);
  const bool crossed = before != 0 && (before > 0) != (m_sum > 0);
  if (m_sum == 0 || crossed) {
    m_away.push_back(point);
    settle();
    return;
  }
  m_away.push_back(point);
  if (m_away.size() >= kShiftLeast && judge()) return;
  // Ten minutes may be many short steps.
  if ((m_away.size() >= kMaxAway && isLong()) || m_away.size() >= kMaxKept) settle();
}

bool ShiftWatch::isLong() const {
  const Point &first = m_away.front(), &last = m_away.back();
  if (first.when && last.when) return last.when->t1 - first.when->t0 >= kMinTime;
  if (m_away.size() >= kStepsWithoutClock) return true;
  // Their lengths are known; a source may record every tenth step only.
  double sum = 0;
  for (const Point& point : m_away) sum += point.value;
  const auto recorded = static_cast<double>(m_away.size()), steps = static_cast<double>(last.step) - static_cast<double>(first.step) + 1;
  return sum / recorded * std::max(recorded, steps) >= static_cast<double>(kMinTime);
}

// The deviating steps join the level.
void ShiftWatch::settle() {
  m_sum = 0;
  for (const Point& point : m_away) m_level.push_back(point);
  m_away.clear();
  while (m_level.size() > kLevelKept) m_level.pop_front();
}

bool ShiftWatch::isSharp(double change, double of) const {
  const std::optional<TimeRange>& when = m_away.front().when;
  const auto isNear = [&](const Point& point) { return !when || !point.when || std::abs(point.when->t0 - when->t0) <= kBesideTime; };
  std::vector<double> before, after;
  for (auto point = m_level.rbegin(); point != m_level.rend() && before.size() < kBeside && isNear(*point); ++point)
    before.push_back(point->value);
  for (auto point = m_away.begin(); point != m_away.end() && after.size() < kBeside && isNear(*point); ++point)
    after.push_back(point->value);
  if (std::fabs(change) >= kSwing) return true;
  if (std::min(before.size(), after.size()) < kBesideLeast) return false;
  const double was = median(before).value(), is = median(after).value();
  const double error = kMedianError *
                       std::hypot(sigmaOf(before, was) / std::sqrt(static_cast<double>(before.size())),
                                  sigmaOf(after, is) / std::sqrt(static_cast<double>(after.size()))) /
                       of;
  const double beside = (is - was) / of * (change > 0 ? 1 : -1);
  return beside >= kSharp * std::fabs(change) && beside - kSureErrors * error >= kSureShare * std::fabs(change);
}

std::size_t ShiftWatch::stayed(double was, double now) const {
  const double half = (was + now) / 2;
  double sum = 0, highest = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < m_away.size(); ++i) {
    sum += std::clamp(m_away[i].value / half - 1, -kClamp, kClamp) * (now > was ? 1 : -1);
    if (sum > highest) highest = sum, count = i + 1;
  }
  std::vector<double> after;
  for (std::size_t i = count; i < m_away.size(); ++i) after.push_back(m_away[i].value);
  const bool back = after.size() >= kBesideLeast && std::fabs(median(std::move(after)).value() / was - 1) < kBack;
  return back ? count : m_away.size();
}

bool ShiftWatch::judge() {
  if (!isLong()) return false;
  const Point &first = m_away.front(), &last = m_away.back();
  const Level was = level();
  const auto values = valuesOf(m_away);
  const double now = median(values).value();
  const double change = now / was.median - 1;
  const double error = kMedianError / was.median *
                       std::sqrt(was.sigma * was.sigma / static_cast<double>(m_level.size()) +
                                 std::pow(sigmaOf(values, now), 2) / static_cast<double>(values.size()));
  if (std::fabs(change) < kMinThroughputChange || std::fabs(change) < kMaxErrors * error) return false;
  if (!isSharp(change, was.median)) return false;
  ThroughputShift shift{.attempt = first.attempt, .first_step = first.step, .last_step = last.step, .start = {}, .end = {}};
  if (first.when) shift.start = first.when->t0;
  shift.before = was.median, shift.after = now, shift.error = error;
  shift.steps_before = m_level.size(), shift.steps_after = values.size();
  shift.parts_before = meansOf(m_level), shift.parts_after = meansOf(m_away);
  shift.across_restart = first.first_of_attempt;
  // A job that returns to its old level ends the open shift; that is not another shift.
  const bool is_return = !m_shifts.empty() && m_shifts.back().open && std::fabs(now / m_shifts.back().before - 1) < kBack;
  if (!m_shifts.empty() && m_shifts.back().open) {
    m_shifts.back().open = false;
    m_shifts.back().end = shift.start;
    m_shifts.back().last_step = m_level.back().step;  // the first step away was taken for one of the shift
  }
  m_level.clear();
  if (const std::size_t count = is_return ? m_away.size() : stayed(was.median, now); count < m_away.size()) {
    const auto end = m_away.begin() + static_cast<std::ptrdiff_t>(count);
    shift.open = false;
    shift.last_step = std::prev(end)->step;
    if (std::prev(end)->when) shift.end = std::prev(end)->when->t1;
    const std::deque<Point> slow(m_away.begin(), end);
    shift.after = median(valuesOf(slow)).value(), shift.steps_after = count;
    shift.parts_after = meansOf(slow);
    m_away.erase(m_away.begin(), end);
  }
  if (!is_return) m_shifts.push_back(shift);
  settle();
  return true;
}

void ShiftWatch::follow(const Point& point) {
  if (m_shifts.empty() || !m_shifts.back().open || !m_away.empty()) return;
  m_shifts.back().last_step = std::max(m_shifts.back().last_step, point.step);
  ++m_shifts.back().steps_after;
}

void ShiftWatch::regimeChanged() {
  ++m_regimes_ended;
  if (!m_shifts.empty() && m_shifts.back().open) {
    m_shifts.back().open = false;
    if (!m_level.empty() && m_level.back().when) m_shifts.back().end = m_level.back().when->t1;
  }
  m_level.clear();
  m_away.clear();
  m_sum = 0;
}

}  // namespace runglass
