// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <string>

namespace runglass::test {

inline std::string gzipped(const std::string& bytes) {
  std::string out(bytes.size() + 4'096, '\0');
  std::size_t used = 0;
  archive* const to = archive_write_new();
  archive_write_add_filter_gzip(to);
  archive_write_set_format_raw(to);
  archive_write_open_memory(to, out.data(), out.size(), &used);
  archive_entry* const entry = archive_entry_new();
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_write_header(to, entry);
  archive_write_data(to, bytes.data(), bytes.size());
  archive_write_close(to);
  archive_entry_free(entry);
  archive_write_free(to);
  out.resize(used);
  return out;
}

}  // namespace runglass::test
