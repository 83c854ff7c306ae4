// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Entries of a stream are in order of seq; the first `sent` of them are on the wire of the current connection.
// 2. An entry has its payload in memory, on disk, or both. m_memory_bytes counts the former, m_waiting_bytes all entries.
// 3. A dropped entry leaves a Gap in its stream until the hub acknowledges a later batch; a lane without new batches gets an empty batch
//    for that.
// 4. Within a lane batches are sent in order of seq. Lanes of a class overtake each other.
#include "collectors/agent/outbox.h"

#include <algorithm>

#include "collectors/wire/wire_writer.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {
namespace {
constexpr std::size_t kMaxAckDelays = 4096;
constexpr std::size_t kNewestRun = 1U << 20, kBacklogShare = 4;  // while both wait, live batches get four times the bytes of the backlog
constexpr std::uint64_t kMinSegment = 64U << 10, kSegments = 8;  // a full spool loses its oldest segment, about an eighth of it
}  // namespace

Result<std::unique_ptr<Outbox>> Outbox::open(const std::string& directory, OutboxLimits limits, std::string session,
                                             const SessionDictionary& dictionary, std::vector<Issue>& issues) {
  std::unique_ptr<Outbox> self(new Outbox());
  const MutexLock lock(self->m_mutex);
  self->m_limits = limits;
  RG_ASSIGN(Spool::Recovered recovered,
            self->m_spool.open(directory, std::clamp(limits.spool_bytes / kSegments, kMinSegment, Spool::kSegmentBytes)));
  for (Spool::Session& old : recovered.sessions) {
    if (old.batches.empty()) continue;
    Session kept{.name = std::move(old.name), .recovered_dictionary = std::move(old.dictionary)};
    for (const Spool::Batch& batch : old.batches) {
      if (batch.stream >= kWireStreams) continue;
      kept.streams[batch.stream].bytes += batch.where.size;
      kept.streams[batch.stream].entries.push_back(
          {.seq = batch.seq, .sealed = batch.sealed, .bytes = batch.where.size, .payload = nullptr, .where = batch.where});
      self->m_waiting_bytes += batch.where.size;
    }
    for (Stream& stream : kept.streams)
      std::sort(stream.entries.begin(), stream.entries.end(), [](const Entry& a, const Entry& b) { return a.seq < b.seq; });
    self->m_sessions.push_back(std::move(kept));
  }
  self->m_sessions.push_back({.name = std::move(session), .recovered_dictionary = {}, .dictionary = &dictionary});
  issues = std::move(recovered.issues);
  return self;
}

void Outbox::append(Stream& stream, std::string payload, TimeNs sealed, DurNs added) {
  stream.bytes += payload.size();
  m_memory_bytes += payload.size();
  m_waiting_bytes += payload.size();
  stream.entries.push_back({.seq = stream.next_seq++,
                            .sealed = sealed,
                            .added = added,
                            .bytes = static_cast<std::uint32_t>(payload.size()),
                            .payload = std::make_shared<const std::string>(std::move(payload)),
                            .where = std::nullopt});
}

void Outbox::add(StreamClass stream_class, std::string payload, TimeNs sealed, DurNs now_mono) {
  const MutexLock lock(m_mutex);
  if (m_online) chooseLane(stream_class, now_mono);
  append(m_sessions.back().streams[liveStream(stream_class)], std::move(payload), sealed, now_mono);
  m_work.notifyOne();
}

// Leaves a late lane for the least full one, if that has less than half the bytes.
void Outbox::chooseLane(StreamClass stream_class, DurNs now_mono) {
  const auto& streams = m_sessions.back().streams;
  const Stream& current = streams[liveStream(stream_class)];
  if (current.entries.empty() || now_mono - current.entries.front().added <= m_limits.late_after) return;
  std::size_t least = current.bytes / 2;
  for (std::uint32_t lane = 0; lane < lanesOf(stream_class); ++lane) {
    const std::size_t bytes = streams[wireStream(stream_class, lane)].bytes;
    if (bytes >= least) continue;
    least = bytes;
    m_lane[static_cast<std::size_t>(stream_class)] = lane;
  }
}

std::string Outbox::definitions(const Session& session, std::size_t offset) {
  if (session.dictionary != nullptr) return session.dictionary->recordsFrom(offset);
  return session.recovered_dictionary.substr(std::min(offset, session.recovered_dictionary.size()));
}

bool Outbox::spill(Session& session, std::uint32_t stream, Entry& entry) {
  if (!entry.where) {
    const auto records = [&](std::size_t offset) { return definitions(session, offset); };
    auto where = m_spool.append(session.name, records, stream, entry.seq, entry.sealed, *entry.payload);
    if (!where.ok()) {
      m_spool_error = where.status().message();
      return false;
    }
    entry.where = *where;
  }
  m_memory_bytes -= entry.bytes;
  entry.payload.reset();
  return true;
}

void Outbox::persist(DurNs now_mono) {
  const MutexLock lock(m_mutex);
  const bool crowded = m_memory_bytes > m_limits.memory_bytes / 2;
  bool ok = true;
  Session& session = m_sessions.back();
  for (std::uint32_t stream = 0; stream < kWireStreams; ++stream)
    for (Entry& entry : session.streams[stream].entries)
      if (ok && entry.payload && (crowded || now_mono - entry.added > m_limits.spool_after)) ok = spill(session, stream, entry);
  keepLimits();
  if (now_mono - m_last_sync > kNsPerSecond) {
    m_last_sync = now_mono;
    (void)syncSpool(true);
  }
}

// Batches in a segment whose sync failed are appended to another segment, if they can be read.
bool Outbox::syncSpool(bool take_back) {
  if (const Status synced = m_spool.sync(); !synced.ok()) m_spool_error = synced.message();
  const std::vector<std::uint64_t> unsynced = m_spool.takeUnsynced();
  if (unsynced.empty()) return true;
  if (!take_back) return false;
  for (Stream& stream : m_sessions.back().streams) {
    for (Entry& entry : stream.entries) {
      if (!entry.where || std::ranges::find(unsynced, entry.where->segment) == unsynced.end()) continue;
      auto bytes = m_spool.read(*entry.where);
      if (!bytes.ok()) continue;  // next() reports it
      if (!entry.payload) {
        entry.payload = std::make_shared<const std::string>(std::move(*bytes));
        m_memory_bytes += entry.bytes;
      }
      m_spool.release(*entry.where);
      entry.where.reset();
    }
  }
  return false;
}

void Outbox::persistAll() {
  const MutexLock lock(m_mutex);
  Session& session = m_sessions.back();
  for (const bool first : {true, false}) {
    bool ok = true;
    for (std::uint32_t stream = 0; stream < kWireStreams; ++stream)
      for (Entry& entry : session.streams[stream].entries)
        if (ok && entry.payload) ok = spill(session, stream, entry);
    keepLimits();
    if (syncSpool(first)) return;
  }
}

void Outbox::keepLimits() {
  while (m_spool.bytes() > m_limits.spool_bytes && m_spool.oldest() != 0) dropOldestSegment();
  while (m_memory_bytes > m_limits.memory_bytes && dropFromMemory()) {
  }
}

void Outbox::noteGap(Stream& stream, const Entry& entry, const std::string& reason) {
  ++m_dropped;
  if (!stream.gaps.empty() && stream.gaps.back().to + 1 == entry.seq) {
    stream.gaps.back().to = entry.seq;
    stream.gaps.back().last = entry.sealed;
    return;
  }
  stream.gaps.push_back({entry.seq, entry.seq, entry.sealed, entry.sealed, reason});
}

void Outbox::dropOldestSegment() {
  const std::uint64_t oldest = m_spool.oldest();
  bool found = false;
  for (Session& session : m_sessions) {
    for (Stream& stream : session.streams) {
      TimeNs last_dropped = 0;
      for (auto it = stream.entries.begin(); it != stream.entries.end();) {
        if (!it->where || it->where->segment != oldest) {
          ++it;
          continue;
        }
        found = true;
        last_dropped = it->sealed;
        if (static_cast<std::size_t>(it - stream.entries.begin()) < stream.sent) {
          --stream.sent;
          m_in_flight -= it->bytes;
        }
        noteGap(stream, *it, "the agent's spool was full; its oldest part was dropped");
        forget(stream, *it);
        it = stream.entries.erase(it);
      }
      if (last_dropped != 0 && &session == &m_sessions.back())
        tellLastGap(static_cast<std::uint32_t>(&stream - session.streams.data()), last_dropped);
    }
  }
  RG_CHECK(found);  // a segment without unacknowledged batches deletes itself
}

// Reports the gap of a lane that gets no new batches, and so has no next batch to carry it.
void Outbox::tellLastGap(std::uint32_t stream_index, TimeNs sealed) {
  Stream& stream = m_sessions.back().streams[stream_index];
  if (!stream.entries.empty()) return;
  for (std::size_t i = 0; i < kStreamClassCount; ++i)
    if (liveStream(static_cast<StreamClass>(i)) == stream_index) return;
  std::string payload;
  wire::appendFixed64(payload, v1::Payload::kSealedNsFieldNumber, sealed);
  append(stream, std::move(payload), sealed, 0);
}

bool Outbox::dropFromMemory() {
  constexpr std::size_t kMin = kStreamClassCount - 1;
  for (std::size_t i = 0; i < kStreamClassCount * kLanes; ++i) {
    const auto stream_class = static_cast<StreamClass>(kMin - i / kLanes);
    const auto lane = static_cast<std::uint32_t>(i % kLanes);
    if (lane >= lanesOf(stream_class)) continue;
    Stream& stream = m_sessions.back().streams[wireStream(stream_class, lane)];
    for (auto it = stream.entries.begin(); it != stream.entries.end(); ++it) {
      if (!it->payload) continue;
      if (static_cast<std::size_t>(it - stream.entries.begin()) < stream.sent) {
        --stream.sent;
        m_in_flight -= it->bytes;
      }
      noteGap(stream, *it, "no memory left at the agent and no room to spool: " + m_spool_error);
      forget(stream, *it);
      stream.entries.erase(it);
      return true;
    }
  }
  return false;
}

void Outbox::forget(Stream& stream, const Entry& entry) {
  stream.bytes -= entry.bytes;
  if (entry.payload) m_memory_bytes -= entry.bytes;
  m_waiting_bytes -= entry.bytes;
  if (entry.where) m_spool.release(*entry.where);
}

std::vector<std::string> Outbox::sessions() const {
  const MutexLock lock(m_mutex);
  std::vector<std::string> names;
  for (const Session& session : m_sessions) names.push_back(session.name);
  return names;
}

void Outbox::take(const Position& position, DurNs now_mono) {
  if (position.session_index >= m_sessions.size() || position.stream >= kWireStreams) return;
  Stream& stream = m_sessions[position.session_index].streams[position.stream];
  while (!stream.entries.empty() && stream.entries.front().seq < position.next_seq) {
    if (stream.entries.front().added != 0) m_ack_delays.push_back(now_mono - stream.entries.front().added);
    if (m_ack_delays.size() > kMaxAckDelays) m_ack_delays.pop_front();
    m_newest_acknowledged = std::max(m_newest_acknowledged, stream.entries.front().added);
    if (stream.sent > 0) {
      --stream.sent;
      m_in_flight -= stream.entries.front().bytes;
    }
    forget(stream, stream.entries.front());
    stream.entries.pop_front();
  }
  std::erase_if(stream.gaps, [&](const Gap& gap) { return gap.to < position.next_seq; });
}

void Outbox::resume(const std::vector<Position>& positions, std::uint64_t credit_bytes, DurNs now_mono) {
  const MutexLock lock(m_mutex);
  for (Session& session : m_sessions) {
    session.definitions_sent = 0;
    for (Stream& stream : session.streams) stream.sent = 0;
  }
  m_in_flight = 0;
  m_credit = credit_bytes;
  m_newest_run = 0;
  for (const Position& position : positions) take(position, now_mono);
  m_online = true;
  for (std::size_t i = 0; i < kStreamClassCount; ++i) chooseLane(static_cast<StreamClass>(i), now_mono);
  m_work.notifyOne();
  m_room.notifyAll();
}

void Outbox::offline() {
  const MutexLock lock(m_mutex);
  m_online = false;
}

void Outbox::acked(const std::vector<Position>& positions, std::uint64_t credit_bytes) {
  const MutexLock lock(m_mutex);
  const DurNs now_mono = monotonicNow();
  m_credit = credit_bytes;
  for (const Position& position : positions) take(position, now_mono);
  m_work.notifyOne();
  m_room.notifyAll();
}

std::unique_ptr<Outbox::Gap> Outbox::gapBefore(const Stream& stream, std::uint64_t seq) {
  std::unique_ptr<Gap> joined;
  for (const Gap& gap : stream.gaps) {
    if (gap.to >= seq) break;
    if (!joined) joined = std::make_unique<Gap>(gap);
    joined->to = gap.to;
    joined->last = gap.last;
  }
  return joined;
}

// Events are sent in the order of their creation, including those of earlier sessions.
std::optional<Outbox::Place> Outbox::newest() const {
  const auto live = static_cast<std::uint32_t>(m_sessions.size() - 1);
  for (std::size_t i = 0; i < kStreamClassCount; ++i) {
    const auto stream_class = static_cast<StreamClass>(i);
    const std::uint32_t stream = liveStream(stream_class);
    for (std::uint32_t session = stream_class == StreamClass::kEvents ? 0 : live; session <= live; ++session)
      if (m_sessions[session].streams[stream].ready()) return Place{session, stream, true, false};
  }
  return std::nullopt;
}

std::optional<Outbox::Place> Outbox::backlog() const {
  for (std::size_t i = 0; i < kStreamClassCount; ++i) {
    const auto stream_class = static_cast<StreamClass>(i);
    std::optional<Place> oldest;
    DurNs added = 0;
    for (std::uint32_t session = 0; session < m_sessions.size() && !oldest; ++session) {
      const bool live = session + 1 == m_sessions.size();
      for (std::uint32_t lane = 0; lane < lanesOf(stream_class); ++lane) {
        const std::uint32_t stream = wireStream(stream_class, lane);
        const Stream& candidate = m_sessions[session].streams[stream];
        if (!candidate.ready() || (live && stream == liveStream(stream_class))) continue;
        if (const Entry& entry = candidate.entries[candidate.sent]; !oldest || entry.added < added) {
          oldest = Place{session, stream, false, false};
          added = entry.added;
        }
      }
    }
    if (oldest) return oldest;
  }
  return std::nullopt;
}

std::optional<Outbox::Place> Outbox::choose() const {
  if (m_in_flight >= (m_credit > 0 ? m_credit : kUngranted)) return std::nullopt;
  const std::optional<Place> old = m_credit > 0 ? backlog() : std::nullopt;
  if (old && m_newest_run >= kNewestRun) return old;
  std::optional<Place> fresh = newest();
  if (!fresh) return old;
  fresh->rivalled = old.has_value();
  return fresh;
}

std::optional<Outbox::Outgoing> Outbox::next() {
  const MutexLock lock(m_mutex);
  while (const std::optional<Place> place = choose()) {
    Stream& stream = m_sessions[place->session].streams[place->stream];
    Entry& entry = stream.entries[stream.sent];
    std::shared_ptr<const std::string> payload = entry.payload;
    if (!payload) {
      auto bytes = m_spool.read(*entry.where);
      if (!bytes.ok()) {  // lost by the disk: report it and continue
        noteGap(stream, entry, bytes.status().message());
        forget(stream, entry);
        stream.entries.erase(stream.entries.begin() + static_cast<std::ptrdiff_t>(stream.sent));
        continue;
      }
      payload = std::make_shared<const std::string>(std::move(*bytes));
    }
    if (!place->fresh)
      m_newest_run -= std::min<std::size_t>(m_newest_run, kBacklogShare * entry.bytes);
    else if (place->rivalled)
      m_newest_run += entry.bytes;
    ++stream.sent;
    m_in_flight += entry.bytes;
    return Outgoing{place->session, place->stream, entry.seq, std::move(payload), gapBefore(stream, entry.seq)};
  }
  return std::nullopt;
}

std::string Outbox::takeDefinitions(std::uint32_t session_index) {
  const MutexLock lock(m_mutex);
  Session& session = m_sessions[session_index];
  std::string records = definitions(session, session.definitions_sent);
  session.definitions_sent += records.size();
  return records;
}

void Outbox::waitForWork(DurNs timeout) {
  MutexLock lock(m_mutex);
  m_work.waitFor(lock, timeout, [this]() RG_REQUIRES(m_mutex) { return m_woken || choose(); });
  m_woken = false;
}

void Outbox::wake() {
  const MutexLock lock(m_mutex);
  m_woken = true;
  m_work.notifyAll();
}

bool Outbox::waitForRoom(std::size_t bytes, DurNs timeout) {
  MutexLock lock(m_mutex);
  return m_room.waitFor(lock, timeout, [&]() RG_REQUIRES(m_mutex) { return m_waiting_bytes < bytes; });
}

bool Outbox::empty() const {
  const MutexLock lock(m_mutex);
  return std::all_of(m_sessions.begin(), m_sessions.end(), [](const Session& session) {
    return std::all_of(session.streams.begin(), session.streams.end(), [](const Stream& stream) { return stream.entries.empty(); });
  });
}

std::uint64_t Outbox::spoolBytes() const {
  const MutexLock lock(m_mutex);
  return m_spool.bytes();
}

std::vector<DurNs> Outbox::takeAckDelays() {
  const MutexLock lock(m_mutex);
  std::vector<DurNs> delays(m_ack_delays.begin(), m_ack_delays.end());
  m_ack_delays.clear();
  return delays;
}

DurNs Outbox::newestAcknowledged() const {
  const MutexLock lock(m_mutex);
  return m_newest_acknowledged;
}

std::uint64_t Outbox::droppedBatches() const {
  const MutexLock lock(m_mutex);
  return m_dropped;
}

}  // namespace runglass
