// SPDX-License-Identifier: Apache-2.0
// ProcessFeed: converts the ring records of one training process to Recorder calls.
//
// Threading:  the client source's thread.
// Ownership:  owns its RingReader; borrows the Recorder per call, always the same one.
// Units:      the trainer's CLOCK_MONOTONIC becomes TimeNs by one offset per session.
// Errors:     anomalies become client.* issues; a failure of the ring itself is pump()'s Status.
// Cost:       one map look-up per record; columns are passed on once per pump.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "collectors/sources/client/ring_reader.h"
#include "collectors/sources/client/span_gatherer.h"
#include "collectors/sources/source.h"

namespace runglass {

// End of an attempt, from all of this node's ranks: the gravest end that came first explains the others.
struct AttemptEnd {
  enum Gravity : std::uint8_t { kRunning, kOrderly, kException, kGone } gravity = kRunning;
};

class ProcessFeed {
 public:
  ProcessFeed(std::unique_ptr<RingReader> ring, const SourceContext& context);

  // Records new data and releases the slots once the Recorder accepted it. True: there is more.
  Result<bool> pump(Recorder& out, TimeNs now);
  // Records the current activity as a capture of kind "progress". False: it has no identity yet.
  bool capture(Recorder& out, TimeNs now, CaptureReason reason);
  // To call after the process has ended and all records are read: records its end once.
  void finish(Recorder& out, AttemptEnd& end);
  const std::string& runName() const { return m_run.name; }
  const std::string& attemptKey() const { return m_attempt.key; }
  bool exhausted() const { return m_ring->exhausted(); }
  const RingReader& ring() const { return *m_ring; }
  std::int32_t rank() const { return m_rank.rank; }
  // The current step; absent: none reported.
  std::optional<std::int64_t> step() const {
    const std::int64_t step = m_ring->progress().step;
    return m_ring->progressVersion() == 0 || step == kAbsent ? std::nullopt : std::optional(step);
  }

 private:
  struct PendingScalars {
    std::vector<std::int64_t> step;
    std::vector<TimeNs> time;
    std::vector<double> value;
  };
  TimeNs toTime(std::int64_t mono);
  std::string label() const;  // "run 'x' rank 3", for issues
  void declare(Recorder& out);
  void take(Recorder& out, const RingReader::Record& record);
  void takeCount(Recorder& out, const rgr_count& count);
  void takeScalar(Recorder& out, const rgr_scalar& scalar, bool per_rank);
  void takeStep(Recorder& out, const rgr_step& step, int phase);
  void takePart(Recorder& out, const rgr_part& part);
  void takeCheckpoint(Recorder& out, const RingReader::Record& record);
  void takeText(Recorder& out, const RingReader::Record& record);
  void takeFact(Recorder& out, bool automatic, std::string key, std::string_view value);
  void putStepValue(Recorder& out, std::string_view metric, std::string labels, std::int64_t step, TimeNs time, double value);
  void putScalar(Recorder& out, SeriesKey key, std::int64_t step, TimeNs time, double value);
  void handOver(Recorder& out);
  Progress progressNow(TimeNs now);
  void tellProgress(Recorder& out, TimeNs now);
  void tellLosses(Recorder& out, TimeNs now);
  void sampleRunDelay(Recorder& out, TimeNs now);
  SeriesId counterOf(Recorder& out, const char* metric);

  std::unique_ptr<RingReader> m_ring;
  const SourceContext& m_context;
  DurNs m_offset = 0;  // TimeNs - the trainer's monotonic clock
  std::uint64_t m_identity_version = 0;
  Run m_run;
  Attempt m_attempt;
  Rank m_rank;
  NodeId m_node;
  AttemptId m_attempt_id;
  bool m_declared = false, m_finished = false;
  std::optional<std::int32_t> m_twin_reported;  // pid for which a duplicate rank was reported
  TimeNs m_last_time = 0;                       // newest stamp in the ring

  std::map<std::string, SeriesId> m_series;  // key: metric, labels and owner
  std::map<SeriesId, PendingScalars> m_scalars;
  SpanGatherer m_spans{[this](std::uint32_t id) { return m_ring->string(id); }, [this](std::int64_t mono) { return toTime(mono); }};
  std::uint64_t m_progress_seen = 0, m_dropped_seen = 0, m_names_seen = 0, m_torn_seen = 0;
  std::uint64_t m_unknown = 0, m_unknown_seen = 0;
  std::map<std::uint32_t, std::uint64_t> m_counts;  // name -> total seen; a restarted agent counts from the first value it reads
  TimeNs m_progress_reported = 0, m_delay_due = 0;
};

}  // namespace runglass
