// SPDX-License-Identifier: GPL-3.0-or-later
// The outcome of a command as text.
//
// Threading:  pure.
// Units:      steps.
// Errors:     the text of a command that could not be sent is the reason.
// Cost:       O(nodes + ranks).
#pragma once

#include <QString>

#include "model/orders.h"

namespace runglass {

// A line per node.
QString orderText(const Result<OrderOutcome>& outcome);

}  // namespace runglass
