// SPDX-License-Identifier: Apache-2.0
#include "model/mutex.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace runglass {
namespace {

constexpr DurNs kForEver = 3600 * kNsPerSecond;

struct Flag {
  Mutex mutex;
  ConditionVariable changed;
  StoppableCondition stoppable;
  bool raised RG_GUARDED_BY(mutex) = false;

  void raise() {
    const MutexLock lock(mutex);
    raised = true;
    changed.notifyAll();
    stoppable.notifyAll();
  }
};

TEST(Mutex, KeepsOthersOutUntilItsScopeEnds) {
  Mutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) {
        const MutexLock lock(mutex);
        ++count;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 40'000);
}

TEST(Mutex, ALockThatLetsGoLetsOthersIn) {
  Flag flag;
  MutexLock lock(flag.mutex);
  std::thread other([&flag] { flag.raise(); });
  lock.unlock();
  other.join();
  lock.lock();
  EXPECT_TRUE(flag.raised);
}

TEST(Mutex, ReadersShareAndAWriterIsAlone) {
  SharedMutex mutex;
  int value = 0;
  {
    const ReaderLock mine(mutex);
    std::thread([&mutex] { const ReaderLock other(mutex); }).join();  // would wait forever behind an exclusive lock
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) {
        const WriterLock lock(mutex);
        ++value;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(value, 40'000);
}

TEST(ConditionVariable, WakesAWaiterThatHoldsTheLockAgain) {
  Flag flag;
  std::thread raiser;
  MutexLock lock(flag.mutex);
  raiser = std::thread([&flag] { flag.raise(); });
  flag.changed.wait(lock, [&flag]() RG_REQUIRES(flag.mutex) { return flag.raised; });
  EXPECT_TRUE(flag.raised);
  lock.unlock();
  raiser.join();
}

TEST(ConditionVariable, SaysWhetherTheTimeWasOver) {
  Flag flag;
  MutexLock lock(flag.mutex);
  const auto raised = [&flag]() RG_REQUIRES(flag.mutex) { return flag.raised; };
  EXPECT_FALSE(flag.changed.waitFor(lock, kNsPerMs, raised));
  flag.raised = true;
  EXPECT_TRUE(flag.changed.waitFor(lock, kForEver, raised));
}

TEST(StoppableCondition, EndsAWaitWhenAStopIsRequested) {
  Flag flag;
  std::stop_source stop;
  MutexLock lock(flag.mutex);
  const auto raised = [&flag]() RG_REQUIRES(flag.mutex) { return flag.raised; };
  std::thread stopper([&stop] { stop.request_stop(); });
  EXPECT_FALSE(flag.stoppable.wait(lock, stop.get_token(), raised));
  EXPECT_FALSE(flag.stoppable.waitFor(lock, stop.get_token(), kForEver, raised));
  flag.raised = true;
  EXPECT_TRUE(flag.stoppable.wait(lock, stop.get_token(), raised));
  stopper.join();
}

TEST(StoppableCondition, WakesAWaiter) {
  Flag flag;
  MutexLock lock(flag.mutex);
  std::thread raiser([&flag] { flag.raise(); });
  EXPECT_TRUE(flag.stoppable.wait(lock, std::stop_token(), [&flag]() RG_REQUIRES(flag.mutex) { return flag.raised; }));
  lock.unlock();
  raiser.join();
}

TEST(SleepUnlessStopped, EndsWithItsTimeOrWithTheStop) {
  std::stop_source stop;
  const TimeNs begin = monotonicNow();
  sleepUnlessStopped(stop.get_token(), kNsPerMs);
  EXPECT_GE(monotonicNow() - begin, kNsPerMs);
  std::jthread sleeper([](const std::stop_token& token) { sleepUnlessStopped(token, kForEver); });
  sleeper.request_stop();
  sleeper.join();  // within the test's time limit
}

}  // namespace
}  // namespace runglass
