// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. A Reader is used only by the thread that opened it. 2. `deliver` runs on the GUI thread, at most once per job, and only
// while the slot's epoch is the job's. 3. slot.busy is true from start() to delivery or supersession. 4. Workers touch a slot only through
// its atomic epoch. 5. No GUI-thread call waits for a worker, except the destructor's join after stopping all work. 6. A worker's reader of
// the past reads through its own Reader and is destroyed before it. 7. `deliver`, which captures objects of the GUI thread, is destroyed
// there, also if the service ended first.
#include "widgets/core/query_service.h"

#include <sys/resource.h>

#include <QCoreApplication>
#include <QMetaObject>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "storage/reader_at.h"

namespace runglass {
namespace {
constexpr DurNs kPicturePeriod = 40 * kNsPerMs;
constexpr int kTextEvery = 5;  // picture periods: 200 ms
constexpr int kRestFactor = 3;
constexpr DurNs kLongestRest = kNsPerSecond;
constexpr int kWorkerNice = 8;  // painting takes precedence over reading when both need the last core
}  // namespace

void QuerySlot::cancel() {
  m_state->epoch.fetch_add(1, std::memory_order_relaxed);
  m_state->stop.request_stop();
  m_state->busy = m_state->running = m_state->hurry = false;
  m_state->next = nullptr;
}

QueryService::QueryService(OpenReader open, int workers, QObject* parent, OpenReader open_less)
    : QObject(parent), m_shared(std::make_shared<Shared>(this, std::move(open), std::move(open_less))) {
  for (int i = 0; i < workers; ++i) m_threads.emplace_back([shared = m_shared](const std::stop_token& stop) { workerLoop(*shared, stop); });
  m_threads.emplace_back([shared = m_shared](const std::stop_token& stop) { watchLoop(*shared, stop); });
}

QueryService::~QueryService() { end().clear(); }

std::vector<std::jthread> QueryService::end() {
  for (std::jthread& thread : m_threads) thread.request_stop();
  std::deque<Job> dropped;  // destroyed without holding the lock
  {
    const MutexLock lock(m_shared->mutex);
    m_shared->service = nullptr;
    dropped.swap(m_shared->queue);
  }
  return std::exchange(m_threads, {});
}

void QueryService::Shared::post(std::function<void(QueryService&)> call) {
  const MutexLock lock(mutex);
  QObject* const context = service != nullptr ? static_cast<QObject*>(service) : QCoreApplication::instance();
  if (context == nullptr) return;
  QMetaObject::invokeMethod(
      context,
      [to = service, call = std::move(call)] {
        if (to != nullptr) call(*to);
      },
      Qt::QueuedConnection);
}

void QueryService::enqueue(const std::shared_ptr<QuerySlot::State>& slot, std::optional<TimeNs> moment, Supersede supersede, Run run,
                           std::function<void()> deliver) {
  const bool moved = slot->moment != moment;
  slot->moment = moment;
  if (supersede == Supersede::kCancelOlder && !(moved && slot->running)) {
    slot->next = nullptr;
    return start(slot, moment, std::move(run), std::move(deliver));
  }
  // The pause is for the same query repeated; another moment is another query, whatever caused it.
  if (moved) slot->hurry = true;
  std::weak_ptr<QuerySlot::State> weak = slot;
  const bool waiting = slot->running || (slot->busy && !slot->hurry);
  slot->next = [this, weak, moment, run = std::move(run), deliver = std::move(deliver)] {
    if (const auto alive = weak.lock()) start(alive, moment, run, deliver);
  };
  if (!waiting) startNext(slot);
}

void QueryService::startNext(const std::shared_ptr<QuerySlot::State>& slot) {
  const DurNs rest = std::exchange(slot->hurry, false) ? 0 : slot->rest_until - monotonicNow();
  if (rest <= 0) return std::exchange(slot->next, nullptr)();
  slot->busy = true;
  std::weak_ptr<QuerySlot::State> weak = slot;
  QTimer::singleShot(static_cast<int>(rest / kNsPerMs) + 1, this, [weak, epoch = slot->epoch.load(std::memory_order_relaxed)] {
    const auto alive = weak.lock();
    if (alive && alive->next && epoch == alive->epoch.load(std::memory_order_relaxed)) std::exchange(alive->next, nullptr)();
  });
}

void QueryService::start(const std::shared_ptr<QuerySlot::State>& slot, std::optional<TimeNs> moment, Run run,
                         std::function<void()> deliver) {
  slot->stop.request_stop();
  slot->stop = std::stop_source();
  const std::uint64_t epoch = slot->epoch.fetch_add(1, std::memory_order_relaxed) + 1;
  slot->busy = slot->running = true;
  slot->hurry = false;
  ++m_pending;
  {
    const MutexLock lock(m_shared->mutex);
    m_shared->queue.push_back({slot, moment, epoch, slot->stop.get_token(), std::move(run), std::move(deliver)});
  }
  m_shared->wake.notifyOne();
}

void QueryService::workerLoop(Shared& shared, const std::stop_token& stop) {
  setpriority(PRIO_PROCESS, 0, kWorkerNice);  // Linux: applies to this thread; a refusal does no harm
  std::unique_ptr<Reader> reader, past, less;
  std::optional<TimeNs> past_moment;
  while (true) {
    Job job;
    {
      MutexLock lock(shared.mutex);
      if (!shared.wake.wait(lock, stop, [&shared]() RG_REQUIRES(shared.mutex) { return !shared.queue.empty(); })) return;
      job = std::move(shared.queue.front());
      shared.queue.pop_front();
    }
    const TimeNs begun = monotonicNow();
    if (job.epoch == job.slot->epoch.load(std::memory_order_relaxed)) {
      Status opened;
      if (!reader) {
        auto result = shared.open();
        if (result.ok())
          reader = std::move(result).value();
        else
          opened = result.status();
      }
      // The end of the worker also stops its work.
      std::stop_source both;
      const std::stop_callback on_slot(job.stop, [&both] { both.request_stop(); });
      const std::stop_callback on_end(stop, [&both] { both.request_stop(); });
      if (reader && job.moment && job.moment != past_moment) {
        past = readerAt(*reader, *job.moment);
        past_moment = job.moment;
      }
      const auto held = reader ? reader->hold() : nullptr;  // the query behind one picture may be thousands of calls
      const Code code =
          job.run(reader ? Result<MomentReaders>(MomentReaders(job.moment ? *past : *reader, *reader)) : Result<MomentReaders>(opened),
                  both.get_token());
      if (code == Code::kUnavailable && shared.open_less && !job.slot->says_what_lacks && !both.stop_requested())
        runWithLess(shared, job, less, both.get_token());
    }
    job.run = nullptr;  // the request's own captures are destroyed here, not on the GUI thread
    const DurNs took = monotonicNow() - begun;
    shared.post([job = std::move(job), took](QueryService& service) { service.finished(job, took); });
  }
}

void QueryService::runWithLess(const Shared& shared, const Job& job, std::unique_ptr<Reader>& less, std::stop_token stop) {
  if (!less) {
    auto opened = shared.open_less();
    if (!opened.ok()) return;  // the first answer remains
    less = std::move(opened).value();
  }
  const std::unique_ptr<Reader> past = job.moment ? readerAt(*less, *job.moment) : nullptr;
  (void)job.run(MomentReaders(past ? *past : *less, *less), std::move(stop));
}

void QueryService::finished(const Job& job, DurNs took) {
  --m_pending;
  if (job.epoch != job.slot->epoch.load(std::memory_order_relaxed)) return;
  m_last_query = took;
  job.slot->busy = job.slot->running = false;
  job.slot->rest_until = monotonicNow() + std::min(kRestFactor * took, kLongestRest);
  job.deliver();
  if (job.slot->next && !job.slot->busy && job.epoch == job.slot->epoch.load(std::memory_order_relaxed)) startNext(job.slot);
}

void QueryService::watchLoop(Shared& shared, const std::stop_token& stop) {
  std::unique_ptr<Reader> reader;
  std::uint64_t seen = 0, reported_text = 0;
  bool first = true;
  for (int tick = 0; !stop.stop_requested(); ++tick) {
    if (!reader) {
      if (auto result = shared.open(); result.ok()) reader = std::move(result).value();
    }
    if (reader) {
      const std::uint64_t generation = reader->generation();
      const bool text = tick % kTextEvery == 0 && (first || generation != reported_text);
      if (first || generation != seen || text) {
        // A slow GUI thread gets one announcement, not a queue of them.
        if (!shared.announcing.exchange(true)) {
          seen = generation;
          if (text) reported_text = generation;
          first = false;
          shared.post([text](QueryService& service) { service.announce(text); });
        }
      }
    }
    sleepUnlessStopped(stop, reader ? kPicturePeriod : kPicturePeriod * 25);
  }
}

void QueryService::announce(bool text) {
  m_shared->announcing = false;
  emit picturesDue();
  if (text) emit textDue();
}

}  // namespace runglass
