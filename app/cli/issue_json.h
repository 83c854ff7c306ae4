// SPDX-License-Identifier: GPL-3.0-or-later
// Issues as every command prints them in JSON.
//
// Threading:  any thread.
// Units:      TimeNs.
// Errors:     none; an unknown code has no severity and no help.
// Cost:       O(issues).
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "model/events.h"

namespace runglass::ctl {

nlohmann::ordered_json issuesJson(std::span<const Issue> issues);
// Of lines of Reader::verify(), "OBJECT: WHY": an array of {"object", "why"}.
nlohmann::ordered_json damagedJson(std::span<const std::string> lines);

}  // namespace runglass::ctl
