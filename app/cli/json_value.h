// SPDX-License-Identifier: GPL-3.0-or-later
// Values of printed JSON: what is absent is null.
//
// Threading:  pure.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace runglass::ctl {

using Json = nlohmann::ordered_json;

template <class T>
Json orNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}
inline Json orNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace runglass::ctl
