// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/answer_pool.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>

namespace runglass {
namespace {

constexpr int kNice = 10;  // agents' batches come first
constexpr auto kIdle = std::chrono::seconds(60);

}  // namespace

bool AnswerPool::post(Work work) {
  const std::lock_guard lock(m_mutex);
  if (m_stop) return false;
  while (m_threads.size() < kThreads) m_threads.emplace_back([this] { run(); });
  m_work.push_back(std::move(work));
  m_wake.notify_one();
  return true;
}

void AnswerPool::stop() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(m_mutex);
    m_stop = true;
    m_work.clear();
    threads.swap(m_threads);
    m_wake.notify_all();
  }
  for (std::thread& thread : threads) thread.join();
}

void AnswerPool::run() {
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNice);
  std::unique_ptr<Reader> reader;
  while (true) {
    Work work;
    {
      std::unique_lock lock(m_mutex);
      const auto wanted = [this] { return m_stop || !m_work.empty(); };
      if (!m_wake.wait_for(lock, kIdle, wanted)) reader.reset();
      m_wake.wait(lock, wanted);
      if (m_stop) return;
      work = std::move(m_work.front());
      m_work.pop_front();
    }
    if (!reader) {
      Result<std::unique_ptr<Reader>> opened = Reader::open(m_store, m_options);
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
