// SPDX-License-Identifier: Apache-2.0
// RingReader: the agent's side of a trainer's ring file. Reads it with pread and never maps it, so a file that is cut, garbage or
// hostile cannot crash the agent. The file is open for writing because two fields are the agent's: `tail`, which frees what was read, and
// the orders for the tracer.
//
// Threading:  one thread per reader. Two readers of one file: the second is refused.
// Ownership:  owns the descriptor; record payloads handed out live until the next drain().
// Units:      ns of the trainer's CLOCK_MONOTONIC; slots of 64 bytes.
// Errors:     open(): those of OpenRing; UNAVAILABLE another agent reads it; INVALID_ARGUMENT not a ring, or of a version unknown here.
//             drain(): DATA_LOSS the header makes no sense any more. A torn record is skipped and counted, not an error.
// Cost:       drain(): two reads of what is new, at most 1 MiB at a time.
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
  // Deletes the ring's file, and what its trainer armed for stacks (see collectors/sources/capture).
  void remove() const;
  // The header as of the last drain() or open().
  const rgr_header& header() const { return m_header; }
  // The consistent copy of the progress slot, and its version; version 0 = nothing yet.
  const rgr_progress& progress() const { return m_progress; }
  std::uint64_t progressVersion() const { return m_progress_version; }
  // False while the trainer has not told its identity or is changing it: the header's copy may be half written.
  bool identityIsWhole() const { return (m_header.identity_version != 0 && m_header.identity_version % 2 == 0) || !m_alive; }

  // The owner's process id here (0: in another pid namespace), or nothing when it is gone.
  bool alive() const { return m_alive; }
  std::int32_t pid() const { return m_pid; }

  // Reads the header again; drain() does so too.
  Status look();
  // Hands every complete record not yet released to `take`, in order, then says whether there may be more at once.
  Result<bool> drain(const std::function<void(const Record&)>& take);
  // Gives the slots of the last drain() back to the trainer. Not calling it means: read them again.
  void release();
  // True once the owner is gone and everything was read and released.
  bool exhausted() const { return !m_alive && m_position == m_header.head; }
  bool neverRead() const { return m_first_tail == 0; }

  // What the trainer said about orders, as of now; all zero where the file cannot be read.
  rgr_tracer tracer() const;
  // The orders in force; nothing asked where there are none that their check confirms.
  rgr_orders orders() const;
  // Puts them in force; returns their serial, which the tracer's `taken` reaches when it took them up.
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
  // Slots of the record at `index` of the buffer, 0 when none is complete there.
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
