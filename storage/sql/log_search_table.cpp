// SPDX-License-Identifier: Apache-2.0
// log_search(words): the log lines that contain the words, newest first; log_line has the other columns by log_id.
// Invariant: m_page is one page of the Reader's answer; the next is requested when it is used up.
#include <sqlite3.h>

#include "storage/sql/tables.h"

namespace runglass::sql {
namespace {

constexpr std::size_t kPageLines = 1000;

enum LogColumn : int { kLogId, kTime, kText, kWords };

class LogSearchCursor : public Cursor {
 public:
  explicit LogSearchCursor(Catalogue& catalogue) : m_catalogue(catalogue) {}

  Status filter(const Constraints& constraints) override {
    m_page = {};
    m_row = 0;
    if (constraints.impossible()) return {};
    m_query = {.words = std::string(constraints.text(kWords).value_or("")), .limit = kPageLines};
    return ask();
  }
  bool done() const override { return m_row >= m_page.hits.size(); }
  Status next() override {
    if (++m_row < m_page.hits.size() || !m_page.more) return {};
    m_query.after = m_page.hits.back().key;
    return ask();
  }
  void column(sqlite3_context* out, int column) const override {
    const LogHit& hit = m_page.hits[m_row];
    if (column == kLogId) return sqlite3_result_int64(out, hit.key.id);
    if (column == kTime) return resultInteger(out, hit.line.time);
    if (column == kText) return resultText(out, hit.line.text);
    resultText(out, m_query.words);
  }

 private:
  Status ask() {
    RG_ASSIGN(m_page, m_catalogue.reader().searchLogs(m_query, m_catalogue.stop()));
    m_row = 0;
    return {};
  }

  Catalogue& m_catalogue;
  RowQuery m_query;
  LogPage m_page;
  std::size_t m_row = 0;
};

constexpr TableSpec::Pushed kPushed[] = {{kWords, Push::kRequiredText}};

}  // namespace

const TableSpec kLogSearchTable = {"log_search", "CREATE TABLE x(log_id INTEGER, time_ns INTEGER, text TEXT, words TEXT HIDDEN)",
                                   "log_search('words')", kPushed, makeCursor<LogSearchCursor>};

}  // namespace runglass::sql
