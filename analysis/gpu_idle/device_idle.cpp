// SPDX-License-Identifier: Apache-2.0
// Invariants:
//  1. Intervals of busy and idle time alternate, are disjoint and sorted by time; so are the pieces into which a gap is cut.
//  2. All times are inside [first step, last step] before they are subtracted: no difference overflows.
//  3. The cursors into activity intervals only move forward.
#include "analysis/gpu_idle/device_idle.h"

#include <algorithm>
#include <limits>

#include "analysis/statistics/median.h"

namespace runglass {
namespace {

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

struct Piece {
  TimeNs t0, t1;
};

// Disjoint and sorted.
std::vector<Piece> merged(std::vector<Piece> pieces) {
  std::ranges::sort(pieces, {}, &Piece::t0);
  std::vector<Piece> out;
  for (const Piece& piece : pieces) {
    if (!out.empty() && piece.t0 <= out.back().t1)
      out.back().t1 = std::max(out.back().t1, piece.t1);
    else
      out.push_back(piece);
  }
  return out;
}

// Queried in increasing order of time.
struct Timeline {
  std::vector<Piece> pieces;
  std::size_t at = 0;

  // Passes the parts of `rest` that it covers to `take`, and removes them from `rest`.
  template <class Take>
  void carve(std::vector<Piece>& rest, const Take& take) {
    if (rest.empty() || pieces.empty()) return;
    while (at < pieces.size() && pieces[at].t1 <= rest.front().t0) ++at;
    std::vector<Piece> left;
    std::size_t i = at;
    for (const Piece& piece : rest) {
      TimeNs from = piece.t0;
      while (i < pieces.size() && pieces[i].t1 <= from) ++i;
      for (; i < pieces.size() && pieces[i].t0 < piece.t1; ++i) {
        const TimeNs t0 = std::max(from, pieces[i].t0), t1 = std::min(piece.t1, pieces[i].t1);
        if (from < t0) left.push_back({from, t0});
        take(Piece{t0, t1});
        from = t1;
        if (pieces[i].t1 > piece.t1) break;
      }
      if (from < piece.t1) left.push_back({from, piece.t1});
    }
    rest = std::move(left);
  }
};

IdleCause causeOf(HostActivity activity) {
  switch (activity) {
    case HostActivity::kCheckpoint:
      return IdleCause::kCheckpoint;
    case HostActivity::kDataload:
      return IdleCause::kData;
    case HostActivity::kGc:
      return IdleCause::kGc;
    case HostActivity::kLogging:
      return IdleCause::kLogging;
    case HostActivity::kSync:
      return IdleCause::kSync;
    case HostActivity::kAllocation:
      return IdleCause::kAllocation;
    case HostActivity::kCopyCall:
      return IdleCause::kCopyCall;
    case HostActivity::kWork:
    case HostActivity::kNone:
      return IdleCause::kHostBound;
  }
  return IdleCause::kHostBound;
}

bool isCopy(SpanCategory category) { return category == SpanCategory::kMemcpy || category == SpanCategory::kMemset; }

class Sweep {
 public:
  Sweep(std::span<const DeviceSpan> device, std::span<const HostSpan> host, std::span<const TimeRange> steps) {
    orderSteps(steps);
    m_out.steps.resize(steps.size());
    if (m_order.empty()) return;
    keep(device);
    keepHost(host);
  }

  DeviceIdle run() {
    if (m_order.empty()) return std::move(m_out);
    for (std::size_t i = 0; i < m_order.size(); ++i) m_out.steps[m_order[i]].window = m_steps[i].t1 - m_steps[i].t0;
    shareBusy();
    shareGaps();
    tellKernels();
    return std::move(m_out);
  }

 private:
  void orderSteps(std::span<const TimeRange> steps) {
    constexpr TimeNs kFarthest = std::numeric_limits<TimeNs>::max() / 4;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const TimeRange& step = steps[i];
      if (step.t0 >= step.t1 || step.t0 < -kFarthest || step.t1 > kFarthest || step.t1 - step.t0 > kLongestStep) continue;
      m_order.push_back(i);
    }
    std::ranges::stable_sort(m_order, {}, [&](std::size_t i) { return steps[i].t0; });
    std::vector<std::size_t> order;
    for (const std::size_t i : m_order) {
      const TimeNs from = m_steps.empty() ? steps[i].t0 : std::max(steps[i].t0, m_steps.back().t1);
      if (from >= steps[i].t1) continue;
      order.push_back(i);
      m_steps.push_back({from, steps[i].t1});
    }
    m_order = std::move(order);
  }

  TimeNs inside(TimeNs time) const { return std::clamp(time, m_steps.front().t0, m_steps.back().t1); }

  void keep(std::span<const DeviceSpan> device) {
    for (const DeviceSpan& span : device) {
      if (span.t0 > span.t1 || span.category > SpanCategory::kMemset) continue;
      m_device.push_back(span);
    }
    std::ranges::sort(m_device, {}, &DeviceSpan::t0);
  }

  void keepHost(std::span<const HostSpan> host) {
    std::array<std::vector<Piece>, kHostActivityCount> pieces;
    for (const HostSpan& span : host) {
      if (span.activity == HostActivity::kNone || span.t0 >= span.t1) continue;
      TimeNs end = span.t1;
      if (span.activity == HostActivity::kSync && end < std::numeric_limits<TimeNs>::max() - kSyncShadow) end += kSyncShadow;
      const Piece piece{inside(span.t0), inside(end)};
      if (piece.t0 < piece.t1) pieces[static_cast<std::size_t>(span.activity)].push_back(piece);
    }
    for (std::size_t a = 0; a < pieces.size(); ++a) m_host[a].pieces = merged(std::move(pieces[a]));
  }

  // Calls visit(step, t0, t1) for the parts of the piece within steps; pieces come sorted by time.
  template <class Visit>
  void eachStep(TimeNs t0, TimeNs t1, const Visit& visit) const {
    auto it = std::ranges::upper_bound(m_steps, t0, {}, &Piece::t1);
    for (; it != m_steps.end() && it->t0 < t1; ++it)
      visit(m_order[static_cast<std::size_t>(it - m_steps.begin())], std::max(t0, it->t0), std::min(t1, it->t1));
  }

  void shareBusy() {
    std::vector<Piece> compute, comm, copy;
    for (const DeviceSpan& span : m_device) {
      const Piece piece{inside(span.t0), inside(span.t1)};
      if (piece.t0 >= piece.t1) continue;
      (isCopy(span.category) ? copy : span.category == SpanCategory::kComm ? comm : compute).push_back(piece);
    }
    Timeline computing{merged(std::move(compute))}, communicating{merged(std::move(comm))};
    for (const Piece& piece : computing.pieces)
      eachStep(piece.t0, piece.t1, [&](std::size_t step, TimeNs t0, TimeNs t1) { m_out.steps[step].compute += t1 - t0; });
    for (const Piece& piece : communicating.pieces) {
      std::vector<Piece> rest = {piece};
      computing.carve(rest, [&](const Piece& both) {
        eachStep(both.t0, both.t1, [&](std::size_t step, TimeNs t0, TimeNs t1) { m_out.steps[step].overlapped_comm += t1 - t0; });
      });
      for (const Piece& own : rest)
        eachStep(own.t0, own.t1, [&](std::size_t step, TimeNs t0, TimeNs t1) { m_out.steps[step].comm += t1 - t0; });
    }
    computing.at = 0;
    for (const Piece& piece : merged(std::move(copy))) {
      std::vector<Piece> rest = {piece};
      computing.carve(rest, [](const Piece&) {});
      communicating.carve(rest, [](const Piece&) {});
      for (const Piece& own : rest)
        eachStep(own.t0, own.t1, [&](std::size_t step, TimeNs t0, TimeNs t1) { m_out.steps[step].copy += t1 - t0; });
    }
  }

  void shareGaps() {
    TimeNs busy_until = std::numeric_limits<TimeNs>::min();
    std::size_t last = kNowhere;  // the span with the latest end
    for (std::size_t i = 0; i < m_device.size();) {
      const TimeNs begin = m_device[i].t0;
      // All spans that begin now end the gap; the one that was issued first shows when the host was ready.
      std::size_t next = i, end = i;
      for (; end < m_device.size() && m_device[end].t0 == begin; ++end)
        if (m_device[end].launched != kAbsent && (m_device[next].launched == kAbsent || m_device[end].launched < m_device[next].launched))
          next = end;
      if (begin > busy_until) gap(busy_until, begin, last, next);
      for (; i < end; ++i) {
        noteLaunch(i, busy_until);
        if (m_device[i].t1 > busy_until || last == kNowhere) busy_until = std::max(busy_until, m_device[i].t1), last = i;
      }
    }
    if (busy_until < m_steps.back().t1) gap(busy_until, m_steps.back().t1, last, kNowhere);
  }

  static bool isShort(const DeviceSpan& span) {
    DurNs dur = 0;
    return span.category == SpanCategory::kCompute && !__builtin_sub_overflow(span.t1, span.t0, &dur) && dur < kShortKernel;
  }

  // The device was idle in [t0, t1); `next` ended the gap.
  void gap(TimeNs t0, TimeNs t1, std::size_t before, std::size_t next) {
    const TimeNs from = inside(t0), to = inside(t1);
    if (from >= to) return;
    m_track = next != kNowhere ? m_device[next].track : before != kNowhere ? m_device[before].track : 0;
    const TimeNs launched = next == kNowhere ? kAbsent : m_device[next].launched;
    const bool known = launched != kAbsent && launched <= t1;
    TimeNs issued = to;
    if (known) {
      issued = std::clamp(launched, from, to);
      // A copy on its way is being staged by its call.
      const IdleCause on_its_way = m_device[next].category == SpanCategory::kMemcpy ? IdleCause::kCopyCall : IdleCause::kLaunch;
      tally(launched >= t0 ? on_its_way : IdleCause::kQueued, {issued, to});
    }
    if (issued <= from) return;
    std::vector<Piece> rest = {{from, issued}};
    for (int a = static_cast<int>(HostActivity::kCheckpoint); a < static_cast<int>(HostActivity::kWork) && !rest.empty(); ++a) {
      const IdleCause cause = causeOf(static_cast<HostActivity>(a));
      m_host[static_cast<std::size_t>(a)].carve(rest, [&](const Piece& piece) { tally(cause, piece); });
    }
    if (known) {
      const bool small = before != kNowhere && isShort(m_device[before]) && issued - from < kLaunchStretch;
      for (const Piece& piece : rest) tally(small ? IdleCause::kSmallKernels : IdleCause::kHostBound, piece);
      return;
    }
    m_host[static_cast<std::size_t>(HostActivity::kWork)].carve(rest, [&](const Piece& piece) { tally(IdleCause::kHostBound, piece); });
    for (const Piece& piece : rest) tally(IdleCause::kUnexplained, piece);
  }

  void tally(IdleCause cause, const Piece& piece) {
    if (piece.t0 >= piece.t1) return;
    eachStep(piece.t0, piece.t1, [&](std::size_t step, TimeNs t0, TimeNs t1) {
      CauseTally& of = m_out.steps[step].causes[static_cast<std::size_t>(cause)];
      of.ns += t1 - t0;
      ++of.count;
      if (t1 - t0 > of.longest.t1 - of.longest.t0) of.longest = {t0, t1}, of.track = m_track;
    });
  }

  bool inStep(TimeNs time) const {
    const auto it = std::ranges::upper_bound(m_steps, time, {}, &Piece::t1);
    return it != m_steps.end() && it->t0 <= time;
  }

  void noteLaunch(std::size_t i, TimeNs busy_until) {
    const DeviceSpan& span = m_device[i];
    if (span.launched == kAbsent || span.launched > span.t0 || !inStep(span.t0)) return;
    ++m_out.launches_known;
    m_out.starved += span.launched >= busy_until ? 1 : 0;
    DurNs delay = 0;
    if (!__builtin_sub_overflow(span.t0, span.launched, &delay)) m_delays.push_back(delay);
  }

  void tellKernels() {
    for (const DeviceSpan& span : m_device) {
      if (isCopy(span.category) || !inStep(span.t0)) continue;
      ++m_out.kernels;
      const DurNs dur = inside(span.t1) - inside(span.t0);
      m_out.kernel_ns += dur;
      if (dur >= kShortKernel) continue;
      ++m_out.short_kernels;
      m_out.short_kernel_ns += dur;
    }
    m_out.median_delay = median(std::move(m_delays)).value_or(0);
  }

  std::vector<Piece> m_steps;        // disjoint, sorted
  std::vector<std::size_t> m_order;  // parallel to m_steps: index in the input
  std::vector<DeviceSpan> m_device;
  std::array<Timeline, kHostActivityCount> m_host;
  std::vector<DurNs> m_delays;
  std::uint32_t m_track = 0;
  DeviceIdle m_out;
};

}  // namespace

DeviceIdle deviceIdle(std::span<const DeviceSpan> device, std::span<const HostSpan> host, std::span<const TimeRange> steps) {
  return Sweep(device, host, steps).run();
}

}  // namespace runglass
