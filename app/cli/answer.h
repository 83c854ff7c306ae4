// SPDX-License-Identifier: GPL-3.0-or-later
// The one writer of a command's answer: text for a terminal, or with --json one indented JSON object. Invalid UTF-8 becomes U+FFFD. An
// object that was read from a repaired copy has "repaired_copy": the store, and the objects that are missing from the copy.
//
// Threading:  one thread.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/result.h"

namespace runglass::ctl {

// Calls only the one of both that is printed.
Status printAnswer(bool as_json, const std::function<nlohmann::ordered_json()>& json, const std::function<std::string()>& text);
// The object with that member, where a copy is in use.
nlohmann::ordered_json withRepairedCopy(nlohmann::ordered_json object);
// Without line breaks, for a part of a larger document.
std::string compactJson(const nlohmann::ordered_json& json);

}  // namespace runglass::ctl
