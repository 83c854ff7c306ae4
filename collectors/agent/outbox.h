// SPDX-License-Identifier: Apache-2.0
// Outbox: sealed batches from the moment they exist until the hub has acknowledged them; in memory first, on disk when that takes long.
// Once what waits in a class is old, what is new takes another lane and goes first: after an outage live data is live at once.
//
// Threading:  thread-safe.
// Ownership:  owns batches and spool; borrows the live session's dictionary.
// Units:      bytes; sealed times are the session's clock.
// Errors:     never fails a caller: what finds no room is dropped lowest priority first, oldest first, and told as a gap.
// Cost:       O(1) per batch; at most memory_bytes of payloads in memory plus an index entry of about 100 bytes per waiting batch.
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
  DurNs spool_after = 400 * kNsPerMs;   // unacknowledged for this long: to disk
  DurNs late_after = 2 * kNsPerSecond;  // a lane whose oldest batch waits for so long is left to drain while there is a hub
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
    std::unique_ptr<Gap> gap;  // dropped right before seq; null: none
  };

  // Takes what the spool in `directory` holds of earlier sessions; `session` is the live one. Issues of the recovery go to `issues`.
  static Result<std::unique_ptr<Outbox>> open(const std::string& directory, OutboxLimits limits, std::string session,
                                              const SessionDictionary& dictionary, std::vector<Issue>& issues);

  void add(StreamClass stream, std::string payload, TimeNs sealed, DurNs now_mono);
  // Moves what waits too long to disk and keeps the limits. Call it every few hundred ms at least.
  void persist(DurNs now_mono);
  // Everything to disk, for a stop with batches left.
  void persistAll();

  // --- for the one connection ----------------------------------------------------------------------------------------
  std::vector<std::string> sessions() const;  // oldest first, the live one last
  // A new connection was welcomed: forget what was on the wire, drop what the hub has.
  void resume(const std::vector<Position>& positions, std::uint64_t credit_bytes, DurNs now_mono = monotonicNow());
  // The connection is gone: what comes now waits with what is newest.
  void offline();
  void acked(const std::vector<Position>& positions, std::uint64_t credit_bytes);
  // The next batch, if the credit allows one: of what is new by priority; then of what is old by priority, which gets a fifth at least.
  // Without any credit what is new goes all the same, up to kUngranted on the wire.
  std::optional<Outgoing> next();
  // The session's definitions that this connection has not sent yet; call it before sending a batch of the session.
  std::string takeDefinitions(std::uint32_t session_index);
  // Waits until next() might return something, wake() is called, or the timeout passes.
  void waitForWork(DurNs timeout);
  void wake();

  // Waits until fewer than `bytes` are unacknowledged; for producers that may wait. False at the timeout.
  bool waitForRoom(std::size_t bytes, DurNs timeout);
  bool empty() const;
  // Unacknowledged, in memory or on disk.
  std::size_t waitingBytes() const {
    const MutexLock lock(m_mutex);
    return m_waiting_bytes;
  }
  std::uint64_t spoolBytes() const;
  std::uint64_t droppedBatches() const;
  // How long each batch took from add() to its acknowledgement, of those acknowledged since the last call (the newest 4,096 of them).
  std::vector<DurNs> takeAckDelays();
  // When the newest of what is acknowledged was added (monotonic); 0: nothing is.
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
    std::size_t sent = 0;  // of entries, on this connection
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
    bool fresh, rivalled;  // it is of what is new; something old could go as well
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
  std::array<std::uint32_t, kStreamClassCount> m_lane RG_GUARDED_BY(m_mutex){};  // of the live session, that what is new takes
  bool m_online RG_GUARDED_BY(m_mutex) = false;
  std::size_t m_newest_run RG_GUARDED_BY(m_mutex) = 0;  // bytes sent of what is new since any of what is old was
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
