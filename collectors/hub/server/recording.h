// SPDX-License-Identifier: Apache-2.0
// Recording: records data between the store's commits, and runs the commits on a separate thread.
//
// Threading:  the store writer's thread; `ran` is called on the commits' thread.
// Ownership:  borrows the Writer.
// Units:      bytes, ns.
// Errors:     those of the Writer's flush, by status(): data of a failed one stays recorded, and is tried again after a pause.
// Cost:       records added during a commit wait in memory; the caller states their size.
#pragma once

#include <deque>
#include <functional>
#include <thread>

#include "model/mutex.h"
#include "storage/writer.h"

namespace runglass {

class Recording {
 public:
  using What = std::function<void(Writer&)>;
  // Result of retention, see Writer::applyRetention(), and its duration.
  using Forgotten = std::function<void(const Result<bool>&, DurNs took)>;
  using Committed = std::function<void(const Status&)>;

  // `ran`: a commit has finished; call work().
  Recording(Writer& writer, std::function<void()> ran);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();

  // Records `what` at once; during a commit, after it; always after everything added before.
  void add(std::size_t bytes, What what);
  bool atRest() const { return !m_running && m_waiting.empty(); }  // no commit running, nothing queued
  bool behind() const { return !m_running && !m_waiting.empty(); }
  std::size_t waitingBytes() const { return m_waiting_bytes; }

  // These only at rest.
  void commitIfDue();
  void commit(Committed done);
  void forget(const Retention& policy, TimeNs now, Forgotten done);
  // Ends a finished commit and records part of the queue: for kSlice, and twice `came` bytes, so that the queue shrinks at any input rate.
  void work(std::size_t came);
  // Waits for a running commit, and records the whole queue.
  void settle();
  // Of the last commit.
  const Status& status() const { return m_status; }
  // Commits that failed since the last success.
  int failures() const { return m_failures; }

 private:
  static constexpr DurNs kSlice = 20 * kNsPerMs, kRetry = 500 * kNsPerMs;
  enum class Stage { kIdle, kBegun, kRan };

  void start();
  void end();
  void committed(const Status& status);
  void record(const What& what);
  void recordOne();
  void run();

  Writer& m_writer;
  const std::function<void()> m_ran;
  // Used by the writer's thread alone.
  std::deque<std::pair<std::size_t, What>> m_waiting;
  std::size_t m_waiting_bytes = 0;
  bool m_running = false;  // a commit has begun and not ended
  TimeNs m_begun = 0;
  Forgotten m_forgotten;  // empty: not a retention run
  Committed m_committed;  // empty: not a commit that was asked for
  Status m_status;
  int m_failures = 0;
  TimeNs m_retry = 0;  // monotonic; earliest next attempt

  Mutex m_mutex;
  ConditionVariable m_changed;
  Stage m_stage RG_GUARDED_BY(m_mutex) = Stage::kIdle;
  bool m_stopping RG_GUARDED_BY(m_mutex) = false;
  std::thread m_thread;
};

}  // namespace runglass
