// SPDX-License-Identifier: Apache-2.0
// Ranks and facts of superseded attempts are stored once for all attempts that share them, and answers do not change.
#include "storage/schema/past_attempts.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "storage/maintain/delete_runs.h"
#include "storage/open_store.h"
#include "storage/reader.h"
#include "storage/schema/rows.h"
#include "storage/sqlite/connection.h"
#include "storage/writer.h"
#include "tests/support/sql_rows.h"
#include "tests/support/sqlite_store.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr TimeNs kStart = 1'790'000'000'000'000'000;
constexpr DurNs kHour = 3600 * kNsPerSecond, kDay = Retention::kDay;
constexpr std::int32_t kAttempts = 5, kNodes = 4, kRanks = 8;  // two ranks per node

class PastAttempts : public testing::Test {
 protected:
  void SetUp() override {
    open();
    m_run = m_writer->run({.uuid = "r", .name = "r", .start = kStart});
    for (std::int32_t node = 0; node < kNodes; ++node) declareNode("n" + std::to_string(node));
    for (std::int32_t number = 0; number < kAttempts; ++number) record(number);
    const RunId other = m_writer->run({.uuid = "other", .name = "other", .start = kStart});
    m_other = m_writer->attempt({.run = other, .key = "0", .start = kStart, .end = kStart + kHour});
    m_writer->rank({.attempt = m_other, .rank = 0, .node = m_nodes[0], .device = {}, .pid = 7});
    m_writer->fact({.attempt = m_other, .node = m_nodes[0], .key = "argv", .value = "other.py"});
    commit(3);
  }
  void open() { m_writer = m_store.writer(WriterOptions{.idle = 0}).value(); }
  void commit(int times) {
    for (int i = 0; i < times; ++i) {
      m_writer->event({.time = kStart, .kind = "tick", .severity = Severity::kWarning});
      ASSERT_TRUE(m_writer->flush().ok());
    }
  }
  void declareNode(const std::string& uuid) {
    m_nodes.push_back(m_writer->node({.uuid = uuid, .name = uuid}));
    m_devices.push_back(m_writer->device({.uuid = uuid + "/gpu0", .node = m_nodes.back(), .index = 0, .kind = "gpu"}));
  }
  // In each attempt except the first, one place has another node; process ids are new, and one rank of the third attempt has none.
  void record(std::int32_t number) {
    if (number > 0) {
      const auto place = static_cast<std::size_t>(number) % kNodes;
      const std::string uuid = "spare" + std::to_string(number);
      m_nodes[place] = m_writer->node({.uuid = uuid, .name = uuid});
      m_devices[place] = m_writer->device({.uuid = uuid + "/gpu0", .node = m_nodes[place], .index = 0, .kind = "gpu"});
    }
    const TimeNs begin = kStart + number * kDay;
    m_attempts.push_back(m_writer->attempt({.run = m_run, .key = std::to_string(number), .start = begin, .layout = {.world = kRanks}}));
    const AttemptId attempt = m_attempts.back();
    if (number > 0) m_writer->attempt({.run = m_run, .key = std::to_string(number - 1), .end = begin - kHour});
    for (std::int32_t rank = 0; rank < kRanks; ++rank) {
      const auto place = static_cast<std::size_t>(rank / 2);
      m_writer->rank({.attempt = attempt,
                      .rank = rank,
                      .node = m_nodes[place],
                      .device = m_devices[place],
                      .local_rank = rank % 2,
                      .pid = number == 2 && rank == 3 ? std::optional<std::int32_t>() : 1000 * (number + 1) + 7 * rank,
                      .tp = rank % 2,
                      .dp = rank / 2});
      m_writer->progress({.attempt = attempt, .rank = rank, .time = begin, .step = number});
    }
    for (const NodeId node : m_nodes) m_writer->fact({.attempt = attempt, .node = node, .key = "argv", .value = "train.py --tp 2"});
    m_writer->fact({.attempt = attempt, .key = "port", .value = std::to_string(29'500 + number)});
    m_writer->fact({.attempt = attempt, .rank = 1, .key = "seed", .value = "3"});
    commit(1);
  }
  void retain(TimeNs now) {
    commit(3);
    const auto applied = m_writer->applyRetention({}, now);
    ASSERT_TRUE(applied.ok()) << applied.status().message();
  }
  std::unique_ptr<Reader> reader() { return m_store.reader({.live = m_writer ? m_writer->liveTail() : nullptr}).value(); }
  static std::string text(const std::optional<std::int32_t>& value) { return value ? std::to_string(*value) : "-"; }
  // All answers about ranks and facts, by Reader and SQL.
  static std::vector<std::string> answers(Reader& reader) {
    std::vector<std::string> lines;
    const auto runs = reader.runs();
    for (const auto& run : *runs) {
      const auto attempts = reader.attempts(run.id);
      for (const Attempt& attempt : *attempts) {
        const std::string of = std::to_string(attempt.id.value) + " ";
        const auto ranks = reader.ranks(attempt.id);
        for (const Rank& r : *ranks)
          lines.push_back(of + std::to_string(r.rank) + " on " + std::to_string(r.node.value) + "/" + std::to_string(r.device.value) + " " +
                          text(r.local_rank) + " pid " + text(r.pid) + " " + text(r.tp) + text(r.pp) + text(r.dp) + text(r.cp) +
                          text(r.ep));
        const auto facts = reader.facts(attempt.id);
        for (const Fact& f : *facts) lines.push_back(of + std::to_string(f.node.value) + " " + text(f.rank) + " " + f.key + "=" + f.value);
      }
    }
    for (const char* sql :
         {"SELECT * FROM rank ORDER BY run_id, attempt, rank", "SELECT * FROM rank WHERE attempt = 2 AND rank = 3",
          "SELECT count(*), sum(pid) FROM rank WHERE node = 'n0'", "SELECT * FROM attempt_fact ORDER BY run_id, attempt, node, rank, key",
          "SELECT attempt, value FROM attempt_fact WHERE key = 'port' AND run_id = 1 ORDER BY attempt"}) {
      const auto rows = sqlRows(reader, sql);
      lines.insert(lines.end(), rows.begin(), rows.end());
    }
    return lines;
  }

  const TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  RunId m_run;
  AttemptId m_other;
  std::vector<AttemptId> m_attempts;
  std::vector<NodeId> m_nodes;
  std::vector<DeviceId> m_devices;
};

TEST_F(PastAttempts, AnswerAsBeforeAndTakeOnlyTheirDifferences) {
  const auto before = answers(*reader());
  ASSERT_GT(before.size(), 100U);
  retain(kStart + kAttempts * kDay);
  const auto store = reader();
  EXPECT_EQ(answers(*store), before);
  // The newest attempt of a run is not moved. In each of the four others, one node with two ranks differs.
  EXPECT_THAT(sqlRows(*store, "SELECT count(*) FROM rg_rank"), ElementsAre("9"));
  EXPECT_THAT(sqlRows(*store, "SELECT count(*) FROM rg_past_rank"), ElementsAre(std::to_string(kRanks + 3 * 2)));
  EXPECT_THAT(sqlRows(*store, "SELECT count(*) FROM rg_past_fact WHERE key = 'argv'"), ElementsAre(std::to_string(kNodes + 3)));
  EXPECT_THAT(sqlRows(*store, "SELECT count(*) FROM rg_past_fact WHERE key = 'seed'"), ElementsAre("1"));
  EXPECT_THAT(*store->verify(), IsEmpty());
  retain(kStart + (kAttempts + 1) * kDay);
  EXPECT_EQ(answers(*reader()), before);
}

TEST_F(PastAttempts, TakeWhatComesLate) {
  retain(kStart + kAttempts * kDay);
  const Fact late{.attempt = m_attempts[1], .node = m_nodes[0], .key = "argv", .value = "late.py"};
  m_writer->fact(late);
  m_writer->rank({.attempt = m_attempts[1], .rank = 2, .node = m_nodes[0], .device = {}, .pid = 99});
  for (int round = 0; round < 2; ++round) {
    retain(kStart + (kAttempts + round) * kDay);
    EXPECT_THAT(sqlRows(*reader(), "SELECT value FROM attempt_fact WHERE run_id = 1 AND attempt = 1 AND value = 'late.py'"), SizeIs(1));
    EXPECT_THAT(sqlRows(*reader(), "SELECT pid FROM rank WHERE run_id = 1 AND attempt = 1 AND rank = 2"), ElementsAre("99"));
    EXPECT_THAT(sqlRows(*reader(), "SELECT count(*) FROM rank WHERE run_id = 1 AND attempt = 1"), ElementsAre("8"));
    EXPECT_THAT(sqlRows(*reader(), "SELECT count(*) FROM attempt_fact WHERE value = 'late.py'"), ElementsAre("1"));
    EXPECT_THAT(*reader()->verify(), IsEmpty());
    ASSERT_TRUE(m_writer->close().ok());
    open();
  }
}

// A row of rg_past lost by damage is recreated; rows that arrive late for its attempt take precedence over moved ones.
TEST_F(PastAttempts, SurviveTheLossOfTheirRow) {
  retain(kStart + kAttempts * kDay);
  const auto others = [this] {
    auto lines = answers(*reader());
    const std::string lost = std::to_string(m_attempts[1].value) + " ";
    std::erase_if(lines, [&](const std::string& line) { return line.starts_with(lost) || line.find('|') != std::string::npos; });
    return lines;
  };
  const auto before = others();
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(m_writer->close().ok());
    m_writer.reset();
    sqlite3* db = nullptr;
    ASSERT_EQ(test::openDatabase(m_store.path(), &db), SQLITE_OK);
    const std::string lose = "DELETE FROM rg_past WHERE attempt_id = " + std::to_string(m_attempts[1].value);
    ASSERT_EQ(sqlite3_exec(db, lose.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
    open();
    // Ranges of rank 2 begin with this attempt, those of rank 6 before it.
    for (const std::int32_t rank : {2, 6})
      m_writer->rank({.attempt = m_attempts[1], .rank = rank, .node = m_nodes[0], .device = {}, .pid = 99 + rank});
    m_writer->fact({.attempt = m_attempts[1], .node = m_nodes[1], .key = "argv", .value = "late.py"});
    m_writer->fact({.attempt = m_attempts[1], .key = "port", .value = "1"});
    retain(kStart + (kAttempts + round) * kDay);
    const auto store = reader();
    EXPECT_EQ(others(), before);
    EXPECT_THAT(sqlRows(*store, "SELECT rank, pid FROM rank WHERE run_id = 1 AND attempt = 1"),
                testing::UnorderedElementsAre("0|NULL", "1|NULL", "2|101", "3|NULL", "4|NULL", "5|NULL", "6|105", "7|NULL"));
    EXPECT_THAT(sqlRows(*store, "SELECT value FROM attempt_fact WHERE run_id = 1 AND attempt = 1 AND key = 'port'"), ElementsAre("1"));
    EXPECT_THAT(sqlRows(*store, "SELECT count(*) FROM attempt_fact WHERE value = 'late.py'"), ElementsAre("1"));
    EXPECT_THAT(*store->verify(), IsEmpty());
  }
}

TEST_F(PastAttempts, LeaveOutAttemptsThatEndedInTheLastHourAndProgressOfOlderOnes) {
  const auto moved = [this] { return sqlRows(*reader(), "SELECT attempt_id FROM rg_past ORDER BY 1").size(); };
  retain(kStart + kDay - kHour / 2);  // the first one ended an hour before the end of the day
  EXPECT_EQ(moved(), 0U);
  retain(kStart + kDay + kHour);
  EXPECT_EQ(moved(), 1U);
  EXPECT_THAT(sqlRows(*reader(), "SELECT DISTINCT attempt FROM progress ORDER BY 1"), ElementsAre("0", "1", "2", "3", "4"));
  retain(kStart + 9 * kDay);
  EXPECT_EQ(moved(), 4U);
  EXPECT_THAT(sqlRows(*reader(), "SELECT DISTINCT attempt FROM progress ORDER BY 1"), ElementsAre("2", "3", "4"));
  retain(kStart + 30 * kDay);
  EXPECT_THAT(sqlRows(*reader(), "SELECT DISTINCT attempt FROM progress"), ElementsAre("4"));
}

TEST_F(PastAttempts, GoWithTheirRun) {
  retain(kStart + kAttempts * kDay);
  ASSERT_TRUE(m_writer->close().ok());
  m_writer.reset();
  ASSERT_TRUE(deleteRuns(m_store.path(), {.run = m_run}, {}).ok());
  const auto store = reader();
  for (const char* table : {"rg_past", "rg_past_rank", "rg_past_fact"})
    EXPECT_THAT(sqlRows(*store, std::string("SELECT count(*) FROM ") + table), ElementsAre("0")) << table;
  EXPECT_THAT(sqlRows(*store, "SELECT value FROM attempt_fact"), ElementsAre("other.py"));
  EXPECT_THAT(*store->verify(), IsEmpty());
}

// Steps of SQLite's virtual machine, in tens.
class Effort {
 public:
  explicit Effort(sqlite3* db) : m_db(db) {
    sqlite3_progress_handler(
        db, 10, [](void* self) { return ++static_cast<Effort*>(self)->m_tens, 0; }, this);
  }
  Effort(const Effort&) = delete;
  Effort& operator=(const Effort&) = delete;
  ~Effort() { sqlite3_progress_handler(m_db, 0, nullptr, nullptr); }
  std::int64_t tens() const { return m_tens; }

 private:
  sqlite3* m_db;
  std::int64_t m_tens = 0;
};

struct Efforts {
  std::int64_t move = 0;              // moving the newest attempt
  std::int64_t ranks = 0, facts = 0;  // the maximum over all attempts read
  std::int64_t rank = 0;              // finding the node of one rank
};

// In a run in which each attempt has its ranks on different nodes.
Efforts effortsOf(std::int64_t attempts, std::int64_t ranks) {
  const TempStore store;
  EXPECT_TRUE(store.writer().value()->close().ok());
  auto db = sqlite::Connection::open(store.path(), sqlite::OpenMode::kReadWrite).value();
  EXPECT_TRUE(addPastPid(db.raw(), store.path()).ok());
  EXPECT_TRUE(
      db.exec("PRAGMA synchronous=OFF; INSERT INTO rg_run(run_id, uuid, name, time_domain, state, simulated) VALUES(1, 'r', 'r', 0, 0, 0)")
          .ok());
  Efforts efforts;
  for (std::int64_t id = 1; id <= attempts; ++id) {
    const std::string of_attempt = std::to_string(id),
                      of_ranks =
                          "WITH RECURSIVE r(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM r WHERE i + 1 < " + std::to_string(ranks) + ") ";
    const std::string node = of_attempt + " * 1000 + i";
    for (const std::string& sql :
         {"INSERT INTO rg_attempt(attempt_id, run_id, number, key) VALUES(" + of_attempt + ", 1, " + of_attempt + ", " + of_attempt + ")",
          of_ranks + "INSERT INTO rg_rank(attempt_id, rank, node_id, pid) SELECT " + of_attempt + ", i, " + node + ", i FROM r",
          of_ranks + "INSERT INTO rg_fact(attempt_id, node_id, rank, key, value) SELECT " + of_attempt + ", " + node +
              ", -1, 'argv', '' FROM r"}) {
      const Status done = db.exec(sql);
      EXPECT_TRUE(done.ok()) << done.message();
    }
    const Effort effort(db.raw());
    const Status moved = moveToPast(db, {static_cast<std::uint64_t>(id)});
    EXPECT_TRUE(moved.ok()) << moved.message();
    efforts.move = effort.tens();
  }
  for (std::int64_t id = 1; id <= attempts; ++id) {
    const std::string where = " WHERE attempt_id = " + std::to_string(id);
    const auto take = [&](const std::string& sql, std::int64_t rows, std::int64_t& most) {
      auto read = db.prepare(sql).value();
      const Effort effort(db.raw());
      std::int64_t found = 0;
      while (read.step().value()) ++found;
      EXPECT_EQ(found, rows) << sql;
      most = std::max(most, effort.tens());
    };
    take(std::string(rows::select<Rank>()) + where, ranks, efforts.ranks);
    take(std::string(rows::select<Fact>()) + where, ranks, efforts.facts);
    take("SELECT node_id FROM " + rankNodes() + where + " AND rank = 3", 1, efforts.rank);
  }
  return efforts;
}

TEST(PastAttemptsOfMany, AreReadWithoutALookAtAllOthers) {
  constexpr std::int64_t kFew = 8, kMany = 128, kOfEach = 64;
  const Efforts few = effortsOf(kFew, kOfEach), many = effortsOf(kMany, kOfEach);
  // 16 times the attempts: four more levels of ranges.
  EXPECT_LT(many.ranks, 3 * few.ranks);
  EXPECT_LT(many.facts, 3 * few.facts);
  EXPECT_LT(many.move, 3 * few.move);
  EXPECT_LT(many.rank, 3 * few.rank + 100);
}

// Ranges of all lengths and positions: each is found for the attempts in it, and for no other.
TEST(PastAttemptsOfMany, AreThoseWhoseRangesHoldTheAttempt) {
  const TempStore store;
  EXPECT_TRUE(store.writer().value()->close().ok());
  auto db = sqlite::Connection::open(store.path(), sqlite::OpenMode::kReadWrite).value();
  ASSERT_TRUE(addPastPid(db.raw(), store.path()).ok());
  constexpr std::int64_t kLast = 70;
  // Rank 100 * first + last has its own range.
  const Status filled = db.exec(
      "PRAGMA synchronous=OFF; INSERT INTO rg_run(run_id, uuid, name, time_domain, state, simulated) VALUES(1, 'r', 'r', 0, 0, 0);"
      "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 70) INSERT INTO rg_attempt(attempt_id, run_id, number, "
      "key) "
      "SELECT i, 1, i, i FROM n; INSERT INTO rg_past SELECT attempt_id, 0, x'' FROM rg_attempt;"
      "INSERT INTO rg_past_rank(run_id, rank, first_attempt, last_attempt, fork) SELECT 1, 100 * a.attempt_id + b.attempt_id, "
      "a.attempt_id, "
      "b.attempt_id, past_fork(a.attempt_id, b.attempt_id) FROM rg_attempt a JOIN rg_attempt b ON b.attempt_id >= a.attempt_id");
  ASSERT_TRUE(filled.ok()) << filled.message();
  const auto sum = [&](const std::string& sql) { return db.queryInt64(sql).value().value(); };
  for (std::int64_t id = 1; id <= kLast; ++id) {
    const std::string attempt = std::to_string(id);
    EXPECT_EQ(sum("SELECT count(*) FROM " + rankNodes() + " WHERE attempt_id = " + attempt), id * (kLast - id + 1)) << attempt;
    EXPECT_EQ(sum("SELECT count(DISTINCT rank) FROM " + rankNodes() + " WHERE attempt_id = " + attempt), id * (kLast - id + 1)) << attempt;
  }
}

TEST(PackedPids, ComeBack) {
  constexpr auto kHighest = std::numeric_limits<std::int32_t>::max();
  std::vector<RankPid> many;
  for (std::int32_t rank = 0; rank < 10'000; ++rank) many.emplace_back(rank, 2'000 + rank * 3 + rank / 8 * 100'000 % 4'000'000);
  for (const std::vector<RankPid>& pids : {std::vector<RankPid>(), {{0, 1}}, {{3, kHighest}, {700, 0}, {kHighest, 5}}, many})
    EXPECT_EQ(unpackPids(packPids(pids)), pids);
  EXPECT_LT(packPids(many).size(), 16'000U);
  const std::string whole = packPids(many);
  for (std::size_t size = 0; size < whole.size(); size += 101) EXPECT_EQ(unpackPids(std::string_view(whole).substr(0, size)), std::nullopt);
}

}  // namespace
}  // namespace runglass
