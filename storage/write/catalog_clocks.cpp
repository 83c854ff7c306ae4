// SPDX-License-Identifier: Apache-2.0
// Catalog: clock readings, loaded from and saved to the file.
#include <algorithm>
#include <limits>

#include "storage/sqlite/bind_row.h"
#include "storage/write/catalog.h"

namespace runglass {
namespace {

constexpr DurNs kHighest = std::numeric_limits<DurNs>::max();
constexpr std::int64_t kChangesKept = 2048;  // a Reader that missed more reloads the nodes

}  // namespace

// An index seek per node, instead of reading a year of readings.
Status Catalog::loadClocks(sqlite::Connection& db) {
  RG_ASSIGN(const auto newest, db.queryInt64("SELECT max(change_id) FROM rg_clock_change"));
  m_clock_changes = newest.value_or(0);
  RG_ASSIGN(auto nodes, db.prepare("SELECT node_id, (SELECT max(raw_ns) FROM rg_clock_map c WHERE c.node_id = n.node_id) FROM rg_node n"));
  while (true) {
    RG_ASSIGN(const bool row, nodes.step());
    if (!row) return {};
    if (!nodes.isNull(1)) m_clock.stored({static_cast<std::uint64_t>(nodes.int64(0))}, nodes.int64(1));
  }
}

Status Catalog::saveClocks(sqlite::Connection& db, CommitRows& rows) {
  if (m_clock.changes().empty()) return {};
  constexpr std::string_view kRow = "INTO rg_clock_map(node_id, raw_ns, session, offset_ns, error_ns, source) VALUES(?,?,?,?,?,?)";
  RG_ASSIGN(auto drop, db.prepare("DELETE FROM rg_clock_map WHERE node_id = ?1 AND raw_ns = ?2"));
  RG_ASSIGN(auto put, db.prepare("INSERT OR REPLACE " + std::string(kRow)));
  RG_ASSIGN(auto add, db.prepare("INSERT OR IGNORE " + std::string(kRow)));
  RG_ASSIGN(auto note, db.prepare("INSERT OR REPLACE INTO rg_clock_change(change_id, node_id, raw_ns, offset_ns, error_ns, replaced_ns) "
                                  "VALUES(?,?,?,?,?,?)"));
  std::int64_t change = m_clock_changes;
  DurNs farthest = 0;
  for (const ClockThinner::Change& one : m_clock.changes()) {
    const ClockReading& c = one.reading;
    sqlite::Statement& row = one.late ? add : put;
    ++change;
    RG_TRY(rows.together(db, "rg_clock_map", std::nullopt,
                         [&]() -> Status {
                           if (one.replaced) {
                             bindAll(drop, c.node.value, *one.replaced);
                             RG_TRY(rows.put(db, drop, "rg_clock_map"));
                           }
                           bindAll(row, c.node.value, c.raw, std::string_view(c.session), c.offset, c.error, std::string_view(c.source));
                           RG_TRY(rows.put(db, row, "rg_clock_map"));
                           bindAll(note, change, c.node.value, c.raw, c.offset, c.error, one.replaced);
                           return rows.put(db, note, "rg_clock_change");
                         })
               .status());
    if (c.offset > c.error || c.offset < -c.error) farthest = std::max(farthest, c.offset < 0 ? -std::max(c.offset, -kHighest) : c.offset);
  }
  RG_ASSIGN(auto prune, db.prepare("DELETE FROM rg_clock_change WHERE change_id <= ?"));
  bindAll(prune, change - kChangesKept);
  RG_TRY(prune.run());
  if (farthest == 0) return {};
  RG_ASSIGN(auto bound, db.prepare("INSERT INTO rg_meta(key, value) VALUES('clock_farthest_ns', ?1) ON CONFLICT(key) DO UPDATE SET value = "
                                   "max(value, excluded.value)"));
  bound.bind(1, farthest);
  return bound.run();
}

}  // namespace runglass
