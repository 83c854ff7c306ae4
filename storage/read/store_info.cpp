// SPDX-License-Identifier: Apache-2.0
// StoreReader: content and size of the store, and verification.
#include <algorithm>
#include <filesystem>

#include "model/far_time.h"
#include "storage/read/store_reader.h"
#include "storage/read/store_uuid.h"
#include "storage/sqlite/page_checksum_vfs.h"
#include "storage/store_files.h"

namespace runglass {
namespace {

std::int64_t bytesOf(const std::string& path) {
  std::error_code missing;
  const auto bytes = std::filesystem::file_size(path, missing);
  return missing ? 0 : static_cast<std::int64_t>(bytes);
}

void widen(StoreInfo& info, std::optional<TimeNs> first, std::optional<TimeNs> last) {
  first = nearTime(first), last = nearTime(last);
  if (first) info.first = std::min(info.first.value_or(*first), *first);
  if (last) info.last = std::max(info.last.value_or(*last), *last);
}

}  // namespace

Result<std::string> storeUuid(const std::string& path) {
  RG_ASSIGN(auto db, sqlite::Connection::open(path, sqlite::OpenMode::kReadOnly));
  return db.queryText("SELECT value FROM rg_meta WHERE key = 'store_uuid'");
}

// Only series that may begin first or end last are corrected: correcting those of each other attempt would require reading the nodes of its
// ranks.
Status StoreReader::countSeries(StoreInfo& info) {
  RG_TRY(m_series.refresh());
  RG_TRY(m_file.refreshClocks());
  struct Times {
    std::optional<TimeNs> first, last;
  };
  std::vector<Times> times;
  times.reserve(m_series.all().size());
  StoreInfo stamped;
  for (const Series& one : m_series.all()) {
    const auto extent = m_file.live() ? m_file.live()->extent(one.id) : std::nullopt;
    info.sample_count += extent ? extent->count : one.sample_count;
    const Times& added = times.emplace_back(extent ? Times{extent->first_time, extent->last_time} : Times{one.first_time, one.last_time});
    widen(stamped, added.first, added.last);
  }
  info.series_count = static_cast<std::int64_t>(m_series.all().size());
  if (!stamped.first || !stamped.last) return {};
  // Correction can swap two times only within this distance. No sum overflows: all times are within kFarTime.
  const DurNs reach = 2 * std::min(m_file.clocks().farthest(), kFarTime / 2);
  for (std::size_t i = 0; i < m_series.all().size(); ++i) {
    const SeriesKey& key = m_series.all()[i].key;
    auto [first, last] = times[i];
    if (!(first && *first <= *stamped.first + reach) && !(last && *last >= *stamped.last - reach)) continue;
    const ClockMap* const clock = key.node ? m_file.clocks().of(key.node) : m_file.clocks().of(key.attempt, key.rank);
    if (clock != nullptr && first) first = clock->corrected(*first);
    if (clock != nullptr && last) last = clock->corrected(*last);
    widen(info, first, last);
  }
  return {};
}

Result<StoreInfo> StoreReader::info() {
  StoreInfo info;
  info.path = m_file.path();
  RG_ASSIGN(info.store_uuid, m_file.db().queryText("SELECT value FROM rg_meta WHERE key = 'store_uuid'"));
  RG_ASSIGN(info.incident, m_file.db().queryText("SELECT value FROM rg_meta WHERE key = 'incident'"));
  RG_ASSIGN(const std::string source, m_file.db().queryText("SELECT value FROM rg_meta WHERE key = 'mirror_of'"));
  if (!source.empty()) {
    RG_ASSIGN(const std::string from, m_file.db().queryText("SELECT value FROM rg_meta WHERE key = 'mirror_from'"));
    RG_ASSIGN(const auto complete, m_file.db().queryInt64("SELECT value FROM rg_meta WHERE key = 'mirror_complete_ns'"));
    RG_ASSIGN(const auto summarised, m_file.db().queryInt64("SELECT value FROM rg_meta WHERE key = 'mirror_summarised_ns'"));
    info.mirror = {.source_uuid = source, .from = from, .complete = complete, .summarised = summarised};
  }
  RG_ASSIGN(const auto version, m_file.db().queryInt64("PRAGMA user_version"));
  info.schema_version = static_cast<int>(version.value_or(0));
  info.page_checksums = sqlite::hasPageChecksums(m_file.db().raw());
  info.file_bytes = bytesOf(m_file.path()) + bytesOf(walPath(m_file.path()));
  info.journal_bytes = bytesOf(journalPath(m_file.path())) + bytesOf(nextJournalPath(m_file.path()));
  RG_TRY(countSeries(info));
  // From indexes alone: this is called every second, also for a store of 100 GiB.
  RG_ASSIGN(auto extents,
            m_file.db().prepare("SELECT ifnull((SELECT sum(sample_count) FROM rg_expired), 0),"
                                "(SELECT min(t0) FROM rg_span_chunk), (SELECT max(t1) FROM rg_span_chunk WHERE t1 < 9223372036854775807),"
                                "(SELECT min(time_ns) FROM rg_event), (SELECT max(time_ns) FROM rg_event),"
                                "(SELECT min(time_ns) FROM rg_log), (SELECT max(time_ns) FROM rg_log)"));
  RG_TRY(extents.step().status());
  info.sample_count -= extents.int64(0);
  for (const int column : {1, 3, 5}) widen(info, extents.optionalInt64(column), extents.optionalInt64(column + 1));
  info.damage = m_file.damage().issues();
  return info;
}

Result<StoreUsage> StoreReader::usage(std::stop_token stop) {
  StoreUsage usage;
  const auto sum = [&](std::string_view sql, std::initializer_list<std::int64_t*> totals) -> Status {
    RG_ASSIGN(auto statement, m_file.db().prepare(sql));
    while (true) {
      if (stop.stop_requested()) return {Code::kCancelled, "sizes of " + m_file.path() + ": stopped"};
      RG_ASSIGN(const bool row, statement.step());
      if (!row) return {};
      int column = 0;
      for (std::int64_t* total : totals) *total += statement.int64(column++);
    }
  };
  RG_TRY(sum("SELECT length(data) FROM rg_chunk", {&usage.sample_bytes}));
  RG_TRY(sum("SELECT length(data) FROM rg_pyramid", {&usage.sample_bytes}));
  RG_TRY(sum("SELECT n, length(data) FROM rg_span_chunk", {&usage.span_count, &usage.span_bytes}));
  RG_TRY(sum("SELECT count(*) FROM rg_event", {&usage.event_count}));
  RG_TRY(sum("SELECT count(*) FROM rg_log", {&usage.log_count}));
  return usage;
}

}  // namespace runglass
