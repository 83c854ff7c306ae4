// SPDX-License-Identifier: Apache-2.0
// Mutex, SharedMutex, their locks and condition variables, annotated for clang's thread safety analysis (libstdc++'s have no annotations).
// The only place that uses std::mutex and related types. Every member that a mutex guards is declared with RG_GUARDED_BY; an access without
// the lock is then a compile error. The analysis does not follow pointers: a container's elements are checked only by RG_GUARDED_BY on the
// container, and the predicate of a wait needs its own annotation: `wake.wait(lock, [this]() RG_REQUIRES(m_mutex) { return m_ready; })`.
//
// Threading:  any thread. A lock belongs to the thread that created it.
// Cost:       that of the std types inside.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <stop_token>
#include <utility>

#include "model/time.h"

#ifdef __clang__
#define RG_THREAD_ATTRIBUTE(...) __attribute__((__VA_ARGS__))
#else
#define RG_THREAD_ATTRIBUTE(...)
#endif

#define RG_CAPABILITY(name) RG_THREAD_ATTRIBUTE(capability(name))
#define RG_SCOPED_CAPABILITY RG_THREAD_ATTRIBUTE(scoped_lockable)
// For data: reading requires the mutex (shared or exclusive), writing requires it exclusively.
#define RG_GUARDED_BY(...) RG_THREAD_ATTRIBUTE(guarded_by(__VA_ARGS__))
// For functions: the caller must hold the mutex; must hold it at least shared; must not hold it.
#define RG_REQUIRES(...) RG_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define RG_REQUIRES_SHARED(...) RG_THREAD_ATTRIBUTE(requires_shared_capability(__VA_ARGS__))
#define RG_EXCLUDES(...) RG_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
// For functions: the mutex is held after the call, or no longer held.
#define RG_ACQUIRE(...) RG_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define RG_ACQUIRE_SHARED(...) RG_THREAD_ATTRIBUTE(acquire_shared_capability(__VA_ARGS__))
#define RG_RELEASE(...) RG_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
// For a function that documents why shared access is safe here without a lock.
#define RG_ASSERT_SHARED(...) RG_THREAD_ATTRIBUTE(assert_shared_capability(__VA_ARGS__))
// For functions that the analysis cannot handle; a comment gives the reason.
#define RG_NO_THREAD_SAFETY_ANALYSIS RG_THREAD_ATTRIBUTE(no_thread_safety_analysis)

namespace runglass {

class RG_CAPABILITY("mutex") Mutex {
 private:
  friend class MutexLock;
  std::mutex m_mutex;
};

// Holds a Mutex until its scope ends. unlock() and lock() release it in between.
class RG_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) RG_ACQUIRE(mutex) : m_lock(mutex.m_mutex) {}
  ~MutexLock() RG_RELEASE() {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  void lock() RG_ACQUIRE() { m_lock.lock(); }
  void unlock() RG_RELEASE() { m_lock.unlock(); }

 private:
  friend class ConditionVariable;
  friend class StoppableCondition;
  std::unique_lock<std::mutex> m_lock;
};

class RG_CAPABILITY("mutex") SharedMutex {
 private:
  friend class ReaderLock;
  friend class WriterLock;
  std::shared_mutex m_mutex;
};

class RG_SCOPED_CAPABILITY ReaderLock {
 public:
  explicit ReaderLock(SharedMutex& mutex) RG_ACQUIRE_SHARED(mutex) : m_lock(mutex.m_mutex) {}
  ~ReaderLock() RG_RELEASE() {}

 private:
  std::shared_lock<std::shared_mutex> m_lock;
};

class RG_SCOPED_CAPABILITY WriterLock {
 public:
  explicit WriterLock(SharedMutex& mutex) RG_ACQUIRE(mutex) : m_lock(mutex.m_mutex) {}
  ~WriterLock() RG_RELEASE() {}

 private:
  std::unique_lock<std::shared_mutex> m_lock;
};

// Waits on a MutexLock, which is held again when a wait returns. Predicates are called with the lock held.
class ConditionVariable {
 public:
  void notifyOne() { m_condition.notify_one(); }
  void notifyAll() { m_condition.notify_all(); }
  template <class Predicate>
  void wait(MutexLock& lock, Predicate done) {
    m_condition.wait(lock.m_lock, std::move(done));
  }
  // Also returns on spurious wakeups.
  void waitFor(MutexLock& lock, DurNs timeout) { m_condition.wait_for(lock.m_lock, std::chrono::nanoseconds(timeout)); }
  // False: the timeout expired, and `done` is still false.
  template <class Predicate>
  bool waitFor(MutexLock& lock, DurNs timeout, Predicate done) {
    return m_condition.wait_for(lock.m_lock, std::chrono::nanoseconds(timeout), std::move(done));
  }

 private:
  std::condition_variable m_condition;
};

// As ConditionVariable, for threads that a stop_token ends: a wait also returns when a stop is requested.
class StoppableCondition {
 public:
  void notifyOne() { m_condition.notify_one(); }
  void notifyAll() { m_condition.notify_all(); }
  // False: a stop was requested or the timeout expired, and `done` is still false.
  template <class Predicate>
  bool wait(MutexLock& lock, const std::stop_token& stop, Predicate done) {
    return m_condition.wait(lock.m_lock, stop, std::move(done));
  }
  template <class Predicate>
  bool waitFor(MutexLock& lock, const std::stop_token& stop, DurNs timeout, Predicate done) {
    return m_condition.wait_for(lock.m_lock, stop, std::chrono::nanoseconds(timeout), std::move(done));
  }

 private:
  std::condition_variable_any m_condition;
};

// Returns after `pause`, or when a stop is requested.
inline void sleepUnlessStopped(const std::stop_token& stop, DurNs pause) {
  Mutex mutex;
  MutexLock lock(mutex);
  StoppableCondition().waitFor(lock, stop, pause, [] { return false; });
}

}  // namespace runglass
