// SPDX-License-Identifier: GPL-3.0-or-later
// The results of analysis/incident for an incident, or its proposals, as JSON and as text for a terminal.
//
// Threading:  any thread.
// Units:      ns, GPU-hours; money in the currency of the price.
// Errors:     an unknown value is null in JSON; both formats give the reason.
// Cost:       O(answer).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/incident/incident_answer.h"

namespace runglass::ctl {

nlohmann::ordered_json answerJson(const IncidentAnswer& answer);
std::string answerText(const IncidentAnswer& answer);
nlohmann::ordered_json proposalsJson(const Proposals& proposals);
std::string proposalsText(const Proposals& proposals);

}  // namespace runglass::ctl
