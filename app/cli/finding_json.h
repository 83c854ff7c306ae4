// SPDX-License-Identifier: GPL-3.0-or-later
// The message of a finding in JSON, the same in every command.
#pragma once

#include <nlohmann/json.hpp>

#include "model/findings.h"

namespace runglass::ctl {

// As an object; null for a finding without a message, or with one that is not a JSON object.
nlohmann::ordered_json findingMessageJson(const Finding& finding);

}  // namespace runglass::ctl
