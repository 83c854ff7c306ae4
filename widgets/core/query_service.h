// SPDX-License-Identifier: GPL-3.0-or-later
// QueryService: asks the store on worker threads and brings immutable answers back to the GUI thread.
//
// Threading:  submit() and all callbacks on the GUI thread; `work` runs on a worker that owns its Reader. The GUI thread never waits.
// Ownership:  a QuerySlot belongs to a panel (a member); when it dies its answers are dropped. Results are shared and immutable.
// Units:      none.
// Errors:     a failed open or call arrives as the Status in `done`. A cancelled or superseded request calls nothing.
// Cost:       one queue hop there and back; a superseded request that has not started costs nothing. The destructor stops running work
//             through its stop token and joins.
#pragma once

#include <QObject>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "model/result.h"
#include "model/time.h"
#include "storage/reader.h"

namespace runglass {

class QueryService;

// One stream of questions of one panel: at most one is running, and only the newest answer is ever shown.
class QuerySlot {
 public:
  QuerySlot() : m_state(std::make_shared<State>()) {}
  ~QuerySlot() { cancel(); }
  QuerySlot(const QuerySlot&) = delete;
  QuerySlot& operator=(const QuerySlot&) = delete;

  // A request is queued or running: the panel is not final.
  bool busy() const { return m_state->busy; }
  void cancel();

 private:
  friend class QueryService;
  struct State {
    std::atomic<std::uint64_t> epoch{0};  // read by workers; the rest belongs to the GUI thread
    std::stop_source stop;
    bool busy = false;
    TimeNs rest_until = 0;       // monotonic: a refresh before that waits
    std::function<void()> next;  // submits what waits for the current answer or for the end of the rest
  };
  std::shared_ptr<State> m_state;
};

class QueryService : public QObject {
  Q_OBJECT

 public:
  using OpenReader = std::function<Result<std::unique_ptr<Reader>>()>;  // called once per worker, on the worker

  explicit QueryService(OpenReader open, int workers = 3, QObject* parent = nullptr);
  ~QueryService() override;
  QueryService(const QueryService&) = delete;
  QueryService& operator=(const QueryService&) = delete;

  // kCancelOlder: the question changed (zoom, selection). kAfterCurrent: the same question again because data arrived; the running one
  // finishes first, so that a slow query under a fast refresh still shows something; then the slot rests for three times as long as the
  // query took (at most a second), so that no panel's refreshes take more than a quarter of a core.
  enum class Supersede : std::uint8_t { kCancelOlder, kAfterCurrent };

  template <class T>
  using Work = std::function<Result<T>(Reader&, std::stop_token)>;
  template <class T>
  using Done = std::function<void(const Result<std::shared_ptr<const T>>&)>;

  template <class T>
  void submit(QuerySlot& slot, Supersede supersede, Work<T> work, Done<T> done) {
    using Answer = Result<std::shared_ptr<const T>>;
    auto answer = std::make_shared<Answer>(Status(Code::kCancelled, "not run"));
    enqueue(
        slot.m_state, supersede,
        [answer, work = std::move(work)](Result<Reader*> reader, std::stop_token stop) {
          if (!reader.ok()) {
            *answer = Answer(reader.status());
            return;
          }
          Result<T> result = work(**reader, std::move(stop));
          *answer = result.ok() ? Answer(std::make_shared<const T>(std::move(result).value())) : Answer(result.status());
        },
        [answer, done = std::move(done)] { done(*answer); });
  }

  // Duration of the newest answered request and how many are queued or running, for the status bar.
  DurNs lastQueryTime() const { return m_last_query; }
  int pending() const { return m_pending; }

 signals:
  // New data became visible in the store. At most 25 and 5 times a second; equal stores emit nothing.
  void picturesDue();
  void textDue();

 private:
  using Run = std::function<void(Result<Reader*>, std::stop_token)>;
  struct Job {
    std::shared_ptr<QuerySlot::State> slot;
    std::uint64_t epoch = 0;
    std::stop_token stop;
    Run run;
    std::function<void()> deliver;
  };
  void enqueue(const std::shared_ptr<QuerySlot::State>& slot, Supersede supersede, Run run, std::function<void()> deliver);
  void start(const std::shared_ptr<QuerySlot::State>& slot, Run run, std::function<void()> deliver);
  void startNext(const std::shared_ptr<QuerySlot::State>& slot);
  void workerLoop(const std::stop_token& stop);
  void watchLoop(const std::stop_token& stop);
  void finished(const Job& job, DurNs took);
  void announce(bool text);

  const OpenReader m_open;

  // GUI thread.
  DurNs m_last_query = 0;
  int m_pending = 0;

  std::mutex m_mutex;
  std::condition_variable_any m_wake;     // workers: a job is queued
  std::condition_variable_any m_sleep;    // the watcher, until it is stopped
  std::deque<Job> m_queue;                // guarded by m_mutex
  std::atomic<bool> m_announcing{false};  // an announcement is on its way to the GUI thread
  std::vector<std::jthread> m_threads;    // last: they use everything above
};

}  // namespace runglass
