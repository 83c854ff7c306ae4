// SPDX-License-Identifier: GPL-3.0-or-later
// CliDescription: a program's commands and options as JSON. Man pages and completions are generated from it when packages are built, so
// that they always match the program.
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

// Adds --version. True: the only argument was the hidden --describe-options; the answer is on stdout, and the program should exit.
bool describedCommandLine(CLI::App& app, int argc, const char* const* argv);

// The examples at the end of --help: shell lines, each a complete command.
void addExamples(CLI::App& app, std::string_view lines);

// {"name", "version", "help", "examples", "options": [{"names", "positional", "value", "help", "default", "required", "repeats"}],
//  "commands": [the same without "version"]}; "value" is empty for a flag. Options hidden from --help are left out.
std::string describeCommandLine(const CLI::App& app, const std::string& version);

}  // namespace runglass
