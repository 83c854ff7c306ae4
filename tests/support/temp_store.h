// SPDX-License-Identifier: Apache-2.0
// TempStore: a folder of its own for a test's store, deleted at the end.
#pragma once

#include <string>

#include "tests/support/temp_folder.h"

namespace runglass {

class TempStore {
 public:
  const std::string& folder() const { return m_folder.path(); }
  std::string file(const std::string& name) const { return m_folder.file(name); }
  std::string path() const { return file("test.rgl"); }

 private:
  test::TempFolder m_folder;
};

}  // namespace runglass
