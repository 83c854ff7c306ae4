// SPDX-License-Identifier: Apache-2.0
// Recording: what is recorded between the store's commits, and the commits, which run on a thread of their own.
//
// Threading:  the store writer's thread; `ran` is called on the commits' thread.
// Ownership:  borrows the Writer.
// Units:      bytes, ns.
// Errors:     those of the Writer's flush, by status(): what a failed one had to store stays recorded, and is tried again after a pause.
// Cost:       what comes while a commit runs waits in memory, as large as its caller says.
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
  // How retention ended, see Writer::applyRetention(), and how long it took.
  using Forgotten = std::function<void(const Result<bool>&, DurNs took)>;

  // `ran`: a commit is through; work() is to be called.
  Recording(Writer& writer, std::function<void()> ran);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();

  // At once; while a commit runs, after it; in any case after all that was added before.
  void add(std::size_t bytes, What what);
  bool atRest() const { return !m_running && m_waiting.empty(); }  // no commit runs and nothing waits
  bool behind() const { return !m_running && !m_waiting.empty(); }
  std::size_t waitingBytes() const { return m_waiting_bytes; }

  // Both at rest only.
  void commitIfDue();
  void forget(const Retention& policy, TimeNs now, Forgotten done);
  // Ends a commit that is through, and records of what waited for it: for kSlice, and twice `came` bytes, so that it gets less however much
  // comes.
  void work(std::size_t came);
  // Waits for the commit that runs, and records all.
  void settle();
  // Of the last commit.
  const Status& status() const { return m_status; }
  // Commits that failed since the last one that did not.
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
  // The writer's thread's own.
  std::deque<std::pair<std::size_t, What>> m_waiting;
  std::size_t m_waiting_bytes = 0;
  bool m_running = false;  // a commit has begun and not ended
  TimeNs m_begun = 0;
  Forgotten m_forgotten;  // empty: it is no retention
  Status m_status;
  int m_failures = 0;
  TimeNs m_retry = 0;  // monotonic; not before

  Mutex m_mutex;
  ConditionVariable m_changed;
  Stage m_stage RG_GUARDED_BY(m_mutex) = Stage::kIdle;
  bool m_stopping RG_GUARDED_BY(m_mutex) = false;
  std::thread m_thread;
};

}  // namespace runglass
