// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A turn runs without m_mutex; m_busy is its seat meanwhile.
// 2. While the thread waits, m_next is not after the earliest due turn.
#include "collectors/agent/sealer.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace runglass {
namespace {
constexpr DurNs kLongestRest = 3600 * kNsPerSecond;
constexpr DurNs kTurning = std::numeric_limits<DurNs>::max();
}  // namespace

Sealer::Sealer() : m_thread([this] { run(); }) {}

Sealer::~Sealer() {
  {
    const MutexLock lock(m_mutex);
    m_stop = true;
    m_wake.notifyOne();
  }
  m_thread.join();
}

void Sealer::join(Seat& seat) {
  const MutexLock lock(m_mutex);
  m_seats.push_back(&seat);
  seat.m_due = m_next = 0;
  m_wake.notifyOne();
}

void Sealer::wake(Seat& seat) {
  const MutexLock lock(m_mutex);
  seat.m_due = 0;
  // Many agents of one producer wake at once: only the first notifies the thread.
  if (std::exchange(m_next, 0) != 0) m_wake.notifyOne();
}

void Sealer::leave(Seat& seat) {
  MutexLock lock(m_mutex);
  std::erase(m_seats, &seat);
  m_next = 0;  // the later seats moved up by one
  m_wake.notifyOne();
  m_rested.wait(lock, [&]() RG_REQUIRES(m_mutex) { return m_busy != &seat; });
}

void Sealer::run() {
  MutexLock lock(m_mutex);
  while (!m_stop) {
    const DurNs now = monotonicNow();
    if (m_next > now) {
      m_wake.waitFor(lock, m_next - now);
      continue;
    }
    m_next = now + kLongestRest;
    for (std::size_t i = 0; i < m_seats.size(); ++i) {
      if (Seat& seat = *m_seats[i]; seat.m_due <= now) {
        seat.m_due = kTurning;
        m_busy = &seat;
        lock.unlock();
        const DurNs pause = seat.m_turn();
        lock.lock();
        // Unless wake() was called meanwhile. A leave() of this seat waits for m_busy, so that the seat still exists.
        if (seat.m_due == kTurning) seat.m_due = monotonicNow() + pause;
        m_busy = nullptr;
        m_rested.notifyAll();
      }
      if (i < m_seats.size()) m_next = std::min(m_next, m_seats[i]->m_due);
    }
  }
}

}  // namespace runglass
