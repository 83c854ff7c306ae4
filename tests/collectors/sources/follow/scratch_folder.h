// SPDX-License-Identifier: Apache-2.0
// A folder that lives as long as a test.
//
// Threading:  one thread.
// Ownership:  removes the folder and all in it.
// Units:      none.
// Errors:     a folder that cannot be made fails the test.
// Cost:       a directory.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace runglass::test {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = testing::TempDir() + "follow_XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    m_path = name;
  }
  ~ScratchFolder() { std::filesystem::remove_all(m_path); }
  std::string path(const std::string& name = "") const { return name.empty() ? m_path : m_path + "/" + name; }
  void append(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary | std::ios::app) << bytes;
  }
  void write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary | std::ios::trunc) << bytes;
  }
  void rename(const std::string& from, const std::string& to) const { std::filesystem::rename(path(from), path(to)); }

 private:
  std::string m_path;
};

}  // namespace runglass::test
