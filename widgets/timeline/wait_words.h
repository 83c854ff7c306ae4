// SPDX-License-Identifier: GPL-3.0-or-later
// How much of a collective's call was waiting, in words.
//
// Threading:  pure.
// Ownership:  values.
// Units:      as WaitPart.
// Errors:     none: what cannot be told is a sentence that says why.
// Cost:       none.
#pragma once

#include <QString>

#include "analysis/collectives/collective_waits.h"

namespace runglass {

QString waitSentence(const WaitPart& part);  // "waited 3.2 ms of 3.4 ms for rank 9"

}  // namespace runglass
