// SPDX-License-Identifier: Apache-2.0
// StoreReader: what the store holds and what that costs, and whether it is whole.
#include <algorithm>
#include <filesystem>

#include "storage/store_files.h"
#include "storage/store_reader.h"
#include "storage/verify_store.h"

namespace runglass {
namespace {

std::int64_t bytesOf(const std::string& path) {
  std::error_code missing;
  const auto bytes = std::filesystem::file_size(path, missing);
  return missing ? 0 : static_cast<std::int64_t>(bytes);
}

void widen(StoreInfo& info, std::optional<TimeNs> first, std::optional<TimeNs> last) {
  if (first) info.first = std::min(info.first.value_or(*first), *first);
  if (last) info.last = std::max(info.last.value_or(*last), *last);
}

}  // namespace

Result<StoreInfo> StoreReader::info() {
  StoreInfo info;
  info.path = m_path;
  RG_ASSIGN(info.store_uuid, m_db.queryText("SELECT value FROM rg_meta WHERE key = 'store_uuid'"));
  RG_ASSIGN(const auto version, m_db.queryInt64("PRAGMA user_version"));
  info.schema_version = static_cast<int>(version.value_or(0));
  info.file_bytes = bytesOf(m_path) + bytesOf(m_path + "-wal");
  info.journal_bytes = bytesOf(journalPath(m_path));
  // Through series(), which knows what the writer of this process has not committed.
  RG_ASSIGN(const auto all, series({}));
  for (const Series& one : all) {
    info.sample_count += one.sample_count;
    widen(info, one.first_time, one.last_time);
  }
  info.series_count = static_cast<std::int64_t>(all.size());
  RG_ASSIGN(auto counts,
            m_db.prepare("SELECT (SELECT ifnull(sum(sample_count), 0) FROM rg_expired),"
                         "(SELECT ifnull(sum(length(data)), 0) FROM rg_chunk), (SELECT ifnull(sum(length(data)), 0) FROM rg_pyramid),"
                         "(SELECT ifnull(sum(n), 0) FROM rg_span_chunk), (SELECT ifnull(sum(length(data)), 0) FROM rg_span_chunk),"
                         "(SELECT count(*) FROM rg_event), (SELECT count(*) FROM rg_log),"
                         "(SELECT min(t0) FROM rg_span_chunk), (SELECT max(t1) FROM rg_span_chunk WHERE t1 < 9223372036854775807),"
                         "(SELECT min(time_ns) FROM rg_event), (SELECT max(time_ns) FROM rg_event),"
                         "(SELECT min(time_ns) FROM rg_log), (SELECT max(time_ns) FROM rg_log)"));
  RG_TRY(counts.step().status());
  info.sample_count -= counts.int64(0);
  info.sample_bytes = counts.int64(1) + counts.int64(2);
  info.span_count = counts.int64(3);
  info.span_bytes = counts.int64(4);
  info.event_count = counts.int64(5);
  info.log_count = counts.int64(6);
  for (const int column : {7, 9, 11}) widen(info, counts.optionalInt64(column), counts.optionalInt64(column + 1));
  return info;
}

Result<std::vector<std::string>> StoreReader::verify(std::stop_token stop) { return verifyStore(m_db, std::move(stop)); }

}  // namespace runglass
