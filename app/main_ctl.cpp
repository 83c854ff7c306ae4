// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl: everything the console knows, scriptable. Exit 0 ok, 1 failed (one line on stderr), 2 wrong usage.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "app/cli_description.h"
#include "app/ctl/command.h"
#include "app/ctl/output.h"
#include "app/damage_warning.h"
#include "app/private_files.h"

namespace {

int report(const char* command, const std::string& message) {
  std::fprintf(stderr, "runglassctl %s: %s\n", command, runglass::ctl::oneLine(message).c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  runglass::keepFilesPrivate();
  CLI::App app("Reads, checks and exports Runglass stores (one SQLite file each).", "runglassctl");
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "Print this help and exit");
  const auto commands = runglass::ctl::commands();
  for (const auto& command : commands) {
    CLI::App* sub = app.add_subcommand(command->name(), command->help());
    command->declare(*sub);
    runglass::addExamples(*sub, command->examples());
  }
  if (runglass::describedCommandLine(app, argc, argv)) return 0;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  for (const auto& command : commands) {
    if (!app.got_subcommand(command->name())) continue;
    try {
      const runglass::Status status = command->run();
      runglass::warnOfDamage();
      return status.ok() ? 0 : report(command->name(), status.message());
    } catch (const std::exception& error) {
      // Third-party code and memory: nothing of ours throws.
      return report(command->name(), error.what());
    }
  }
  return 2;
}
