// SPDX-License-Identifier: GPL-3.0-or-later
// What became of an order, in words for the screen.
//
// Threading:  pure.
// Ownership:  values.
// Units:      steps.
// Errors:     an order that nobody could be asked is its reason.
// Cost:       O(nodes + ranks).
#pragma once

#include <QString>

#include "model/orders.h"

namespace runglass {

// A line per node.
QString orderText(const Result<OrderOutcome>& outcome);

}  // namespace runglass
