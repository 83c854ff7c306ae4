// SPDX-License-Identifier: Apache-2.0
// Spans of StepRecords: those that a tracer in a pipeline trainer records of a step.
#include <algorithm>

#include "collectors/sim/step_records.h"

namespace runglass::sim {
namespace {

constexpr std::int64_t kTransfersPerStep = 1'000'000;  // numbers of a pipeline's transfers restart in every step

// Equal on both ends: from the lower of the two stages, the micro-batch and the direction.
std::int64_t transferSeq(std::int64_t step, const PipelineOp& op, std::int32_t lower_stage, std::int32_t stages) {
  return step * kTransfersPerStep + (std::int64_t{op.microbatch} * 2 + (op.backward ? 1 : 0)) * stages + lower_stage;
}

struct SpanAdder {
  SpanColumns& out;
  std::int64_t step;
  void operator()(TimeNs start, DurNs dur, std::uint32_t name, SpanCategory category, std::int32_t depth, std::int64_t batch = kAbsent,
                  std::int64_t group = kAbsent, std::int64_t seq = kAbsent) const {
    out.start.push_back(start);
    out.dur.push_back(dur);
    out.name.push_back(name);
    out.category.push_back(category);
    out.depth.push_back(depth);
    out.step.push_back(step);
    out.microbatch.push_back(batch);
    out.group.push_back(group);
    out.seq.push_back(seq);
  }
};

}  // namespace

void StepRecords::spans(std::int32_t rank, std::int64_t step, TimeNs began, const Step& timing) {
  const Coordinates& at = m_model.coordinates(rank);
  const RankStep& r = timing.ranks[static_cast<std::size_t>(rank)];
  enum Name : std::uint32_t { kStep, kData, kForward, kBackward, kReduce, kOptimizer, kKernel, kEvaluate };
  SpanColumns out;
  out.names = {"step", "data", "forward", "backward", "all_reduce dp", "optimizer", "layer", "evaluate"};
  const SpanAdder add{out, step};
  add(began, timing.dur, kStep, SpanCategory::kAnnotation, 0);
  add(began, r.data, kData, SpanCategory::kDataload, 1);
  // The rank's work inside the stage's slot; the rest of the slot is the wait for the tensor-parallel peers.
  const std::int32_t batches = timing.regime.micro_batches;
  const DurNs forward = (r.forward - r.collected + r.host / 3) / batches, backward = (r.backward + r.host - r.host / 3) / batches;
  constexpr int kLayers = 8;
  const auto place = static_cast<std::size_t>(at.dp) * static_cast<std::size_t>(m_scenario.pp) + static_cast<std::size_t>(at.pp);
  for (const PipelineOp& op : timing.ops[place]) {
    const TimeNs start = began + op.start;
    const DurNs dur = op.backward ? backward : forward + (op.microbatch == 0 ? r.collected : 0);
    add(start, dur, op.backward ? kBackward : kForward, SpanCategory::kCompute, 1, op.microbatch);
    if (m_scenario.spans == SpanDetail::kKernels)
      for (int layer = 0; layer < kLayers; ++layer)
        add(start + dur * layer / kLayers, dur / kLayers, kKernel, SpanCategory::kCompute, 2, op.microbatch);
  }
  add(began + r.reduce_begin, r.reduce_end - r.reduce_begin, kReduce, SpanCategory::kComm, 1, kAbsent, groupOf(rank), step);
  add(began + timing.optimizer_begin, r.optimizer, kOptimizer, SpanCategory::kCompute, 1);
  const DurNs after = timing.optimizer_begin + r.optimizer;
  if (r.other > 0) add(began + after + r.gc, r.other, kEvaluate, SpanCategory::kOther, 1);
  m_out.spans(m_ranks[static_cast<std::size_t>(rank)].track, out);
  if (m_scenario.pp > 1) transferSpans(rank, step, began, timing);
  if (r.collected > 0) collectorSpan(rank, step, began + timing.ops[place].front().start, r.collected);
  if (r.gc > 0) collectorSpan(rank, step, began + after, r.gc);
}

// Receives and, by direction, sends between the stages, each in its own stream: both ends of a transfer have the same group and seq and end
// together.
void StepRecords::transferSpans(std::int32_t rank, std::int64_t step, TimeNs began, const Step& timing) {
  const Coordinates& at = m_model.coordinates(rank);
  const RankSeries& series = m_ranks[static_cast<std::size_t>(rank)];
  const auto place = static_cast<std::size_t>(at.dp) * static_cast<std::size_t>(m_scenario.pp) + static_cast<std::size_t>(at.pp);
  const std::int64_t group = pipelineGroupOf(rank);
  enum Name : std::uint32_t { kForward, kBackward };
  SpanColumns received;
  received.names = {"forward-recv", "backward-recv"};
  for (const PipelineOp& op : timing.ops[place])
    if (op.asked >= 0)
      SpanAdder{received, step}(began + op.asked, op.start - op.asked, op.backward ? kBackward : kForward, SpanCategory::kComm, 0,
                                op.microbatch, group, transferSeq(step, op, op.backward ? at.pp : at.pp - 1, m_scenario.pp));
  m_out.spans(series.receive, received);
  const auto send = [&](TrackId track, std::size_t to, bool backward, std::int32_t lower) {
    SpanColumns sent;
    sent.names = {backward ? "backward-send" : "forward-send"};
    DurNs free_at = 0;
    for (const PipelineOp& op : timing.ops[to]) {
      if (op.backward != backward || op.asked < 0) continue;
      const DurNs begin = std::max(op.sent_by, free_at);
      SpanAdder{sent, step}(began + begin, op.start - begin, 0, SpanCategory::kComm, 0, op.microbatch, group,
                            transferSeq(step, op, lower, m_scenario.pp));
      free_at = op.start;
    }
    m_out.spans(track, sent);
  };
  if (at.pp + 1 < m_scenario.pp) send(series.send_forward, place + 1, false, at.pp);
  if (at.pp > 0) send(series.send_backward, place - 1, true, at.pp - 1);
}

void StepRecords::collectorSpan(std::int32_t rank, std::int64_t step, TimeNs start, DurNs dur) {
  RankSeries& series = m_ranks[static_cast<std::size_t>(rank)];
  if (!series.collector) series.collector = m_out.track({.attempt = m_attempt, .rank = rank, .kind = "thread", .name = "Python GC"});
  SpanColumns out;
  out.names = {"gc"};
  SpanAdder{out, step}(start, dur, 0, SpanCategory::kGc, 0);
  m_out.spans(series.collector, out);
}

}  // namespace runglass::sim
