// SPDX-License-Identifier: GPL-3.0-or-later
// What analysis/incident says of an incident or proposes, as JSON and as text for a terminal.
//
// Threading:  any thread.
// Units:      ns, GPU-hours; money in whatever the price was in.
// Errors:     none: what is not known is null in JSON, and says why in both.
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
