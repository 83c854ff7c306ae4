// SPDX-License-Identifier: Apache-2.0
#include "storage/write/replica_state.h"

#include <algorithm>
#include <utility>

#include "storage/codec/sample_chunk.h"
#include "storage/sqlite/bind_row.h"
#include "storage/write/writer_parts.h"

namespace runglass {
namespace {

constexpr std::string_view kOf = "mirror_of", kFrom = "mirror_from", kComplete = "mirror_complete_ns", kSummarised = "mirror_summarised_ns",
                           kEvent = "mirror_event", kLog = "mirror_log", kNewestLabel = "mirror_label";

bool isStorage(const Status& status) {
  return status.code() != Code::kNotFound && status.code() != Code::kInvalidArgument && status.code() != Code::kAborted;
}

}  // namespace

Status ReplicaState::load() {
  RG_ASSIGN(auto rows, m_db.prepare("SELECT key, value FROM rg_meta WHERE key LIKE 'mirror\\_%' ESCAPE '\\'"));
  MirrorMark mark;
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) break;
    const std::string_view key = rows.text(0);
    if (key == kOf) mark.source_uuid = rows.text(1);
    if (key == kFrom) mark.from = rows.text(1);
    if (key == kComplete) mark.complete = rows.optionalInt64(1);
    if (key == kSummarised) mark.summarised = rows.optionalInt64(1);
    if (key == kEvent) mark.event = rows.int64(1);
    if (key == kLog) mark.log = rows.int64(1);
    if (key == kNewestLabel) mark.label = rows.int64(1);
  }
  if (!mark.source_uuid.empty()) m_mark = std::move(mark);
  return {};
}

Status ReplicaState::saveMark() {
  if (!m_mark_changed) return {};
  RG_ASSIGN(auto save, m_db.prepare("INSERT OR REPLACE INTO rg_meta(key, value) VALUES(?1, ?2)"));
  const auto put = [&](std::string_view key, const auto& value) -> Status {
    save.bind(1, key);
    save.bind(2, value);
    return save.run();
  };
  RG_TRY(put(kOf, std::string_view(m_mark->source_uuid)));
  RG_TRY(put(kFrom, std::string_view(m_mark->from)));
  if (m_mark->complete) RG_TRY(put(kComplete, *m_mark->complete));
  if (m_mark->summarised) RG_TRY(put(kSummarised, *m_mark->summarised));
  RG_TRY(put(kEvent, m_mark->event));
  RG_TRY(put(kLog, m_mark->log));
  return put(kNewestLabel, m_mark->label);
}

void ReplicaState::mark(const MirrorMark& mark) {
  MirrorMark next = mark;
  if (next.from.empty() && m_mark) next.from = m_mark->from;
  if (m_mark == next) return;
  m_mark = std::move(next);
  m_mark_changed = true;
}

Status ReplicaState::saveMirrored(const Finding& f) {
  RG_ASSIGN(auto drop, m_db.prepare("DELETE FROM rg_finding WHERE finding_id = ?1 OR (run_id = ?2 AND kind = ?3 AND subject = ?4 AND "
                                    "ifnull(first_step, -9223372036854775808) = ifnull(?5, -9223372036854775808))"));
  bindAll(drop, f.id, f.run.value, std::string_view(f.kind), std::string_view(f.subject), f.first_step);
  RG_TRY(drop.run());
  RG_ASSIGN(auto add,
            m_db.prepare("INSERT INTO rg_finding(finding_id, run_id, attempt_id, kind, subject, severity, start_ns, end_ns, first_step, "
                         "last_step, node_id, rank, dp, pp, tp, score, confidence, coverage, summary, evidence, told_ns, "
                         "message) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"));
  bindAll(add, f.id, f.run.value, idOrNull(f.attempt), std::string_view(f.kind), std::string_view(f.subject), static_cast<int>(f.severity),
          f.start, f.end, f.first_step, f.last_step, idOrNull(f.node), f.rank, f.dp, f.pp, f.tp, f.score, f.confidence, f.coverage,
          std::string_view(f.summary), std::string_view(f.evidence), f.published, std::string_view(f.message));
  return add.run();
}

Status ReplicaState::savePublished(const Finding& f) {
  RG_ASSIGN(auto add, m_db.prepare("INSERT OR REPLACE INTO rg_finding_told(finding_id, told_ns, severity, start_ns, end_ns, last_step, "
                                   "score, confidence, coverage, summary, evidence, message) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)"));
  bindAll(add, f.id, f.published, static_cast<int>(f.severity), f.start, f.end, f.last_step, f.score, f.confidence, f.coverage,
          std::string_view(f.summary), std::string_view(f.evidence), std::string_view(f.message));
  return add.run();
}

Status ReplicaState::saveJudgements(const Judgements& judgements) {
  const auto sensible = [this](const Status& status) -> Status {
    if (status.ok() || isStorage(status)) return status;
    m_log.issue({.code = "mirror.refused", .source = "mirror", .first = wallNow(), .last = wallNow(), .detail = status.message()});
    return {};
  };
  for (const Finding& finding : judgements.findings) RG_TRY(saveMirrored(finding));
  for (const Finding& published : judgements.published) RG_TRY(savePublished(published));
  for (const IncidentEdit& edit : judgements.incidents) {
    Incident incident = edit.incident;
    const std::string name = "incident " + incident.uuid;
    incident.run = m_catalog.findRunByUuid(edit.run_uuid);
    Status status = incident.run ? checkIncident(incident) : Status(Code::kNotFound, name + ": run " + edit.run_uuid + ": not here");
    if (status.ok() && edit.attempt) {
      const Result<AttemptId> attempt = m_edits.attemptOf(edit.run_uuid, *edit.attempt, name);
      status = attempt.status();
      if (attempt.ok()) incident.attempt = *attempt;
    }
    if (status.ok()) status = m_edits.saveIncident(std::move(incident));
    RG_TRY(sensible(status));
  }
  if (judgements.incident_uuids) {
    RG_TRY(m_db.exec("CREATE TEMP TABLE IF NOT EXISTS mirror_kept(uuid TEXT PRIMARY KEY); DELETE FROM mirror_kept"));
    RG_ASSIGN(auto keep, m_db.prepare("INSERT OR IGNORE INTO mirror_kept VALUES(?1)"));
    for (const std::string& uuid : *judgements.incident_uuids) {
      keep.bind(1, std::string_view(uuid));
      RG_TRY(keep.run());
    }
    RG_TRY(
        m_db.exec("DELETE FROM rg_pin WHERE incident_id IN (SELECT incident_id FROM rg_incident WHERE uuid NOT IN (SELECT uuid FROM "
                  "mirror_kept)); DELETE FROM rg_incident WHERE uuid NOT IN (SELECT uuid FROM mirror_kept)"));
  }
  if (judgements.notes) {
    RG_TRY(m_db.exec("DELETE FROM rg_note"));
    RG_ASSIGN(auto add, m_db.prepare("INSERT OR REPLACE INTO rg_note(note_id, run_id, time_ns, author, text) VALUES(?,?,?,?,?)"));
    for (const Note& note : *judgements.notes) {
      const RunId run = m_catalog.findRunByUuid(note.run_uuid);
      if (!run) {
        RG_TRY(sensible({Code::kNotFound, "note " + std::to_string(note.id) + ": run " + note.run_uuid + ": not here"}));
        continue;
      }
      bindAll(add, note.id, run.value, note.time, std::string_view(note.author), std::string_view(note.text));
      RG_TRY(add.run());
    }
  }
  if (judgements.snoozes) {
    RG_TRY(m_db.exec("DELETE FROM rg_snooze"));
    for (const Snooze& snooze : *judgements.snoozes)
      if (snooze.until) RG_TRY(m_edits.save(snooze));
  }
  for (const ClockAlignment& alignment : judgements.alignments) RG_TRY(sensible(m_edits.save(alignment)));
  return {};
}

void ReplicaState::judge(const Judgements& judgements) {
  m_judgements.push_back(judgements);
  static_cast<void>(saveJudged());  // otherwise the next flush saves them and reports the failure
}

Status ReplicaState::saveJudged() {
  while (!m_judgements.empty()) {
    const Status saved = saveJudged(m_judgements.front());
    // The cause is the disk or another process, not the judgement.
    if (saved.code() == Code::kUnavailable || saved.code() == Code::kResourceExhausted) return saved;
    if (!saved.ok()) m_failure.note(saved);
    m_judgements.pop_front();
  }
  return {};
}

Status ReplicaState::saveJudged(const Judgements& judgements) {
  RG_TRY(m_edits.alerts(judgements.alerts));
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kImmediate));
  RG_TRY(m_catalog.save(m_db, m_rows));
  RG_TRY(saveJudgements(judgements));
  RG_TRY(transaction.commit());
  noteCommitted(m_catalog, *m_tail, {StorePart::kFindings, StorePart::kEdits});
  m_tail->noteChange();
  return {};
}

void ReplicaState::committed() { m_mark_changed = false; }

// The recorded steps in [x0, x1], sorted, with repetitions.
Status ReplicaState::countPoints(SeriesId id, LiveSeries& series, std::int64_t x0, std::int64_t x1, std::vector<std::int64_t>& have) {
  const auto add = [&](const std::vector<std::int64_t>& steps) {
    std::ranges::copy_if(steps, std::back_inserter(have), [&](std::int64_t x) { return x >= x0 && x <= x1; });
  };
  std::vector<std::int64_t> known;
  RawPoints points;
  const auto decoded = [&](std::string_view blob, std::size_t n, std::int64_t first) {
    if (n == 0 || n > kChunkPoints) return false;
    points.x.resize(n), points.value.resize(n), points.time.resize(sampleChunkHasTime(blob) ? n : 0);
    return decodeSampleChunk(blob, n, first, points.x.data(), points.time.empty() ? nullptr : points.time.data(), points.value.data());
  };
  series.writerReads();
  for (const PendingChunk& chunk : series.pending) {
    known.push_back(chunk.row->id);
    if (decoded(chunk.row->blob, chunk.row->n, chunk.row->x0)) add(points.x);
  }
  add(series.main.arrivedAfter(0).x);
  if (series.late) add(series.late->arrivedAfter(0).x);
  RG_ASSIGN(auto stored, m_db.prepare("SELECT chunk_id, x0, n, data FROM rg_chunk WHERE series_id = ?1 AND sealed = 1 AND x0 <= ?3 AND "
                                      "x1 >= ?2"));
  bindAll(stored, id.value, x0, x1);
  while (true) {
    RG_ASSIGN(const bool row, stored.step());
    if (!row) break;
    // A damaged chunk counts as missing: its points are sent again.
    if (std::ranges::find(known, stored.int64(0)) != known.end()) continue;
    if (decoded(stored.blob(3), static_cast<std::size_t>(stored.int64(2)), stored.int64(1))) add(points.x);
  }
  std::ranges::sort(have);
  return {};
}

Result<ScalarColumns> ReplicaState::lacking(SeriesId id, LiveSeries& series, std::int64_t step0, std::int64_t step1,
                                            const ScalarColumns& points) {
  const bool shaped = points.value.size() == points.size() && (points.time.empty() || points.time.size() == points.size()) &&
                      std::ranges::is_sorted(points.step);
  if (!shaped) return Status(Code::kInvalidArgument, "cannot complete series " + std::to_string(id.value) + ": columns that are none");
  std::vector<std::int64_t> have;
  RG_TRY(countPoints(id, series, step0, step1, have));
  // Of points with equal steps, the first to arrive are already recorded.
  ScalarColumns lacking;
  std::size_t at = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    while (at < have.size() && have[at] < points.step[i]) ++at;
    if (at < have.size() && have[at] == points.step[i]) {
      ++at;
      continue;
    }
    lacking.step.push_back(points.step[i]);
    if (!points.time.empty()) lacking.time.push_back(points.time[i]);
    lacking.value.push_back(points.value[i]);
  }
  return lacking;
}

Result<std::int64_t> ReplicaState::counted(const Issue& issue) {
  RG_ASSIGN(auto stored, m_db.prepare("SELECT count FROM rg_issue WHERE code = ?1 AND source = ?2"));
  bindAll(stored, std::string_view(issue.code), std::string_view(issue.source));
  RG_ASSIGN(const bool row, stored.step());
  std::int64_t count = row ? stored.int64(0) : 0;
  if (const Issue* more = m_log.waiting(issue)) count += more->count;
  return count;
}

}  // namespace runglass
