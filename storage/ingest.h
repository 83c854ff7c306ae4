// SPDX-License-Identifier: Apache-2.0
// Ingest: batches of senders, each taken exactly once, and when what was recorded is stored.
//
// Threading:  the store writer's thread, but runBegun().
// Errors:     those of the store; RESOURCE_EXHAUSTED: nothing was taken, and a later flush() may make room.
// Cost:       journal(): one write(2); a flush is one transaction.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"
#include "model/time.h"

namespace runglass {

// Names a sender's stream of batches: exactly-once is per (agent, session, stream).
struct StreamKey {
  std::string agent, session;
  std::uint32_t stream = 0;
  friend auto operator<=>(const StreamKey&, const StreamKey&) = default;
};

// Whose an agent's uuid is: a sender's streams are its alone.
struct AgentIdentity {
  std::string agent, node_uuid;
  std::string pass;  // name of what it showed to the hub; empty: the hub asked for nothing
  TimeNs seen = 0;   // when it last connected
};

enum class Arrival : std::uint8_t { kNew, kDuplicate, kAfterGap };

class Ingest {
 public:
  virtual ~Ingest() = default;

  // --- exactly-once ingest -------------------------------------------------------------------------------------------
  // Appends one batch to the journal. kNew/kAfterGap: durable against kill -9 once this returns and the caller may acknowledge,
  // then must record() its content, in the order of journaling, before the next flush begins. kDuplicate: acknowledge, record nothing.
  // RESOURCE_EXHAUSTED while the disk has no room for it and for storing what waits: a journal that took the last bytes could never be
  // stored. Nothing was taken then; flush() may make room.
  virtual Result<Arrival> journal(const StreamKey& stream, std::uint64_t seq, std::string_view payload) = 0;
  // Journals many batches with one write(2). Same rules, in order.
  struct JournalEntry {
    const StreamKey* stream;
    std::uint64_t seq;
    std::string_view payload;
  };
  virtual Result<std::vector<Arrival>> journal(std::span<const JournalEntry> entries) = 0;
  // Next sequence number wanted from a stream (high-water mark + 1; 0 for an unknown stream).
  virtual std::uint64_t resumeFrom(const StreamKey& stream) = 0;
  // Null: an agent that this store does not know. setIdentity() is stored with the next flush. Both also while a commit runs.
  virtual const AgentIdentity* identityOf(const std::string& agent) const = 0;
  virtual void setIdentity(const AgentIdentity& identity) = 0;
  // Grows whenever a flush begins with a journal that is not empty. Whatever later payloads need in order to be decoded alone (the wire's
  // dictionary) must be journaled again after it grew.
  virtual std::uint64_t journalEpoch() const = 0;
  // Acknowledged and not committed.
  virtual std::int64_t journalBytes() const = 0;
  // The first failure of a Recorder's call since the last flush; flush() does not return it any more. Call it after each batch: what failed
  // has no effect on the others.
  virtual Status takeFailure() = 0;
  // A batch that was journaled and could not be recorded: its payload goes to <store>-ingest.bad, and an issue names it. The high-water
  // mark moves over it.
  virtual void setAside(const StreamKey& stream, std::uint64_t seq, std::string_view payload, const Status& why) = 0;
  // With power_safe: what was journaled survives a power cut only once this returned. Otherwise it does nothing.
  virtual Status syncJournal() = 0;

  // Makes all recorded data visible to other processes and truncates the journal (one transaction). Recorder::flush().
  // Decides by itself whether a commit is due (10 s, 64 MiB of journal, or sooner while that is cheap); call it often (~20 Hz).
  virtual Status flushIfDue() = 0;

  // --- storing on another thread -------------------------------------------------------------------------------------
  // flush(), flushIfDue() and applyRetention() in three parts, so that batches are journaled and acknowledged meanwhile: begin, runBegun()
  // on any thread, endBegun(). In between only journal(), resumeFrom(), identities, journalEpoch(), syncJournal() and liveTail() may be
  // used: what is journaled then is recorded after the end. Where it fails everything stays as it was, and the next flush stores it.
  virtual Status beginFlush() = 0;
  virtual Result<bool> beginFlushIfDue() = 0;  // false: nothing is due, and nothing has begun
  virtual void runBegun() = 0;
  // What applyRetention() returns; of a flush true.
  virtual Result<bool> endBegun() = 0;
};

}  // namespace runglass
