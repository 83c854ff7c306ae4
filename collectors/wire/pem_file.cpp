// SPDX-License-Identifier: Apache-2.0
#include "collectors/wire/pem_file.h"

#include <fstream>
#include <sstream>

namespace runglass {

Result<std::string> readPem(const std::string& path) {
  if (path.empty()) return std::string();
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file || text.str().empty()) return Status(Code::kInvalidArgument, "TLS: " + path + ": cannot be read");
  return std::move(text).str();
}

}  // namespace runglass
