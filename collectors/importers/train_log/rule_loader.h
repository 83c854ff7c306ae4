// SPDX-License-Identifier: Apache-2.0
// Parses one TOML rule file; strict: an unknown field, kind or unit is an error with its place.
//
// Ownership:  the result owns everything.
// Errors:     INVALID_ARGUMENT "FILE: record 2: why".
// Cost:       O(file).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectors/importers/train_log/rule.h"
#include "model/result.h"

namespace runglass::train_log {

struct LoadedRules {
  RuleFile file;
  std::vector<std::pair<Rule, std::string>> rules;     // with their regex
  std::vector<std::pair<Rule, std::string>> prefixes;  // [[prefix]], tried at the start of a line
};
// Meaning of a capture group with this name.
Role roleOf(std::string_view capture);
Result<LoadedRules> loadRules(const std::string& name, std::string_view toml);

}  // namespace runglass::train_log
