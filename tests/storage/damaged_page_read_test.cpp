// SPDX-License-Identifier: Apache-2.0
// A store with one flipped bit on disk: each call of a Reader answers with the rows that can be read, and reports those that it left out.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "storage/read/change_reader.h"
#include "tests/storage/flip_store.h"
#include "tests/support/seed.h"
#include "tests/support/sql_rows.h"
#include "tests/support/sqlite_store.h"

namespace runglass {
namespace {

// Rows that name a row of these stay, without the name.
bool isNamed(const std::string& owner) {
  return owner.find("rg_string") != std::string::npos || owner.find("rg_node") != std::string::npos ||
         owner.find("rg_device") != std::string::npos;
}
// Without these no program can tell what the file is, and how it continues.
bool isNeeded(const std::string& owner) { return owner == "sqlite_schema" || owner.ends_with("rg_meta"); }

struct Page {
  std::string owner;
  bool inner = false;  // without it, many or all rows of the table cannot be found
  std::size_t rows = 0;
};

std::map<std::size_t, Page> pagesOf(const std::string& path) {
  std::map<std::size_t, Page> pages;
  auto db = sqlite::Connection::open(path, sqlite::OpenMode::kReadOnly).value();
  auto rows = db.prepare("SELECT pageno, name, path = '/' OR pagetype = 'internal', ncell FROM dbstat").value();
  while (rows.step().value())
    pages[static_cast<std::size_t>(rows.int64(0))] = {std::string(rows.text(1)), rows.int64(2) != 0,
                                                      static_cast<std::size_t>(rows.int64(3))};
  return pages;
}

// Every row of every answer, as text, by the kind of row.
class Answers {
 public:
  explicit Answers(const std::string& path) {
    auto opened = openStore(path).reader();
    if (!opened.ok()) {
      m_failed = opened.status().message();
      return;
    }
    Reader& reader = **opened;
    ask("info", reader.info());
    ask("usage", reader.usage({}));
    rows("nodes", reader.nodes(), [](const Node& one) { return one.name; });
    rows("devices", reader.devices(), [](const Device& one) { return one.uuid; });
    const auto runs = reader.runs();
    rows("runs", runs, [](const Run& one) { return one.name; });
    for (const Run& run : runs.ok() ? *runs : std::vector<Run>()) {
      const auto attempts = reader.attempts(run.id);
      rows("attempts", attempts, [](const Attempt& one) { return one.key; });
      for (const Attempt& attempt : attempts.ok() ? *attempts : std::vector<Attempt>()) {
        rows("ranks", reader.ranks(attempt.id), [](const Rank& one) { return std::to_string(one.rank); });
        rows("facts", reader.facts(attempt.id), [](const Fact& one) { return one.key + one.value; });
        const auto tracks = reader.tracks(attempt.id);
        rows("tracks", tracks, [](const Track& one) { return one.key.name; });
        for (const Track& track : tracks.ok() ? *tracks : std::vector<Track>()) {
          const auto spans = reader.spans(track.id, {}, {});
          ask("spans", spans);
          m_counts["spans of " + std::to_string(track.id.value)] = spans.ok() ? spans->size() : 0;
          ask("picture", reader.spanPicture(std::vector{track.id}, {kStoreStart, kStoreStart + 3'600 * kNsPerSecond}, kNsPerSecond, {}));
        }
      }
      rows("events of a run", reader.events({.run = run.id, .limit = 10'000}), [](const Event& one) { return one.message; });
      rows("findings", reader.findings(run.id), [](const Finding& one) { return one.subject + one.summary; });
      ask("labels", reader.labels(run.id));
      ask("progress", reader.progress(run.id));
      ask("captures", reader.captures(run.id, {}, CaptureTexts::kWith));
    }
    rows("events", reader.events({.limit = 10'000}), [](const Event& one) { return one.message; });
    rows("logs", reader.logs({.limit = 10'000}), [](const LogLine& one) { return one.text; });
    RowQuery words;
    words.words = "jumps";
    const auto found = reader.searchLogs(words, {});
    ask("search", found);
    const auto series = reader.series({});
    rows("series", series, [](const Series& one) { return one.key.metric; });
    for (const Series& one : series.ok() ? *series : std::vector<Series>()) {
      if (one.key.kind == SeriesKind::kScalar) {
        ask("scalars", reader.scalars(one.id, 0, 1 << 20, {}));
        continue;
      }
      const auto samples = reader.samples(one.id, {}, {});
      ask("samples", samples);
      m_counts[one.key.metric] = samples.ok() ? samples->size() : 0;
      ask("bins", reader.bins(one.id, Axis::kTime, kStoreStart, kStoreStart + 500 * kNsPerSecond, 4, {}));
      ask("latest", reader.latest(std::vector{one.id}));
      ask("latest at", reader.latestAt(std::vector{one.id}, kStoreStart + 100 * kNsPerSecond, {}));
    }
    for (const char* relation :
         {"run", "attempt", "rank", "series", "event", "log_line", "finding", "attempt_fact", "track", "node", "device"}) {
      std::multiset<std::string> texts;
      Reader::SqlSink sink;
      sink.row = [&](const std::vector<SqlValue>& row) {
        std::string text;
        for (const SqlValue& value : row)
          if (const auto* part = std::get_if<std::string>(&value)) text += *part + ' ';
        texts.insert(text);
        return true;
      };
      const Status asked = reader.query(std::string("SELECT * FROM ") + relation, sink);
      if (!asked.ok()) m_failed += std::string("query ") + relation + ": " + asked.message() + '\n';
      m_rows[std::string("query ") + relation] = std::move(texts);
    }
    const auto issues = reader.issues();
    ask("issues", issues);
    for (const Issue& issue : issues.ok() ? *issues : std::vector<Issue>())
      if (issue.code == "store.damaged_chunk") m_damage = issue.detail;
  }
  const std::string& failed() const { return m_failed; }
  const std::string& damage() const { return m_damage; }
  // Nothing that `all` has not.
  bool isPartOf(const Answers& all) const {
    for (const auto& [kind, rows] : m_rows)
      if (!std::ranges::includes(all.m_rows.at(kind), rows)) return false;
    return true;
  }
  // The kinds of which rows are missing.
  std::set<std::string> missing(const Answers& all) const {
    std::set<std::string> kinds;
    for (const auto& [kind, rows] : all.m_rows) {
      const auto mine = m_rows.find(kind);
      if (mine == m_rows.end() || mine->second.size() < rows.size()) kinds.insert(kind);
    }
    for (const auto& [kind, count] : all.m_counts) {
      const auto mine = m_counts.find(kind);
      if (mine == m_counts.end() || mine->second < count) kinds.insert(kind);
    }
    return kinds;
  }

 private:
  template <class Value>
  void ask(const std::string& what, const Result<Value>& answer) {
    if (!answer.ok()) m_failed += what + ": " + answer.status().message() + '\n';
  }
  template <class Row, class Text>
  void rows(const std::string& kind, const Result<std::vector<Row>>& answer, const Text& text) {
    ask(kind, answer);
    if (!answer.ok()) return;
    for (const Row& row : *answer) m_rows[kind].insert(text(row));
  }

  std::map<std::string, std::multiset<std::string>> m_rows;
  std::map<std::string, std::size_t> m_counts;
  std::string m_failed, m_damage;
};

TEST(DamagedPageRead, CostsNoAnswerMoreThanItsRows) {
  test::TempFolder folder;
  const std::string good = folder.file("good.rgl");
  makeFlipStore(good);
  const std::string content = fileContent(good);
  const Answers all(good);
  ASSERT_EQ(all.failed(), "");
  ASSERT_EQ(all.damage(), "");
  std::mt19937_64 random(test::seed());
  int met = 0, cost = 0;
  for (const auto& [page, of] : pagesOf(good)) {
    if (isNeeded(of.owner)) continue;
    const std::string path = folder.file("p" + std::to_string(page) + ".rgl");  // one log of damage each
    const std::size_t bit = (page - 1) * kFlipPage * 8 + random() % (kFlipPage * 8);
    SCOPED_TRACE("bit " + std::to_string(bit) + " of page " + std::to_string(page) + " of " + of.owner);
    writeFlipped(path, content, bit);
    const Answers rest(path);
    EXPECT_EQ(rest.failed(), "");
    EXPECT_TRUE(isNamed(of.owner) || rest.isPartOf(all));
    const auto missing = rest.missing(all);
    if (!missing.empty()) EXPECT_NE(rest.damage(), "") << testing::PrintToString(missing);
    met += rest.damage().empty() ? 0 : 1;
    cost += missing.empty() ? 0 : 1;
    if (of.owner.starts_with("rg_event") || of.owner.starts_with("rg_chunk_") || of.owner.starts_with("rg_log") || of.owner == "rg_finding")
      for (int number = 0; number < kFlipSeries; ++number) EXPECT_FALSE(missing.contains("flip_" + std::to_string(number)));
    if (of.owner == "rg_chunk" && !of.inner)
      EXPECT_LE(missing.size(), std::max<std::size_t>(1, of.rows)) << rest.damage() << testing::PrintToString(missing);
    ::unlink(path.c_str());
  }
  std::printf("damage met by %d flipped pages, rows missing after %d\n", met, cost);
  EXPECT_GT(met, 50);
}

}  // namespace
}  // namespace runglass
