// SPDX-License-Identifier: Apache-2.0
// Feed: the catalogue, findings and edits.
#include <string_view>

#include "collectors/hub/replica/feed.h"
#include "collectors/wire/edit_message.h"
#include "collectors/wire/judgement_message.h"
#include "collectors/wire/record_message.h"
#include "model/judgement_fields.h"
#include "model/record_call.h"
#include "model/recorder_fields.h"
#include "storage/writer.h"

namespace runglass {
namespace {

constexpr std::size_t kAlerts = 512, kFindings = 32, kIncidents = 16, kNewestAlerts = 1'000;

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

}  // namespace

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
    m_sayings.insert(m_sayings.end(), readings.begin(), readings.end());
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
    bool missing = false;
    Finding row = translated(one, missing);
    if (missing) {
      m_reported_parts[static_cast<std::size_t>(StorePart::kFindings)] = ~m_parts[static_cast<std::size_t>(StorePart::kFindings)];
      if (!row.run) continue;
    }
    if (!news(keyOf('F', {static_cast<std::uint64_t>(one.id)}), messageOf(row).SerializeAsString())) continue;
    part.findings.push_back(std::move(row));
    if (part.findings.size() == kFindings) hand();
  }
  hand();
  // A finding is sent with its current notification; earlier ones are sent once they are no longer current.
  std::unordered_map<std::int64_t, std::optional<TimeNs>> now;
  for (const Finding& one : findings) now[one.id] = one.published;
  RG_ASSIGN(const auto published, m_reader->publishedFindings(std::nullopt));
  for (const Finding& one : published) {
    const auto current = now.find(one.id);
    if (current == now.end() || current->second == one.published) continue;
    if (!news(keyOf('T', {static_cast<std::uint64_t>(one.id), static_cast<std::uint64_t>(*one.published)}), "")) continue;
    part.published.push_back(one);
    if (part.published.size() == kFindings) m_sayings.emplace_back(std::exchange(part, {}));
  }
  if (!part.published.empty()) m_sayings.emplace_back(std::move(part));
  return {};
}

Status Feed::loadEdits() {
  if (changed(StorePart::kAlerts)) {
    RG_ASSIGN(const auto alerts, m_reader->alerts(m_first ? static_cast<std::size_t>(Writer::kMaxAlerts) : kNewestAlerts));
    Judgements part;
    for (auto it = alerts.rbegin(); it != alerts.rend(); ++it) {
      bool missing = false;
      Alert one = translated(*it, missing);
      if (!missing && news(keyOf('A', {static_cast<std::uint64_t>(it->id)}), messageOf(one).SerializeAsString()))
        part.alerts.push_back(std::move(one));
      if (part.alerts.size() == kAlerts) m_sayings.emplace_back(std::exchange(part, {}));
    }
    if (!part.alerts.empty()) m_sayings.emplace_back(std::move(part));
  }
  if (!changed(StorePart::kEdits)) return {};
  RG_ASSIGN(const auto runs, m_reader->runs());
  Judgements rest{.notes = std::vector<Note>(), .snoozes = std::vector<Snooze>()};
  std::unordered_map<std::uint64_t, std::string> uuids;
  std::unordered_map<std::uint64_t, std::int32_t> numbers;
  std::string all_notes, all_snoozes, all_incidents;
  // Objects missing in the catalogue are sent next time, with their edits.
  const auto isReported = [this](auto id) {
    if (!id || m_names->there(id)) return true;
    m_reported_parts[static_cast<std::size_t>(StorePart::kEdits)] = ~m_parts[static_cast<std::size_t>(StorePart::kEdits)];
    return false;
  };
  for (const Run& run : runs) {
    if (!isReported(run.id)) continue;
    uuids[run.id.value] = run.uuid;
    RG_ASSIGN(auto notes, m_reader->notes(run.id));
    for (Note& note : notes) {
      all_notes += contentOf(Edit(note));
      rest.notes->push_back(std::move(note));
    }
    RG_ASSIGN(const auto attempts, m_reader->attempts(run.id));
    for (const Attempt& attempt : attempts) {
      if (!isReported(attempt.id)) continue;
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
    if (!isReported(one.run) || !isReported(one.attempt)) continue;
    IncidentEdit edit{.run_uuid = uuids[one.run.value], .attempt = std::nullopt, .incident = one};
    if (const auto number = numbers.find(one.attempt.value); number != numbers.end()) edit.attempt = number->second;
    edit.incident.id = 0;
    edit.incident.run = {}, edit.incident.attempt = {};
    if (news(keyOf('I', {}, one.uuid), contentOf(Edit(edit)))) rest.incidents.push_back(std::move(edit));
    // Incidents can be long, so they are sent in parts; the list of uuids follows.
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
    if constexpr (std::is_same_v<Row, IssueTotal>) {
      m_target.total(one.issue);
    } else if constexpr (std::is_same_v<Row, Judgements>) {
      m_target.judge(one);
    } else {
      const Row row = translated(one, missing);
      if constexpr (std::is_void_v<decltype(record(m_target, row))>)
        record(m_target, row);
      else
        m_names->pair(one.id, record(m_target, row));
    }
  };
  std::visit(visit, saying);
  if (!missing) return;
  // It refers to an object missing in the catalogue that was read: everything is read and compared again.
  m_reported_parts.fill(~std::uint64_t{0});
  std::visit(
      [this](const auto& one) {
        using Row = std::remove_cvref_t<decltype(one)>;
        if constexpr (std::is_same_v<Row, Rank>)
          m_reported.erase(hashOf(keyOf('k', {one.attempt.value, static_cast<std::uint32_t>(one.rank)})));
        else if constexpr (std::is_same_v<Row, Device>)
          m_reported.erase(hashOf(keyOf('d', {one.id.value})));
        else if constexpr (std::is_same_v<Row, Fact>)
          m_reported.erase(hashOf(keyOf('f', {one.attempt.value, one.node.value, orNone(one.rank)}, one.key)));
      },
      saying);
}

}  // namespace runglass
