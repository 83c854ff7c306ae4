// SPDX-License-Identifier: GPL-3.0-or-later
// The scenario that the start page's example plays, from resources/scenarios/example.toml; built into the program.
//
// Threading:  immutable; any thread.
// Ownership:  static storage.
#pragma once

#include <span>

namespace runglass {

struct ExampleText {
  const char* name;
  const char* text;
};
std::span<const ExampleText> exampleTexts();  // exactly one

}  // namespace runglass
