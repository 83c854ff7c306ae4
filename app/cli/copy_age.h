// SPDX-License-Identifier: GPL-3.0-or-later
// How old a copy of a hub's store is, in a terminal's words, and as of when what it says is to be judged.
//
// Threading:  any.
// Units:      ns.
// Cost:       copyAgeText() looks at the store's lock.
#pragma once

#include <string>

#include "storage/store_info.h"

namespace runglass::ctl {

// `now`, but for a copy that is late: as of what it knows. A node is not silent because a line is cut. The clocks of hub and reader may
// differ: nobody here has asked the hub for the time.
TimeNs judgedAt(const StoreInfo& info, TimeNs now);
// "copy of hub login1:7070, 0 s behind, process 4711 follows"; empty: it is no copy. Begins with "! " where it is followed and late.
std::string copyAgeText(const StoreInfo& info, TimeNs now);

}  // namespace runglass::ctl
