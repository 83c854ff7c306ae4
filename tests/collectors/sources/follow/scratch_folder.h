// SPDX-License-Identifier: Apache-2.0
// ScratchFolder: a TempFolder whose files grow, are replaced and renamed, like logs.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temp_folder.h"

namespace runglass::test {

class ScratchFolder : public TempFolder {
 public:
  void append(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary | std::ios::app) << bytes;
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary | std::ios::trunc) << bytes;
  }
  void rename(const std::string& from, const std::string& to) const { std::filesystem::rename(file(from), file(to)); }
};

}  // namespace runglass::test
