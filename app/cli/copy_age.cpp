// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/copy_age.h"

#include <algorithm>

#include "app/cli/output.h"
#include "model/time_text.h"
#include "storage/store_files.h"

namespace runglass::ctl {
namespace {
constexpr DurNs kLate = 5 * kNsPerSecond;  // a healthy replica is updated twice a second
}

TimeNs judgedAt(const StoreInfo& info, TimeNs now) {
  return info.mirror && info.mirror->complete ? std::min(now, *info.mirror->complete + kLate) : now;
}

std::string copyAgeText(const StoreInfo& info, TimeNs now) {
  if (!info.mirror) return {};
  const auto holder = holderOf(info.path);
  const std::string what = "copy of hub " + oneLine(info.mirror->from);
  const std::string who = holder ? ", process " + oneLine(holder->pid) + " follows" : "";
  if (!info.mirror->complete) return what + ", not complete yet" + who;
  const DurNs age = now - *info.mirror->complete;
  if (!holder) return what + ", as of " + durationText(age) + " ago";
  return (age > kLate ? "! " : "") + what + ", " + durationText(age) + " behind" + who;
}

}  // namespace runglass::ctl
