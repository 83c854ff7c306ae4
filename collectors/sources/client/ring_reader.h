// SPDX-License-Identifier: Apache-2.0
// RingReader: the agent's side of a trainer's ring file. Reads it with pread and never maps it, so that a truncated, corrupt or hostile
// file cannot crash the agent. The file is open for writing for the agent's two fields: `tail`, which frees slots after reading, and the
// commands for the tracer.
//
// Threading:  one thread per reader. Two readers of one file: the second is refused.
// Ownership:  owns the descriptor; record payloads passed on are valid until the next drain().
// Units:      ns of the trainer's CLOCK_MONOTONIC; slots of 64 bytes.
// Errors:     open(): those of OpenRing; UNAVAILABLE another agent reads it; INVALID_ARGUMENT not a ring, or of an unknown version.
//             drain(): DATA_LOSS the header is no longer valid. A torn record is skipped and counted, not an error.
// Cost:       drain(): two reads of the new data, at most 1 MiB at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/client/ring_layout.h"
#include "collectors/sources/client/open_ring.h"
#include "model/result.h"

namespace runglass {

class RingReader {
 public:
  struct Record {
    rgr_commit head;
    std::string_view payload;  // the slots' bytes, padded to whole slots
  };

  static Result<std::unique_ptr<RingReader>> open(const std::string& path);
  RingReader(const RingReader&) = delete;
  RingReader& operator=(const RingReader&) = delete;

  const std::string& path() const { return m_file.path(); }
  // Deletes the ring's file, and the file that its trainer armed for stacks (see collectors/sources/capture).
  void remove() const;
  // The header as of the last drain() or open().
  const rgr_header& header() const { return m_header; }
  // The consistent copy of the progress slot, and its version; version 0 = nothing yet.
  const rgr_progress& progress() const { return m_progress; }
  std::uint64_t progressVersion() const { return m_progress_version; }
  // False while the trainer has not published its identity or is changing it: the header's copy may be inconsistent.
  bool identityIsWhole() const { return (m_header.identity_version != 0 && m_header.identity_version % 2 == 0) || !m_alive; }

  // The owner's pid here (0: in another pid namespace), or none when it has ended.
  bool alive() const { return m_alive; }
  std::int32_t pid() const { return m_pid; }

  // Reads the header again; drain() does so too.
  Status look();
  // Passes every complete unreleased record to `take`, in order. Returns whether there may be more at once.
  Result<bool> drain(const std::function<void(const Record&)>& take);
  // Returns the slots of the last drain() to the trainer. Without this call they are read again.
  void release();
  // True once the owner has ended and everything was read and released.
  bool exhausted() const { return !m_alive && m_position == m_header.head; }
  bool neverRead() const { return m_first_tail == 0; }

  // The tracer's current state of commands; all zero if the file cannot be read.
  rgr_tracer tracer() const;
  // The current commands; no requests if their check does not match.
  rgr_orders orders() const;
  // Writes the commands; returns their serial, which the tracer's `taken` reaches once it has accepted them.
  Result<std::uint64_t> putOrders(rgr_orders orders) const;

  // Interned string; "(damaged name)" for an id that is not in the table.
  std::string_view string(std::uint32_t id);
  std::uint64_t tornRecords() const { return m_torn; }

 private:
  explicit RingReader(OpenRing file) : m_file(std::move(file)) {}
  bool readAt(void* to, std::size_t bytes, std::uint64_t offset) const;
  Status refresh();
  void lookForOwner();
  bool readSlots(std::uint64_t position, std::uint64_t count);
  // Slots of the record at `index` of the buffer; 0 if none is complete there.
  std::uint64_t recordAt(std::uint64_t index, std::uint64_t count) const;
  rgr_commit commitAt(std::uint64_t index) const;

  const OpenRing m_file;
  rgr_header m_header{};
  rgr_progress m_progress{};
  std::uint64_t m_progress_version = 0;
  bool m_alive = true;
  std::int32_t m_pid = 0;
  std::uint64_t m_first_tail = 0, m_position = 0, m_next = 0, m_torn = 0;
  bool m_in_torn = false;
  std::uint64_t m_string_bytes = RGR_STRING_BYTES, m_slots_at = RGR_SLOTS_AT;  // by the ring's version
  std::vector<char> m_slots;
  std::string m_joined;
  std::vector<std::string> m_strings;
};

}  // namespace runglass
