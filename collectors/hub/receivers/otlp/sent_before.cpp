// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/receivers/otlp/sent_before.h"

#include <algorithm>
#include <utility>

namespace runglass {
namespace {

constexpr DurNs kReadAtOnce = 3'600 * kNsPerSecond;  // of a track

}  // namespace

void SentBefore::remember(std::uint64_t request) {
  if (m_known.size() >= kMaxOwners || m_kept > m_most / 2) m_known.clear(), m_kept = 0;
  if (!m_requests.insert(request).second) return;
  m_order.push_back(request);
  if (m_order.size() <= kMaxRequests) return;
  m_requests.erase(m_order.front());
  m_order.pop_front();
}

std::uint64_t SentBefore::idOf(const LogLine& line) {
  std::uint64_t id = std::hash<std::string_view>()(line.text);
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(line.time.value_or(0)), static_cast<std::uint64_t>(line.severity),
        static_cast<std::uint64_t>(line.rank.value_or(-1)), static_cast<std::uint64_t>(std::hash<std::string_view>()(line.stream))})
    id = (id ^ part) * 0x9E3779B97F4A7C15ULL, id ^= id >> 32U;
  return id;
}

Result<std::optional<AttemptId>> SentBefore::attemptOf(const Owner& owner) {
  RG_ASSIGN(const std::vector<Run> runs, m_reader->runs());
  const auto run = std::ranges::find(runs, owner.run, &Run::name);
  if (run == runs.end()) return std::optional<AttemptId>();
  RG_ASSIGN(const std::vector<Attempt> attempts, m_reader->attempts(run->id));
  const auto attempt = std::ranges::find(attempts, owner.attempt, &Attempt::key);
  return attempt == attempts.end() ? std::optional<AttemptId>() : std::optional(attempt->id);
}

SentBefore::Known& SentBefore::entry(const std::string& key, TimeNs oldest, std::optional<TimeRange>& missing) {
  Known& known = m_known[key];
  // Corrected times differ from those that were sent. Requests that were not acknowledged come in any order: more is read than is asked
  // for.
  const TimeNs from = std::max(oldest, m_began - kReach) - kSkew;
  if (known.from && *known.from <= from) return known;
  missing = TimeRange{from - kSlack, known.from.value_or(m_began + 2 * kSkew)};
  return known;
}

bool SentBefore::keep(Known& known, std::uint64_t id) {
  if (known.too_many) return false;
  m_kept += known.ids.insert(id).second ? 1 : 0;
  if (m_kept <= m_most) return true;
  m_kept -= known.ids.size();
  known.ids = {};
  known.too_many = true;
  return false;
}

Result<const SentBefore::Ids*> SentBefore::spans(const Owner& owner, const TrackKey& track, TimeNs oldest) {
  std::optional<TimeRange> missing;
  Known& known =
      entry(owner.run + '\0' + owner.attempt + '\0' + std::to_string(owner.rank.value_or(-1)) + '\0' + track.kind + '\0' + track.name,
            oldest, missing);
  if (known.too_many) return nullptr;
  if (!missing) return &known.ids;
  RG_ASSIGN(const std::optional<AttemptId> attempt, attemptOf(owner));
  if (!attempt) return known.from = missing->t0, &known.ids;
  RG_ASSIGN(const std::vector<Track> tracks, m_reader->tracks(*attempt));
  for (const Track& one : tracks) {
    if (one.key.rank != owner.rank || one.key.kind != track.kind || one.key.name != track.name) continue;
    for (TimeNs from = missing->t0; from < missing->t1; from += kReadAtOnce) {
      RG_ASSIGN(const SpanColumns columns, m_reader->spans(one.id, {from, std::min(from + kReadAtOnce, missing->t1)}));
      for (const std::int64_t id : columns.external_id)
        if (!keep(known, static_cast<std::uint64_t>(id))) return nullptr;
    }
  }
  known.from = missing->t0;
  return &known.ids;
}

Result<const SentBefore::Ids*> SentBefore::logs(const Owner& owner, TimeNs oldest) {
  std::optional<TimeRange> missing;
  Known& known = entry(std::string("log") + '\0' + owner.run + '\0' + owner.attempt + '\0' + owner.node_uuid, oldest, missing);
  if (known.too_many) return nullptr;
  if (!missing) return &known.ids;
  RowQuery query{.range = *missing, .order = RowOrder::kOldestFirst, .limit = 20'000};
  if (owner.run.empty()) {
    RG_ASSIGN(const std::vector<Node> nodes, m_reader->nodes());
    const auto node = std::ranges::find(nodes, owner.node_uuid, &Node::uuid);
    if (node == nodes.end()) return known.from = missing->t0, &known.ids;
    query.node = node->id;
  } else {
    RG_ASSIGN(query.attempt, attemptOf(owner));
    if (!query.attempt) return known.from = missing->t0, &known.ids;
  }
  for (bool more = true; more;) {
    RG_ASSIGN(const LogPage page, m_reader->searchLogs(query));
    for (const LogHit& hit : page.hits)
      if (!keep(known, idOf(hit.line))) return nullptr;
    more = page.more && !page.hits.empty();
    if (more) query.after = page.hits.back().key;
  }
  known.from = missing->t0;
  return &known.ids;
}

}  // namespace runglass
