// SPDX-License-Identifier: Apache-2.0
// Not linked: `./dev lint` passes it to clang's -verify, which fails unless exactly the expected warnings occur. This guarantees that the
// mutex check keeps working.
#include "model/mutex.h"

namespace runglass {

struct Counter {
  mutable Mutex mutex;
  ConditionVariable changed;
  StoppableCondition stoppable;
  int count RG_GUARDED_BY(mutex) = 0;
  void addLocked() RG_REQUIRES(mutex) { ++count; }
  void callback() RG_EXCLUDES(mutex) {}
  void writerReads() const RG_ASSERT_SHARED(mutex) {}
};

struct Table {
  mutable SharedMutex mutex;
  int value RG_GUARDED_BY(mutex) = 0;
};

int right(Counter& counter, const std::stop_token& stop) {
  MutexLock lock(counter.mutex);
  counter.changed.wait(lock, [&counter]() RG_REQUIRES(counter.mutex) { return counter.count > 0; });
  counter.changed.waitFor(lock, kNsPerMs);
  if (counter.changed.waitFor(lock, kNsPerMs, [&counter]() RG_REQUIRES(counter.mutex) { return counter.count > 1; })) counter.addLocked();
  if (!counter.stoppable.wait(lock, stop, [&counter]() RG_REQUIRES(counter.mutex) { return counter.count > 2; })) return 0;
  lock.unlock();
  counter.callback();
  lock.lock();
  return counter.count;
}

int rightShared(Table& table) {
  {
    const WriterLock lock(table.mutex);
    ++table.value;
  }
  const ReaderLock lock(table.mutex);
  return table.value;
}

int rightWriter(const Counter& counter) {
  counter.writerReads();
  return counter.count;
}

int read(const Counter& counter) { return counter.count; }  // expected-warning {{reading variable 'count' requires holding mutex}}
void write(Counter& counter) { counter.count = 1; }         // expected-warning {{writing variable 'count' requires holding mutex}}
void call(Counter& counter) { counter.addLocked(); }        // expected-warning {{calling function 'addLocked' requires holding mutex}}
void pass(Counter& counter) { std::exchange(counter.count, 1); }  // expected-warning {{passing variable 'count' by reference requires}}

void predicate(Counter& counter) {
  MutexLock lock(counter.mutex);
  counter.changed.wait(lock, [&counter] { return counter.count > 0; });  // expected-warning {{reading variable 'count' requires}}
}

void unlocked(Counter& counter) {
  MutexLock lock(counter.mutex);
  lock.unlock();
  counter.count = 1;  // expected-warning {{writing variable 'count' requires holding mutex}}
}

void deadlock(Counter& counter) {
  const MutexLock lock(counter.mutex);
  counter.callback();  // expected-warning {{cannot call function 'callback' while mutex 'counter.mutex' is held}}
}

void writeShared(Table& table) {
  const ReaderLock lock(table.mutex);
  ++table.value;  // expected-warning {{writing variable 'value' requires holding mutex 'table.mutex' exclusively}}
}

void writerWrites(Counter& counter) {
  counter.writerReads();
  counter.count = 1;  // expected-warning {{writing variable 'count' requires holding mutex 'counter.mutex' exclusively}}
}

}  // namespace runglass
