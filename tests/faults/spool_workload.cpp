// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/spool_workload.h"

namespace runglass::test {
namespace {

constexpr std::uint64_t kSegment = 4'000;

std::string spoolPayload(const SpoolWorkload::Key& key) {
  const auto& [session, stream, seq] = key;
  return session + "." + std::to_string(stream) + "." + std::to_string(seq) + "." + std::string(seq * 7919 % 900, 'p');
}

std::string dictionaryOf(const std::string& session) {
  std::string all;
  for (int i = 0; i < 200; ++i) all += session + " defines " + std::to_string(i) + ";";
  return all;
}

}  // namespace

void SpoolWorkload::run(int steps) {
  for (int step = 0; step < steps; ++step) {
    if (m_spool == nullptr && !open()) return;
    const std::size_t dice = m_random() % 100;
    if (dice < 65)
      append();
    else if (dice < 80)
      release(m_random() % (m_held.size() + 1));
    else if (dice < 95)
      sync();
    else
      m_spool.reset();
  }
}

// Batches of a segment that could not be synced are moved to another one, as in an agent.
void SpoolWorkload::moveUnsynced() {
  for (const std::uint64_t segment : m_spool->takeUnsynced()) m_unsynced.insert(segment);
  for (auto& [key, where] : m_held) {
    if (std::get<0>(key) != m_session || !m_unsynced.contains(where.segment)) continue;
    const auto moved = appendBatch(key);
    if (!moved.ok()) return;
    m_spool->release(where);
    where = *moved;
  }
}

void SpoolWorkload::sync() {
  if (m_spool == nullptr) return;
  bool synced = false;
  for (int attempt = 0; attempt < 2 && !synced; ++attempt) {
    moveUnsynced();
    synced = m_spool->sync().ok();
  }
  if (!synced) return;
  for (const std::uint64_t segment : m_spool->takeUnsynced()) m_unsynced.insert(segment);  // found while moving: for the next sync
  // Only batches of this session: this sync does not cover those that an earlier one left unsynced.
  for (const auto& [key, where] : m_held)
    if (std::get<0>(key) == m_session && !m_unsynced.contains(where.segment) && m_synced.insert(key).second)
      m_log.push_back({m_disk.operations(), key, What::kSynced});
}

std::set<SpoolWorkload::Key> SpoolWorkload::heldAt(std::size_t operation, bool synced_only) const {
  std::set<Key> held;
  for (const Entry& one : m_log) {
    if (one.operations > operation) continue;
    if (one.what == What::kReleased)
      held.erase(one.key);
    else if (one.what == What::kSynced || !synced_only)
      held.insert(one.key);
  }
  return held;
}

std::string SpoolWorkload::check(const std::string& folder, const std::set<Key>& wanted, const std::set<Key>& appended) {
  std::string wrong;
  std::set<Key> there;
  {
    Spool spool;
    const auto opened = spool.open(folder, kSegment);
    if (!opened.ok()) return "the spool cannot be opened: " + opened.status().message();
    for (const Spool::Session& session : opened->sessions) {
      if (!dictionaryOf(session.name).starts_with(session.dictionary)) wrong += session.name + ": its dictionary is another one\n";
      for (const Spool::Batch& batch : session.batches) {
        const Key key = {session.name, batch.stream, batch.seq};
        const std::string name = session.name + "/" + std::to_string(batch.stream) + "/" + std::to_string(batch.seq);
        if (!there.insert(key).second) wrong += name + ": twice\n";
        if (!appended.contains(key)) wrong += name + ": was never appended\n";
        const auto payload = spool.read(batch.where);
        if (!payload.ok() || *payload != spoolPayload(key)) wrong += name + ": its payload is another one\n";
      }
    }
    std::map<std::pair<std::string, std::uint32_t>, std::vector<std::uint64_t>> lost;
    for (const auto& [session, stream, seq] : wanted)
      if (!there.contains({session, stream, seq})) lost[{session, stream}].push_back(seq);
    for (const auto& [stream, seqs] : lost)
      wrong += stream.first + "/" + std::to_string(stream.second) + ": " + std::to_string(seqs.size()) + " batches missing, the first " +
               std::to_string(seqs.front()) + "\n";
    const auto more = spool.append(
        "after", [](std::size_t) { return std::string(); }, 0, 0, 0, "more");
    if (!more.ok()) wrong += "the spool takes no more: " + more.status().message() + "\n";
  }
  Spool again;
  const auto opened = again.open(folder, kSegment);
  if (!opened.ok()) return wrong + "the spool cannot be opened again: " + opened.status().message();
  std::size_t batches = 0;
  for (const Spool::Session& session : opened->sessions) batches += session.batches.size();
  if (batches != there.size() + 1)
    wrong += "the next start finds " + std::to_string(batches) + " batches instead of " + std::to_string(there.size() + 1) + "\n";
  return wrong;
}

bool SpoolWorkload::open() {
  m_spool = std::make_unique<Spool>();
  const auto opened = m_spool->open(m_folder, kSegment);
  if (!opened.ok()) {
    m_spool.reset();
    return false;
  }
  m_session = "s" + std::to_string(++m_lives);
  m_next.clear();
  m_held.clear();
  m_unsynced.clear();
  for (const Spool::Session& session : opened->sessions)
    for (const Spool::Batch& batch : session.batches) m_held.emplace_back(Key{session.name, batch.stream, batch.seq}, batch.where);
  return true;
}

Result<Spool::Location> SpoolWorkload::appendBatch(const Key& key) {
  // It grows with the session.
  const std::string dictionary = dictionaryOf(m_session).substr(0, 60 + 5 * (m_next[0] + m_next[1] + m_next[2]));
  return m_spool->append(
      m_session, [&](std::size_t offset) { return offset < dictionary.size() ? dictionary.substr(offset) : std::string(); },
      std::get<1>(key), std::get<2>(key), 0, spoolPayload(key));
}

void SpoolWorkload::append() {
  const auto stream = static_cast<std::uint32_t>(m_random() % 3);
  const std::uint64_t seq = m_next[stream];
  const Key key = {m_session, stream, seq};
  m_appended.insert(key);
  const auto where = appendBatch(key);
  if (!where.ok()) return;
  ++m_next[stream];
  m_held.emplace_back(key, *where);
  m_log.push_back({m_disk.operations(), key, What::kAppended});
}

// The oldest are acknowledged. A crash during the release may leave them released.
void SpoolWorkload::release(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    m_log.push_back({m_disk.operations(), m_held.front().first, What::kReleased});
    m_spool->release(m_held.front().second);
    m_held.erase(m_held.begin());
  }
}

}  // namespace runglass::test
