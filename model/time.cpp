// SPDX-License-Identifier: Apache-2.0
#include "model/time.h"

#include <ctime>

namespace runglass {
namespace {
TimeNs readClock(clockid_t id) {
  timespec ts{};
  clock_gettime(id, &ts);
  return static_cast<TimeNs>(ts.tv_sec) * kNsPerSecond + ts.tv_nsec;
}
}  // namespace

TimeNs wallNow() { return readClock(CLOCK_REALTIME); }
TimeNs monotonicNow() { return readClock(CLOCK_MONOTONIC); }

}  // namespace runglass
