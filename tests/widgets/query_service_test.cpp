// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/query_service.h"

#include <gtest/gtest.h>
#include <QCoreApplication>

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QThread>
#include <QTimer>
#include <semaphore>

#include "tests/widgets/fake_reader.h"
#include "tests/widgets/offscreen.h"

namespace runglass {
namespace {

using enum QueryService::Supersede;
using IntAnswer = Result<std::shared_ptr<const int>>;

class QueryServiceTest : public testing::Test {
 protected:
  QueryService::OpenReader opener() { return openerOf(data); }
  std::shared_ptr<FakeData> data = std::make_shared<FakeData>();
};

TEST_F(QueryServiceTest, WorksOnAWorkerAndAnswersOnTheGuiThread) {
  QueryService service(opener(), 2);
  QuerySlot slot;
  QThread* const gui = QThread::currentThread();
  std::atomic<bool> worked_elsewhere = false;
  int answer = 0;
  service.submit<int>(
      slot, kCancelOlder,
      [&](Reader&, std::stop_token) -> Result<int> {
        worked_elsewhere = QThread::currentThread() != gui;
        return 42;
      },
      [&](const IntAnswer& result) {
        EXPECT_EQ(QThread::currentThread(), gui);
        answer = **result;
      });
  EXPECT_TRUE(slot.busy());
  EXPECT_EQ(answer, 0) << "submit never waits";
  ASSERT_TRUE(waitFor([&] { return answer != 0; }));
  EXPECT_EQ(answer, 42);
  EXPECT_TRUE(worked_elsewhere);
  EXPECT_FALSE(slot.busy());
}

TEST_F(QueryServiceTest, EndsWithoutWaitingAndItsAnswersAreDestroyedOnTheGuiThread) {
  std::binary_semaphore begun(0), release(0);
  QuerySlot slot;
  QThread* const gui = QThread::currentThread();
  std::atomic<bool> destroyed = false, destroyed_here = false;
  std::shared_ptr<int> watched(new int(0), [&, gui](const int* value) {
    delete value;
    destroyed_here = QThread::currentThread() == gui;
    destroyed = true;
  });
  auto service = std::make_unique<QueryService>(opener(), 1);
  service->submit<int>(
      slot, kCancelOlder,
      [&](Reader&, std::stop_token) -> Result<int> {
        begun.release();
        release.acquire();
        return 1;
      },
      [watched](const IntAnswer&) { ADD_FAILURE() << "answered after the end"; });
  watched.reset();  // the answer's copy is the last
  begun.acquire();
  std::vector<std::jthread> threads = service->end();
  service.reset();
  EXPECT_EQ(threads.size(), 2u);
  release.release();
  threads.clear();
  EXPECT_TRUE(waitFor([&] { return destroyed.load(); }));
  EXPECT_TRUE(destroyed_here);
}

TEST_F(QueryServiceTest, WhatCannotBeHadNowIsAnsweredWithLessUnlessTheSlotWantsToKnow) {
  std::atomic<Reader*> less = nullptr;
  QueryService service(opener(), 1, nullptr, [&]() -> Result<std::unique_ptr<Reader>> {
    auto reader = opener()();
    less = reader->get();
    return reader;
  });
  const auto answerOf = [&](QuerySlot& slot, std::optional<TimeNs> moment, Code code) {
    std::optional<Result<int>> answer;
    service.submitAt<int>(
        slot, moment, kCancelOlder,
        [&less, code](const MomentReaders& readers, std::stop_token) -> Result<int> {
          if (&readers.whole == less) return &readers.then == &readers.whole ? 1 : 2;
          return Status(code, "the line is cut");
        },
        [&](const IntAnswer& result) { answer = result.ok() ? Result<int>(**result) : Result<int>(result.status()); });
    EXPECT_TRUE(waitFor([&] { return answer.has_value(); }));
    return *answer;
  };
  QuerySlot content, honest;
  honest.sayWhatLacks();
  EXPECT_EQ(answerOf(honest, std::nullopt, Code::kUnavailable).status().code(), Code::kUnavailable);
  EXPECT_EQ(answerOf(content, std::nullopt, Code::kDataLoss).status().code(), Code::kDataLoss) << "any other failure is one";
  EXPECT_EQ(less, nullptr) << "opened only when it is needed";
  EXPECT_EQ(*answerOf(content, std::nullopt, Code::kUnavailable), 1);
  EXPECT_EQ(*answerOf(content, 1'000, Code::kUnavailable), 2) << "the moment is kept";
}

TEST_F(QueryServiceTest, ANewerQuestionStopsTheOlderAndOnlyItsAnswerArrives) {
  QueryService service(opener(), 1);
  QuerySlot slot;
  std::binary_semaphore running(0);
  std::atomic<bool> stopped = false;
  std::vector<int> answers;
  const auto keep = [&](const IntAnswer& result) { answers.push_back(**result); };
  service.submit<int>(
      slot, kCancelOlder,
      [&](Reader&, std::stop_token stop) -> Result<int> {
        running.release();
        while (!stop.stop_requested()) std::this_thread::yield();
        stopped = true;
        return 1;
      },
      keep);
  running.acquire();
  service.submit<int>(
      slot, kCancelOlder, [](Reader&, std::stop_token) -> Result<int> { return 2; }, keep);
  ASSERT_TRUE(waitFor([&] { return service.pending() == 0; }));
  EXPECT_TRUE(stopped);
  EXPECT_EQ(answers, std::vector<int>{2});
}

TEST_F(QueryServiceTest, ScrubbingShowsWhatIsReadAndThenTheNewestMomentWithoutRest) {
  QueryService service(opener(), 1);
  QuerySlot slot;
  std::binary_semaphore running(0), go(0);
  std::vector<int> answers;
  const auto ask = [&](TimeNs moment, QueryService::MomentWork<int> work) {
    service.submitAt<int>(slot, moment, kCancelOlder, std::move(work), [&](const IntAnswer& result) { answers.push_back(**result); });
  };
  ask(1, [&](const MomentReaders&, std::stop_token stop) -> Result<int> {
    running.release();
    go.acquire();
    EXPECT_FALSE(stop.stop_requested()) << "another moment does not cancel the one that is read";
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // after this, a refresh would rest for 900 ms
    return 1;
  });
  running.acquire();
  for (int moment = 2; moment <= 9; ++moment)
    ask(moment, [moment](const MomentReaders&, std::stop_token) -> Result<int> { return moment; });
  go.release();
  ASSERT_TRUE(waitFor([&] { return !answers.empty(); }));
  EXPECT_TRUE(service.pending() == 1 || answers.size() == 2) << "the newest is asked at once";
  ASSERT_TRUE(waitFor([&] { return !slot.busy(); }));
  EXPECT_EQ(answers, (std::vector<int>{1, 9}));
}

TEST_F(QueryServiceTest, AnotherMomentDoesNotWaitForTheRestThatARefreshWaitsFor) {
  QueryService service(openerOf(data));
  QuerySlot slot;
  int answers = 0;
  const auto ask = [&](TimeNs moment, QueryService::Supersede supersede, int ms) {
    service.submitAt<int>(
        slot, moment, supersede,
        [ms](const MomentReaders&, std::stop_token) -> Result<int> {
          std::this_thread::sleep_for(std::chrono::milliseconds(ms));
          return 1;
        },
        [&](const IntAnswer&) { ++answers; });
  };
  ask(1, kCancelOlder, 100);
  ASSERT_TRUE(waitFor([&] { return answers == 1; }));
  ask(1, kAfterCurrent, 0);
  EXPECT_EQ(service.pending(), 0) << "the same moment again rests";
  ask(2, kAfterCurrent, 0);
  EXPECT_EQ(service.pending(), 1) << "another one is asked at once, even while the slot rests";
  ASSERT_TRUE(waitFor([&] { return answers == 2; }));
}

TEST_F(QueryServiceTest, AnotherQuestionAboutTheSameMomentCancelsTheOlder) {
  QueryService service(opener(), 1);
  QuerySlot slot;
  std::binary_semaphore running(0);
  std::vector<int> answers;
  const auto keep = [&](const IntAnswer& result) { answers.push_back(**result); };
  service.submitAt<int>(
      slot, 5, kCancelOlder,
      [&](const MomentReaders&, std::stop_token stop) -> Result<int> {
        running.release();
        while (!stop.stop_requested()) std::this_thread::yield();
        return 1;
      },
      keep);
  running.acquire();
  service.submitAt<int>(
      slot, 5, kCancelOlder, [](const MomentReaders&, std::stop_token) -> Result<int> { return 2; }, keep);
  ASSERT_TRUE(waitFor([&] { return service.pending() == 0; }));
  EXPECT_EQ(answers, std::vector<int>{2});
}

TEST_F(QueryServiceTest, AQuestionAboutAMomentReadsTheStoreOfThenAndAllOfIt) {
  data->runs = {{.id = RunId{1}, .name = "early", .start = 100}, {.id = RunId{2}, .name = "late", .start = 200}};
  QueryService service(opener(), 1);
  QuerySlot slot;
  std::vector<std::pair<std::size_t, std::size_t>> answers;
  const auto ask = [&](std::optional<TimeNs> moment) {
    service.submitAt<std::pair<std::size_t, std::size_t>>(
        slot, moment, kCancelOlder,
        [](const MomentReaders& readers, std::stop_token) -> Result<std::pair<std::size_t, std::size_t>> {
          return std::pair(readers.then.runs().value().size(), readers.whole.runs().value().size());
        },
        [&](const auto& result) { answers.push_back(**result); });
    ASSERT_TRUE(waitFor([&] { return !slot.busy(); }));
  };
  ask(150);
  ask(std::nullopt);
  ask(250);
  ask(50);
  EXPECT_EQ(answers, (std::vector<std::pair<std::size_t, std::size_t>>{{1, 2}, {2, 2}, {2, 2}, {0, 2}}));
}

TEST_F(QueryServiceTest, ARefreshWaitsForTheRunningAnswerSoThatSlowQueriesStillShow) {
  QueryService service(opener(), 1);
  QuerySlot slot;
  std::binary_semaphore go(0);
  std::vector<int> answers;
  const auto keep = [&](const IntAnswer& result) { answers.push_back(**result); };
  service.submit<int>(
      slot, kAfterCurrent,
      [&](Reader&, std::stop_token) -> Result<int> {
        go.acquire();
        return 1;
      },
      keep);
  for (int i = 2; i <= 9; ++i) {
    service.submit<int>(
        slot, kAfterCurrent, [i](Reader&, std::stop_token) -> Result<int> { return i; }, keep);
  }
  go.release();
  ASSERT_TRUE(waitFor([&] { return answers.size() >= 2 && !slot.busy(); }));
  EXPECT_EQ(answers, (std::vector<int>{1, 9})) << "the running one and the newest; what lies between is not asked";
}

TEST_F(QueryServiceTest, ARefreshRestsAfterASlowAnswerAndAQuestionDoesNot) {
  constexpr int kSlowMs = 60;
  QueryService service(opener(), 1);
  QuerySlot slot;
  int answers = 0;
  const auto ask = [&](QueryService::Supersede supersede) {
    service.submit<int>(
        slot, supersede,
        [](Reader&, std::stop_token) -> Result<int> {
          QThread::msleep(kSlowMs);
          return 1;
        },
        [&](const IntAnswer&) { ++answers; });
  };
  ask(kAfterCurrent);
  ASSERT_TRUE(waitFor([&] { return answers == 1; }));
  QElapsedTimer age;
  age.start();
  ask(kAfterCurrent);
  EXPECT_TRUE(slot.busy()) << "a refresh that rests is on its way";
  ASSERT_TRUE(waitFor([&] { return answers == 2; }));
  EXPECT_GE(age.elapsed(), 3 * kSlowMs) << "three times as long as the query took, then the query";
  ask(kAfterCurrent);
  ask(kCancelOlder);
  EXPECT_GE(service.pending(), 1) << "the user does not wait for a rest";
  // Fires after the timer of the superseded refresh: a thread's timers fire in the order of their deadlines.
  bool rested = false;
  QTimer::singleShot(4 * kSlowMs, [&] { rested = true; });
  ASSERT_TRUE(waitFor([&] { return rested && answers >= 3 && !slot.busy() && service.pending() == 0; }));
  EXPECT_EQ(answers, 3) << "the refresh was superseded, its timer starts nothing";
}

TEST_F(QueryServiceTest, AnAnswerForADeadPanelIsDropped) {
  QueryService service(opener(), 1);
  std::binary_semaphore go(0);
  bool delivered = false;
  {
    QuerySlot slot;
    service.submit<int>(
        slot, kCancelOlder,
        [&](Reader&, std::stop_token) -> Result<int> {
          go.acquire();
          return 1;
        },
        [&](const IntAnswer&) { delivered = true; });
  }
  go.release();
  ASSERT_TRUE(waitFor([&] { return service.pending() == 0; }));
  EXPECT_FALSE(delivered);
}

TEST_F(QueryServiceTest, AStoreThatDoesNotOpenIsAnAnswerWithTheReason) {
  QueryService service([] { return Result<std::unique_ptr<Reader>>(Status(Code::kNotFound, "open: /x.rgl: no such file")); }, 1);
  QuerySlot slot;
  std::string reason;
  service.submit<int>(
      slot, kCancelOlder, [](Reader&, std::stop_token) -> Result<int> { return 1; },
      [&](const IntAnswer& result) { reason = result.status().message(); });
  ASSERT_TRUE(waitFor([&] { return !slot.busy(); }));
  EXPECT_EQ(reason, "open: /x.rgl: no such file");
}

TEST_F(QueryServiceTest, TicksWhenDataArrivesAndIsSilentOtherwise) {
  QueryService service(opener(), 1);
  QSignalSpy pictures(&service, &QueryService::picturesDue);
  QSignalSpy text(&service, &QueryService::textDue);
  ASSERT_TRUE(waitFor([&] { return text.count() == 1; })) << "the first look announces what is there";
  const auto before = pictures.count();
  const int reads = data->generation_reads;
  ASSERT_TRUE(waitFor([&] { return data->generation_reads > reads + 10; }));
  EXPECT_EQ(pictures.count(), before) << "nothing changed, nothing is announced";
  data->generation.fetch_add(1);
  ASSERT_TRUE(waitFor([&] { return pictures.count() > before && text.count() == 2; }));
}

TEST_F(QueryServiceTest, ClosingStopsRunningWork) {
  auto service = std::make_unique<QueryService>(opener(), 2);
  QuerySlot slot;
  std::binary_semaphore running(0);
  bool delivered = false;
  service->submit<int>(
      slot, kCancelOlder,
      [&](Reader&, std::stop_token stop) -> Result<int> {
        running.release();
        while (!stop.stop_requested()) std::this_thread::yield();
        return Status(Code::kCancelled, "stopped");
      },
      [&](const IntAnswer&) { delivered = true; });
  running.acquire();
  service.reset();
  QCoreApplication::processEvents();
  EXPECT_FALSE(delivered);
}

}  // namespace
}  // namespace runglass
