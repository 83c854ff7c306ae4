// SPDX-License-Identifier: Apache-2.0
// A folder of its own for each test, deleted at the end.
//
// Threading:  one thread.
// Ownership:  owns the folder.
// Units:      none.
// Errors:     aborts the test program when no folder can be made.
// Cost:       one mkdtemp.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "model/result.h"

namespace runglass {

class TempStore {
 public:
  TempStore() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rg-store-XXXXXX").string();
    RG_CHECK(::mkdtemp(pattern.data()) != nullptr);
    m_folder = pattern;
  }
  TempStore(const TempStore&) = delete;
  TempStore& operator=(const TempStore&) = delete;
  ~TempStore() {
    std::error_code ignored;
    std::filesystem::permissions(m_folder, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(m_folder, ignored);
  }
  const std::string& folder() const { return m_folder; }
  std::string file(const std::string& name) const { return m_folder + "/" + name; }
  std::string path() const { return file("test.rgl"); }

 private:
  std::string m_folder;
};

}  // namespace runglass
