// SPDX-License-Identifier: Apache-2.0
// Fills a template with the arguments of a message.
//
// A template is text with
//   {name}                     an argument
//   {name|# step|# steps}      by the count `name` one of the plural forms of the language, '#' is the number; a language without
//                              plurals has one form
//   [, after step {step}]      a part that is left out where an argument in it is absent; parts do not contain parts
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/words/message.h"

namespace runglass::words {

// One argument of a template.
struct Placeholder {
  std::string_view name;
  std::vector<std::string_view> plurals;  // empty: none
  bool optional = false;                  // in a part
};
// Absent if the brackets or braces of the text do not match.
std::optional<std::vector<Placeholder>> placeholdersOf(std::string_view text);

// A language.
struct Phrases {
  std::function<std::string(std::string_view id)> sentence;   // "" for an id without a template
  std::function<std::string(std::string_view english)> term;  // of a Term; empty: unchanged
};
// Absent if a template, or an argument outside of optional parts, is missing.
std::optional<std::string> render(const Message& message, const Phrases& phrases);

}  // namespace runglass::words
