// SPDX-License-Identifier: Apache-2.0
// TempStore: a test's store in a separate folder, deleted at the end.
#pragma once

#include <string>

#include "storage/open_store.h"
#include "tests/support/temp_folder.h"

namespace runglass {

class TempStore {
 public:
  const std::string& folder() const { return m_folder.path(); }
  std::string file(const std::string& name) const { return m_folder.file(name); }
  std::string path() const { return file("test.rgl"); }
  Result<std::unique_ptr<Writer>> writer(WriterOptions options = {}) const { return openStore(path()).writer(std::move(options)); }
  Result<std::unique_ptr<Reader>> reader(ReaderOptions options = {}) const { return openStore(path()).reader(std::move(options)); }

 private:
  test::TempFolder m_folder;
};

}  // namespace runglass
