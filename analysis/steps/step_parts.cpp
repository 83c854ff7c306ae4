// SPDX-License-Identifier: Apache-2.0
// Invariant: the segments of a sweep are disjoint and sorted, and each has the one part that counts there; there is none where nothing was
// recorded.
#include "analysis/steps/step_parts.h"

#include <algorithm>
#include <optional>

namespace runglass {
namespace {

struct Edge {
  TimeNs at;
  std::int32_t by;  // +1 begins, -1 ends
  StepPart part;
};

struct Segment {
  TimeNs t0, t1;
  StepPart part;
  bool comm_beside;
};

std::optional<StepPart> partOf(SpanCategory category) {
  switch (category) {
    case SpanCategory::kCompute:
      return StepPart::kCompute;
    case SpanCategory::kComm:
      return StepPart::kComm;
    case SpanCategory::kMemcpy:
    case SpanCategory::kMemset:
      return StepPart::kCopy;
    case SpanCategory::kCheckpoint:
      return StepPart::kCheckpoint;
    case SpanCategory::kGc:
      return StepPart::kGc;
    case SpanCategory::kDataload:
      return StepPart::kDataload;
    case SpanCategory::kRuntime:
    case SpanCategory::kCpuOp:
    case SpanCategory::kSync:
      return StepPart::kHost;
    case SpanCategory::kAnnotation:
    case SpanCategory::kIdle:
    case SpanCategory::kOther:
      return std::nullopt;
  }
  return std::nullopt;
}

std::vector<Edge> edgesOf(std::span<const PartSpan> spans) {
  std::vector<Edge> edges;
  edges.reserve(spans.size() * 2);
  const auto add = [&](TimeNs t0, TimeNs t1, StepPart part) {
    if (t0 >= t1) return;
    edges.push_back({t0, 1, part});
    edges.push_back({t1, -1, part});
  };
  for (const PartSpan& span : spans) {
    const auto part = partOf(span.category);
    if (!part) continue;
    if (*part != StepPart::kComm) {
      add(span.t0, span.t1, *part);
      continue;
    }
    const TimeNs until = std::clamp(span.until, span.t0, std::max(span.t0, span.t1));
    add(span.t0, until, StepPart::kCommWait);
    add(until, span.t1, StepPart::kComm);
  }
  std::ranges::sort(edges, {}, &Edge::at);
  return edges;
}

std::vector<Segment> segmentsOf(std::span<const PartSpan> spans) {
  std::vector<Segment> segments;
  std::array<std::int64_t, kStepPartCount> open{};
  TimeNs from = 0;
  const std::vector<Edge> edges = edgesOf(spans);
  for (const Edge& edge : edges) {
    if (edge.at > from) {
      const auto first = std::ranges::find_if(open, [](std::int64_t n) { return n > 0; });
      if (first != open.end()) {
        const auto part = static_cast<StepPart>(first - open.begin());
        const bool beside = part == StepPart::kCompute && (open[static_cast<std::size_t>(StepPart::kComm)] > 0 ||
                                                           open[static_cast<std::size_t>(StepPart::kCommWait)] > 0);
        if (!segments.empty() && segments.back().t1 == from && segments.back().part == part && segments.back().comm_beside == beside) {
          segments.back().t1 = edge.at;
        } else {
          segments.push_back({from, edge.at, part, beside});
        }
      }
    }
    from = edge.at;
    open[static_cast<std::size_t>(edge.part)] += edge.by;
  }
  return segments;
}

}  // namespace

const char* stepPartName(StepPart part) {
  constexpr std::array<const char*, kStepPartCount> kNames = {"compute", "comm",     "comm_wait", "copy", "checkpoint",
                                                              "gc",      "dataload", "host",      "idle"};
  return kNames[static_cast<std::size_t>(part)];
}

std::vector<StepParts> partsOfSteps(std::span<const PartSpan> spans, std::span<const TimeRange> steps) {
  const std::vector<Segment> segments = segmentsOf(spans);
  std::vector<StepParts> out(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const TimeRange step = steps[i];
    if (step.t0 >= step.t1) continue;
    DurNs idle = step.t1 - step.t0;
    auto it = std::ranges::upper_bound(segments, step.t0, {}, &Segment::t1);
    for (; it != segments.end() && it->t0 < step.t1; ++it) {
      const DurNs inside = std::min(it->t1, step.t1) - std::max(it->t0, step.t0);
      out[i].ns[static_cast<std::size_t>(it->part)] += inside;
      if (it->comm_beside) out[i].overlapped_comm += inside;
      idle -= inside;
    }
    out[i].ns[static_cast<std::size_t>(StepPart::kIdle)] += idle;
  }
  return out;
}

}  // namespace runglass
