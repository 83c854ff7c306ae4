// SPDX-License-Identifier: Apache-2.0
// WireRecorder: a Recorder that encodes records as payload bytes, one pending buffer per delivery class.
//
// Threading:  Recorder calls on one thread; take() and pendingBytes() from any thread.
// Ownership:  borrows the session's dictionary, which must outlive it.
// Units:      ids are those of the dictionary.
// Errors:     with more than kMaxPending bytes not taken, records are dropped and counted; flush() returns RESOURCE_EXHAUSTED once.
// Cost:       an uncontended lock per call; samples are packed at memory speed (equal time columns are sent once).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collectors/wire/session_dictionary.h"
#include "collectors/wire/stream_class.h"
#include "model/mutex.h"
#include "model/recorder.h"

namespace runglass {

// Rate limit for log lines of a source: a flood is cut at the node, counted, and never displaces warnings.
class LogBudget {
 public:
  static constexpr std::int64_t kLinesPerSecond = 10'000, kBurst = 100'000;  // for plain lines, and the same again for warnings and above

  bool take(Severity severity, TimeNs now) {
    Bucket& bucket = m_buckets[severity >= Severity::kWarning ? 1 : 0];
    if (bucket.filled_at == 0) bucket.filled_at = now;
    // In units of 1 / s, so that frequent calls lose no fraction of a line.
    const DurNs waited = std::clamp<DurNs>(now - bucket.filled_at, 0, kBurst / kLinesPerSecond * kNsPerSecond);
    bucket.room = std::min(kBurst * kNsPerSecond, bucket.room + waited * kLinesPerSecond);
    bucket.filled_at = now;
    if (bucket.room < kNsPerSecond) {
      ++m_refused;
      return false;
    }
    bucket.room -= kNsPerSecond;
    return true;
  }
  // Lines refused since the last call that returned more than 0; at most one such result a second.
  std::int64_t refusedToTell(TimeNs now) {
    if (m_refused == 0 || (now >= m_reported_at && now - m_reported_at < kNsPerSecond)) return 0;
    m_reported_at = now;
    return std::exchange(m_refused, 0);
  }
  std::int64_t takeRefused() { return std::exchange(m_refused, 0); }

 private:
  struct Bucket {
    std::int64_t room = kBurst * kNsPerSecond;
    TimeNs filled_at = 0;
  };
  std::array<Bucket, 2> m_buckets;
  std::int64_t m_refused = 0;
  TimeNs m_reported_at = 0;
};

class WireRecorder : public Recorder {
 public:
  static constexpr std::size_t kMaxPending = 16U << 20;  // per class
  static constexpr std::size_t kPiece = 256U << 10;

  // `now` is the session clock. `seal` requests a take() soon; it is called on the Recorder's thread with no lock held.
  WireRecorder(SessionDictionary& dictionary, std::function<TimeNs()> now, std::function<void()> seal);

  NodeId node(const Node& node) override;
  DeviceId device(const Device& device) override;
  RunId run(const Run& run) override;
  AttemptId attempt(const Attempt& attempt) override;
  void rank(const Rank& rank) override;
  void fact(const Fact& fact) override;
  void checkpoint(const Checkpoint& checkpoint) override;
  void group(const CommGroup& group) override;
  SeriesId series(const SeriesKey& key) override { return m_dictionary.series(key); }
  TrackId track(const TrackKey& key) override { return m_dictionary.track(key); }
  void samples(SeriesId series, std::span<const TimeNs> time, std::span<const double> value) override;
  void scalars(SeriesId series, std::span<const std::int64_t> step, std::span<const TimeNs> time, std::span<const double> value) override;
  void spans(TrackId track, const SpanColumns& spans) override;
  void event(const Event& event) override;
  void log(const LogLine& line) override;
  void progress(const Progress& progress) override;
  void issue(const Issue& issue) override;
  void label(const Label& label) override;
  void clock(const ClockReading& reading) override;
  void capture(const Capture& capture) override;
  Status flush() override;

  // The oldest pending piece of a class: a complete Payload of about kPiece bytes or less; empty when nothing is pending.
  std::string take(StreamClass stream);
  std::size_t pendingBytes() const;
  // Records dropped because a buffer was full, since the last call.
  std::int64_t takeDropped();

 private:
  struct Pending {
    std::deque<std::string> full;
    std::string open;
    std::vector<TimeNs> times;  // of the last sample block in `open`
    std::size_t bytes = 0;      // full and open
    std::size_t last = 0;       // size of the previous piece, an estimate for the next one
  };
  // Appends one record; `write(out)` appends the whole field, of about `size` bytes where that may be large.
  template <class Write>
  void put(StreamClass stream, const Write& write, std::size_t size = 0);
  void close(Pending& pending) RG_REQUIRES(m_mutex);
  template <class Message>
  void putMessage(StreamClass stream, std::uint32_t field, const Message& message);
  template <class Message>
  void putUpdate(std::uint32_t field, const Message& message);

  // At most kMaxText bytes of `text`, marked where it is cut.
  std::string cut(const std::string& text);
  void tellRefused(std::int64_t lines);

  SessionDictionary& m_dictionary;
  std::function<TimeNs()> m_now;
  std::function<void()> m_seal;
  mutable Mutex m_mutex;
  std::array<Pending, kStreamClassCount> m_pending RG_GUARDED_BY(m_mutex);
  LogBudget m_log_budget;
  std::string m_log_stream;  // of the last refused line
  std::int64_t m_dropped RG_GUARDED_BY(m_mutex) = 0;
  bool m_dropping RG_GUARDED_BY(m_mutex) = false;
  std::unordered_map<std::uint64_t, std::string> m_reported;  // (field, id) -> last update of this Recorder
};

}  // namespace runglass
