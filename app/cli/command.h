// SPDX-License-Identifier: GPL-3.0-or-later
// One subcommand of runglassctl. A new one is a file with a make function and one line in registry.cpp.
//
// Threading:  main thread.
// Ownership:  the registry owns commands; declared options point into them.
// Errors:     run() fails with one line for stderr (exit 1). Parsing detects wrong usage (exit 2): declare everything an option accepts.
#pragma once

#include <memory>
#include <vector>

#include "model/result.h"

namespace runglass {
class Options;
}

namespace runglass::ctl {

class Command {
 public:
  virtual ~Command() = default;
  virtual const char* name() const = 0;
  virtual const char* help() const = 0;
  // Shell lines, each a complete command.
  virtual const char* examples() const = 0;
  virtual void declare(Options options) = 0;
  virtual Status run() = 0;
};

std::vector<std::unique_ptr<Command>> commands();

}  // namespace runglass::ctl
