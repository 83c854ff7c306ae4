// SPDX-License-Identifier: Apache-2.0
// How a test starts another program of the build, also where that is for another machine and runs under an emulator.
//
// Threading:  any.
#pragma once

#include <string>
#include <vector>

namespace runglass::test {

// `command` as it is to be executed: with the emulator before a program of this build. Scripts' interpreters are this machine's.
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
