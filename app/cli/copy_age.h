// SPDX-License-Identifier: GPL-3.0-or-later
// The lag of a replica as text for a terminal, and the time as of which its content is to be judged.
//
// Threading:  any.
// Units:      ns.
// Cost:       copyAgeText() checks the store's lock.
#pragma once

#include <string>

#include "storage/store_info.h"

namespace runglass::ctl {

// `now`, but for a lagging replica the time of its newest complete data, so that a broken connection does not make nodes look silent. The
// clocks of hub and reader may differ: this does not query the hub for its time.
TimeNs judgedAt(const StoreInfo& info, TimeNs now);
// "copy of hub login1:7070, 0 s behind, process 4711 follows"; empty: not a replica. Begins with "! " if a process updates it and it lags.
std::string copyAgeText(const StoreInfo& info, TimeNs now);

}  // namespace runglass::ctl
