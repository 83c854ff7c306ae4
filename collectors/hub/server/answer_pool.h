// SPDX-License-Identifier: Apache-2.0
// AnswerPool: threads with one Reader each, for long reads of the hub's store, so that neither gRPC's threads nor the writer's wait for
// them.
//
// Threading:  post() from any thread, never blocks; work runs on the pool's threads, at low priority.
// Ownership:  owns threads and Readers; both are created with the first work, Readers are released after a while without work.
// Errors:     work receives the Status of a store that cannot be opened.
// Cost:       memory: a Reader's caches (<= 64 MiB) a thread. The caller limits the queue.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "model/mutex.h"
#include "storage/reader.h"

namespace runglass {

class AnswerPool {
 public:
  using Work = std::function<void(const Result<Reader*>& reader)>;
  using OpenReader = std::function<Result<std::unique_ptr<Reader>>()>;

  AnswerPool(OpenReader open, std::size_t threads) : m_open(std::move(open)), m_max_threads(threads) {}
  ~AnswerPool() { stop(); }

  // After stop(): false, without effect.
  bool post(Work work);
  // Drops work that has not begun.
  void stop();

 private:
  void run();

  const OpenReader m_open;
  const std::size_t m_max_threads;
  Mutex m_mutex;
  ConditionVariable m_wake;
  std::deque<Work> m_work RG_GUARDED_BY(m_mutex);
  bool m_stop RG_GUARDED_BY(m_mutex) = false;
  std::vector<std::thread> m_threads RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
