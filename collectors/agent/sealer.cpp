// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A turn is taken without m_mutex; m_busy says whose it is meanwhile.
// 2. m_next is no later than the earliest turn that is due, while the thread waits.
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
    const std::lock_guard lock(m_mutex);
    m_stop = true;
    m_wake.notify_one();
  }
  m_thread.join();
}

void Sealer::join(Seat& seat) {
  const std::lock_guard lock(m_mutex);
  m_seats.push_back(&seat);
  seat.m_due = m_next = 0;
  m_wake.notify_one();
}

void Sealer::wake(Seat& seat) {
  const std::lock_guard lock(m_mutex);
  seat.m_due = 0;
  // Many agents of one producer are woken at once: the thread is told by the first of them.
  if (std::exchange(m_next, 0) != 0) m_wake.notify_one();
}

void Sealer::leave(Seat& seat) {
  std::unique_lock lock(m_mutex);
  std::erase(m_seats, &seat);
  m_next = 0;  // the seats behind it moved up
  m_wake.notify_one();
  m_rested.wait(lock, [&] { return m_busy != &seat; });
}

void Sealer::run() {
  std::unique_lock lock(m_mutex);
  while (!m_stop) {
    const DurNs now = monotonicNow();
    if (m_next > now) {
      m_wake.wait_for(lock, std::chrono::nanoseconds(m_next - now));
      continue;
    }
    m_next = now + kLongestRest;
    for (std::size_t i = 0; i < m_seats.size(); ++i) {
      if (m_seats[i]->m_due <= now) turn(*m_seats[i], lock);
      if (i < m_seats.size()) m_next = std::min(m_next, m_seats[i]->m_due);
    }
  }
}

void Sealer::turn(Seat& seat, std::unique_lock<std::mutex>& lock) {
  seat.m_due = kTurning;
  m_busy = &seat;
  lock.unlock();
  const DurNs pause = seat.m_turn();
  lock.lock();
  // Unless it was woken meanwhile. Who left waits for m_busy: the seat is still there.
  if (seat.m_due == kTurning) seat.m_due = monotonicNow() + pause;
  m_busy = nullptr;
  m_rested.notify_all();
}

}  // namespace runglass
