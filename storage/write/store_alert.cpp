// SPDX-License-Identifier: Apache-2.0
// Alerts and snoozes: written in their own transactions, because the record of sent notifications must survive a crash.
#include "storage/maintain/rebuild_tables.h"
#include "storage/read/store_reader.h"
#include "storage/schema/rows.h"
#include "storage/write/edit_rows.h"
#include "storage/write/writer_parts.h"

namespace runglass {

Status EditRows::alerts(std::span<const Alert> alerts) {
  if (alerts.empty()) return {};
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
  // Their runs may not be in the file yet.
  RG_TRY(m_catalog.save(m_db, m_rows));
  RG_ASSIGN(
      auto save,
      m_db.prepare("INSERT INTO rg_alert(alert_id, run_id, rule, cause, kind, severity, since_ns, end_ns, due_ns, told_ns, told_count, "
                   "summary, link, delivery) VALUES(" +
                   newId("rg_alert", "alert_id") +
                   ",?,?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT(rule, cause, since_ns) DO UPDATE SET "
                   "severity=excluded.severity, end_ns=excluded.end_ns, due_ns=excluded.due_ns, told_ns=excluded.told_ns, "
                   "told_count=excluded.told_count, summary=excluded.summary, link=excluded.link, delivery=excluded.delivery"));
  for (const Alert& a : alerts) {
    save.reset();
    save.bind(1, a.run ? std::optional<std::int64_t>(static_cast<std::int64_t>(a.run.value)) : std::nullopt);
    save.bind(2, std::string_view(a.rule));
    save.bind(3, std::string_view(a.cause));
    save.bind(4, std::string_view(a.kind));
    save.bind(5, static_cast<std::int64_t>(a.severity));
    save.bind(6, a.since);
    save.bind(7, a.end);
    save.bind(8, a.due);
    save.bind(9, a.notified);
    save.bind(10, a.count);
    save.bind(11, std::string_view(a.summary));
    save.bind(12, std::string_view(a.link));
    save.bind(13, std::string_view(a.delivery));
    RG_TRY(save.run());
  }
  RG_TRY(m_db.exec("DELETE FROM rg_alert WHERE alert_id <= (SELECT max(alert_id) FROM rg_alert) - " + std::to_string(Edits::kMaxAlerts)));
  RG_TRY(transaction.commit());
  noteCommitted(m_catalog, *m_tail, {StorePart::kAlerts});
  m_tail->noteChange();
  return {};
}

Status EditRows::save(const Snooze& snooze) {
  RG_ASSIGN(auto change, m_db.prepare(snooze.until ? "INSERT OR REPLACE INTO rg_snooze(rule, cause, until_ns, author) VALUES(?1,?2,?3,?4)"
                                                   : "DELETE FROM rg_snooze WHERE rule = ?1 AND cause = ?2"));
  change.bind(1, std::string_view(snooze.rule));
  change.bind(2, std::string_view(snooze.cause));
  if (snooze.until) {
    change.bind(3, *snooze.until);
    change.bind(4, std::string_view(snooze.author));
  }
  return change.run();
}

Result<std::vector<Alert>> StoreReader::alerts(std::size_t limit) {
  std::vector<Alert> found;
  RG_TRY(rows::each<Alert>(m_file.db(), " ORDER BY ifnull(due_ns, since_ns) DESC, alert_id DESC LIMIT ?1",
                           [&](Alert alert) { found.push_back(std::move(alert)); }, {static_cast<std::int64_t>(limit)}));
  return found;
}

Result<std::vector<Snooze>> StoreReader::snoozes() {
  std::vector<Snooze> found;
  RG_TRY(rows::each<Snooze>(m_file.db(), " ORDER BY rule, cause", [&](Snooze snooze) { found.push_back(std::move(snooze)); }));
  return found;
}

}  // namespace runglass
