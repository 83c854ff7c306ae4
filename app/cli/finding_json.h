// SPDX-License-Identifier: GPL-3.0-or-later
// The message of a finding as every command prints it in JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "model/findings.h"

namespace runglass::ctl {

// As an object; null of a finding without one, or with text that is no JSON object.
nlohmann::ordered_json findingMessageJson(const Finding& finding);

}  // namespace runglass::ctl
