// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. parts() and growth() are read before the data that they describe: changes in between are found in the next round.
// 2. A row is sent after all objects that it refers to; if the catalogue lags behind, the row waits for the next round.
// 3. m_mark moves only over sent rows, and is sent directly after them: a target has the mark if and only if it has the rows.
#include "collectors/hub/replica/feed.h"

#include <tuple>

#include "collectors/wire/record_message.h"
#include "model/recorder_fields.h"
#include "storage/open_store.h"

namespace runglass {
namespace {

constexpr std::size_t kRows = 512;
constexpr DurNs kPatience = 60 * kNsPerSecond;  // for objects missing in the catalogue; then a row is sent without them

}  // namespace

Result<std::unique_ptr<Feed>> Feed::open(const std::string& store, const ReaderOptions& reader, MirrorRecorder& target,
                                         std::function<bool()> full, FeedOptions options) {
  std::unique_ptr<Feed> feed(new Feed(target, std::move(full), std::move(options)));
  RG_ASSIGN(feed->m_reader, openStore(store).reader(reader));
  RG_ASSIGN(feed->m_changes, openStore(store).changes(reader));
  RG_ASSIGN(StoreInfo info, feed->m_reader->info());
  feed->m_mark.source_uuid = feed->m_source_uuid = std::move(info.store_uuid);
  feed->m_mark.from = feed->m_options.from;
  return feed;
}

void Feed::resume(const MirrorMark& mark) {
  m_mark.event = mark.event;
  m_mark.log = mark.log;
  m_mark.label = mark.label;
  m_mark.complete = mark.complete;
  m_mark.summarised = mark.summarised;
  m_reported_mark = m_mark;
}

bool Feed::news(std::string_view key, std::string_view content) {
  std::uint64_t& reported = m_reported.try_emplace(hashOf(key), 0).first->second;
  const std::uint64_t now = hashOf(content) | 1U;  // 0: never sent
  return std::exchange(reported, now) != now;
}

bool Feed::waitsFor(bool missing) {
  if (!missing) {
    m_missing_since = 0;
    return false;
  }
  const DurNs now = monotonicNow();
  if (m_missing_since == 0) m_missing_since = now;
  return now - m_missing_since < kPatience;
}

bool Feed::changed(StorePart part) {
  const auto at = static_cast<std::size_t>(part);
  const bool is = m_first || m_parts[at] != m_reported_parts[at];
  m_reported_parts[at] = m_parts[at];
  return is;
}

Result<bool> Feed::step(TimeNs now, DurNs monotonic) {
  if (!m_in_round) {
    if (monotonic < m_next_round) return false;
    m_in_round = true;
    m_stage = Stage::kCatalog;
    m_round_begin = now;
    m_next_round = monotonic + m_options.round;
    RG_ASSIGN(m_parts, m_changes->parts());
  }
  // However long the rest takes, current progress comes first.
  if (!m_first && monotonic >= m_next_progress) RG_TRY(tellProgress(monotonic));
  while (!m_full()) {
    if (!m_sayings.empty()) {
      say(m_sayings.front());
      m_sayings.pop_front();
      continue;
    }
    if (m_stage == Stage::kDone) {
      if (m_missing_since == 0) m_mark.complete = m_round_begin;
      m_target.mark(m_mark);
      m_first = false;
      m_stage = Stage::kSummaries;
      RG_TRY(lookForSummaries(now, monotonic));
    }
    if (m_stage == Stage::kSummaries) {
      const bool due = monotonic >= m_next_round;
      if (!due && !spare()) return true;
      RG_ASSIGN(const bool more, tellSummaries());
      if (more && !due) continue;
      // Summaries may take long: the next round begins on time, and they continue after it. Each round sends some of them.
      m_in_round = false;
      return more;
    }
    const Stage before = m_stage;
    RG_TRY(stage(monotonic));
    if (m_stage == before && !m_asked.empty() && (m_stage == Stage::kLogs || m_stage == Stage::kSeries || m_stage == Stage::kNames))
      return false;
  }
  return true;
}

Status Feed::stage(DurNs now) {
  const auto goOn = [this](bool more, Stage next) {
    if (!more) m_stage = next;
  };
  switch (m_stage) {
    case Stage::kCatalog:
      m_stage = Stage::kProgress;
      return loadCatalog(now);
    case Stage::kProgress:
      m_stage = Stage::kRows;
      return now >= m_next_progress ? tellProgress(now) : Status();
    case Stage::kRows: {
      RG_ASSIGN(const bool events, tellEvents());
      RG_ASSIGN(const bool labels, tellLabels());
      goOn(events || labels, Stage::kJudgements);
      return {};
    }
    case Stage::kJudgements:
      m_stage = Stage::kSeries;
      RG_TRY(loadFindings());
      return loadEdits();
    case Stage::kSeries:
      RG_TRY(loadSeries());
      if (m_asked.size() < kMaxAsked) m_stage = Stage::kLoss;
      return {};
    case Stage::kLoss: {
      RG_ASSIGN(const bool more, tellPoints(m_loss));
      goOn(more, Stage::kSteps);
      return {};
    }
    case Stage::kSteps: {
      RG_ASSIGN(const bool more, tellPoints(m_steps));
      goOn(more, Stage::kNames);
      return {};
    }
    case Stage::kNames: {
      RG_ASSIGN(const bool more, tellNames());
      goOn(more, Stage::kLogs);
      return {};
    }
    case Stage::kLogs: {
      RG_ASSIGN(const bool more, tellLogs());
      // Incomplete without the points that wait for an answer.
      if (!more && (!m_loss.empty() || !m_steps.empty())) m_stage = Stage::kLoss;
      if (!more && m_asked.empty() && m_stage == Stage::kLogs) m_stage = Stage::kDone;
      return {};
    }
    case Stage::kDone:
    case Stage::kSummaries:
      return {};
  }
  return {};
}

Status Feed::tellProgress(DurNs now) {
  m_next_progress = now + m_options.round;
  const bool all = now >= m_next_old;
  RG_ASSIGN(const ChangeReader::Parts parts, m_changes->parts());
  const auto at = static_cast<std::size_t>(StorePart::kProgress);
  if (!all && parts[at] == m_reported_parts[at]) return {};
  m_reported_parts[at] = parts[at];
  if (all) m_next_old = now + m_options.old_attempts;
  RG_ASSIGN(const auto rows, m_changes->progress(all));
  for (const Progress& one : rows) {
    bool missing = false;
    const Progress row = translated(one, missing);
    if (missing) {
      m_reported_parts[at] = ~parts[at];
      continue;
    }
    const std::uint64_t content = hashOf(messageOf(one).SerializeAsString()) | 1U;
    std::uint64_t& reported = m_progress[one.attempt.value << 32 | static_cast<std::uint32_t>(one.rank)];
    if (std::exchange(reported, content) == content) continue;
    m_target.progress(row);
  }
  return {};
}

// After the rows, also when a row of the same read must wait: a target that has rows without their mark gets them twice.
void Feed::markRows() {
  const auto rows = [](const MirrorMark& mark) { return std::tuple(mark.event, mark.label, mark.log); };
  if (rows(m_mark) == rows(m_reported_mark)) return;
  m_target.mark(m_mark);
  m_reported_mark = m_mark;
}

Result<bool> Feed::tellEvents() {
  RG_ASSIGN(const auto events, m_changes->events(m_mark.event, kRows));
  for (const Event& one : events) {
    bool missing = false;
    const Event row = translated(one, missing);
    if (waitsFor(missing)) return markRows(), false;
    m_target.event(row);
    m_mark.event = one.id;
  }
  markRows();
  return events.size() == kRows;
}

Result<bool> Feed::tellLabels() {
  if (!m_first && m_parts[static_cast<std::size_t>(StorePart::kRows)] == 0) return false;
  RG_ASSIGN(const auto labels, m_changes->labels(m_mark.label, kRows));
  for (const auto& [id, one] : labels) {
    bool missing = false;
    const Label row = translated(one, missing);
    if (waitsFor(missing)) return markRows(), false;
    m_target.label(row);
    m_mark.label = id;
  }
  markRows();
  return labels.size() == kRows;
}

Result<bool> Feed::tellLogs() {
  RG_ASSIGN(const auto logs, m_changes->logs(m_mark.log, kRows));
  bool more = logs.size() == kRows;
  for (const auto& [id, one] : logs) {
    bool missing = false;
    const LogLine row = translated(one, missing);
    if (waitsFor(missing)) return markRows(), false;
    m_target.log(row);
    m_mark.log = id;
    if (m_full()) {
      more = true;
      break;
    }
  }
  markRows();
  return more;
}

}  // namespace runglass
