// SPDX-License-Identifier: Apache-2.0
// TempFolder: a new empty folder for a test, deleted with its content at the end.
//
// Errors:     aborts the test program if the folder cannot be created.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "model/result.h"

namespace runglass::test {

class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "runglass-test-XXXXXX").string();
    RG_CHECK(::mkdtemp(pattern.data()) != nullptr);
    m_path = pattern;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::permissions(m_path, std::filesystem::perms::owner_all, ignored);  // a test may have made it read-only
    std::filesystem::remove_all(m_path, ignored);
  }
  const std::string& path() const { return m_path; }
  std::string file(const std::string& name) const { return m_path + "/" + name; }

 private:
  std::string m_path;
};

}  // namespace runglass::test
