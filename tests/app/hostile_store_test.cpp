// SPDX-License-Identifier: GPL-3.0-or-later
// A foreign store that contains triggers and views: none of them run, in no reader, writer or hub.
#include <signal.h>
#include <sqlite3.h>

#include <chrono>

#include "collectors/hub/server/hub.h"
#include "storage/open_store.h"
#include "storage/reader.h"
#include "tests/app/ctl_fixture.h"
#include "tests/support/sqlite_store.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;

class HostileStore : public CtlFixture {
 protected:
  void SetUp() override { makeSampleStore(m_store); }
  // As with an SQLite tool: the first column of the first row.
  std::string edit(const std::string& sql) const {
    sqlite3* db = nullptr;
    EXPECT_EQ(test::openDatabase(m_store, &db), SQLITE_OK);
    std::string first;
    const auto take = [](void* to, int columns, char** values, char**) {
      auto& text = *static_cast<std::string*>(to);
      if (text.empty() && columns > 0 && values[0] != nullptr) text = values[0];
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), take, &first, nullptr), SQLITE_OK) << sqlite3_errmsg(db) << "\n" << sql;
    sqlite3_close(db);
    return first;
  }
  // Every table of the store has triggers that rename nodes and delete events.
  void plantTriggers() const {
    const std::string sql = edit(
        "SELECT group_concat('CREATE TRIGGER \"t_' || name || '_' || o.op || '\" ' || o.stage || ' ' || o.op || ' ON \"' || name || '\" "
        "BEGIN "
        "UPDATE rg_node SET name = ''evil '' || ''' || name || '''; DELETE FROM rg_event; END', ';') FROM sqlite_master, (SELECT 'INSERT' "
        "AS op, "
        "'AFTER' AS "
        "stage UNION ALL SELECT 'UPDATE', 'BEFORE' UNION ALL SELECT 'DELETE', 'AFTER') o WHERE type = 'table' AND name LIKE 'rg_%' AND sql "
        "NOT "
        "LIKE 'CREATE VIRTUAL%'");
    edit(sql);
    ASSERT_GE(std::stoi(edit("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'")), 60);
  }
  void expectNoTrace(const std::string& after) const {
    EXPECT_EQ(edit("SELECT group_concat(name) FROM rg_node WHERE name LIKE 'evil%'"), "") << after;
    EXPECT_GE(std::stoi(edit("SELECT count(*) FROM rg_event")), 1) << after;
  }
  // Exit 0, or 1 with one line; within a time limit.
  Outcome expectBounded(const std::vector<std::string>& command) {
    const auto begin = std::chrono::steady_clock::now();
    const Outcome done = ctl(command);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << command[0];
    EXPECT_TRUE(done.exit == 0 || done.exit == 1) << command[0] << ": " << done.exit << done.err;
    if (done.exit == 1) EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << command[0] << ": " << done.err;
    return done;
  }
};

TEST_F(HostileStore, TriggersRunInNoProgram) {
  plantTriggers();
  std::ofstream(m_folder.file("train.log")) << "iter 0: loss 4.2, time 135.11ms, mfu 17.50%\niter 1: loss 4.1, time 135.11ms, mfu 17.50%\n";
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"import", "--store", m_store, m_folder.file("train.log")},
                                             {"analyze", "--store", m_store},
                                             {"note", "--store", m_store, "--run", "pretrain", "seen"},
                                             {"export", "--store", m_store, "--run", "pretrain", "--to", m_folder.file("copy.rgl")},
                                             {"verify", "--store", m_store},
                                             {"compact", "--store", m_store}}) {
    if (expectBounded(command).exit != 0)
      EXPECT_THAT(contentOf(m_folder.file("stderr")), HasSubstr("the file was changed by another program"));
    expectNoTrace(command[0]);
  }
  auto hub = Hub::start(m_store, {});
  ASSERT_TRUE(hub.ok()) << hub.status().message();
  (*hub)->post([](Writer& writer) {
    writer.event({.time = wallNow(), .kind = "x"});
    (void)writer.flush();
  });
  ASSERT_TRUE((*hub)->stop().ok());
  expectNoTrace("hub");
  EXPECT_EQ(edit("SELECT count(*) FROM rg_event WHERE kind = 'x'"), "1");
  EXPECT_EQ(edit("SELECT count(*) FROM rg_note"), "1");
  EXPECT_EQ(edit("SELECT count(*) FROM rg_run"), "2") << "imports and notes are recorded";
}

TEST_F(HostileStore, AViewInThePlaceOfATableIsNotReadFrom) {
  edit(
      "DROP TABLE rg_label; CREATE VIEW rg_label AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS label_id, "
      "x AS "
      "run_id FROM n");
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"query", "--store", m_store, "SELECT * FROM label"},
                                             {"info", "--store", m_store},
                                             {"status", "--store", m_store},
                                             {"analyze", "--store", m_store},
                                             {"verify", "--store", m_store},
                                             {"repair", "--store", m_store, "--to", m_folder.file("repaired.rgl")},
                                             {"note", "--store", m_store, "--run", "pretrain", "seen"},
                                             {"export", "--store", m_store, "--run", "pretrain", "--to", m_folder.file("copy.rgl")}})
    expectBounded(command);
  const Outcome labels = query("SELECT * FROM label");
  EXPECT_EQ(labels.exit, 1) << labels.out;
  auto hub = Hub::start(m_store, {});
  if (hub.ok()) {
    EXPECT_TRUE((*hub)->stop().ok());
  } else {
    EXPECT_EQ(hub.status().message().find('\n'), std::string::npos) << hub.status().message();
  }
}

TEST_F(HostileStore, AViewBesideTheTablesIsNotReadFrom) {
  edit(
      "CREATE VIEW run AS SELECT 666 AS run_id, 'evil' AS name; CREATE VIEW event AS SELECT 'evil' AS kind; CREATE VIEW other AS SELECT 1 "
      "AS one");
  for (const char* sql : {"SELECT name FROM run", "SELECT * FROM other", "SELECT * FROM main.run"})
    expectFails(query(sql), "the file was changed by another program");
  edit("DROP VIEW run; DROP VIEW event; DROP VIEW other; ALTER TABLE rg_label RENAME TO kept; CREATE VIEW rg_label AS SELECT * FROM kept");
  const auto reader = openStore(m_store).reader();
  ASSERT_TRUE(reader.ok()) << reader.status().message();
  EXPECT_FALSE((*reader)->labels((*reader)->runs().value().at(0).id).ok());
}

}  // namespace
}  // namespace runglass
