// SPDX-License-Identifier: Apache-2.0
// Reads members of a finding's evidence, which other versions may have written with other types.
//
// Threading:  pure.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace runglass {

// "" where there is no such text.
inline std::string textIn(const nlohmann::json& json, const char* key) {
  if (!json.is_object()) return {};
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace runglass
