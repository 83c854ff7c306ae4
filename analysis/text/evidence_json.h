// SPDX-License-Identifier: Apache-2.0
// Members of a finding's evidence, which another version may have written with other types.
//
// Threading:  pure.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/findings.h"

namespace runglass {

// An object; empty where the evidence is none.
inline nlohmann::json evidenceOf(const Finding& finding) {
  nlohmann::json evidence = nlohmann::json::parse(finding.evidence, nullptr, false);
  return evidence.is_object() ? evidence : nlohmann::json::object();
}
// "" where there is no such text.
inline std::string textIn(const nlohmann::json& json, const char* key) {
  if (!json.is_object()) return {};
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}
// Finite.
inline std::optional<double> numberIn(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace runglass
