// SPDX-License-Identifier: Apache-2.0
// TempDir: a fresh directory that is removed at the end of a test.
//
// Threading:  one thread.
// Ownership:  owns the directory.
// Units:      none.
// Errors:     aborts the test program when none can be made.
// Cost:       a few system calls.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "model/result.h"

namespace runglass::test {

class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "runglass-XXXXXX").string();
    RG_CHECK(mkdtemp(pattern.data()) != nullptr);
    m_path = pattern;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code error;
    std::filesystem::remove_all(m_path, error);
  }
  std::string path() const { return m_path; }
  std::string operator/(const std::string& name) const { return m_path + "/" + name; }

 private:
  std::string m_path;
};

}  // namespace runglass::test
