// SPDX-License-Identifier: Apache-2.0
// Invariants:
//  1. The reference clock (the one with the median offset) is never moved: it is ahead by 0 at all times.
//  2. m_curves hold how far each clock is ahead, by its own time; from place() on, every selected clock has one.
#include "analysis/clock_align/clock_align.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "analysis/clock_align/clock_curve.h"
#include "analysis/clock_align/clock_graph.h"
#include "analysis/statistics/median.h"
#include "model/time_text.h"

namespace runglass {
namespace {

constexpr std::size_t kMinEdge = 5;  // differences needed to estimate the offset of two clocks
constexpr int kPolishes = 3;
constexpr DurNs kShortestWindow = kNsPerSecond / 2;
constexpr TimeNs kFarthest = 4'000'000'000'000'000'000;  // year 2096: sums of two times still fit

// The quantile `share` of the values; reorders them.
DurNs quantile(std::vector<DurNs>& values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  return *at;
}

class Aligner {
 public:
  Aligner(const MatchedOps& ops, std::span<const std::string> names, std::span<const std::optional<DurNs>> own_error)
      : m_ops(ops), m_names(names), m_own_error(own_error), m_count(names.size()), m_curves(names.size()) {
    m_out.clocks.resize(m_count);
  }

  ClockAlign run() {
    if (!choose()) {
      refuse("fewer than two clocks have " + std::to_string(kMinMatches) + " operations in common with others");
    } else if (place()) {
      m_out.before = residual(true);
      cutWindows();
      for (std::size_t w = 0; w < m_out.windows; ++w) placeWindow(w);
      for (int i = 0; i < kPolishes; ++i)
        for (std::size_t w = 0; w < m_out.windows; ++w) polish(w);
      finishCurves();
      judge();
    }
    return std::move(m_out);
  }

 private:
  void refuse(std::string why) {
    m_out.verdict = ClockAlignVerdict::kRefused;
    m_out.words = std::move(why);
    for (AlignedClock& clock : m_out.clocks) clock.knots.clear();
  }

  // An operation's ends on the selected clocks.
  std::span<const MatchedOps::End> endsOf(std::size_t op) {
    m_ends.clear();
    for (const MatchedOps::End& end : m_ops.op(op))
      if (end.time > -kFarthest && end.time < kFarthest && m_out.clocks[end.clock].aligned) m_ends.push_back(end);
    return m_ends.size() < 2 ? std::span<const MatchedOps::End>() : std::span<const MatchedOps::End>(m_ends);
  }

  // Deselects clocks with too few matches, repeatedly: each removal takes matches from the others.
  bool choose() {
    for (AlignedClock& clock : m_out.clocks) clock.aligned = true;
    for (bool changed = true; changed;) {
      changed = false;
      for (AlignedClock& clock : m_out.clocks)
        if (clock.aligned) clock.matches = 0;
      m_used.clear();
      for (std::size_t i = 0; i < m_ops.size(); ++i) {
        const auto ends = endsOf(i);
        for (const auto& end : ends) ++m_out.clocks[end.clock].matches;
        if (!ends.empty()) m_used.push_back(i);
      }
      for (AlignedClock& clock : m_out.clocks) {
        if (!clock.aligned || clock.matches >= static_cast<std::int64_t>(kMinMatches)) continue;
        clock.aligned = false;
        changed = true;
      }
    }
    m_out.matches = static_cast<std::int64_t>(m_used.size());
    return std::ranges::count(m_out.clocks, true, &AlignedClock::aligned) >= 2;
  }

  // `straight` removes the known offset of its clock from an end.
  template <class Straight>
  void addTo(ClockGraph& graph, std::size_t op, Straight straight) {
    const auto ends = endsOf(op);
    if (ends.empty()) return;
    if (m_ops.message[op]) return graph.message(ends[0].clock, ends[1].clock, minusTime(straight(ends[1]), straight(ends[0])));
    const auto hub = std::ranges::min_element(ends, {}, &MatchedOps::End::clock);
    for (const auto& end : ends)
      if (end.clock != hub->clock) graph.together(hub->clock, end.clock, minusTime(straight(end), straight(*hub)));
  }

  // One constant offset for each clock, and the reference clock.
  bool place() {
    ClockGraph graph(m_count);
    for (const std::size_t op : m_used) addTo(graph, op, [](const MatchedOps::End& end) { return end.time; });
    const auto first = static_cast<std::uint32_t>(std::ranges::find(m_out.clocks, true, &AlignedClock::aligned) - m_out.clocks.begin());
    auto places = graph.placesFrom(first, kMinEdge);
    std::vector<std::pair<DurNs, std::uint32_t>> offsets;
    for (std::uint32_t c = 0; c < m_count; ++c) {
      if (!m_out.clocks[c].aligned) continue;
      if (!places[c]) {
        refuse(apart(places));
        return false;
      }
      offsets.emplace_back(places[c]->offset, c);
    }
    const auto middle = offsets.begin() + static_cast<std::ptrdiff_t>((offsets.size() - 1) / 2);
    std::ranges::nth_element(offsets, middle);
    m_reference = middle->second;
    places = graph.placesFrom(m_reference, kMinEdge);
    m_ahead.assign(m_count, 0);
    m_path_error.assign(m_count, 0);
    for (std::uint32_t c = 0; c < m_count; ++c) {
      if (m_out.clocks[c].aligned) m_ahead[c] = places[c]->offset;
    }
    return true;
  }

  std::string apart(const std::vector<std::optional<ClockGraph::Place>>& places) const {
    std::string here, there;
    const auto add = [](std::string& list, const std::string& name) {
      constexpr std::size_t kLongest = 60;
      if (list.size() < kLongest)
        list += (list.empty() ? "" : ", ") + name;
      else if (!list.ends_with("..."))
        list += ", ...";
    };
    for (std::size_t c = 0; c < m_count; ++c)
      if (m_out.clocks[c].aligned) add(places[c] ? here : there, m_names[c]);
    return "nothing joins " + here + " with " + there + ": they share too few operations";
  }

  DurNs ahead(const MatchedOps::End& end) const {
    return m_curves[end.clock].empty() ? m_ahead[end.clock] : aheadAt(m_curves[end.clock], end.time);
  }

  // The time at which an operation ended: the median over its clocks.
  TimeNs middleOf(std::span<const MatchedOps::End> ends, bool as_stamped) {
    m_times.clear();
    for (const auto& end : ends) m_times.push_back(as_stamped ? end.time : minusTime(end.time, ahead(end)));
    return medianBetween(m_times);
  }

  // Windows of a minute or less, long enough that nine of ten clocks in a window have enough matches in it.
  void cutWindows() {
    std::vector<std::pair<TimeNs, std::size_t>> order;
    order.reserve(m_used.size());
    for (const std::size_t op : m_used) order.emplace_back(middleOf(endsOf(op), false), op);
    std::ranges::sort(order);
    const auto at = [&](std::size_t percent) { return order[(order.size() - 1) * percent / 100].first; };
    const DurNs length = std::clamp(minusTime(at(98), at(2)) / 8, kShortestWindow, kAlignWindow);
    std::vector<std::size_t> seen(m_count, 0);
    std::size_t clocks = 0, enough = 0;
    m_window_begin = {0};
    for (std::size_t i = 0; i < order.size(); ++i) {
      m_used[i] = order[i].second;
      for (const auto& end : endsOf(m_used[i])) {
        clocks += seen[end.clock]++ == 0 ? 1 : 0;
        enough += seen[end.clock] == kMinMatches ? 1 : 0;
      }
      if (enough < 2 || enough * 10 < clocks * 9 || minusTime(order[i].first, order[m_window_begin.back()].first) < length) continue;
      m_window_begin.push_back(i + 1);
      std::ranges::fill(seen, 0);
      clocks = enough = 0;
    }
    // The remainder is too small for a window of its own and joins the last one.
    if (m_window_begin.size() > 1) m_window_begin.pop_back();
    m_window_begin.push_back(order.size());
    m_out.windows = m_window_begin.size() - 1;
  }

  void placeWindow(std::size_t w) {
    ClockGraph graph(m_count);
    std::vector<std::vector<TimeNs>> times(m_count);
    for (std::size_t i = m_window_begin[w]; i < m_window_begin[w + 1]; ++i) {
      addTo(graph, m_used[i], [this](const MatchedOps::End& end) { return minusTime(end.time, m_ahead[end.clock]); });
      for (const auto& end : endsOf(m_used[i])) times[end.clock].push_back(end.time);
    }
    // Where the reference has too few matches, the clock with the most matches is the root, at its last known offset.
    std::uint32_t root = m_reference;
    if (times[root].size() < kMinMatches)
      root = static_cast<std::uint32_t>(std::ranges::max_element(times, {}, &std::vector<TimeNs>::size) - times.begin());
    const DurNs moved = m_curves[root].empty() ? 0 : minusTime(m_curves[root].back().ahead, m_ahead[root]);
    const auto places = graph.placesFrom(root, kMinEdge);
    for (std::uint32_t c = 0; c < m_count; ++c) {
      if (!places[c] || times[c].size() < kMinMatches || c == m_reference) continue;
      const TimeNs at = medianBetween(times[c]);
      if (!m_curves[c].empty() && m_curves[c].back().at >= at) continue;  // its clock was set back
      m_curves[c].push_back({w, at, plusTime(m_ahead[c], plusTime(places[c]->offset, moved))});
    }
  }

  // Balances a window's operations against its clocks (median polish).
  void polish(std::size_t w) {
    std::vector<std::vector<DurNs>> away(m_count);
    for (std::size_t i = m_window_begin[w]; i < m_window_begin[w + 1]; ++i) {
      if (m_ops.message[m_used[i]]) continue;
      const auto ends = endsOf(m_used[i]);
      const TimeNs middle = middleOf(ends, false);
      for (const auto& end : ends) away[end.clock].push_back(minusTime(minusTime(end.time, ahead(end)), middle));
    }
    const DurNs of_reference = away[m_reference].empty() ? 0 : medianBetween(away[m_reference]);
    for (std::size_t c = 0; c < m_count; ++c) {
      if (c == m_reference || away[c].size() < kMinMatches) continue;
      const auto knot = std::ranges::find(m_curves[c], w, &CurveKnot::window);
      if (knot != m_curves[c].end()) knot->ahead = plusTime(knot->ahead, minusTime(medianBetween(away[c]), of_reference));
    }
  }

  // From a clock's first match to its last one, with no more knots than its error justifies.
  void finishCurves() {
    std::vector<std::optional<TimeRange>> reach(m_count);
    for (const std::size_t op : m_used) {
      for (const auto& end : endsOf(op)) {
        auto& range = reach[end.clock];
        range = range ? TimeRange{std::min(range->t0, end.time), std::max(range->t1, end.time)} : TimeRange{end.time, end.time};
      }
    }
    for (std::size_t c = 0; c < m_count; ++c) {
      ClockCurve& curve = m_curves[c];
      if (!m_out.clocks[c].aligned) continue;
      if (curve.empty()) curve.push_back({0, reach[c]->t0, m_ahead[c]});
      if (curve.size() < 2) continue;
      const CurveKnot front{0, reach[c]->t0, aheadAt(curve, reach[c]->t0)}, back{0, reach[c]->t1, aheadAt(curve, reach[c]->t1)};
      if (front.at < curve.front().at) curve.insert(curve.begin(), front);
      if (back.at > curve.back().at) curve.push_back(back);
    }
    readPathErrors();
    residual(false);
    for (std::size_t c = 0; c < m_count; ++c)
      if (m_out.clocks[c].aligned) simplify(m_curves[c], std::max<DurNs>(kMinError, m_out.clocks[c].error / 4));
  }

  // The error of the path to the reference, after the drift is removed.
  void readPathErrors() {
    ClockGraph graph(m_count);
    for (const std::size_t op : m_used) addTo(graph, op, [this](const MatchedOps::End& end) { return minusTime(end.time, ahead(end)); });
    const auto places = graph.placesFrom(m_reference, kMinEdge);
    for (std::size_t c = 0; c < m_count; ++c) m_path_error[c] = places[c] ? places[c]->error : 0;
  }

  // Sets each clock's median distance from the median end of its operations, and its error; returns the largest of the medians.
  DurNs residual(bool as_stamped) {
    std::vector<std::vector<DurNs>> away(m_count), of_messages(m_count);
    DurNs largest = 0;
    for (const std::size_t op : m_used) {
      const auto ends = endsOf(op);
      const TimeNs middle = middleOf(ends, as_stamped);
      for (const auto& end : ends) {
        const DurNs one = distance(as_stamped ? end.time : minusTime(end.time, ahead(end)), middle);
        // A message's distance includes latency: it is used only where a clock has no collectives.
        (m_ops.message[op] ? of_messages : away)[end.clock].push_back(one);
      }
    }
    for (std::size_t c = 0; c < m_count; ++c) {
      AlignedClock& clock = m_out.clocks[c];
      std::vector<DurNs>& values = away[c].size() < kMinMatches ? of_messages[c] : away[c];
      if (values.empty()) continue;
      const DurNs middle = (as_stamped ? clock.before : clock.after) = medianBetween(values);
      largest = std::max(largest, middle);
      if (as_stamped) continue;
      // Plus two standard errors of the path to the reference: errors add up along chains.
      clock.error = plusTime(std::max(kMinError, quantile(values, 0.95)), plusTime(m_path_error[c], m_path_error[c]));
    }
    return largest;
  }

  void judge() {
    residual(false);
    bool any = false;
    DurNs largest = 0, its_error = 0;
    for (std::size_t c = 0; c < m_count; ++c) {
      AlignedClock& clock = m_out.clocks[c];
      if (!clock.aligned) continue;
      std::vector<DurNs> shifts;
      for (const CurveKnot& knot : m_curves[c]) {
        clock.knots.push_back({knot.at, minusTime(0, knot.ahead)});
        shifts.push_back(clock.knots.back().shift);
      }
      const auto most = std::ranges::max_element(shifts, {}, [](DurNs s) { return distance(s, 0); });
      if (distance(*most, 0) <= clock.error) {
        if (distance(*most, 0) >= largest) largest = distance(*most, 0), its_error = clock.error;
        clock.knots.clear();
        m_curves[c] = {{0, m_curves[c].front().at, 0}};
        continue;
      }
      clock.shift = medianBetween(shifts);
      any = true;
    }
    m_out.after = residual(false);
    if (!any) {
      m_out.verdict = ClockAlignVerdict::kAgree;
      m_out.words =
          "the clocks agree: the largest offset is " + shortDurationText(largest) + ", within its error of " + shortDurationText(its_error);
    } else if (m_out.after >= m_out.before) {
      refuse("shifting would not bring the ends nearer to each other: " + shortDurationText(m_out.before) + " apart before, " +
             shortDurationText(m_out.after) + " after");
    } else if (const auto worse = notBetter()) {
      refuse(*worse);
    } else {
      m_out.verdict = ClockAlignVerdict::kShift;
    }
  }

  // The reason for a refusal where each clock that would be moved already has an error at most as large as this estimate's.
  std::optional<std::string> notBetter() const {
    std::optional<std::size_t> example;
    for (std::size_t c = 0; c < m_count; ++c) {
      const AlignedClock& clock = m_out.clocks[c];
      if (clock.knots.empty()) continue;
      if (!m_own_error[c] || clock.error < *m_own_error[c]) return std::nullopt;
      example = c;
    }
    return "the operations determine the clock of " + m_names[*example] + " to " + shortDurationText(m_out.clocks[*example].error) +
           " only, and it is known to " + shortDurationText(*m_own_error[*example]) + " already";
  }

  const MatchedOps& m_ops;
  const std::span<const std::string> m_names;
  const std::span<const std::optional<DurNs>> m_own_error;
  const std::size_t m_count;
  ClockAlign m_out;
  std::vector<std::size_t> m_used;          // operations on at least two selected clocks; by time after cutWindows()
  std::vector<std::size_t> m_window_begin;  // indices into m_used, with its end
  std::vector<DurNs> m_ahead, m_path_error;
  std::vector<ClockCurve> m_curves;
  std::uint32_t m_reference = 0;
  std::vector<MatchedOps::End> m_ends;  // of endsOf()
  std::vector<DurNs> m_times;           // of middleOf()
};

}  // namespace

void MatchedOps::add(std::span<const End> op, bool is_message) {
  if (op.size() < 2) return;
  ends.insert(ends.end(), op.begin(), op.end());
  first.push_back(ends.size());
  message.push_back(is_message);
}

ClockAlign alignClocks(const MatchedOps& ops, std::span<const std::string> names, std::span<const std::optional<DurNs>> own_error) {
  return Aligner(ops, names, own_error).run();
}

}  // namespace runglass
