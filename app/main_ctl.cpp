// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl: the functions of the console for scripts. Exit 0 ok, 1 failed (one line on stderr), 2 wrong usage.
#include <cstdio>
#include <exception>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/damage_warning.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/private_files.h"

namespace {

int report(const char* command, const std::string& message) {
  std::fprintf(stderr, "runglassctl %s: %s\n", command, runglass::ctl::oneLine(message).c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  runglass::keepFilesPrivate();
  runglass::CommandLine line("runglassctl", "Reads, checks and exports Runglass stores (one SQLite file each).");
  line.options().helpFlag("Print this help and exit");
  line.options().requireSubcommand();
  const auto commands = runglass::ctl::commands();
  std::vector<runglass::Options> declared;
  for (const auto& command : commands) {
    declared.push_back(line.options().subcommand(command->name(), command->help()));
    command->declare(declared.back());
    declared.back().examples(command->examples());
  }
  if (const auto exit = line.parse(argc, argv)) return *exit;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const auto& command = commands[i];
    if (!declared[i].parsed()) continue;
    try {
      const runglass::Status status = command->run();
      runglass::warnOfDamage();
      return status.ok() ? 0 : report(command->name(), status.message());
    } catch (const std::exception& error) {
      // Third-party code and out of memory; Runglass itself throws nothing.
      return report(command->name(), error.what());
    }
  }
  return 2;
}
