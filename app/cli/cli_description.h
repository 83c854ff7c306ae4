// SPDX-License-Identifier: GPL-3.0-or-later
// CliDescription: a program's commands and options as JSON. Man pages and completions are written from it when packages are built, so that
// neither can say what the program does not do.
//
// Threading:  main thread, before parsing.
// Ownership:  borrows the App.
// Cost:       O(options).
#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace runglass {

// Adds --version. True: the one argument was the hidden --describe-options, the answer is on stdout, and there is nothing more to do.
bool describedCommandLine(CLI::App& app, int argc, const char* const* argv);

// What --help ends with; lines for a shell, each a whole command.
void addExamples(CLI::App& app, std::string_view lines);

// {"name", "version", "help", "examples", "options": [{"names", "positional", "value", "help", "default", "required", "repeats"}],
//  "commands": [the same without "version"]}; "value" is empty for a flag. What --help hides is left out.
std::string describeCommandLine(const CLI::App& app, const std::string& version);

}  // namespace runglass
