// SPDX-License-Identifier: Apache-2.0
// Catalog::load and save: rows of a file to memory and back. Declaring a loaded row gives the same id.
#include <algorithm>

#include "model/record_identity.h"
#include "storage/maintain/rebuild_tables.h"
#include "storage/schema/rows.h"
#include "storage/write/catalog.h"
#include "storage/write/catalog_key.h"

namespace runglass {
namespace {

template <class Tag>
void bindId(sqlite::Statement& statement, int index, Id<Tag> id) {
  if (id) {
    statement.bind(index, static_cast<std::int64_t>(id.value));
  } else {
    statement.bindNull(index);
  }
}
void bindText(sqlite::Statement& statement, int index, const std::string& text) { statement.bind(index, std::string_view(text)); }
template <class... T>
void bindAll(sqlite::Statement& statement, int index, const T&... values) {
  (statement.bind(index++, values), ...);
}

// The table name in "INSERT … INTO table(…".
std::string_view tableOf(std::string_view sql) {
  const std::size_t begin = sql.find("INTO ") + 5;
  return sql.substr(begin, sql.find('(') - begin);
}

// The requested rows of one table by id: one pass over the table finds all of them.
template <class Row>
class RowsById {
 public:
  void want(std::uint64_t id) { m_rows.try_emplace(id); }
  void find(const CatalogTable<Row>& table) {
    if (m_rows.empty()) return;
    table.each([&](std::uint64_t id, const Row& row) {
      if (const auto wanted = m_rows.find(id); wanted != m_rows.end()) wanted->second = &row;
    });
  }
  // Null: no such row, or id 0.
  const Row* row(std::uint64_t id) const {
    const auto row = m_rows.find(id);
    return row == m_rows.end() ? nullptr : row->second;
  }
  void each(const auto& take) const {
    for (const auto& [id, row] : m_rows)
      if (row != nullptr) take(*row);
  }

 private:
  std::unordered_map<std::uint64_t, const Row*> m_rows;
};

// The owners of the rows that a commit adds, for their identities.
class OwnersById {
 public:
  void want(AttemptId attempt, NodeId node = {}, DeviceId device = {}) {
    m_attempts.want(attempt.value);
    m_nodes.want(node.value);
    m_devices.want(device.value);
  }
  void find(const CatalogTable<Attempt>& attempts, const CatalogTable<Run>& runs, const CatalogTable<Node>& nodes,
            const CatalogTable<Device>& devices) {
    m_attempts.find(attempts);
    m_nodes.find(nodes);
    m_devices.find(devices);
    m_attempts.each([&](const Attempt& attempt) { m_runs.want(attempt.run.value); });
    m_runs.find(runs);
  }
  OwnerNames names(AttemptId attempt_id, NodeId node_id = {}, DeviceId device_id = {}) const {
    OwnerNames names;
    if (const Attempt* const attempt = m_attempts.row(attempt_id.value)) {
      names.attempt = attempt->key;
      if (const Run* const run = m_runs.row(attempt->run.value)) names.run = run->uuid;
    }
    if (const Node* const node = m_nodes.row(node_id.value)) names.node = node->uuid;
    if (const Device* const device = m_devices.row(device_id.value)) names.device = device->uuid;
    return names;
  }

 private:
  RowsById<Attempt> m_attempts;
  RowsById<Run> m_runs;
  RowsById<Node> m_nodes;
  RowsById<Device> m_devices;
};

std::string_view bytesOf(const Identity& identity) { return {reinterpret_cast<const char*>(identity.bytes.data()), identity.bytes.size()}; }

// Runs `sql` once for each changed row, with the parameters that `bind` binds.
template <class Row, class Bind>
Status saveChanged(sqlite::Connection& db, CommitRows& rows, const CatalogTable<Row>& table, std::string_view sql, Bind bind) {
  if (table.changed().empty()) return {};
  RG_ASSIGN(sqlite::Statement statement, db.prepare(sql));
  for (const auto* entry : table.changed()) {
    bind(statement, static_cast<std::int64_t>(entry->id), entry->row);
    RG_TRY(rows.put(db, statement, tableOf(sql)));
  }
  return {};
}

}  // namespace

Status Catalog::load(sqlite::Connection& db) {
  m_db = &db;
  RG_TRY(loadTopology(db));
  RG_TRY(loadRuns(db));
  RG_TRY(loadColumns(db));
  return loadClocks(db);
}

Status Catalog::loadTopology(sqlite::Connection& db) {
  RG_TRY(rows::each<Node>(db, "", [&](const Node& n) { m_nodes.add(n.uuid, n, n.id.value); }));
  return rows::each<Device>(db, "", [&](const Device& d) { m_devices.add(d.uuid, d, d.id.value); });
}

Status Catalog::loadRuns(sqlite::Connection& db) {
  RG_TRY(rows::each<Run>(db, "", [&](const Run& r) {
    m_runs.add(r.uuid, r, r.id.value);
    m_run_uuids.emplace(r.name, r.uuid);
  }));
  RG_TRY(rows::each<Attempt>(db, "", [&](const Attempt& a) {
    m_attempts.add(keyOf(a), a, a.id.value);
    m_lives[a.id.value] = {a.run, a.end.has_value()};
    std::int32_t& count = m_attempt_counts[a.run.value];
    count = std::max(count, a.number + 1);
  }));
  loadPlaced(db);
  return {};
}

// Damaged ranks do not prevent the store from being written: their attempts count as if no node had a rank.
void Catalog::loadPlaced(sqlite::Connection& db) {
  auto placed = db.prepare(
      "SELECT run_id, max(attempt_id) FROM rg_attempt a WHERE EXISTS "
      "(SELECT 1 FROM rg_rank r WHERE r.attempt_id = a.attempt_id AND r.node_id IS NOT NULL) OR EXISTS (SELECT 1 FROM rg_past_rank p WHERE "
      "p.run_id = a.run_id AND a.attempt_id BETWEEN p.first_attempt AND p.last_attempt AND p.node_id IS NOT NULL) GROUP BY run_id");
  while (placed.ok()) {
    const Result<bool> row = placed->step();
    if (!row.ok() || !*row) return;
    m_placed[static_cast<std::uint64_t>(placed->int64(0))] = {static_cast<std::uint64_t>(placed->int64(1))};
  }
}

Status Catalog::loadColumns(sqlite::Connection& db) {
  RG_TRY(rows::eachText(db, [&](std::int64_t id, std::string_view text) {
    m_texts.add(std::string(text), std::string(text), static_cast<std::uint64_t>(id));
  }));
  RG_ASSIGN(const auto last_series, db.queryInt64("SELECT max(series_id) FROM rg_series"));
  m_series.noteId(static_cast<std::uint64_t>(last_series.value_or(0)));
  RG_ASSIGN(const auto last_track, db.queryInt64("SELECT max(track_id) FROM rg_track"));
  m_tracks.noteId(static_cast<std::uint64_t>(last_track.value_or(0)));
  const auto reserve = [&](std::string_view table, auto& entries) -> Status {
    RG_ASSIGN(const auto first, db.queryInt64("SELECT value FROM rg_meta WHERE key = '" + firstIdKey(table) + "'"));
    if (first.value_or(0) > 0) entries.noteId(static_cast<std::uint64_t>(*first));
    return {};
  };
  RG_TRY(reserve("rg_node", m_nodes));
  RG_TRY(reserve("rg_device", m_devices));
  RG_TRY(reserve("rg_run", m_runs));
  RG_TRY(reserve("rg_attempt", m_attempts));
  RG_TRY(reserve("rg_string", m_texts));
  RG_TRY(reserve("rg_series", m_series));
  RG_TRY(reserve("rg_track", m_tracks));
  return loadAttempt({});
}

Status Catalog::save(sqlite::Connection& db, CommitRows& rows) {
  RG_TRY(saveTopology(db, rows));
  RG_TRY(saveRuns(db, rows));
  RG_TRY(saveColumns(db, rows));
  return saveDetails(db, rows);
}

Status Catalog::saveTopology(sqlite::Connection& db, CommitRows& rows) {
  RG_TRY(saveChanged(db, rows, m_nodes,
                     "INSERT OR REPLACE INTO rg_node(node_id, uuid, name, rack, switch, state, last_heard_ns) VALUES(?,?,?,?,?,?,?)",
                     [](sqlite::Statement& s, std::int64_t id, const Node& n) {
                       bindAll(s, 1, id, std::string_view(n.uuid), std::string_view(n.name), std::string_view(n.rack),
                               std::string_view(n.fabric_switch), static_cast<int>(n.state), n.last_heard);
                     }));
  return saveChanged(
      db, rows, m_devices,
      "INSERT OR REPLACE INTO rg_device(device_id, uuid, node_id, device_index, kind, model, memory_bytes) VALUES(?,?,?,?,?,?,?)",
      [](sqlite::Statement& s, std::int64_t id, const Device& d) {
        bindAll(s, 1, id, std::string_view(d.uuid));
        bindId(s, 3, d.node);
        bindAll(s, 4, d.index, std::string_view(d.kind), std::string_view(d.model), d.memory_bytes);
      });
}

Status Catalog::saveRuns(sqlite::Connection& db, CommitRows& rows) {
  RG_TRY(saveChanged(db, rows, m_runs,
                     "INSERT OR REPLACE INTO rg_run(run_id, uuid, name, time_domain, state, start_ns, end_ns, framework, simulated) "
                     "VALUES(?,?,?,?,?,?,?,?,?)",
                     [](sqlite::Statement& s, std::int64_t id, const Run& r) {
                       bindAll(s, 1, id, std::string_view(r.uuid), std::string_view(r.name),
                               static_cast<int>(r.time_domain.value_or(TimeDomain::kUtc)), static_cast<int>(r.state), r.start, r.end,
                               std::string_view(r.framework), r.simulated ? 1 : 0);
                     }));
  return saveChanged(
      db, rows, m_attempts,
      "INSERT OR REPLACE INTO rg_attempt(attempt_id, run_id, number, key, start_ns, end_ns, end_cause, planned, resumed_from_step, "
      "world_size, tp_size, pp_size, dp_size, cp_size, ep_size, vpp_size) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
      [](sqlite::Statement& s, std::int64_t id, const Attempt& a) {
        bindAll(s, 1, id);
        bindId(s, 2, a.run);
        bindAll(s, 3, a.number, std::string_view(a.key), a.start, a.end, std::string_view(a.end_cause), a.planned, a.resumed_from_step);
        const auto size = [](std::int32_t n) { return n == 0 ? std::optional<std::int32_t>() : n; };
        bindAll(s, 10, size(a.layout.world), size(a.layout.tp), size(a.layout.pp), size(a.layout.dp), size(a.layout.cp), size(a.layout.ep),
                size(a.layout.vpp));
      });
}

Status Catalog::saveColumns(sqlite::Connection& db, CommitRows& rows) {
  // Series first: interning their texts adds to m_texts.
  struct Texts {
    std::int64_t metric, source, labels, unit;
  };
  std::vector<Texts> texts;
  for (const auto* entry : m_series.changed()) {
    const SeriesKey& k = entry->row;
    texts.push_back({text(k.metric), text(k.source), text(k.labels), text(k.unit)});
  }
  RG_TRY(saveChanged(db, rows, m_texts, "INSERT OR REPLACE INTO rg_string(string_id, text) VALUES(?,?)",
                     [](sqlite::Statement& s, std::int64_t id, const std::string& row) {
                       bindAll(s, 1, id);
                       bindText(s, 2, row);
                     }));
  OwnersById owners;
  for (const auto* entry : m_series.changed()) owners.want(entry->row.attempt, entry->row.node, entry->row.device);
  for (const auto* entry : m_tracks.changed()) owners.want(entry->row.attempt);
  owners.find(m_attempts, m_runs, m_nodes, m_devices);
  Identity identity;  // outlives the binding
  std::size_t at = 0;
  RG_TRY(saveChanged(db, rows, m_series,
                     "INSERT INTO rg_series(series_id, attempt_id, rank, node_id, device_id, metric, source, labels, unit, kind, identity) "
                     "VALUES(?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(series_id) DO NOTHING",
                     [&](sqlite::Statement& s, std::int64_t id, const SeriesKey& k) {
                       const Texts& t = texts[at++];
                       bindAll(s, 1, id);
                       bindId(s, 2, k.attempt);
                       s.bind(3, k.rank);
                       bindId(s, 4, k.node);
                       bindId(s, 5, k.device);
                       bindAll(s, 6, t.metric, t.source, t.labels, t.unit, static_cast<int>(k.kind));
                       identity = identityOf(k, owners.names(k.attempt, k.node, k.device));
                       s.bindBlob(11, bytesOf(identity));
                     }));
  return saveChanged(
      db, rows, m_tracks, "INSERT OR REPLACE INTO rg_track(track_id, attempt_id, rank, kind, name, identity) VALUES(?,?,?,?,?,?)",
      [&](sqlite::Statement& s, std::int64_t id, const TrackKey& k) {
        bindAll(s, 1, id, static_cast<std::int64_t>(k.attempt.value), k.rank, std::string_view(k.kind), std::string_view(k.name));
        identity = identityOf(k, owners.names(k.attempt));
        s.bindBlob(6, bytesOf(identity));
      });
}

Status Catalog::saveDetails(sqlite::Connection& db, CommitRows& rows) {
  RG_TRY(saveChanged(db, rows, m_ranks,
                     "INSERT OR REPLACE INTO rg_rank(attempt_id, rank, node_id, device_id, local_rank, pid, tp, pp, dp, cp, ep) "
                     "VALUES(?,?,?,?,?,?,?,?,?,?,?)",
                     [](sqlite::Statement& s, std::int64_t, const Rank& r) {
                       bindAll(s, 1, r.attempt.value, r.rank);
                       bindId(s, 3, r.node);
                       bindId(s, 4, r.device);
                       bindAll(s, 5, r.local_rank, r.pid, r.tp, r.pp, r.dp, r.cp, r.ep);
                     }));
  if (!m_ranks.changed().empty()) {
    // Readers cache the nodes of ranks until this number changes.
    RG_TRY(db.exec("INSERT INTO rg_meta(key, value) VALUES('rank_changes', 1) ON CONFLICT(key) DO UPDATE SET value = value + 1"));
  }
  RG_TRY(saveChanged(db, rows, m_facts, "INSERT OR REPLACE INTO rg_fact(attempt_id, node_id, rank, key, value) VALUES(?,?,?,?,?)",
                     [](sqlite::Statement& s, std::int64_t, const Fact& f) {
                       bindAll(s, 1, f.attempt.value, f.node.value, f.rank.value_or(-1), std::string_view(f.key),
                               std::string_view(f.value));
                     }));
  RG_TRY(saveChanged(db, rows, m_checkpoints,
                     "INSERT OR REPLACE INTO rg_checkpoint(attempt_id, step, path, begin_ns, durable_ns, bytes) VALUES(?,?,?,?,?,?)",
                     [](sqlite::Statement& s, std::int64_t, const Checkpoint& c) {
                       bindAll(s, 1, c.attempt.value, c.step, std::string_view(c.path), c.begin, c.durable, c.bytes);
                     }));
  std::string ranks;  // outlives the binding
  RG_TRY(saveChanged(db, rows, m_groups, "INSERT OR REPLACE INTO rg_comm_group(attempt_id, group_id, kind, name, ranks) VALUES(?,?,?,?,?)",
                     [&ranks](sqlite::Statement& s, std::int64_t, const CommGroup& g) {
                       ranks.assign(1, '[');
                       for (const std::int32_t rank : g.ranks) ranks.append(ranks.size() > 1 ? "," : "").append(std::to_string(rank));
                       ranks += ']';
                       bindAll(s, 1, g.attempt.value, g.id, std::string_view(g.kind), std::string_view(g.name), std::string_view(ranks));
                     }));
  RG_TRY(saveChanged(db, rows, m_progress,
                     "INSERT OR REPLACE INTO rg_progress(attempt_id, rank, time_ns, step, microbatch, group_id, seq, phase, op, since_ns) "
                     "VALUES(?,?,?,?,?,?,?,?,?,?)",
                     [](sqlite::Statement& s, std::int64_t, const Progress& p) {
                       bindAll(s, 1, p.attempt.value, p.rank, p.time, p.step, p.microbatch, p.group, p.seq, std::string_view(p.phase),
                               std::string_view(p.op), p.since);
                     }));
  return saveClocks(db, rows);
}

}  // namespace runglass
