// SPDX-License-Identifier: Apache-2.0
// StoreWriter: what cannot be recorded or stored costs only itself.
// Invariants:
// 1. What a series or track of the file cannot take goes on in another one, whose key differs in a label (series) or the name (tracks): the
//    pages that are damaged are not touched again, and what is recorded from then on can be read.
// 2. A row that the file refuses, and a batch that cannot be recorded, are in <store>-ingest.bad before a high-water mark moves over them.
#include <algorithm>

#include "model/crc32c.h"
#include "storage/codec/sample_chunk.h"
#include "storage/write/store_writer.h"

namespace runglass {
namespace {

constexpr std::string_view kLabel = "{\"_after_damage\":\"", kName = " (after damage ";
constexpr char kFirst = '1', kLast = '3';

// "" where there have been enough of them.
std::string labelsAfterDamage(const std::string& labels) {
  if (!labels.starts_with(kLabel)) {
    const std::string rest = labels.size() > 2 ? ',' + labels.substr(1) : "}";
    return std::string(kLabel) + kFirst + '"' + rest;
  }
  std::string next = labels;
  if (next.size() <= kLabel.size() || next[kLabel.size()] >= kLast) return {};
  ++next[kLabel.size()];
  return next;
}

std::string nameAfterDamage(const std::string& name) {
  const std::size_t at = name.rfind(kName);
  if (at == std::string::npos || at + kName.size() + 2 != name.size()) return name + std::string(kName) + kFirst + ')';
  std::string next = name;
  if (next[at + kName.size()] >= kLast) return {};
  ++next[at + kName.size()];
  return next;
}

Issue issueOf(std::string_view code, std::string source, std::string detail) {
  const TimeNs now = wallNow();
  return {.code = std::string(code), .source = std::move(source), .first = now, .last = now, .detail = std::move(detail)};
}

}  // namespace

// None: there have been enough of them.
SeriesId StoreWriter::continueSeries(SeriesId id, const Status& why) {
  std::optional<SeriesKey> key = m_catalog.seriesKey(id);
  if (!key) return {};
  key->labels = labelsAfterDamage(key->labels);
  if (key->labels.empty()) return {};
  const SeriesId next = m_catalog.series(*key);
  m_continued_series[id] = next;
  addIssue(issueOf("store.series_continued", m_path,
                   "series " + std::to_string(id.value) + " (" + key->metric + "): " + why.message() + "; new samples go to series " +
                       std::to_string(next.value)));
  return next;
}

TrackId StoreWriter::continueTrack(TrackId id, const Status& why) {
  std::optional<TrackKey> key = m_catalog.trackKey(id);
  if (!key) return {};
  key->name = nameAfterDamage(key->name);
  if (key->name.empty()) return {};
  const TrackId next = m_catalog.track(*key);
  m_continued_tracks[id] = next;
  addIssue(issueOf("store.series_continued", m_path,
                   "track " + std::to_string(id.value) + ": " + why.message() + "; new spans go to track " + std::to_string(next.value)));
  return next;
}

void StoreWriter::setAside(const StreamKey& stream, std::uint64_t seq, std::string_view payload, const Status& why) {
  const std::string number = std::to_string(stream.stream);
  const std::string kept = m_bad.append(
      {{"agent", stream.agent}, {"session", stream.session}, {"stream", number}, {"seq", std::to_string(seq)}, {"reason", why.message()}},
      payload);
  issue(
      issueOf("store.batch_set_aside", stream.agent,
              "session " + stream.session + ", stream " + number + ", batch " + std::to_string(seq) + ": " + why.message() + "; " + kept));
}

// In a careful commit. Where nothing can be stored it is no damage to a part: the commit fails, and what was acknowledged stays in the
// journal.
Status StoreWriter::saveSeriesCarefully() {
  m_refused_tracks.clear();
  bool any = false;
  const std::size_t before = m_rows.refused().size(), units = m_dirty_series.size() + m_dirty_tracks.size();
  const auto why = [this] { return Status(Code::kDataLoss, m_rows.refused().back().why); };
  for (std::size_t i = 0; i < m_dirty_series.size(); ++i) {
    const SeriesId id = m_dirty_series[i];
    const Result<bool> stored = m_rows.together(m_db, "rg_chunk", id.value, [&]() -> Status {
      RG_TRY(saveSealed({&id, 1}));
      return saveSeries(id, *m_tail->find(id));
    });
    if (m_rows.mustRestart()) moveOn(id, stored.status());
    RG_TRY(stored.status());
    any |= *stored;
  }
  for (const TrackId id : m_dirty_tracks) {
    RG_ASSIGN(const bool stored, m_rows.together(m_db, "rg_span_chunk", id.value, [&] { return saveTrack(id, *m_tail->find(id)); }));
    any |= stored;
    if (!stored) m_refused_tracks.emplace_back(id, why());
  }
  constexpr std::size_t kFew = 3;
  if (!any && units > kFew && m_rows.refused().size() - before >= units) return why();
  return {};
}

// What of a series is not in the file becomes that of the series which goes on for it, and is stored with the same commit. Where there is
// none it stays, and is set aside.
void StoreWriter::moveOn(SeriesId id, const Status& why) {
  const SeriesId next = continueSeries(id, why);
  if (!next) return;
  std::vector<RawPoints> moved;
  {
    LiveSeries& series = *m_tail->find(id);
    const MutexLock lock(series.mutex);
    for (const PendingChunk& chunk : series.pending) {
      if (chunk.generation != m_tail->committed() + 1) continue;
      const ChunkRow& row = *chunk.row;
      RawPoints points;
      points.x.resize(row.n), points.value.resize(row.n), points.time.resize(sampleChunkHasTime(row.blob) ? row.n : 0);
      RG_CHECK(decodeSampleChunk(row.blob, row.n, row.x0, points.x.data(), points.time.data(), points.value.data()));
      const auto drop = [&](auto& column) { column.erase(column.begin(), column.begin() + static_cast<std::ptrdiff_t>(chunk.stored)); };
      drop(points.x), drop(points.value);
      if (!points.time.empty()) drop(points.time);
      moved.push_back(std::move(points));
    }
    moved.push_back(series.main.arrivedAfter(series.main.stored));
    if (series.late) moved.push_back(series.late->arrivedAfter(series.late->stored));
  }
  std::erase(m_dirty_series, id);
  if (std::erase(m_late_series, id) > 0) countOpenChunks(-1);
  countOpenChunks(-1);
  m_tail->remove(id);
  for (const RawPoints& points : moved)
    if (points.size() > 0)
      appendLive(next, points.x.data(), points.time.empty() ? nullptr : points.time.data(), points.value.data(), points.size());
}

Status StoreWriter::setAsideRefused() {
  std::vector<Issue> issues;
  for (const CommitRows::Refused& rows : m_rows.refused()) {
    // A commit that is tried again refuses the same rows.
    const std::string kept = m_kept_refused.insert(crc32c(rows.sql)).second
                                 ? m_bad.append({{"table", rows.table}, {"reason", rows.why}}, rows.sql)
                                 : "kept in " + m_bad.path();
    issues.push_back(issueOf("store.row_refused", rows.table, rows.why + "; " + kept));
  }
  return saveIssues(issues);
}

// After a commit.
void StoreWriter::dropRefused() {
  m_kept_refused.clear();
  for (const auto& [id, why] : std::exchange(m_refused_tracks, {})) {
    m_tail->remove(id);
    continueTrack(id, why);
  }
}

}  // namespace runglass
