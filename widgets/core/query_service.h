// SPDX-License-Identifier: GPL-3.0-or-later
// QueryService: queries the store on worker threads and delivers immutable answers to the GUI thread.
//
// Threading:  submit() and all callbacks on the GUI thread; `work` runs on a worker that owns its Reader. The GUI thread never waits.
// Ownership:  a QuerySlot belongs to a panel (a member); when it is destroyed its answers are dropped. Results are shared and immutable.
// Errors:     a failed open or call arrives as the Status in `done`. A cancelled or superseded request calls nothing.
// Cost:       one queue hop there and back; a superseded request that has not started costs nothing. The destructor stops running work
//             through its stop token and joins; end() leaves the joining to another thread.
//
// Time travel is decided in this one place: panels that show a state use submitAt(), which reads the store as it was at the moment; panels
// with a time axis use submit(), which reads everything, and draw the playhead over it.
#pragma once

#include <QObject>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "model/mutex.h"
#include "model/result.h"
#include "model/time.h"
#include "storage/reader.h"

namespace runglass {

class QueryService;

// The Readers of a query about a moment: the store as it was then, and all of it. The same Reader if the query is about now.
struct MomentReaders {
  MomentReaders(Reader& now) : then(now), whole(now) {}
  MomentReaders(Reader& at_moment, Reader& all) : then(at_moment), whole(all) {}
  Reader& then;
  Reader& whole;
};

// One stream of queries of one panel: at most one is running, and only the newest answer is ever shown.
class QuerySlot {
 public:
  QuerySlot() : m_state(std::make_shared<State>()) {}
  ~QuerySlot() { cancel(); }
  QuerySlot(const QuerySlot&) = delete;
  QuerySlot& operator=(const QuerySlot&) = delete;

  // A request is queued or running: the panel is not final.
  bool busy() const { return m_state->busy; }
  // If part of the requested data is unavailable now, the answer is UNAVAILABLE with the reason. Otherwise it covers the available part.
  void sayWhatLacks() { m_state->says_what_lacks = true; }
  void cancel();

 private:
  friend class QueryService;
  struct State {
    std::atomic<std::uint64_t> epoch{0};       // read by workers; the other members belong to the GUI thread
    std::atomic<bool> says_what_lacks{false};  // also read by workers
    std::stop_source stop;
    bool busy = false;
    bool running = false;          // queued or on a worker: busy, but not pausing
    bool hurry = false;            // `next` skips the pause: the playhead moved
    std::optional<TimeNs> moment;  // of the newest query
    TimeNs rest_until = 0;         // monotonic: an earlier refresh is delayed until then
    std::function<void()> next;    // submits the request that is delayed until the current answer or the end of the pause
  };
  std::shared_ptr<State> m_state;
};

class QueryService : public QObject {
  Q_OBJECT

 public:
  using OpenReader = std::function<Result<std::unique_ptr<Reader>>()>;  // called once per worker, on the worker

  // `open_less`: Readers of the data that is always available, for queries that are UNAVAILABLE with those of `open`; may be empty.
  explicit QueryService(OpenReader open, int workers = 3, QObject* parent = nullptr, OpenReader open_less = {});
  ~QueryService() override;
  QueryService(const QueryService&) = delete;
  QueryService& operator=(const QueryService&) = delete;
  // Stops all work; no answer is delivered afterwards. The service may be destroyed before its threads have ended. Destroying the threads
  // waits for running work.
  [[nodiscard]] std::vector<std::jthread> end();

  // kCancelOlder: the query changed (zoom, selection). kAfterCurrent: the same query again because data arrived; the running one finishes
  // first, so that a slow query under a fast refresh still shows something; then the slot pauses for three times as long as the query took
  // (at most a second), so that no panel's refreshes take more than a quarter of a core.
  // A kCancelOlder for another moment than the running one lets it finish and follows at once: scrubbing shows as many moments as can be
  // read, and always at least some.
  enum class Supersede : std::uint8_t { kCancelOlder, kAfterCurrent };

  template <class T>
  using Work = std::function<Result<T>(Reader&, std::stop_token)>;
  template <class T>
  using Done = std::function<void(const Result<std::shared_ptr<const T>>&)>;

  template <class T>
  using MomentWork = std::function<Result<T>(const MomentReaders&, std::stop_token)>;

  template <class T>
  void submit(QuerySlot& slot, Supersede supersede, Work<T> work, Done<T> done) {
    submitAt<T>(
        slot, std::nullopt, supersede,
        [work = std::move(work)](const MomentReaders& readers, std::stop_token stop) { return work(readers.whole, std::move(stop)); },
        std::move(done));
  }

  // The same for a moment; absent: now.
  template <class T>
  void submitAt(QuerySlot& slot, std::optional<TimeNs> moment, Supersede supersede, MomentWork<T> work, Done<T> done) {
    using Answer = Result<std::shared_ptr<const T>>;
    auto answer = std::make_shared<Answer>(Status(Code::kCancelled, "not run"));
    enqueue(
        slot.m_state, moment, supersede,
        [answer, work = std::move(work)](const Result<MomentReaders>& readers, std::stop_token stop) {
          if (!readers.ok()) {
            *answer = Answer(readers.status());
            return readers.status().code();
          }
          Result<T> result = work(*readers, std::move(stop));
          *answer = result.ok() ? Answer(std::make_shared<const T>(std::move(result).value())) : Answer(result.status());
          return answer->status().code();
        },
        [answer, done = std::move(done)] { done(*answer); });
  }

  // Duration of the newest answered request and the number of queued or running ones, for the status bar.
  DurNs lastQueryTime() const { return m_last_query; }
  int pending() const { return m_pending; }

 signals:
  // New data became visible in the store. At most 25 and 5 times a second; an unchanged store emits nothing.
  void picturesDue();
  void textDue();

 private:
  using Run = std::function<Code(const Result<MomentReaders>&, std::stop_token)>;
  struct Job {
    std::shared_ptr<QuerySlot::State> slot;
    std::optional<TimeNs> moment;
    std::uint64_t epoch = 0;
    std::stop_token stop;
    Run run;
    std::function<void()> deliver;
  };
  void enqueue(const std::shared_ptr<QuerySlot::State>& slot, std::optional<TimeNs> moment, Supersede supersede, Run run,
               std::function<void()> deliver);
  void start(const std::shared_ptr<QuerySlot::State>& slot, std::optional<TimeNs> moment, Run run, std::function<void()> deliver);
  void startNext(const std::shared_ptr<QuerySlot::State>& slot);
  // Shared with the threads; lives until the last of them has ended.
  struct Shared {
    Shared(QueryService* owner, OpenReader whole, OpenReader less) : open(std::move(whole)), open_less(std::move(less)), service(owner) {}
    void post(std::function<void(QueryService&)> call);

    const OpenReader open, open_less;
    Mutex mutex;
    StoppableCondition wake;  // workers: a job is queued
    std::deque<Job> queue RG_GUARDED_BY(mutex);
    QueryService* service RG_GUARDED_BY(mutex);  // null: the service has ended
    std::atomic<bool> announcing{false};         // an announcement to the GUI thread is pending
  };
  static void workerLoop(Shared& shared, const std::stop_token& stop);
  static void runWithLess(const Shared& shared, const Job& job, std::unique_ptr<Reader>& less, std::stop_token stop);
  static void watchLoop(Shared& shared, const std::stop_token& stop);
  void finished(const Job& job, DurNs took);
  void announce(bool text);

  // GUI thread.
  DurNs m_last_query = 0;
  int m_pending = 0;

  const std::shared_ptr<Shared> m_shared;
  std::vector<std::jthread> m_threads;
};

}  // namespace runglass
