// SPDX-License-Identifier: Apache-2.0
// Servers of Debian that tests run; `./dev test` unpacks them into build/debian.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

namespace runglass::test {

// Unpacked by ./dev, else installed; "" if missing.
inline std::string debianProgram(const std::string& name) {
  const std::string unpacked = RG_SOURCE_DIR "/build/debian/usr/bin/" + name;
  if (std::filesystem::exists(unpacked)) return unpacked;
  std::stringstream path(std::getenv("PATH") != nullptr ? std::getenv("PATH") : "");
  for (std::string folder; std::getline(path, folder, ':');)
    if (const std::string file = folder + "/" + name; ::access(file.c_str(), X_OK) == 0) return file;
  return "";
}

}  // namespace runglass::test
