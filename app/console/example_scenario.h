// SPDX-License-Identifier: GPL-3.0-or-later
// The scenario that the start page's example plays, as it lies in resources/scenarios/example.toml; built into the program.
//
// Threading:  immutable.
// Ownership:  static storage.
// Cost:       free.
#pragma once

#include <span>

namespace runglass {

struct ExampleText {
  const char* name;
  const char* text;
};
std::span<const ExampleText> exampleTexts();  // exactly one

}  // namespace runglass
