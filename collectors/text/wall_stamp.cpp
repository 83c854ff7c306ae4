// SPDX-License-Identifier: Apache-2.0
#include "collectors/text/wall_stamp.h"

#include <chrono>
#include <ctime>

namespace runglass {
namespace {
constexpr DurNs kDay = 24LL * 3600 * kNsPerSecond;
constexpr int kLeapYears = 8;  // longest distance between two leap years

std::chrono::year_month_day dayOf(TimeNs time) {
  using namespace std::chrono;
  return {floor<days>(sys_time<nanoseconds>(nanoseconds(time)))};
}
}  // namespace

TimeNs inAssumedYear(TimeNs in_2000, TimeNs reference) {
  using namespace std::chrono;
  const year_month_day day = dayOf(in_2000);
  const TimeNs midnight = nanoseconds(sys_days(day).time_since_epoch()).count();
  for (year at = dayOf(reference).year() + years(1), last = at - years(kLeapYears + 1); at > last; at -= years(1)) {
    const year_month_day there{at, day.month(), day.day()};
    if (!there.ok()) continue;
    const TimeNs time = nanoseconds(sys_days(there).time_since_epoch()).count() + (in_2000 - midnight);
    if (time <= reference + kDay) return time;
  }
  return in_2000;
}

TimeNs fromLocalClock(TimeNs time) {
  const std::time_t seconds = time / kNsPerSecond;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  parts.tm_isdst = -1;
  return std::int64_t{std::mktime(&parts)} * kNsPerSecond + time % kNsPerSecond;
}

}  // namespace runglass
