// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <random>

#include "model/log_query.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/support/sqlite_store.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr TimeNs kStart = 1'763'640'000'000'000'000;

class LogSearch : public ::testing::Test {
 protected:
  void SetUp() override {
    open();
    m_node = m_writer->node({.uuid = "n1", .name = "node-1"});
    m_other = m_writer->node({.uuid = "n2", .name = "node-2"});
  }
  void open() {
    auto writer = m_store.writer();
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    m_writer = std::move(*writer);
    auto reader = m_store.reader({m_writer->liveTail()});
    ASSERT_TRUE(reader.ok()) << reader.status().message();
    m_reader = std::move(*reader);
  }
  void say(const std::string& text, DurNs after, Severity severity = Severity::kInfo, NodeId node = {}) {
    m_writer->log({.time = kStart + after, .node = node ? node : m_node, .stream = "stdout", .severity = severity, .text = text});
  }
  std::vector<std::string> foundBy(const RowQuery& query) {
    const auto page = m_reader->searchLogs(query);
    EXPECT_TRUE(page.ok()) << page.status().message();
    std::vector<std::string> texts;
    if (page.ok())
      for (const LogHit& hit : page->hits) texts.push_back(hit.line.text);
    return texts;
  }
  std::vector<std::string> found(const std::string& words) { return foundBy({.words = words}); }
  void flush() { ASSERT_TRUE(m_writer->flush().ok()); }

  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<Reader> m_reader;
  NodeId m_node, m_other;
};

TEST_F(LogSearch, FindsWordsPartsOfIdentifiersPhrasesAndPrefixesAndLeavesOut) {
  say("NCCL_IB_TIMEOUT=14 on 0000:3b:00.0", 1);
  say("timeout of ib device mlx5_0", 2);
  say("Xid 79: GPU has fallen off the bus", 3);
  for (const bool stored : {false, true}) {
    if (stored) flush();
    EXPECT_THAT(found("TIMEOUT"), ElementsAre("timeout of ib device mlx5_0", "NCCL_IB_TIMEOUT=14 on 0000:3b:00.0"));
    EXPECT_THAT(found("ib_timeout"), ElementsAre("NCCL_IB_TIMEOUT=14 on 0000:3b:00.0"));
    EXPECT_THAT(found("\"fallen off the bus\""), ElementsAre("Xid 79: GPU has fallen off the bus"));
    EXPECT_THAT(found("\"off fallen\""), IsEmpty());
    EXPECT_THAT(found("time*"), ElementsAre("timeout of ib device mlx5_0", "NCCL_IB_TIMEOUT=14 on 0000:3b:00.0"));
    EXPECT_THAT(found("tim"), IsEmpty()) << "a word is whole unless a star says so";
    EXPECT_THAT(found("timeout -mlx5_0"), ElementsAre("NCCL_IB_TIMEOUT=14 on 0000:3b:00.0"));
    EXPECT_THAT(found("-timeout"), ElementsAre("Xid 79: GPU has fallen off the bus"));
    EXPECT_THAT(found("xid 79"), ElementsAre("Xid 79: GPU has fallen off the bus"));
    EXPECT_THAT(found("0000:3b:00.0"), ElementsAre("NCCL_IB_TIMEOUT=14 on 0000:3b:00.0"));
  }
}

TEST_F(LogSearch, TakesAnyTextAsAQuery) {
  say("plain line", 1);
  flush();
  for (const std::string typed : {"\"",
                                  "\"\"",
                                  "*",
                                  "-",
                                  "--",
                                  "a AND",
                                  "NOT",
                                  "NEAR(",
                                  "text:plain",
                                  "^plain",
                                  "'; DROP TABLE rg_log; --",
                                  "(plain",
                                  "plain)",
                                  "pl\"ain",
                                  "{}",
                                  "\\",
                                  "OR OR OR",
                                  "\xff\xfe",
                                  "plain + line",
                                  "-\"",
                                  "a*b*"}) {
    const auto page = m_reader->searchLogs({.words = typed});
    EXPECT_TRUE(page.ok()) << typed << ": " << page.status().message();
  }
  constexpr std::string_view kTyped = "\"*-():^{}+ ANDORNEAR\\'\x80\xffplaintext\t\n";
  std::mt19937 random(7);
  for (int i = 0; i < 2'000; ++i) {
    std::string typed;
    for (int n = 0; n < 12; ++n) typed += kTyped[random() % kTyped.size()];
    typed += std::string(1, '\0');
    const auto page = m_reader->searchLogs({.words = typed});
    ASSERT_TRUE(page.ok()) << typed << ": " << page.status().message();
  }
  EXPECT_THAT(found("plain)"), ElementsAre("plain line"));
}

TEST_F(LogSearch, SeesALineThatIsNotCommittedYetAndEachLineOnce) {
  say("first needle", 1);
  flush();
  say("second needle", 2);
  EXPECT_THAT(found("needle"), ElementsAre("second needle", "first needle"));
  flush();
  EXPECT_THAT(found("needle"), ElementsAre("second needle", "first needle"));
}

TEST_F(LogSearch, GivesEveryLineOnceInPagesInEitherOrder) {
  std::mt19937 random(3);
  std::size_t total = 0;
  const auto fill = [&](int n) {
    for (int i = 0; i < n; ++i, ++total) {
      const std::string text = "line " + std::to_string(total) + (total % 3 == 0 ? " needle" : "");
      if (random() % 20 == 0)
        m_writer->log({.node = m_node, .stream = "stdout", .text = text});  // no clock
      else
        say(text, static_cast<DurNs>(random() % 40) * kNsPerSecond, total % 7 == 0 ? Severity::kError : Severity::kInfo);
    }
  };
  fill(700);
  flush();
  fill(150);
  for (const std::string words : {"", "needle", "-needle"}) {
    for (const RowOrder order : {RowOrder::kNewestFirst, RowOrder::kOldestFirst}) {
      for (const Severity least : {Severity::kDebug, Severity::kWarning}) {
        RowQuery query{.words = words, .at_least = least, .order = order, .limit = 37};
        std::vector<RowKey> paged;
        while (true) {
          const auto page = m_reader->searchLogs(query);
          ASSERT_TRUE(page.ok()) << page.status().message();
          for (const LogHit& hit : page->hits) paged.push_back(hit.key);
          if (!page->more) break;
          ASSERT_FALSE(page->hits.empty());
          ASSERT_LT(paged.size(), 10'000U);
          query.after = page->hits.back().key;
        }
        RowQuery all{.words = words, .at_least = least, .order = order, .limit = 10'000};
        std::vector<RowKey> whole;
        const auto answer = m_reader->searchLogs(all);
        ASSERT_TRUE(answer.ok());
        for (const LogHit& hit : answer->hits) whole.push_back(hit.key);
        EXPECT_EQ(paged, whole) << words;
        EXPECT_GT(whole.size(), 30U);
        if (order == RowOrder::kNewestFirst)
          EXPECT_TRUE(std::ranges::is_sorted(whole, std::greater<>()));
        else
          EXPECT_TRUE(std::ranges::is_sorted(whole));
        EXPECT_EQ(std::ranges::adjacent_find(whole), whole.end()) << "a line came twice";
      }
    }
  }
}

TEST_F(LogSearch, PutsLinesOfSkewedClocksWhereTheyBelongAcrossPages) {
  m_writer->clock({.node = m_other, .session = "s", .raw = kStart, .offset = -7 * kNsPerSecond, .error = kNsPerMs, .source = "hello"});
  for (int i = 0; i < 30; ++i) {
    say("a" + std::to_string(i), i * kNsPerSecond);
    say("b" + std::to_string(i), (i + 7) * kNsPerSecond + kNsPerMs, Severity::kInfo, m_other);  // 1 ms after a<i>
  }
  flush();
  RowQuery query{.order = RowOrder::kOldestFirst, .limit = 7};
  std::vector<std::string> texts;
  while (true) {
    const auto page = m_reader->searchLogs(query);
    ASSERT_TRUE(page.ok());
    for (const LogHit& hit : page->hits) texts.push_back(hit.line.text);
    if (!page->more) break;
    ASSERT_FALSE(page->hits.empty());
    ASSERT_LT(texts.size(), 60U);
    query.after = page->hits.back().key;
  }
  ASSERT_EQ(texts.size(), 60U);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(texts[2 * i], "a" + std::to_string(i));
    EXPECT_EQ(texts[2 * i + 1], "b" + std::to_string(i));
  }
}

TEST_F(LogSearch, FiltersByNodeStreamSeverityAndTime) {
  say("one", 1);
  say("two", 2, Severity::kError);
  say("three", 3, Severity::kInfo, m_other);
  m_writer->log({.time = kStart + 4, .node = m_node, .stream = "dmesg", .text = "four"});
  flush();
  EXPECT_THAT(foundBy({.node = m_other}), ElementsAre("three"));
  EXPECT_THAT(foundBy({.stream = "dmesg"}), ElementsAre("four"));
  EXPECT_THAT(foundBy({.at_least = Severity::kWarning}), ElementsAre("two"));
  EXPECT_THAT(foundBy({.range = {kStart + 2, kStart + 4}}), ElementsAre("three", "two"));
}

TEST_F(LogSearch, ShowsTheLinesOfTheSameStreamAroundAHit) {
  for (int i = 0; i < 20; ++i) {
    say("line " + std::to_string(i), i);
    say("other " + std::to_string(i), i, Severity::kInfo, m_other);
    if (i == 9) flush();
  }
  const auto page = m_reader->searchLogs({.words = "\"line 9\""});
  ASSERT_EQ(page->hits.size(), 1U);
  const auto context = m_reader->logContext(page->hits[0].key.id, 2, 3);
  ASSERT_TRUE(context.ok()) << context.status().message();
  std::vector<std::string> texts;
  for (const LogHit& hit : context->lines) texts.push_back(hit.line.text);
  EXPECT_THAT(texts, ElementsAre("line 7", "line 8", "line 9", "line 10", "line 11", "line 12"));
  EXPECT_EQ(context->at, 2U);
  EXPECT_EQ(m_reader->logContext(12'345, 1, 1).status().code(), Code::kNotFound);
}

TEST_F(LogSearch, CountsBySeverityAndTimeInFileAndTail) {
  say("a", 0);
  say("b", 5, Severity::kError);
  m_writer->event({.time = kStart + 9, .node = m_node, .kind = "xid", .severity = Severity::kCritical, .code = "79", .message = "m"});
  flush();
  say("c", 9, Severity::kError);
  for (const RowQuery& query : {RowQuery{.range = {kStart, kStart + 10}}, RowQuery{.range = {kStart, kStart + 10}, .node = m_node}}) {
    const auto density = m_reader->rowDensity(query, 2);
    ASSERT_TRUE(density.ok()) << density.status().message();
    EXPECT_EQ(density->logs[0], (SeverityCounts{0, 1, 0, 0, 0}));
    EXPECT_EQ(density->logs[1], (SeverityCounts{0, 0, 0, 2, 0}));
    EXPECT_EQ(density->events[1], (SeverityCounts{0, 0, 0, 0, 1}));
  }
}

TEST_F(LogSearch, FindsEventsByWordsKindAndPage) {
  for (int i = 0; i < 50; ++i)
    m_writer->event({.time = kStart + i,
                     .node = m_node,
                     .kind = i % 2 ? "xid" : "link_down",
                     .severity = Severity::kError,
                     .code = i % 2 ? "79" : "",
                     .message = "number " + std::to_string(i)});
  flush();
  const auto some = m_reader->searchEvents({.words = "xid 79", .limit = 10});
  ASSERT_TRUE(some.ok());
  EXPECT_EQ(some->events.size(), 10U);
  EXPECT_TRUE(some->more);
  EXPECT_EQ(some->events[0].message, "number 49");
  const auto next =
      m_reader->searchEvents({.kind = "xid", .after = RowKey{*some->events.back().time, some->events.back().id}, .limit = 100});
  EXPECT_EQ(next->events.size(), 15U);
  EXPECT_FALSE(next->more);
}

TEST_F(LogSearch, ForgetsOldLinesWithTheirWordsAndTellsWhatWentBeyondTheCap) {
  for (int i = 0; i < 100; ++i) say("needle " + std::to_string(i), i * kNsPerSecond, i < 5 ? Severity::kError : Severity::kInfo);
  m_writer->pin({kStart + 40 * kNsPerSecond, kStart + 42 * kNsPerSecond}, "incident");
  flush();
  ASSERT_TRUE(m_writer->applyRetention({.logs = 80 * kNsPerSecond}, kStart + 100 * kNsPerSecond).ok());
  EXPECT_EQ(found("needle").size(), 80U);
  ASSERT_TRUE(m_writer->applyRetention({.max_log_lines = 10}, kStart + 100 * kNsPerSecond).ok());
  EXPECT_THAT(found("needle"), testing::IsSupersetOf({"needle 40", "needle 41", "needle 99"}));
  EXPECT_EQ(found("needle").size(), 10U);
  EXPECT_THAT(m_reader->verify().value(), IsEmpty());
  const auto issues = m_reader->issues();
  ASSERT_EQ(issues->size(), 1U);
  EXPECT_EQ(issues->at(0).code, "store.logs_forgotten");
  EXPECT_EQ(issues->at(0).count, 70);
}

TEST_F(LogSearch, ForgetsInPartsWhatTakesLongerThanItsBudget) {
  for (int i = 0; i < 30'000; ++i) say("needle " + std::to_string(i), i, i == 0 ? Severity::kError : Severity::kInfo);
  flush();
  const Retention policy{.max_log_lines = 5, .budget = 1};
  int calls = 0;
  for (bool done = false; !done && calls < 100; ++calls) {
    const auto applied = m_writer->applyRetention(policy, kStart + 100 * kNsPerSecond);
    ASSERT_TRUE(applied.ok()) << applied.status().message();
    done = *applied;
  }
  EXPECT_GT(calls, 2);
  EXPECT_LT(calls, 100);
  // The severe line leaves a gap in the ids: lines are counted, not their ids.
  EXPECT_EQ(found("needle"), (std::vector<std::string>{"needle 29999", "needle 29998", "needle 29997", "needle 29996", "needle 0"}));
  flush();
  EXPECT_EQ(m_reader->issues()->at(0).count, 29'995);
  EXPECT_THAT(m_reader->verify().value(), IsEmpty());
}

TEST_F(LogSearch, AWordLongerThanTheIndexKeepsIsSound) {
  say(std::string(40'000, 'x') + " needle", 1);
  flush();
  EXPECT_THAT(found("needle"), testing::SizeIs(1));
  EXPECT_THAT(m_reader->verify().value(), IsEmpty());
}

TEST_F(LogSearch, AStopEndsAWalkThatFindsNothing) {
  for (int i = 0; i < 10'000; ++i) say("needle", i);
  flush();
  const RowQuery nothing{.range = {kStart, kStart + 20'000}, .node = m_other};
  EXPECT_THAT(foundBy(nothing), IsEmpty());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(m_reader->searchLogs(nothing, stop.get_token()).status().code(), Code::kCancelled);
  EXPECT_EQ(m_reader->rowDensity(nothing, 2, stop.get_token()).status().code(), Code::kCancelled);
  EXPECT_THAT(foundBy(nothing), IsEmpty()) << "the next one is not stopped";
}

TEST_F(LogSearch, ShortPrefixesAreFoundWithoutTheIndex) {
  say("needle one", 1);
  say("noodle two", 2);
  EXPECT_EQ(LogQuery("ne* one").indexExpression(), "\"one\"");
  EXPECT_EQ(LogQuery("nee*").indexExpression(), "\"nee\" *");
  for (const bool stored : {false, true}) {
    if (stored) flush();
    EXPECT_THAT(found("ne*"), ElementsAre("needle one"));
  }
}

TEST_F(LogSearch, IsTakenAlongByAnExport) {
  const RunId run = m_writer->run({.uuid = "", .name = "r"});
  const AttemptId attempt = m_writer->attempt({.run = run});
  m_writer->log({.time = kStart, .attempt = attempt, .rank = 3, .stream = "stdout", .text = "exported needle"});
  m_reader.reset();
  ASSERT_TRUE(m_writer->close().ok());
  m_writer.reset();
  const std::string copy = m_store.path() + ".copy";
  const Status exported = exportRun(m_store.path(), run, {}, copy);
  ASSERT_TRUE(exported.ok()) << exported.message();
  auto reader = openStore(copy).reader();
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->searchLogs({.words = "needle", .rank = 3})->hits.size(), 1U);
  EXPECT_THAT((*reader)->verify().value(), IsEmpty());
}

TEST_F(LogSearch, IsARelationOfItsOwn) {
  for (int i = 0; i < 2'500; ++i) say("needle " + std::to_string(i), i, Severity::kInfo, i % 2 ? m_other : m_node);
  flush();
  std::vector<std::string> rows;
  Reader::SqlSink sink;
  sink.row = [&](const std::vector<SqlValue>& row) {
    rows.push_back(std::to_string(std::get<std::int64_t>(row[0])) + " " + std::get<std::string>(row[1]));
    return true;
  };
  Status asked =
      m_reader->query("SELECT count(*), l.node FROM log_search('needle -7') s JOIN log_line l USING(log_id) GROUP BY 2 ORDER BY 2", sink);
  ASSERT_TRUE(asked.ok()) << asked.message();
  EXPECT_THAT(rows, ElementsAre("1250 node-1", "1249 node-2"));
  asked = m_reader->query("SELECT * FROM log_search", sink);
  EXPECT_THAT(asked.message(), HasSubstr("log_search('words')"));
  // The index itself is not a relation.
  EXPECT_FALSE(m_reader->query("SELECT * FROM rg_log_words WHERE rg_log_words MATCH 'needle'", sink).ok());
}

TEST_F(LogSearch, VerifyNamesAnIndexThatDoesNotFitItsLines) {
  say("first needle \xc3\xa4\xc3\xb6 NCCL_IB_TIMEOUT=14 x x x", 1);
  say(std::string(70'000, 'y') + " " + std::string("nul\0word", 8), 2);
  flush();
  EXPECT_THAT(m_reader->verify().value(), IsEmpty());
  m_reader.reset();
  ASSERT_TRUE(m_writer->close().ok());
  m_writer.reset();
  sqlite3* db = nullptr;
  ASSERT_EQ(test::openDatabase(m_store.path(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "UPDATE rg_log SET text = 'other words' WHERE log_id = 1", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(db);
  auto reader = m_store.reader();
  ASSERT_TRUE(reader.ok());
  const auto damage = (*reader)->verify();
  ASSERT_TRUE(damage.ok());
  ASSERT_EQ(damage->size(), 1U);
  EXPECT_THAT(damage->at(0), HasSubstr("index of the words of log lines"));
}

TEST(LogQuery, ChineseIsFoundWithinARunOfCharacters) {
  const std::string line = "节点故障：第100步训练已停止 loss 2.3";
  for (const char* query : {"故障", "停止", "训练已停止", "节点 loss", "\"停止 loss\"", "训练*", "步训练 2.3"})
    EXPECT_TRUE(LogQuery(query).matches(line)) << query;
  for (const char* query : {"故步", "训练停止", "\"训练 loss\"", "-训练", "障节"}) EXPECT_FALSE(LogQuery(query).matches(line)) << query;
  const auto marks = LogQuery("训练").marks("训练，再训练训练");
  ASSERT_EQ(marks.size(), 3);
  EXPECT_EQ(marks[1], (TextPiece{12, 18}));
  EXPECT_EQ(LogQuery("故障 loss").indexExpression(), "\"loss\"") << "the index has whole runs";
  EXPECT_TRUE(LogQuery("München").matches("in München heute"));
  EXPECT_FALSE(LogQuery("nchen").matches("in München heute")) << "words with spaces between them are whole";
}

TEST_F(LogSearch, FindsChineseWithinALine) {
  say("第100步训练已停止", 1);
  say("节点恢复", 2);
  for (const bool stored : {false, true}) {
    if (stored) flush();
    EXPECT_THAT(found("训练"), ElementsAre("第100步训练已停止"));
    EXPECT_THAT(found("恢复 -训练"), ElementsAre("节点恢复"));
    EXPECT_THAT(found("恢复训练"), IsEmpty());
  }
}

TEST(LogQuery, MarksWhereItsTermsAre) {
  const LogQuery query("time* \"off the\" -gone");
  EXPECT_THAT(query.marks("Timeout: fell off the bus"), ElementsAre(TextPiece{0, 7}, TextPiece{14, 21}));
  EXPECT_TRUE(LogQuery("  :: -- ").asksNothing());
}

}  // namespace
}  // namespace runglass
