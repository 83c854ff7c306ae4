// SPDX-License-Identifier: Apache-2.0
// Outbox: sealed batches until the hub has acknowledged them; first in memory, later on disk. When the oldest unacknowledged batch of a
// class is late, new batches take another lane and are sent first: after an outage live data is live at once.
//
// Threading:  thread-safe.
// Ownership:  owns batches and spool; borrows the live session's dictionary.
// Units:      bytes; sealed times are the session's clock.
// Errors:     never fails a caller: without room the lowest priority is dropped first, oldest first, and reported as a gap.
// Cost:       O(1) per batch; at most memory_bytes of payloads in memory plus an index entry of about 100 bytes per unacknowledged batch.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectors/agent/spool.h"
#include "collectors/wire/session_dictionary.h"
#include "collectors/wire/stream_class.h"
#include "model/mutex.h"

namespace runglass {

struct OutboxLimits {
  std::size_t memory_bytes = 64U << 20;
  std::uint64_t spool_bytes = 512U << 20;
  DurNs spool_after = 400 * kNsPerMs;   // unacknowledged for this long: spooled to disk
  DurNs late_after = 2 * kNsPerSecond;  // a lane whose oldest batch is older gets no new batches while connected
};

class Outbox {
 public:
  struct Position {
    std::uint32_t session_index, stream;
    std::uint64_t next_seq;
  };
  struct Gap {
    std::uint64_t from, to;  // inclusive
    TimeNs first, last;
    std::string reason;
  };
  struct Outgoing {
    std::uint32_t session_index, stream;
    std::uint64_t seq;
    std::shared_ptr<const std::string> payload;
    std::unique_ptr<Gap> gap;  // dropped directly before seq; null: none
  };

  // Takes over the batches of earlier sessions from the spool in `directory`; `session` is the live one. Issues of the recovery go to
  // `issues`.
  static Result<std::unique_ptr<Outbox>> open(const std::string& directory, OutboxLimits limits, std::string session,
                                              const SessionDictionary& dictionary, std::vector<Issue>& issues);

  void add(StreamClass stream, std::string payload, TimeNs sealed, DurNs now_mono);
  // Spools old batches to disk and enforces the limits. Call it every few hundred ms at least.
  void persist(DurNs now_mono);
  // Spools everything, for a stop with unacknowledged batches.
  void persistAll();

  // --- for the connection --------------------------------------------------------------------------------------------
  std::vector<std::string> sessions() const;  // oldest first, the live one last
  // A new connection was accepted: drops the batches that the hub has; the others count as unsent.
  void resume(const std::vector<Position>& positions, std::uint64_t credit_bytes, DurNs now_mono = monotonicNow());
  // The connection is lost: new batches stay in their lane.
  void offline();
  void acked(const std::vector<Position>& positions, std::uint64_t credit_bytes);
  // The next batch, if the credit allows one: live batches by priority, then the backlog by priority, which gets at least a fifth. Without
  // credit, live batches are sent all the same, up to kUngranted on the wire.
  std::optional<Outgoing> next();
  // The session's definitions not yet sent on this connection; call it before sending a batch of the session.
  std::string takeDefinitions(std::uint32_t session_index);
  // Waits until next() might return something, wake() is called, or the timeout passes.
  void waitForWork(DurNs timeout);
  void wake();

  // Waits until fewer than `bytes` are unacknowledged; for producers that can wait. False at the timeout.
  bool waitForRoom(std::size_t bytes, DurNs timeout);
  bool empty() const;
  // Unacknowledged, in memory or on disk.
  std::size_t waitingBytes() const {
    const MutexLock lock(m_mutex);
    return m_waiting_bytes;
  }
  std::uint64_t spoolBytes() const;
  std::uint64_t droppedBatches() const;
  // Delays from add() to acknowledgement, of the batches acknowledged since the last call (the newest 4,096 of them).
  std::vector<DurNs> takeAckDelays();
  // Time (monotonic) at which the newest acknowledged batch was added; 0: none is acknowledged.
  DurNs newestAcknowledged() const;

 private:
  struct Entry {
    std::uint64_t seq = 0;
    TimeNs sealed = 0;
    DurNs added = 0;  // monotonic
    std::uint32_t bytes = 0;
    std::shared_ptr<const std::string> payload;  // null: on disk only
    std::optional<Spool::Location> where;
  };
  struct Stream {
    std::deque<Entry> entries;
    std::size_t sent = 0;  // number of entries sent on this connection
    std::size_t bytes = 0;
    std::uint64_t next_seq = 0;
    bool ready() const { return sent < entries.size(); }
    std::vector<Gap> gaps;
  };
  struct Session {
    std::string name;
    std::string recovered_dictionary;               // of earlier sessions
    const SessionDictionary* dictionary = nullptr;  // of the live one
    std::vector<Stream> streams = std::vector<Stream>(kWireStreams);
    std::size_t definitions_sent = 0;
  };

  static constexpr std::size_t kUngranted = 256U << 10;
  struct Place {
    std::uint32_t session, stream;
    bool fresh, rivalled;  // fresh: a live batch; rivalled: a batch of the backlog is waiting as well
  };

  Outbox() = default;
  std::uint32_t liveStream(StreamClass stream) const RG_REQUIRES(m_mutex) {
    return wireStream(stream, m_lane[static_cast<std::size_t>(stream)]);
  }
  void chooseLane(StreamClass stream, DurNs now_mono) RG_REQUIRES(m_mutex);
  std::optional<Place> newest() const RG_REQUIRES(m_mutex);
  std::optional<Place> backlog() const RG_REQUIRES(m_mutex);
  std::optional<Place> choose() const RG_REQUIRES(m_mutex);
  void take(const Position& position, DurNs now_mono) RG_REQUIRES(m_mutex);
  void append(Stream& stream, std::string payload, TimeNs sealed, DurNs added) RG_REQUIRES(m_mutex);
  void forget(Stream& stream, const Entry& entry) RG_REQUIRES(m_mutex);
  void tellLastGap(std::uint32_t stream, TimeNs sealed) RG_REQUIRES(m_mutex);
  static std::string definitions(const Session& session, std::size_t offset);
  bool spill(Session& session, std::uint32_t stream, Entry& entry) RG_REQUIRES(m_mutex);
  void keepLimits() RG_REQUIRES(m_mutex);
  bool syncSpool(bool take_back) RG_REQUIRES(m_mutex);
  void dropOldestSegment() RG_REQUIRES(m_mutex);
  bool dropFromMemory() RG_REQUIRES(m_mutex);
  static std::unique_ptr<Gap> gapBefore(const Stream& stream, std::uint64_t seq);
  void noteGap(Stream& stream, const Entry& entry, const std::string& reason) RG_REQUIRES(m_mutex);

  OutboxLimits m_limits;
  mutable Mutex m_mutex;
  ConditionVariable m_work, m_room;
  bool m_woken RG_GUARDED_BY(m_mutex) = false;
  std::vector<Session> m_sessions RG_GUARDED_BY(m_mutex);
  std::array<std::uint32_t, kStreamClassCount> m_lane RG_GUARDED_BY(m_mutex){};  // lanes of the live session that take new batches
  bool m_online RG_GUARDED_BY(m_mutex) = false;
  std::size_t m_newest_run RG_GUARDED_BY(m_mutex) = 0;  // bytes of live batches sent since the last batch of the backlog
  Spool m_spool RG_GUARDED_BY(m_mutex);
  std::string m_spool_error RG_GUARDED_BY(m_mutex);
  std::size_t m_memory_bytes RG_GUARDED_BY(m_mutex) = 0;
  std::size_t m_waiting_bytes RG_GUARDED_BY(m_mutex) = 0;
  std::size_t m_in_flight RG_GUARDED_BY(m_mutex) = 0;
  std::uint64_t m_credit RG_GUARDED_BY(m_mutex) = 0;
  std::uint64_t m_dropped RG_GUARDED_BY(m_mutex) = 0;
  DurNs m_last_sync RG_GUARDED_BY(m_mutex) = 0;
  std::deque<DurNs> m_ack_delays RG_GUARDED_BY(m_mutex);
  DurNs m_newest_acknowledged RG_GUARDED_BY(m_mutex) = 0;
};

}  // namespace runglass
