// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A row is copied completely, as it was read, or not at all.
// 2. A range of row ids is read from both ends up to the first unreadable page; the part between is halved until each row is known or
//    kMaxLookups lookups were made.
#include "storage/maintain/salvage_rows.h"

#include <sqlite3.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>

namespace runglass {
namespace {

constexpr int kMaxLookups = 4'000;
constexpr const char* kRefused = "another row has its id or key";
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

Result<std::vector<std::string>> columnsOf(sqlite::Connection& db, const std::string& table) {
  RG_ASSIGN(auto rows, db.prepare("SELECT name FROM pragma_table_info('" + table + "') ORDER BY cid"));
  std::vector<std::string> names;
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) return names;
    names.emplace_back(rows.text(0));
  }
}

// Row ids from `first` to `last`.
struct Range {
  std::int64_t first, last;
};

class Salvage {
 public:
  Salvage(sqlite::Connection& from, sqlite::Connection& to, std::string table, std::vector<LostObject>& lost, std::stop_token stop)
      : m_from(from), m_to(to), m_table(std::move(table)), m_lost(lost), m_stop(std::move(stop)) {}

  Result<std::int64_t> run() {
    RG_TRY(prepare());
    const auto by_id = m_from.prepare("SELECT rowid FROM " + m_table + " LIMIT 0");
    RG_TRY(by_id.ok() ? byId() : byKey());
    return m_rows;
  }

 private:
  enum class Order : std::uint8_t { kUp, kDown };
  // Where reading stopped: at the end, or why it failed.
  struct End {
    std::optional<std::int64_t> last;  // id of the last row read
    std::optional<std::string> why;
  };

  Status prepare() {
    RG_ASSIGN(const auto here, columnsOf(m_from, m_table));
    RG_ASSIGN(const auto there, columnsOf(m_to, m_table));
    std::string marks;
    for (const std::string& column : there) {
      if (std::ranges::find(here, column) == here.end()) continue;
      m_columns += (m_columns.empty() ? "\"" : ", \"") + column + "\"";
      marks += marks.empty() ? "?" : ", ?";
    }
    if (m_columns.empty()) return {Code::kDataLoss, "its columns cannot be read"};
    RG_ASSIGN(m_insert, m_to.prepare("INSERT OR IGNORE INTO " + m_table + "(" + m_columns + ") VALUES(" + marks + ")", true));
    return {};
  }

  // The columns of the row begin at `first`. False: the new store refuses it.
  Result<bool> copy(const sqlite::Statement& row, int first) {
    for (int column = first; column < row.columnCount(); ++column)
      sqlite3_bind_value(m_insert.raw(), column - first + 1, sqlite3_column_value(row.raw(), column));
    RG_TRY(m_insert.run());
    m_rows += m_to.changes();
    return m_to.changes() > 0;
  }

  Status goOn() {
    if (m_stop.stop_requested()) return {Code::kCancelled, "repair was cancelled"};
    return {};
  }

  Result<End> read(Range range, Order order) {
    RG_ASSIGN(auto rows, m_from.prepare("SELECT rowid, " + m_columns + " FROM " + m_table + " NOT INDEXED WHERE rowid BETWEEN ?1 AND ?2 " +
                                        "ORDER BY rowid" + (order == Order::kDown ? " DESC" : "")));
    rows.bind(1, range.first);
    rows.bind(2, range.last);
    ++m_lookups;
    End end;
    while (true) {
      RG_TRY(goOn());
      const auto row = rows.step();
      if (!row.ok()) {
        if (row.status().code() != Code::kDataLoss) return row.status();  // busy, no memory: not damage
        end.why = row.status().message();
        return end;
      }
      if (!*row) return end;
      end.last = rows.int64(0);
      RG_ASSIGN(const bool copied, copy(rows, 1));
      if (!copied) lose({*end.last, *end.last}, kRefused);
    }
  }

  // The first row id of the range in that order; absent: none. A failure: its page cannot be read.
  Result<std::optional<std::int64_t>> next(Range range, Order order) {
    ++m_lookups;
    return m_from.queryInt64("SELECT rowid FROM " + m_table + " NOT INDEXED WHERE rowid BETWEEN " + std::to_string(range.first) + " AND " +
                             std::to_string(range.last) + " ORDER BY rowid" + (order == Order::kDown ? " DESC" : "") + " LIMIT 1");
  }
  // Reads from one end; true: the whole range is known. Rows with a damaged page of a long value are skipped.
  Result<bool> advance(Range& range, Order order, std::string& why) {
    while (true) {
      RG_ASSIGN(const End end, read(range, order));
      if (!end.why) return true;
      why = *end.why;
      if (end.last && *end.last == (order == Order::kUp ? range.last : range.first)) return true;
      if (end.last) (order == Order::kUp ? range.first : range.last) = *end.last + (order == Order::kUp ? 1 : -1);
      const auto row = next(range, order);
      if (row.status().code() == Code::kDataLoss) return false;
      if (!row.ok()) return row.status();
      if (!*row) return true;
      lose({**row, **row}, why);
      if (**row == (order == Order::kUp ? range.last : range.first)) return true;
      (order == Order::kUp ? range.first : range.last) = **row + (order == Order::kUp ? 1 : -1);
    }
  }

  Status byId() {
    std::deque<Range> unknown = {{0, kHighest}};
    // No store of ours has ids below 0, but a changed bit can make one. Where the first page cannot be read, none are assumed.
    const auto below = m_from.queryInt64("SELECT count(*) FROM " + m_table + " NOT INDEXED WHERE rowid < 0");
    if (below.ok() && below->value_or(0) > 0) unknown.push_front({std::numeric_limits<std::int64_t>::min(), -1});
    std::string why;
    while (!unknown.empty()) {
      Range range = unknown.front();
      unknown.pop_front();
      RG_ASSIGN(const bool up, advance(range, Order::kUp, why));
      if (up) continue;
      RG_ASSIGN(const bool down, advance(range, Order::kDown, why));
      if (down) continue;
      // Damaged at both ends. Ids are dense: beyond twice the rows read so far, hardly any rows are expected.
      const std::int64_t reach = std::max<std::int64_t>(4'096, 2 * m_rows);
      const std::int64_t last = range.last == kHighest && range.first < kHighest - reach ? range.first + reach : range.last;
      if (m_lookups > kMaxLookups || last - range.first < 2) {
        lose({range.first, range.last}, why);
        continue;
      }
      const std::int64_t middle = range.first + (last - range.first) / 2;
      unknown.push_back({range.first, middle});
      unknown.push_back({middle + 1, last});
      if (last < range.last) lose({last + 1, range.last}, why);
    }
    return report();
  }

  // Tables without row ids: read from both ends of the key.
  Status byKey() {
    RG_ASSIGN(auto keys, m_from.prepare("SELECT name FROM pragma_table_info('" + m_table + "') WHERE pk > 0 ORDER BY pk"));
    std::vector<std::string> names;
    while (true) {
      RG_ASSIGN(const bool row, keys.step());
      if (!row) break;
      names.emplace_back(keys.text(0));
    }
    std::int64_t refused = 0;
    const auto reportRefused = [&] {
      if (refused > 0) m_lost.push_back({std::to_string(refused) + " rows of " + m_table, kRefused, refused});
    };
    for (const char* order : {"", " DESC"}) {
      std::string by;
      for (const std::string& name : names) by += (by.empty() ? "\"" : ", \"") + name + "\"" + order;
      RG_ASSIGN(auto rows, m_from.prepare("SELECT " + m_columns + " FROM " + m_table + " ORDER BY " + by));
      while (true) {
        RG_TRY(goOn());
        const auto row = rows.step();
        if (!row.ok()) {
          if (row.status().code() != Code::kDataLoss) return row.status();
          if (*order != '\0') m_lost.push_back({"rows in the middle of " + m_table, row.status().message()});
          break;
        }
        if (!*row) {
          reportRefused();
          return {};
        }
        RG_ASSIGN(const bool copied, copy(rows, 0));
        refused += copied ? 0 : 1;
      }
    }
    reportRefused();
    return {};
  }

  void lose(Range range, const std::string& why) { m_ranges.emplace_back(range, why); }
  // Rows of each of the sorted ranges, by one pass over an index that can be read: it has an entry for each row. Empty: there is none.
  Result<std::vector<std::int64_t>> rowsBy(const std::vector<Range>& ranges) {
    std::vector<std::string> indexes;
    if (auto found = m_from.prepare("SELECT name FROM pragma_index_list('" + m_table + "') WHERE partial = 0"); found.ok())
      for (auto row = found->step(); row.ok() && *row; row = found->step()) indexes.emplace_back(found->text(0));
    for (const std::string& index : indexes) {
      auto ids = m_from.prepare("SELECT rowid FROM " + m_table + " INDEXED BY " + index);
      if (!ids.ok()) continue;
      std::vector<std::int64_t> rows(ranges.size());
      while (true) {
        RG_TRY(goOn());
        const auto row = ids->step();
        if (!row.ok()) break;
        if (!*row) return rows;
        const auto at = std::ranges::lower_bound(ranges, ids->int64(0), {}, &Range::last);
        if (at != ranges.end() && at->first <= ids->int64(0)) ++rows[static_cast<std::size_t>(at - ranges.begin())];
      }
    }
    return std::vector<std::int64_t>();
  }

  // Adjacent ranges are merged. Without an index, at most one row for each id is missing.
  Status report() {
    if (m_ranges.empty()) return {};
    std::ranges::sort(m_ranges, {}, [](const auto& lost) { return lost.first.first; });
    std::vector<Range> merged;
    std::vector<std::string> reasons;
    for (const auto& [range, why] : m_ranges) {
      if (!merged.empty() && merged.back().last != kHighest && range.first == merged.back().last + 1) {
        merged.back().last = range.last;
        continue;
      }
      merged.push_back(range);
      reasons.push_back(why);
    }
    RG_ASSIGN(const std::vector<std::int64_t> rows, rowsBy(merged));
    for (std::size_t i = 0; i < merged.size(); ++i) {
      const auto [first, last] = merged[i];
      const std::string from = std::to_string(first);
      std::optional<std::int64_t> missing;
      if (!rows.empty()) missing = rows[i];
      if (rows.empty() && last != kHighest) missing = last - first + 1;
      m_lost.push_back({(first == last      ? "row " + from
                         : last == kHighest ? "rows from " + from
                                            : "rows " + from + " to " + std::to_string(last)) +
                            " of " + m_table,
                        reasons[i], missing});
    }
    return {};
  }

  sqlite::Connection &m_from, &m_to;
  const std::string m_table;
  std::vector<LostObject>& m_lost;
  const std::stop_token m_stop;
  std::string m_columns;
  sqlite::Statement m_insert;
  std::int64_t m_rows = 0;
  int m_lookups = 0;
  std::vector<std::pair<Range, std::string>> m_ranges;
};

}  // namespace

Result<std::int64_t> salvageRows(sqlite::Connection& from, sqlite::Connection& to, const std::string& table, std::vector<LostObject>& lost,
                                 const std::stop_token& stop) {
  return Salvage(from, to, table, lost, stop).run();
}

}  // namespace runglass
