// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. parts() and growth() are read before what they speak of: what comes in between is found in the next round.
// 2. A row is told after all that it names; where the catalogue lags behind, the row waits for the next round.
// 3. m_mark moves only over what was told, and is told right behind it: a target has the mark if and only if it has the rows.
// 4. A series' position moves with its points; those of a series whose position at the target is not known wait.
#include "collectors/feed/feed.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "collectors/agent/record_message.h"
#include "collectors/control/edit_message.h"
#include "collectors/control/judgement_message.h"
#include "storage/writer.h"

namespace runglass {
namespace {

constexpr std::size_t kRows = 512, kFindings = 32, kIncidents = 16, kNewestAlerts = 1'000, kBlock = 8'192, kMostAsked = 8'192;
constexpr DurNs kPatience = 60 * kNsPerSecond;  // with what a row names and the catalogue lacks; then the row goes without

std::uint64_t hashOf(std::string_view bytes) { return std::hash<std::string_view>{}(bytes); }

std::string keyOf(char kind, std::initializer_list<std::uint64_t> numbers, std::string_view text = {}) {
  std::string key(1, kind);
  for (const std::uint64_t number : numbers) key.append(reinterpret_cast<const char*>(&number), sizeof number);
  return key.append(text);
}

std::uint64_t orNone(const std::optional<std::int32_t>& rank) { return rank ? static_cast<std::uint32_t>(*rank) : ~std::uint64_t{0}; }

std::string contentOf(const Edit& edit) {
  std::string all;
  for (const v1::EditPart& part : partsOf(edit, {})) all += part.SerializeAsString();
  return all;
}

std::string contentOf(const Alert& alert) {
  std::string all;
  const auto number = [&all](std::optional<std::int64_t> value) { all += value ? std::to_string(*value) + "," : ","; };
  for (const auto value : {alert.end, alert.due, alert.told, std::optional(alert.count)}) number(value);
  return all.append(severityName(alert.severity)).append(alert.summary).append("\n").append(alert.link).append("\n").append(alert.delivery);
}

// From where on a target lacks points, as far as its count and last step tell: behind that step, or somewhere.
std::size_t lacking(const ScalarColumns& all, std::int64_t count, std::int64_t last_step) {
  const auto behind = static_cast<std::size_t>(std::ranges::upper_bound(all.step, last_step) - all.step.begin());
  return static_cast<std::int64_t>(behind) == count ? behind : 0;
}

ScalarColumns block(const ScalarColumns& all, std::size_t from, std::size_t to) {
  const auto cut = [&](const auto& column) {
    using Column = std::remove_cvref_t<decltype(column)>;
    const auto at = [&](std::size_t i) { return column.begin() + static_cast<std::ptrdiff_t>(i); };
    return column.empty() ? Column() : Column(at(from), at(to));
  };
  return {cut(all.step), cut(all.time), cut(all.value)};
}

}  // namespace

Result<std::unique_ptr<Feed>> Feed::open(const std::string& store, const ReaderOptions& reader, MirrorRecorder& target,
                                         std::function<bool()> full, FeedOptions options) {
  std::unique_ptr<Feed> feed(new Feed(target, std::move(full), std::move(options)));
  RG_ASSIGN(feed->m_reader, Reader::open(store, reader));
  RG_ASSIGN(feed->m_changes, ChangeReader::open(store, reader));
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
  m_told_mark = m_mark;
}

template <class Id>
Id Feed::look(const std::unordered_map<std::uint64_t, std::uint64_t>& ids, Id source, bool& missing) const {
  if (!source) return {};
  const auto it = ids.find(source.value);
  if (it != ids.end()) return {it->second};
  missing = true;
  return {};
}

bool Feed::news(std::string_view key, std::string_view content) {
  std::uint64_t& told = m_told.try_emplace(hashOf(key), 0).first->second;
  const std::uint64_t now = hashOf(content) | 1U;  // 0: never told
  return std::exchange(told, now) != now;
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
  const bool is = m_first || m_parts[at] != m_told_parts[at];
  m_told_parts[at] = m_parts[at];
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
  // However long the rest takes: what is going on now comes first.
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
      m_in_round = m_first = false;
      return false;
    }
    const Stage before = m_stage;
    RG_TRY(stage(monotonic));
    if (m_stage == before && !m_asked.empty() && (m_stage == Stage::kLogs || m_stage == Stage::kSeries)) return false;
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
      if (m_asked.size() < kMostAsked) m_stage = Stage::kLoss;
      return {};
    case Stage::kLoss: {
      RG_ASSIGN(const bool more, tellPoints(m_loss));
      goOn(more, Stage::kSteps);
      return {};
    }
    case Stage::kSteps: {
      RG_ASSIGN(const bool more, tellPoints(m_steps));
      goOn(more, Stage::kLogs);
      return {};
    }
    case Stage::kLogs: {
      RG_ASSIGN(const bool more, tellLogs());
      // Not complete without the points that wait for an answer.
      if (!more && (!m_loss.empty() || !m_steps.empty())) m_stage = Stage::kLoss;
      if (!more && m_asked.empty() && m_stage == Stage::kLogs) m_stage = Stage::kDone;
      return {};
    }
    case Stage::kDone:
      return {};
  }
  return {};
}

Status Feed::loadCatalog(DurNs now) {
  const auto add = [this](const std::string& key, const auto& row, const std::string& content) {
    if (news(key, content)) m_sayings.emplace_back(row);
  };
  if (changed(StorePart::kNodes)) {
    RG_ASSIGN(const auto nodes, m_reader->nodes());
    for (const Node& one : nodes) add(keyOf('n', {one.id.value}), one, messageOf(one.id, one).SerializeAsString());
  }
  if (changed(StorePart::kDevices)) {
    RG_ASSIGN(const auto devices, m_reader->devices());
    for (const Device& one : devices) add(keyOf('d', {one.id.value}), one, messageOf(one.id, one).SerializeAsString());
  }
  const bool runs_changed = changed(StorePart::kRuns), attempts_changed = changed(StorePart::kAttempts);
  const bool ranks_changed = changed(StorePart::kRanks), facts_changed = changed(StorePart::kFacts);
  const bool groups_changed = changed(StorePart::kGroups), checkpoints_changed = changed(StorePart::kCheckpoints);
  RG_ASSIGN(const auto runs, m_reader->runs());
  if (runs_changed) {
    for (const Run& one : runs) add(keyOf('r', {one.id.value}), one, messageOf(one.id, one).SerializeAsString());
  }
  if (attempts_changed || ranks_changed || facts_changed || groups_changed) {
    for (const Run& run : runs) {
      RG_ASSIGN(const auto attempts, m_reader->attempts(run.id));
      for (const Attempt& one : attempts) {
        if (attempts_changed) add(keyOf('a', {one.id.value}), one, messageOf(one.id, one).SerializeAsString());
        if (ranks_changed) {
          RG_ASSIGN(const auto ranks, m_reader->ranks(one.id));
          for (const Rank& rank : ranks)
            add(keyOf('k', {one.id.value, static_cast<std::uint32_t>(rank.rank)}), rank, messageOf(rank).SerializeAsString());
        }
        if (facts_changed) {
          RG_ASSIGN(const auto facts, m_reader->facts(one.id));
          for (const Fact& fact : facts)
            add(keyOf('f', {one.id.value, fact.node.value, orNone(fact.rank)}, fact.key), fact, messageOf(fact).SerializeAsString());
        }
        if (groups_changed) {
          RG_ASSIGN(const auto groups, m_reader->groups(one.id));
          for (const CommGroup& group : groups)
            add(keyOf('g', {one.id.value, static_cast<std::uint64_t>(group.id)}), group, messageOf(group).SerializeAsString());
        }
      }
    }
  }
  if (checkpoints_changed) {
    for (const Run& run : runs) {
      RG_ASSIGN(const auto checkpoints, m_reader->checkpoints(run.id));
      for (const Checkpoint& one : checkpoints)
        add(keyOf('c', {one.attempt.value, static_cast<std::uint64_t>(one.step)}, one.path), one, messageOf(one).SerializeAsString());
    }
  }
  if (now >= m_next_clocks) {
    m_next_clocks = now + m_options.clocks;
    RG_ASSIGN(const auto readings, m_changes->clocks(m_clocks));
    for (const ClockReading& one : readings) {
      TimeNs& told = m_clocks.try_emplace({one.node, one.session}, one.raw).first->second;
      told = std::max(told, one.raw);
      m_sayings.emplace_back(one);
    }
  }
  if (changed(StorePart::kRows)) {
    RG_ASSIGN(const auto issues, m_reader->issues());
    for (const Issue& one : issues)
      if (news(keyOf('i', {}, one.code + "\n" + one.source), std::to_string(one.count))) m_sayings.emplace_back(IssueTotal{one});
  }
  return {};
}

Status Feed::loadFindings() {
  if (!changed(StorePart::kFindings)) return {};
  RG_ASSIGN(const auto findings, m_reader->findings(std::nullopt));
  Judgements part;
  const auto hand = [&] {
    if (!part.findings.empty()) m_sayings.emplace_back(std::exchange(part, {}));
  };
  for (const Finding& one : findings) {
    Finding translated = one;
    bool missing = false;
    translated.run = look(m_runs, one.run, missing);
    translated.attempt = look(m_attempts, one.attempt, missing);
    translated.node = look(m_nodes, one.node, missing);
    if (missing) {
      m_told_parts[static_cast<std::size_t>(StorePart::kFindings)] = ~m_parts[static_cast<std::size_t>(StorePart::kFindings)];
      if (!translated.run) continue;
    }
    if (!news(keyOf('F', {static_cast<std::uint64_t>(one.id)}), messageOf(translated).SerializeAsString())) continue;
    part.findings.push_back(std::move(translated));
    if (part.findings.size() == kFindings) hand();
  }
  hand();
  // What a finding says now is told with it; what it said before, once it does not say it any more.
  std::unordered_map<std::int64_t, std::optional<TimeNs>> now;
  for (const Finding& one : findings) now[one.id] = one.told;
  RG_ASSIGN(const auto tellings, m_reader->tellings(std::nullopt));
  for (const Finding& one : tellings) {
    const auto current = now.find(one.id);
    if (current == now.end() || current->second == one.told) continue;
    if (!news(keyOf('T', {static_cast<std::uint64_t>(one.id), static_cast<std::uint64_t>(*one.told)}), "")) continue;
    part.tellings.push_back(one);
    if (part.tellings.size() == kFindings) m_sayings.emplace_back(std::exchange(part, {}));
  }
  if (!part.tellings.empty()) m_sayings.emplace_back(std::move(part));
  return {};
}

Status Feed::loadEdits() {
  if (changed(StorePart::kAlerts)) {
    RG_ASSIGN(const auto alerts, m_reader->alerts(m_first ? static_cast<std::size_t>(Writer::kMaxAlerts) : kNewestAlerts));
    Judgements part;
    for (auto it = alerts.rbegin(); it != alerts.rend(); ++it) {
      Alert one = *it;
      bool missing = false;
      one.run = look(m_runs, it->run, missing);
      if (!missing && news(keyOf('A', {static_cast<std::uint64_t>(it->id)}), contentOf(one))) part.alerts.push_back(std::move(one));
      if (part.alerts.size() == kRows) m_sayings.emplace_back(std::exchange(part, {}));
    }
    if (!part.alerts.empty()) m_sayings.emplace_back(std::move(part));
  }
  if (!changed(StorePart::kEdits)) return {};
  RG_ASSIGN(const auto runs, m_reader->runs());
  Judgements rest{.notes = std::vector<Note>(), .snoozes = std::vector<Snooze>()};
  std::unordered_map<std::uint64_t, std::string> uuids;
  std::unordered_map<std::uint64_t, std::int32_t> numbers;
  std::string all_notes, all_snoozes, all_incidents;
  // What the catalogue had not when it was read is told next time, with what people said of it.
  const auto isTold = [this](const auto& ids, std::uint64_t id) {
    if (id == 0 || ids.contains(id)) return true;
    m_told_parts[static_cast<std::size_t>(StorePart::kEdits)] = ~m_parts[static_cast<std::size_t>(StorePart::kEdits)];
    return false;
  };
  for (const Run& run : runs) {
    if (!isTold(m_runs, run.id.value)) continue;
    uuids[run.id.value] = run.uuid;
    RG_ASSIGN(auto notes, m_reader->notes(run.id));
    for (Note& note : notes) {
      all_notes += contentOf(Edit(note));
      rest.notes->push_back(std::move(note));
    }
    RG_ASSIGN(const auto attempts, m_reader->attempts(run.id));
    for (const Attempt& attempt : attempts) {
      if (!isTold(m_attempts, attempt.id.value)) continue;
      numbers[attempt.id.value] = attempt.number;
      RG_ASSIGN(auto alignment, m_reader->alignment(attempt.id));
      const std::string key = keyOf('L', {attempt.id.value});
      if (!alignment) alignment = ClockAlignment{.run_uuid = run.uuid, .attempt = attempt.number, .source = {}, .shifts = {}};
      if (news(key, contentOf(Edit(*alignment)))) rest.alignments.push_back(std::move(*alignment));
    }
  }
  RG_ASSIGN(*rest.snoozes, m_reader->snoozes());
  for (const Snooze& snooze : *rest.snoozes) all_snoozes += contentOf(Edit(snooze));
  RG_ASSIGN(const auto incidents, m_reader->incidents(std::nullopt));
  rest.incident_uuids.emplace();
  for (const Incident& one : incidents) {
    all_incidents += one.uuid + "\n";
    rest.incident_uuids->push_back(one.uuid);
    if (!isTold(m_runs, one.run.value) || !isTold(m_attempts, one.attempt.value)) continue;
    IncidentEdit edit{.run_uuid = uuids[one.run.value], .attempt = std::nullopt, .incident = one};
    if (const auto number = numbers.find(one.attempt.value); number != numbers.end()) edit.attempt = number->second;
    edit.incident.id = 0;
    edit.incident.run = {}, edit.incident.attempt = {};
    if (news(keyOf('I', {}, one.uuid), contentOf(Edit(edit)))) rest.incidents.push_back(std::move(edit));
    // They may be long; who is named below comes after them.
    if (rest.incidents.size() == kIncidents) {
      Judgements part;
      part.incidents.swap(rest.incidents);
      m_sayings.emplace_back(std::move(part));
    }
  }
  if (!news("notes", all_notes)) rest.notes.reset();
  if (!news("snoozes", all_snoozes)) rest.snoozes.reset();
  if (!news("incidents", all_incidents)) rest.incident_uuids.reset();
  const bool any = rest.notes || rest.snoozes || rest.incident_uuids || !rest.incidents.empty() || !rest.alignments.empty();
  if (any) m_sayings.emplace_back(std::move(rest));
  return {};
}

void Feed::say(const Saying& saying) {
  bool missing = false;
  const auto visit = [&](const auto& one) {
    using Row = std::remove_cvref_t<decltype(one)>;
    if constexpr (std::is_same_v<Row, Node>) {
      m_nodes[one.id.value] = m_target.node(one).value;
    } else if constexpr (std::is_same_v<Row, Run>) {
      m_runs[one.id.value] = m_target.run(one).value;
    } else if constexpr (std::is_same_v<Row, IssueTotal>) {
      m_target.total(one.issue);
    } else if constexpr (std::is_same_v<Row, Judgements>) {
      m_target.judge(one);
    } else {
      Row row = one;
      if constexpr (requires { row.attempt; }) row.attempt = look(m_attempts, one.attempt, missing);
      if constexpr (requires { row.node; }) row.node = look(m_nodes, one.node, missing);
      if constexpr (std::is_same_v<Row, Device>) m_devices[one.id.value] = m_target.device(row).value;
      if constexpr (std::is_same_v<Row, Attempt>) {
        row.run = look(m_runs, one.run, missing);
        m_attempts[one.id.value] = m_target.attempt(row).value;
      }
      if constexpr (std::is_same_v<Row, Rank>) {
        row.device = look(m_devices, one.device, missing);
        m_target.rank(row);
      }
      if constexpr (std::is_same_v<Row, Fact>) m_target.fact(row);
      if constexpr (std::is_same_v<Row, Checkpoint>) m_target.checkpoint(row);
      if constexpr (std::is_same_v<Row, CommGroup>) m_target.group(row);
      if constexpr (std::is_same_v<Row, ClockReading>) m_target.clock(row);
    }
  };
  std::visit(visit, saying);
  if (!missing) return;
  // It named what was not in the catalogue when that was read: all is read and compared again.
  m_told_parts.fill(~std::uint64_t{0});
  std::visit(
      [this](const auto& one) {
        using Row = std::remove_cvref_t<decltype(one)>;
        if constexpr (std::is_same_v<Row, Rank>)
          m_told.erase(hashOf(keyOf('k', {one.attempt.value, static_cast<std::uint32_t>(one.rank)})));
        else if constexpr (std::is_same_v<Row, Device>)
          m_told.erase(hashOf(keyOf('d', {one.id.value})));
        else if constexpr (std::is_same_v<Row, Fact>)
          m_told.erase(hashOf(keyOf('f', {one.attempt.value, one.node.value, orNone(one.rank)}, one.key)));
      },
      saying);
}

Status Feed::tellProgress(DurNs now) {
  m_next_progress = now + m_options.round;
  const bool all = now >= m_next_old;
  RG_ASSIGN(const ChangeReader::Parts parts, m_changes->parts());
  const auto at = static_cast<std::size_t>(StorePart::kProgress);
  if (!all && parts[at] == m_told_parts[at]) return {};
  m_told_parts[at] = parts[at];
  if (all) m_next_old = now + m_options.old_attempts;
  RG_ASSIGN(const auto rows, m_changes->progress(all));
  for (const Progress& one : rows) {
    bool missing = false;
    const AttemptId attempt = look(m_attempts, one.attempt, missing);
    if (missing) {
      m_told_parts[at] = ~parts[at];
      continue;
    }
    const std::uint64_t content = hashOf(messageOf(one).SerializeAsString()) | 1U;
    std::uint64_t& told = m_progress[one.attempt.value << 32 | static_cast<std::uint32_t>(one.rank)];
    if (std::exchange(told, content) == content) continue;
    Progress row = one;
    row.attempt = attempt;
    m_target.progress(row);
  }
  return {};
}

// Behind rows, also where a row of the same read has to wait: a target that has rows without their mark is told them twice.
void Feed::markRows() {
  const auto rows = [](const MirrorMark& mark) { return std::tuple(mark.event, mark.label, mark.log); };
  if (rows(m_mark) == rows(m_told_mark)) return;
  m_target.mark(m_mark);
  m_told_mark = m_mark;
}

Result<bool> Feed::tellEvents() {
  RG_ASSIGN(const auto events, m_changes->events(m_mark.event, kRows));
  for (const Event& one : events) {
    bool missing = false;
    Event row = one;
    row.attempt = look(m_attempts, one.attempt, missing);
    row.node = look(m_nodes, one.node, missing);
    row.device = look(m_devices, one.device, missing);
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
    Label row = one;
    row.attempt = look(m_attempts, one.attempt, missing);
    row.node = look(m_nodes, one.node, missing);
    row.device = look(m_devices, one.device, missing);
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
    LogLine row = one;
    row.attempt = look(m_attempts, one.attempt, missing);
    row.node = look(m_nodes, one.node, missing);
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

Status Feed::loadSeries() {
  if (changed(StorePart::kSeries)) {
    RG_ASSIGN(const auto fresh, m_changes->series(m_last_series));
    for (const Series& one : fresh) {
      bool missing = false;
      SeriesKey key = one.key;
      key.attempt = look(m_attempts, one.key.attempt, missing);
      key.node = look(m_nodes, one.key.node, missing);
      key.device = look(m_devices, one.key.device, missing);
      if (missing) {
        m_told_parts[static_cast<std::size_t>(StorePart::kSeries)] = ~m_parts[static_cast<std::size_t>(StorePart::kSeries)];
        break;
      }
      if (m_asked.size() >= kMostAsked) {
        m_told_parts[static_cast<std::size_t>(StorePart::kSeries)] = ~m_parts[static_cast<std::size_t>(StorePart::kSeries)];
        break;
      }
      m_last_series = one.id;
      if (m_series.size() <= one.id.value) m_series.resize(std::max(one.id.value + 1, m_series.size() * 2));
      SeriesState& state = m_series[one.id.value];
      state.stage = SeriesState::kOther;
      if (key.kind != SeriesKind::kScalar) continue;
      state.target = m_target.series(key);
      state.of_steps = key.metric.starts_with("step_");
      state.stage = SeriesState::kAsked;
      m_asked.emplace(state.target.value, one.id);
    }
  }
  std::vector<SeriesId> grown;
  RG_ASSIGN(m_growth, m_changes->grown(m_growth, grown));
  for (const SeriesId id : grown) {
    // One whose row is not committed yet is told from its begin once it is.
    if (id.value < m_series.size() && m_series[id.value].stage == SeriesState::kReady) queue(id);
  }
  return {};
}

void Feed::queue(SeriesId source) {
  SeriesState& state = m_series[source.value];
  if (std::exchange(state.queued, true)) return;
  (state.of_steps ? m_steps : m_loss).push_back(source);
}

void Feed::answer(std::span<const Have> have, SeriesId through) {
  for (const Have& one : have) {
    const auto asked = m_asked.find(one.series.value);
    if (asked == m_asked.end()) continue;
    const SeriesId source = asked->second;
    m_asked.erase(asked);
    SeriesState& state = m_series[source.value];
    state.stage = SeriesState::kReady;
    if (one.count > 0 && !place(source, one).ok()) m_whole.reset();
    queue(source);
  }
  std::erase_if(m_asked, [&](const auto& asked) {
    if (asked.first > through.value) return false;
    m_series[asked.second.value].stage = SeriesState::kReady;
    queue(asked.second);
    return true;
  });
}

// Sets where to go on, or marks the series as one whose points are compared.
Status Feed::place(SeriesId source, const Have& have) {
  SeriesState& state = m_series[source.value];
  state.have = {-1 - have.count, have.last_step};  // to be compared, unless it has all
  RG_ASSIGN(const PointPosition end, m_changes->end(source));
  if (end.main + end.late == have.count) state.have = end;
  return {};
}

Result<bool> Feed::tellPoints(std::deque<SeriesId>& queue) {
  do {
    if (m_whole) {
      RG_TRY(tellWhole());
      continue;
    }
    if (queue.empty()) return false;
    const SeriesId id = queue.front();
    SeriesState& state = m_series[id.value];
    NewPoints found{.unclear = true};
    if (state.have.main >= 0) {
      RG_ASSIGN(found, m_changes->points(id, state.have));
    }
    if (found.unclear) {
      RG_ASSIGN(WholeSeries whole, m_changes->whole(id));
      m_whole = Whole{id, std::move(whole), 0};
      m_whole->at = state.have.main < 0 ? lacking(m_whole->series.points, -1 - state.have.main, state.have.late) : 0;
    } else {
      for (const ScalarColumns& piece : found.pieces) m_target.scalars(state.target, piece.step, piece.time, piece.value);
      state.have = found.next;
    }
    if (found.more) continue;
    state.queued = false;
    queue.pop_front();
  } while (!m_full());
  return m_whole || !queue.empty();
}

// One block of it: steps that are equal stay together.
Status Feed::tellWhole() {
  Whole& whole = *m_whole;
  const ScalarColumns& all = whole.series.points;
  std::size_t to = std::min(all.size(), whole.at + kBlock);
  while (to < all.size() && to > 0 && all.step[to] == all.step[to - 1]) ++to;
  SeriesState& state = m_series[whole.source.value];
  if (to > whole.at) {
    const ScalarColumns part = block(all, whole.at, to);
    m_target.complete(state.target, part.step.front(), part.step.back(), part);
  }
  whole.at = to;
  if (to < all.size()) return {};
  state.have = whole.series.next;
  m_whole.reset();
  return {};
}

}  // namespace runglass
