// SPDX-License-Identifier: Apache-2.0
// Members of a JSON object of any shape: what is absent, or of another type, is null or empty.
//
// Threading:  pure.
// Ownership:  references into the object.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace runglass {

inline const nlohmann::json& member(const nlohmann::json& object, std::string_view key) {
  static const nlohmann::json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(key);
  return found == object.end() ? kNone : *found;
}
inline const nlohmann::json& member(const nlohmann::json& object, std::string_view key, std::string_view inner) {
  return member(member(object, key), inner);
}
// Only arrays have elements.
inline const nlohmann::json& elements(const nlohmann::json& object, std::string_view key) {
  static const nlohmann::json kNone = nlohmann::json::array();
  const nlohmann::json& value = member(object, key);
  return value.is_array() ? value : kNone;
}

}  // namespace runglass
