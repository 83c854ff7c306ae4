// SPDX-License-Identifier: Apache-2.0
#include "storage/open_store.h"

#include <string_view>

#include "storage/read/change_reader.h"
#include "storage/read/store_reader.h"
#include "storage/write/store_writer.h"

namespace runglass {
namespace {

Result<std::string> filePath(const std::string& url) {
  constexpr std::string_view kFile = "file:", kHost = "//";
  if (url.starts_with(kFile)) {
    const std::string path = url.substr(kFile.size());
    return path.starts_with(kHost) ? path.substr(kHost.size()) : path;
  }
  if (const std::size_t at = url.find("://"); at != std::string::npos && url.find('/') == at + 1)
    return Status(Code::kInvalidArgument,
                  "cannot open store: " + url + ": stores are files here: a path or file:PATH, not " + url.substr(0, at) + "://");
  return url;
}

}  // namespace

Result<std::unique_ptr<Reader>> Store::reader(ReaderOptions options) const {
  RG_ASSIGN(const std::string path, filePath(m_url));
  return StoreReader::open(path, std::move(options));
}

Result<std::unique_ptr<Writer>> Store::writer(WriterOptions options) const {
  RG_ASSIGN(const std::string path, filePath(m_url));
  return StoreWriter::open(path, std::move(options));
}

Result<std::unique_ptr<ChangeReader>> Store::changes(ReaderOptions options) const {
  RG_ASSIGN(const std::string path, filePath(m_url));
  return ChangeReader::open(path, std::move(options));
}

}  // namespace runglass
