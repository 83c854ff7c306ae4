// SPDX-License-Identifier: GPL-3.0-or-later
// The outcome of a command to a run, as a line per node or as JSON.
//
// Threading:  pure.
// Units:      steps.
// Errors:     outcomeStatus(): that of the first node that failed.
// Cost:       O(nodes + ranks).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/orders.h"

namespace runglass::ctl {

std::string outcomeText(const OrderOutcome& outcome);
nlohmann::ordered_json outcomeJson(const OrderOutcome& outcome);
Status outcomeStatus(const OrderOutcome& outcome);

}  // namespace runglass::ctl
