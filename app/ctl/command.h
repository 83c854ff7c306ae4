// SPDX-License-Identifier: GPL-3.0-or-later
// One subcommand of runglassctl. A new one is a file with a make function and one line in registry.cpp.
//
// Threading:  main thread.
// Ownership:  the registry owns commands; options given to CLI11 point into them.
// Units:      none.
// Errors:     run() fails with one line for stderr (exit 1). Wrong usage is CLI11's to find (exit 2), so declare what an option accepts.
// Cost:       none.
#pragma once

#include <memory>
#include <vector>

#include "model/result.h"

namespace CLI {
class App;
}

namespace runglass::ctl {

class Command {
 public:
  virtual ~Command() = default;
  virtual const char* name() const = 0;
  virtual const char* help() const = 0;
  // Lines for a shell, each a whole command.
  virtual const char* examples() const = 0;
  virtual void declare(CLI::App& app) = 0;
  virtual Status run() = 0;
};

std::vector<std::unique_ptr<Command>> commands();

}  // namespace runglass::ctl
