// SPDX-License-Identifier: Apache-2.0
// EditRows and StoreReader: findings and their earlier versions.
// Invariants:
// 1. rg_finding has the current version of a finding, rg_finding_told the earlier versions published while its run was in progress. The
//    last published version is therefore never thinned out.
// 2. A version with unchanged content is not published again: told_ns stays.
// 3. A later analysis of scalars that retention thinned does not replace a stronger finding.
// 4. Of versions that keep changing, the next one stored is ten seconds later, or a sixteenth of the time since the first one where that is
//    longer: about 120 rows for a finding that changes all day, 30 more for a week.
#include <algorithm>
#include <tuple>

#include "storage/maintain/rebuild_tables.h"
#include "storage/read/store_reader.h"
#include "storage/schema/rows.h"
#include "storage/sqlite/bind_row.h"
#include "storage/write/edit_rows.h"

namespace runglass {
namespace {

constexpr DurNs kApart = 10 * kNsPerSecond;
constexpr DurNs kShareOfAge = 16;

bool sameWords(const Finding& a, const Finding& b) {
  const auto words = [](const Finding& f) {
    return std::tie(f.severity, f.start, f.end, f.last_step, f.score, f.confidence, f.coverage, f.summary, f.evidence);
  };
  return words(a) == words(b);
}

// Changes that are always stored: a finding became more or less severe, or ended.
bool sameState(const Finding& a, const Finding& b) { return a.severity == b.severity && a.end.has_value() == b.end.has_value(); }

// The same problem, derived from less data.
bool weaker(const Finding& next, const Finding& known) {
  return std::tuple(next.severity, next.confidence, next.coverage) < std::tuple(known.severity, known.confidence, known.coverage);
}

}  // namespace

// Stores `known`, which `next` replaces, as an earlier version.
Status EditRows::keepPublished(const Finding& known, const Finding& next) {
  RG_ASSIGN(auto before, m_db.prepare("SELECT told_ns, severity, end_ns, (SELECT min(told_ns) FROM rg_finding_told WHERE finding_id = ?1) "
                                      "FROM rg_finding_told WHERE finding_id = ?1 ORDER BY told_ns DESC LIMIT 1"));
  before.bind(1, known.id);
  RG_ASSIGN(const bool any, before.step());
  if (any && next.published && sameState(known, next)) {
    Finding last;
    last.severity = static_cast<Severity>(before.int64(1));
    last.end = before.optionalInt64(2);
    // Times in files may be arbitrary.
    const double age = static_cast<double>(*known.published) - static_cast<double>(before.int64(3));
    const double since = static_cast<double>(*known.published) - static_cast<double>(before.int64(0));
    if (sameState(known, last) && since < std::max(static_cast<double>(kApart), age / static_cast<double>(kShareOfAge))) return {};
  }
  RG_ASSIGN(auto keep,
            m_db.prepare("INSERT OR REPLACE INTO rg_finding_told SELECT finding_id, told_ns, severity, start_ns, end_ns, "
                         "last_step, score, confidence, coverage, summary, evidence, message FROM rg_finding WHERE finding_id = ?1"));
  keep.bind(1, known.id);
  return m_rows.put(m_db, keep, "rg_finding_told");
}

Status EditRows::saveFindings() {
  if (m_findings.empty()) return {};
  constexpr std::string_view kKey =
      " WHERE run_id = ?1 AND kind = ?2 AND subject = ?3 AND "
      "ifnull(first_step, -9223372036854775808) = ifnull(?4, -9223372036854775808)";
  RG_ASSIGN(auto find, m_db.prepare(std::string(rows::select<Finding>()) + std::string(kKey)));
  RG_ASSIGN(
      auto statement,
      m_db.prepare(
          "INSERT INTO rg_finding(finding_id, run_id, attempt_id, kind, subject, severity, start_ns, end_ns, first_step, last_step, "
          "node_id, rank, "
          "dp, pp, tp, score, confidence, coverage, summary, evidence, told_ns, message) VALUES(" +
          newId("rg_finding", "finding_id") +
          ",?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?) "
          "ON CONFLICT(run_id, kind, subject, ifnull(first_step, -9223372036854775808)) DO UPDATE SET attempt_id=excluded.attempt_id, "
          "severity=excluded.severity, start_ns=excluded.start_ns, end_ns=excluded.end_ns, last_step=excluded.last_step, "
          "node_id=excluded.node_id, rank=excluded.rank, dp=excluded.dp, pp=excluded.pp, tp=excluded.tp, score=excluded.score, "
          "confidence=excluded.confidence, coverage=excluded.coverage, summary=excluded.summary, evidence=excluded.evidence, "
          "told_ns=excluded.told_ns, message=excluded.message"));
  RG_ASSIGN(auto thinned,
            m_db.prepare("SELECT 1 FROM rg_expired e JOIN rg_series s USING(series_id) JOIN rg_attempt a USING(attempt_id) WHERE "
                         "a.run_id = ?1 AND s.kind = 2 AND e.last_x >= ifnull(?2, -9223372036854775808) LIMIT 1"));
  for (const Finding& f : m_findings) {
    std::optional<TimeNs> published = f.published;
    bindAll(find, f.run.value, std::string_view(f.kind), std::string_view(f.subject), f.first_step);
    RG_ASSIGN(const bool any, find.step());
    if (any) {
      const Finding known = rows::read<Finding>(find);
      if (!f.published && weaker(f, known)) {
        thinned.reset();
        bindAll(thinned, f.run.value, f.first_step);
        RG_ASSIGN(const bool less_data, thinned.step());
        if (less_data) {
          find.reset();
          continue;
        }
      }
      if (known.published && sameWords(known, f)) {
        published = known.published;
      } else if (known.published) {
        RG_TRY(keepPublished(known, f));
      }
    }
    find.reset();
    bindAll(statement, f.run.value, idOrNull(f.attempt), std::string_view(f.kind), std::string_view(f.subject),
            static_cast<int>(f.severity), f.start, f.end, f.first_step, f.last_step, idOrNull(f.node), f.rank, f.dp, f.pp, f.tp, f.score,
            f.confidence, f.coverage, std::string_view(f.summary), std::string_view(f.evidence), published, std::string_view(f.message));
    RG_TRY(m_rows.put(m_db, statement, "rg_finding"));
  }
  return {};
}

Result<std::vector<Finding>> StoreReader::publishedFindings(std::optional<RunId> run) {
  RG_ASSIGN(auto statement,
            m_file.db().prepare(
                "SELECT finding_id, run_id, attempt_id, kind, subject, severity, start_ns, end_ns, first_step, last_step, node_id, "
                "rank, dp, pp, tp, score, confidence, coverage, summary, evidence, told_ns, message FROM rg_finding "
                "WHERE told_ns IS NOT NULL AND (?1 IS NULL OR run_id = ?1) "
                "UNION ALL SELECT f.finding_id, f.run_id, f.attempt_id, f.kind, f.subject, t.severity, t.start_ns, t.end_ns, "
                "f.first_step, t.last_step, f.node_id, f.rank, f.dp, f.pp, f.tp, t.score, t.confidence, t.coverage, t.summary, "
                "t.evidence, t.told_ns, t.message FROM rg_finding f CROSS JOIN rg_finding_told t USING(finding_id) "
                "WHERE ?1 IS NULL OR f.run_id = ?1 ORDER BY told_ns, finding_id"));
  statement.bind(1, run ? std::optional(static_cast<std::int64_t>(run->value)) : std::nullopt);
  std::vector<Finding> found;
  while (true) {
    RG_ASSIGN(const bool row, statement.step());
    if (!row) return found;
    found.push_back(rows::read<Finding>(statement));
  }
}

}  // namespace runglass
