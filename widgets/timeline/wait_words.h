// SPDX-License-Identifier: GPL-3.0-or-later
// The waiting part of a collective's call, as text.
//
// Threading:  pure.
// Units:      as WaitPart.
// Errors:     none: an unknown value is a sentence with the reason.
#pragma once

#include <QString>

#include "analysis/collectives/collective_waits.h"

namespace runglass {

QString waitSentence(const WaitPart& part);  // "waited 3.2 ms of 3.4 ms for rank 9"

}  // namespace runglass
