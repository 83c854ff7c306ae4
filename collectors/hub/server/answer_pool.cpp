// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/server/answer_pool.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace runglass {
namespace {

constexpr int kNice = 10;  // agents' batches take precedence
constexpr DurNs kIdle = 60 * kNsPerSecond;

}  // namespace

bool AnswerPool::post(Work work) {
  const MutexLock lock(m_mutex);
  if (m_stop) return false;
  while (m_threads.size() < m_max_threads) m_threads.emplace_back([this] { run(); });
  m_work.push_back(std::move(work));
  m_wake.notifyOne();
  return true;
}

void AnswerPool::stop() {
  std::vector<std::thread> threads;
  {
    const MutexLock lock(m_mutex);
    m_stop = true;
    m_work.clear();
    threads.swap(m_threads);
    m_wake.notifyAll();
  }
  for (std::thread& thread : threads) thread.join();
}

void AnswerPool::run() {
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice);
  std::unique_ptr<Reader> reader;
  while (true) {
    Work work;
    {
      MutexLock lock(m_mutex);
      const auto wanted = [this]() RG_REQUIRES(m_mutex) { return m_stop || !m_work.empty(); };
      if (!m_wake.waitFor(lock, kIdle, wanted)) reader.reset();
      m_wake.wait(lock, wanted);
      if (m_stop) return;
      work = std::move(m_work.front());
      m_work.pop_front();
    }
    if (!reader) {
      Result<std::unique_ptr<Reader>> opened = m_open();
      if (!opened.ok()) {
        work(opened.status());
        continue;
      }
      reader = std::move(opened).value();
    }
    work(reader.get());
  }
}

}  // namespace runglass
