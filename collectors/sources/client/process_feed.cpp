// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Slots are released only after the Recorder's flush() accepted their records.
// 2. Only rank 0 records the run's own row (state, start, end); a rank that vanishes can only set it to failed.
// 3. Steps, parts and spans always belong to this rank; a scalar belongs to the run unless the trainer assigned it to the rank.
#include "collectors/sources/client/process_feed.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>

#include "collectors/sources/client/process_identity.h"
#include "collectors/sources/client/record_payload.h"
#include "collectors/sources/series_table.h"
#include "model/metric_catalog.h"
#include "model/spans.h"
#include "model/step_metrics.h"
#include "model/url_secrets.h"

namespace runglass {
namespace {

constexpr DurNs kProgressEvery = 100 * kNsPerMs, kProgressAgain = 2 * kNsPerSecond, kDelayEvery = kNsPerSecond;
constexpr std::array<const char*, 5> kPhaseNames = {"init", "warmup", "steady", "eval", "checkpoint"};
constexpr std::array<std::string_view, 4> kCanonical = {"loss", "grad_norm", "learning_rate", "tokens_per_s"};

}  // namespace

ProcessFeed::ProcessFeed(std::unique_ptr<RingReader> ring, const SourceContext& context) : m_ring(std::move(ring)), m_context(context) {
  const rgr_header& header = m_ring->header();
  m_offset = ringClockOffset(header, context.now());
  toTime(header.anchor_mono);
}

TimeNs ProcessFeed::toTime(std::int64_t mono) {
  // Unsigned, because a hostile stamp must not overflow.
  const auto time = static_cast<TimeNs>(static_cast<std::uint64_t>(mono) + static_cast<std::uint64_t>(m_offset));
  m_last_time = std::max(m_last_time, time);
  return time;
}

std::string ProcessFeed::label() const { return "run '" + m_run.name + "' rank " + std::to_string(m_rank.rank); }

void ProcessFeed::declare(Recorder& out) {
  const rgr_header& header = m_ring->header();
  const rgr_identity& identity = header.identity;
  if (!m_ring->identityIsWhole() || (m_declared && header.identity_version == m_identity_version)) return;
  m_identity_version = header.identity_version;
  m_node = out.node(m_context.node);
  applyIdentity(identity, m_run, m_attempt, m_rank);
  if (m_rank.rank == 0) m_run.start = m_attempt.start = toTime(header.anchor_mono);
  // A ring found after its process died determines only the end of the run, not its state.
  m_run.state = m_ring->alive() ? RunState::kRunning : RunState::kUnknown;
  m_attempt.run = out.run(m_run);
  m_attempt_id = out.attempt(m_attempt);
  m_spans.owner(m_attempt_id, m_rank.rank);
  m_rank.attempt = m_attempt_id;
  m_rank.node = m_node;
  m_rank.pid = m_ring->pid() != 0 ? m_ring->pid() : static_cast<std::int32_t>(header.pid);
  out.rank(m_rank);
  if (m_ring->alive() && m_ring->pid() != 0) (void)counterOf(out, "run_cpu_ns");  // a hub admits the attempt's data after this
  if (m_context.ranks != nullptr && m_ring->alive()) {
    if (const auto twin = m_context.ranks->put(
            {.pid = *m_rank.pid, .rank = m_rank, .run = m_run.name, .attempt_key = m_attempt.key, .ring = m_ring->path()});
        twin && m_rank.pid != m_twin_reported) {
      m_twin_reported = m_rank.pid;
      out.issue({.code = "client.duplicate_rank",
                 .source = label(),
                 .first = m_context.now(),
                 .last = m_context.now(),
                 .detail = "processes " + std::to_string(*twin) + " and " + std::to_string(*m_rank.pid) + " both report as " + label()});
    }
  }
  if (!m_declared && m_ring->neverRead() && m_rank.rank == 0) {
    out.event({.time = *m_attempt.start,
               .attempt = m_attempt_id,
               .node = m_node,
               .kind = "start",
               .message = "run '" + m_run.name + "' starts, world size " + std::to_string(m_attempt.layout.world)});
  }
  m_declared = true;
}

Result<bool> ProcessFeed::pump(Recorder& out, TimeNs now) {
  if (!m_declared) RG_TRY(m_ring->look());
  declare(out);
  if (!m_declared) return false;  // the trainer is still in rg_init
  RG_ASSIGN(const bool more, m_ring->drain([&](const RingReader::Record& record) { take(out, record); }));
  declare(out);
  handOver(out);
  tellProgress(out, now);
  tellLosses(out, now);
  if (now >= m_delay_due) sampleRunDelay(out, now);
  RG_TRY(out.flush());
  m_ring->release();
  return more;
}

void ProcessFeed::take(Recorder& out, const RingReader::Record& record) {
  const std::string_view payload = record.payload;
  switch (record.head.type) {
    case RGR_SPAN:
      return m_spans.add(out, fixedPart<rgr_span>(payload), record.head.a, record.head.b);
    case RGR_SCALAR:
      return takeScalar(out, fixedPart<rgr_scalar>(payload), record.head.a != 0);
    case RGR_STEP:
      return takeStep(out, fixedPart<rgr_step>(payload), record.head.a);
    case RGR_PART:
      return takePart(out, fixedPart<rgr_part>(payload));
    case RGR_DATA_RANGE: {
      const auto range = fixedPart<rgr_data_range>(payload);
      const std::string labels = oneLabel("source", m_ring->string(range.name));
      putStepValue(out, "data_range_first", labels, range.step, toTime(range.time), static_cast<double>(range.first));
      putStepValue(out, "data_range_last", labels, range.step, toTime(range.time), static_cast<double>(range.last));
      return;
    }
    case RGR_CHECKPOINT:
      return takeCheckpoint(out, record);
    case RGR_LOG:
    case RGR_FACT:
      return takeText(out, record);
    case RGR_GPU_SPAN:
      if (!m_spans.addGpu(out, payload, record.head.a, record.head.b)) ++m_unknown;
      return;
    case RGR_COUNT:
      return takeCount(out, fixedPart<rgr_count>(payload));
    default:
      ++m_unknown;
  }
}

void ProcessFeed::putScalar(Recorder& out, SeriesKey key, std::int64_t step, TimeNs time, double value) {
  const std::string name = key.metric + '\0' + key.labels + '\0' + (key.rank ? 'r' : 'g');
  auto [series, fresh] = m_series.try_emplace(name);
  if (fresh) series->second = out.series(key);
  PendingScalars& pending = m_scalars[series->second];
  pending.step.push_back(step);
  pending.time.push_back(time);
  pending.value.push_back(value);
}

void ProcessFeed::putStepValue(Recorder& out, std::string_view metric, std::string labels, std::int64_t step, TimeNs time, double value) {
  if (step == kAbsent) return;
  putScalar(out,
            {.attempt = m_attempt_id,
             .rank = m_rank.rank,
             .metric = std::string(metric),
             .labels = std::move(labels),
             .unit = std::string(unitOfMetric(metric)),
             .kind = SeriesKind::kScalar},
            step, time, value);
}

void ProcessFeed::takeScalar(Recorder& out, const rgr_scalar& scalar, bool per_rank) {
  const std::string_view name = m_ring->string(scalar.name);
  const TimeNs time = toTime(scalar.time);
  if (scalar.step == kAbsent) {
    out.issue({.code = "client.no_step", .source = label(), .first = time, .last = time, .detail = "scalar '" + std::string(name) + "'"});
    return;
  }
  SeriesKey key{.attempt = m_attempt_id, .metric = std::string(name), .unit = std::string(unitOfMetric(name)), .kind = SeriesKind::kScalar};
  if (per_rank) key.rank = m_rank.rank;
  if (std::find(kCanonical.begin(), kCanonical.end(), name) != kCanonical.end()) key.labels = oneLabel("canonical", name);
  putScalar(out, std::move(key), scalar.step, time, scalar.value);
}

void ProcessFeed::takeStep(Recorder& out, const rgr_step& step, int phase) {
  const TimeNs start = toTime(step.start);
  toTime(saturatingSum(step.start, std::max<DurNs>(step.dur, 0)));
  putStepValue(out, kStepTimeMetric, "", step.step, start, static_cast<double>(step.dur));
  putStepValue(out, kStepPhaseMetric, "", step.step, start, phase);
  if (step.cpu != kAbsent) putStepValue(out, kStepCpuMetric, "", step.step, start, static_cast<double>(step.cpu));
  if (step.run_delay != kAbsent) putStepValue(out, kStepRunDelayMetric, "", step.step, start, static_cast<double>(step.run_delay));
}

void ProcessFeed::takePart(Recorder& out, const rgr_part& part) {
  const std::string labels = oneLabel("part", m_ring->string(part.name));
  const TimeNs time = toTime(part.time);
  putStepValue(out, kStepPartMetric, labels, part.step, time, static_cast<double>(part.dur));
  if (part.wait != kAbsent) putStepValue(out, kStepPartWaitMetric, labels, part.step, time, static_cast<double>(part.wait));
}

void ProcessFeed::takeCheckpoint(Recorder& out, const RingReader::Record& record) {
  const auto saved = fixedPart<rgr_checkpoint>(record.payload);
  const TimeNs time = toTime(saved.time);
  Checkpoint checkpoint{.attempt = m_attempt_id, .step = saved.step, .begin = {}, .durable = {}, .bytes = unlessAbsent(saved.bytes)};
  checkpoint.path = textAt(record.payload, sizeof(rgr_checkpoint), saved.path_bytes);
  const bool durable = record.head.a != 0;
  (durable ? checkpoint.durable : checkpoint.begin) = time;
  out.checkpoint(checkpoint);
  if (durable) {
    out.event({.time = time,
               .attempt = m_attempt_id,
               .node = m_node,
               .rank = m_rank.rank,
               .step = saved.step,
               .kind = "checkpoint_saved",
               .message = checkpoint.path});
  }
}

void ProcessFeed::takeText(Recorder& out, const RingReader::Record& record) {
  const auto text = fixedPart<rgr_text>(record.payload);
  const std::string_view first = textAt(record.payload, sizeof(text), text.first_bytes);
  if (record.head.type == RGR_FACT) {
    const std::string_view second = textAt(record.payload, sizeof(text) + text.first_bytes, text.second_bytes);
    return takeFact(out, record.head.a != 0, std::string(first), second);
  }
  out.log({.time = toTime(text.time),
           .attempt = m_attempt_id,
           .node = m_node,
           .rank = m_rank.rank,
           .stream = std::string(m_ring->string(text.name)),
           .severity = static_cast<Severity>(std::min<int>(record.head.a, 4)),
           .text = std::string(first) + (record.head.b ? " [cut]" : "")});
}

void ProcessFeed::takeFact(Recorder& out, bool automatic, std::string key, std::string_view value) {
  // The trainer's library drops these too, but the ring may be from another library.
  if (looksSecret(key)) return;
  Fact fact{.attempt = m_attempt_id, .node = {}, .rank = {}, .key = std::move(key), .value = withoutUrlSecrets(value)};
  if (m_rank.rank != 0) {
    if (automatic)
      fact.node = m_node;
    else
      fact.rank = m_rank.rank;
  }
  if (fact.key == "resumed_from_step" && m_rank.rank == 0) {
    std::int64_t step = 0;
    const char* end = fact.value.data() + fact.value.size();
    if (std::from_chars(fact.value.data(), end, step).ptr == end && !fact.value.empty()) {
      m_attempt.resumed_from_step = step;
      out.attempt(m_attempt);
      out.event(
          {.time = m_last_time, .attempt = m_attempt_id, .step = step, .kind = "restart", .message = "resumed from step " + fact.value});
    }
  }
  out.fact(fact);
}

void ProcessFeed::handOver(Recorder& out) {
  for (auto& [series, pending] : m_scalars)
    if (!pending.step.empty()) out.scalars(series, pending.step, pending.time, pending.value);
  m_scalars.clear();
  m_spans.handOver(out);
}

void ProcessFeed::tellProgress(Recorder& out, TimeNs now) {
  const std::uint64_t version = m_ring->progressVersion();
  const bool news = version != m_progress_seen && now - m_progress_reported >= kProgressEvery;
  // Repeated without a change: the process is alive in the same operation.
  const bool again = version != 0 && m_ring->alive() && now - m_progress_reported >= kProgressAgain;
  const bool last_words = version != m_progress_seen && !m_ring->alive();
  if (!news && !again && !last_words) return;
  out.progress(progressNow(now));
  m_progress_seen = version;
  m_progress_reported = now;
}

Progress ProcessFeed::progressNow(TimeNs now) {
  const rgr_progress& reported = m_ring->progress();
  Progress progress{.attempt = m_attempt_id, .rank = m_rank.rank};
  progress.time = m_ring->alive() ? now : toTime(reported.time);
  progress.step = unlessAbsent(reported.step);
  progress.microbatch = unlessAbsent(reported.microbatch);
  progress.group = unlessAbsent(reported.group);
  progress.seq = unlessAbsent(reported.seq);
  // Outside of all spans: since the last change, which is when the process wrote this.
  progress.since = toTime(unlessAbsent(reported.since).value_or(reported.time));
  progress.phase = reported.phase < kPhaseNames.size() ? kPhaseNames[reported.phase] : "";
  progress.op = m_ring->string(reported.op);
  return progress;
}

bool ProcessFeed::capture(Recorder& out, TimeNs now, CaptureReason reason) {
  if (!m_declared || !m_ring->look().ok()) return false;
  const rgr_header& header = m_ring->header();
  std::string text = m_ring->alive() ? "alive" : "gone";
  text += ", pid " + std::to_string(*m_rank.pid) + "\n";
  if (m_ring->progressVersion() != 0) {
    const Progress at = progressNow(now);
    out.progress(at);
    text += at.step ? "step " + std::to_string(*at.step) : "in no step";
    if (!at.phase.empty()) text += ", phase " + at.phase;
    if (at.microbatch) text += ", microbatch " + std::to_string(*at.microbatch);
    text += "\n" + (at.op.empty() ? "in no operation" : "in " + at.op);
    if (at.group) text += ", group " + std::to_string(*at.group);
    if (at.seq) text += ", seq " + std::to_string(*at.seq);
    if (at.since) text += ", for " + std::to_string(saturatingDifference(now, *at.since) / kNsPerMs) + " ms";
    text += "\n";
  } else {
    text += "no progress recorded\n";
  }
  text += "ring: " + std::to_string(header.head - std::min(header.head, header.tail)) + " of " + std::to_string(header.slots) +
          " slots wait, " + std::to_string(header.dropped) + " records refused\n";
  text += (m_ring->tracer().abilities & RGR_CAN_TRACE) != 0 ? "a tracer of GPU work is awake\n" : "no tracer of GPU work\n";
  out.capture({.time = now,
               .attempt = m_attempt_id,
               .node = m_node,
               .rank = m_rank.rank,
               .kind = "progress",
               .source = "librunglass",
               .reason = std::string(captureReasonName(reason)),
               .text = std::move(text)});
  return true;
}

void ProcessFeed::tellLosses(Recorder& out, TimeNs now) {
  const auto tell = [&](const char* code, std::uint64_t total, std::uint64_t& seen, const char* detail) {
    if (total <= seen) return;
    const auto count = static_cast<std::int64_t>(std::min<std::uint64_t>(total - seen, INT64_MAX));
    out.issue({.code = code, .source = label(), .count = count, .first = now, .last = now, .detail = detail});
    seen = total;
  };
  tell("client.ring_full", m_ring->header().dropped, m_dropped_seen, "records refused by the trainer's ring");
  tell("client.names_full", m_ring->header().lost_names, m_names_seen, "names refused by the trainer's table");
  tell("client.unknown_record", m_unknown, m_unknown_seen, "records of kinds this agent does not know");
  tell("client.torn_record", m_ring->tornRecords(), m_torn_seen, "records left half written by a process that died");
}

// The main thread's wait for a CPU according to the kernel; the diagnosis subtracts it from "slow".
void ProcessFeed::sampleRunDelay(Recorder& out, TimeNs now) {
  m_delay_due = now + kDelayEvery;
  if (!m_ring->alive() || m_ring->pid() == 0) return;
  std::ifstream file(m_context.root + "proc/" + std::to_string(m_ring->pid()) + "/schedstat");
  std::int64_t on_cpu = 0, waited = 0;
  if (!(file >> on_cpu >> waited)) return;
  out.sample(counterOf(out, "run_cpu_ns"), now, static_cast<double>(on_cpu));
  out.sample(counterOf(out, "run_delay_ns"), now, static_cast<double>(waited));
}

SeriesId ProcessFeed::counterOf(Recorder& out, const char* metric) {
  auto [series, fresh] = m_series.try_emplace(metric);
  if (fresh)
    series->second =
        out.series({.attempt = m_attempt_id, .rank = m_rank.rank, .metric = metric, .unit = "ns", .kind = SeriesKind::kCounter});
  return series->second;
}

void ProcessFeed::finish(Recorder& out, AttemptEnd& ending) {
  if (m_finished) return;
  m_finished = true;
  if (m_context.ranks != nullptr && m_rank.pid) m_context.ranks->drop(*m_rank.pid);
  const rgr_header& header = m_ring->header();
  const std::string said = header.identity.end_cause;
  AttemptEnd::Gravity gravity = AttemptEnd::kOrderly;
  std::string cause = said.empty() ? "exited" : said;
  if (header.end_state != RGR_END_SHUTDOWN && header.end_state != RGR_END_EXIT) {
    gravity = AttemptEnd::kGone;
    cause = "rank " + std::to_string(m_rank.rank) + " is gone without a word (killed or crashed)";
  } else if (said.starts_with("exception")) {
    gravity = AttemptEnd::kException;
    cause = "rank " + std::to_string(m_rank.rank) + ": " + said;
  }
  const bool failed = gravity > AttemptEnd::kOrderly;
  const TimeNs end = gravity == AttemptEnd::kGone ? m_last_time : toTime(header.end_time);
  out.event({.time = end,
             .attempt = m_attempt_id,
             .node = m_node,
             .rank = m_rank.rank,
             .kind = "process_exit",
             .severity = failed ? Severity::kError : Severity::kInfo,
             .code = gravity == AttemptEnd::kGone ? "gone" : "",
             .message = cause});
  if (gravity <= ending.gravity || (!failed && m_rank.rank != 0)) return;
  ending.gravity = gravity;
  m_run.state = failed ? RunState::kFailed : RunState::kFinished;
  m_run.end = m_attempt.end = end;
  m_attempt.end_cause = cause;
  out.run(m_run);
  out.attempt(m_attempt);
}

}  // namespace runglass
