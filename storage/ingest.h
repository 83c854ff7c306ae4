// SPDX-License-Identifier: Apache-2.0
// Ingest: exactly-once recording of senders' batches, and the commits that store them.
//
// Threading:  the store writer's thread, except runBegun().
// Errors:     those of the store; RESOURCE_EXHAUSTED: nothing was accepted; a later flush() may free space.
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

// Identifies a sender's stream of batches: delivery is exactly-once per (agent, session, stream).
struct StreamKey {
  std::string agent, session;
  std::uint32_t stream = 0;
  friend auto operator<=>(const StreamKey&, const StreamKey&) = default;
};

// The owner of an agent's uuid: only that sender may continue its streams.
struct AgentIdentity {
  std::string agent, node_uuid;
  std::string pass;  // name of the credential shown to the hub; empty: the hub required none
  TimeNs seen = 0;   // last connection
};

enum class Arrival : std::uint8_t { kNew, kDuplicate, kAfterGap };

class Ingest {
 public:
  virtual ~Ingest() = default;

  // --- exactly-once ingest -------------------------------------------------------------------------------------------
  // Appends one batch to the journal. kNew/kAfterGap: once this returns, the batch survives kill -9 and the caller may acknowledge it; the
  // caller must then record() its content, in the order of journaling, before the next flush begins. kDuplicate: acknowledge, record
  // nothing.
  // RESOURCE_EXHAUSTED while the disk has no room both for the batch and for storing the journal: a journal that took the last bytes could
  // never be committed. Nothing was accepted then; flush() may free space.
  virtual Result<Arrival> journal(const StreamKey& stream, std::uint64_t seq, std::string_view payload) = 0;
  // Journals many batches with one write(2). Same rules, in order.
  struct JournalEntry {
    const StreamKey* stream;
    std::uint64_t seq;
    std::string_view payload;
  };
  virtual Result<std::vector<Arrival>> journal(std::span<const JournalEntry> entries) = 0;
  // The next sequence number expected from a stream (high-water mark + 1; 0 for an unknown stream).
  virtual std::uint64_t resumeFrom(const StreamKey& stream) = 0;
  // Null: the agent is unknown to this store. setIdentity() is stored with the next flush. Both may be called while a commit runs.
  virtual const AgentIdentity* identityOf(const std::string& agent) const = 0;
  virtual void setIdentity(const AgentIdentity& identity) = 0;
  // Grows whenever a flush begins with a non-empty journal. State that later payloads need for decoding (the wire's dictionary) must then
  // be journaled again.
  virtual std::uint64_t journalEpoch() const = 0;
  // Bytes acknowledged but not committed.
  virtual std::int64_t journalBytes() const = 0;
  // The first failure of a Recorder call since the last flush; flush() then no longer returns it. Call it after each batch: a failure has
  // no effect on other batches.
  virtual Status takeFailure() = 0;
  // For a batch that was journaled but could not be recorded: writes its payload to <store>-ingest.bad and names it in an issue. The
  // high-water mark advances past it.
  virtual void setAside(const StreamKey& stream, std::uint64_t seq, std::string_view payload, const Status& why) = 0;
  // With power_safe: journaled batches survive a power cut only once this has returned. Otherwise it does nothing.
  virtual Status syncJournal() = 0;

  // As Recorder::flush(): makes all recorded data visible to other processes and truncates the journal (one transaction), but only when a
  // commit is due (10 s, 64 MiB of journal, or sooner while a commit is cheap). Call it often (~20 Hz).
  virtual Status flushIfDue() = 0;

  // --- storing on another thread -------------------------------------------------------------------------------------
  // flush(), flushIfDue() and applyRetention() in three parts, so that batches are journaled and acknowledged meanwhile: begin, runBegun()
  // on any thread, endBegun(). In between, only journal(), resumeFrom(), identities, journalEpoch(), syncJournal() and liveTail() may be
  // used; batches journaled then are recorded after the end. If it fails, everything stays as it was, and the next flush stores it.
  virtual Status beginFlush() = 0;
  virtual Result<bool> beginFlushIfDue() = 0;  // false: nothing is due, and nothing has begun
  virtual void runBegun() = 0;
  // The result of applyRetention(); true for a flush.
  virtual Result<bool> endBegun() = 0;
};

}  // namespace runglass
