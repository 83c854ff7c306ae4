// SPDX-License-Identifier: GPL-3.0-or-later
// Issues in JSON, the same in every command.
//
// Threading:  any thread.
// Units:      TimeNs.
// Errors:     an unknown code has no severity and no help.
// Cost:       O(issues).
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "model/events.h"

namespace runglass::ctl {

nlohmann::ordered_json issuesJson(std::span<const Issue> issues);
// `lines` of Reader::verify(), "OBJECT: WHY", as an array of {"object", "why"}.
nlohmann::ordered_json damagedJson(std::span<const std::string> lines);

}  // namespace runglass::ctl
