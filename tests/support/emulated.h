// SPDX-License-Identifier: Apache-2.0
// Starts another program of the build from a test, also if that is for another machine and runs under an emulator.
#pragma once

#include <string>
#include <vector>

namespace runglass::test {

// `command` as it must be executed: with the emulator before a program of this build. Interpreters of scripts are those of this machine.
inline std::vector<std::string> runnable(std::vector<std::string> command) {
#ifdef RG_EMULATOR
  if (!command.empty() && command.front().starts_with(RG_BIN_DIR "/")) {
    const std::vector<std::string> emulator = {RG_EMULATOR};
    command.insert(command.begin(), emulator.begin(), emulator.end());
  }
#endif
  return command;
}

}  // namespace runglass::test
