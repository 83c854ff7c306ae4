// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl: the functions of the console for scripts. Exit 0 ok, 1 failed (one line on stderr), 2 wrong usage.
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "app/cli/damage_warning.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/private_files.h"
#include "app/cli/repaired_copy.h"

namespace {

// The command of one run; its state is new in each.
struct CommandRun {
  std::string name;
  std::optional<int> exit;  // of the command line; absent: the command ran
  runglass::Status status;
};

CommandRun runCommand(int argc, char** argv) {
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
  if (const auto exit = line.parse(argc, argv)) return {.name = {}, .exit = exit, .status = {}};
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const auto& command = commands[i];
    if (!declared[i].parsed()) continue;
    try {
      return {.name = command->name(), .exit = {}, .status = command->run()};
    } catch (const std::exception& error) {
      // Third-party code and out of memory; Runglass itself throws nothing.
      return {.name = command->name(), .exit = {}, .status = {runglass::Code::kInternal, error.what()}};
    }
  }
  return {.name = {}, .exit = 2, .status = {}};
}

}  // namespace

int main(int argc, char** argv) {
  runglass::keepFilesPrivate();
  CommandRun last;
  const runglass::Status status = runglass::runAroundDamage([&] {
    last = runCommand(argc, argv);
    return last.status;
  });
  if (last.exit) return *last.exit;
  runglass::warnOfDamage();
  if (status.ok()) return 0;
  std::fprintf(stderr, "runglassctl %s: %s\n", last.name.c_str(), runglass::ctl::oneLine(status.message()).c_str());
  return 1;
}
