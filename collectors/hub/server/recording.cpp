// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Records are written in the order in which they were added.
// 2. A commit begins only when everything added is recorded, because it advances the marks of everything journaled.
#include "collectors/hub/server/recording.h"

#include <utility>

namespace runglass {

Recording::Recording(Writer& writer, std::function<void()> ran) : m_writer(writer), m_ran(std::move(ran)), m_thread([this] { run(); }) {}

Recording::~Recording() {
  settle();
  {
    const MutexLock lock(m_mutex);
    m_stopping = true;
  }
  m_changed.notifyAll();
  m_thread.join();
}

void Recording::add(std::size_t bytes, What what) {
  if (atRest()) return record(what);
  m_waiting_bytes += bytes;
  m_waiting.emplace_back(bytes, std::move(what));
}

void Recording::commitIfDue() {
  RG_CHECK(atRest());
  if (m_failures > 0 && monotonicNow() < m_retry) return;
  const Result<bool> begun = m_writer.beginFlushIfDue();
  if (!begun.ok()) return committed(begun.status());
  if (*begun) start();
}

void Recording::commit(Committed done) {
  RG_CHECK(atRest());
  if (const Status begun = m_writer.beginFlush(); !begun.ok()) {
    committed(begun);
    return done(begun);
  }
  m_committed = std::move(done);
  start();
}

void Recording::committed(const Status& status) {
  m_status = status;
  m_failures = status.ok() ? 0 : m_failures + 1;
  m_retry = monotonicNow() + kRetry;
}

// A failure has no effect on other records. Batches have taken theirs already.
void Recording::record(const What& what) {
  what(m_writer);
  const Status failed = m_writer.takeFailure();
  if (failed.ok()) return;
  const TimeNs now = wallNow();
  m_writer.issue({.code = "store.not_recorded", .source = "hub", .first = now, .last = now, .detail = failed.message()});
}

void Recording::forget(const Retention& policy, TimeNs now, Forgotten done) {
  RG_CHECK(atRest());
  if (const Status begun = m_writer.beginRetention(policy, now); !begun.ok()) return done(begun, 0);
  m_forgotten = std::move(done);
  start();
}

void Recording::start() {
  m_running = true;
  m_begun = monotonicNow();
  {
    const MutexLock lock(m_mutex);
    m_stage = Stage::kBegun;
  }
  m_changed.notifyAll();
}

void Recording::end() {
  const Result<bool> ended = m_writer.endBegun();
  m_running = false;
  if (const Forgotten forgotten = std::exchange(m_forgotten, nullptr)) {
    if (ended.ok()) committed({});  // storing works again, and there may be no other commit to show it
    return forgotten(ended, monotonicNow() - m_begun);
  }
  committed(ended.status());
  if (const Committed done = std::exchange(m_committed, nullptr)) done(ended.status());
}

void Recording::recordOne() {
  const auto [bytes, what] = std::move(m_waiting.front());
  record(what);
  m_waiting.pop_front();
  m_waiting_bytes -= bytes;
}

void Recording::work(std::size_t came) {
  if (m_running) {
    {
      const MutexLock lock(m_mutex);
      if (m_stage != Stage::kRan) return;
      m_stage = Stage::kIdle;
    }
    end();
  }
  const TimeNs begin = monotonicNow();
  const std::size_t before = m_waiting_bytes;
  while (!m_waiting.empty() && (monotonicNow() - begin < kSlice || before - m_waiting_bytes < 2 * came)) recordOne();
}

void Recording::settle() {
  if (m_running) {
    MutexLock lock(m_mutex);
    m_changed.wait(lock, [this]() RG_REQUIRES(m_mutex) { return m_stage == Stage::kRan; });
    m_stage = Stage::kIdle;
    lock.unlock();
    end();
  }
  while (!m_waiting.empty()) recordOne();
}

void Recording::run() {
  MutexLock lock(m_mutex);
  while (true) {
    m_changed.wait(lock, [this]() RG_REQUIRES(m_mutex) { return m_stage == Stage::kBegun || m_stopping; });
    if (m_stage != Stage::kBegun) return;
    lock.unlock();
    m_writer.runBegun();
    lock.lock();
    m_stage = Stage::kRan;
    m_changed.notifyAll();
    lock.unlock();
    m_ran();
    lock.lock();
  }
}

}  // namespace runglass
