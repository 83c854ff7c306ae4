// SPDX-License-Identifier: Apache-2.0
// A Reader's cache for series between one moment and the next: the encoded chunks that hold the newest point. Internal to storage.
//
// Threading:  one thread, the Reader's.
// Ownership:  owns the chunks.
// Units:      x as in the chunks, not corrected; bytes.
// Cost:       O(1) per series. Going through more series than the budget holds keeps those that fitted: LRU eviction would drop each one
//             shortly before its next use.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/samples.h"
#include "storage/codec/sample_blocks.h"

namespace runglass {

struct MomentChunk {
  std::int64_t id = 0;
  std::uint32_t crc = 0;
  bool late = false, good = false;
  EncodedChunk points;
};

// Chunks of one series that hold its newest point at any x in [from, to).
struct MomentSlot {
  std::int64_t version = -1;      // of the file
  bool judged = false;            // `ordered` is determined
  bool ordered = false;           // no chunk begins before the end of the one before it
  bool without_open = false;      // the tail has the open chunks
  std::int64_t from = 0, to = 0;  // the highest int64: no end
  std::vector<MomentChunk> chunks;
  std::size_t bytes = 0;
  std::uint64_t used = 0;
  bool holds(std::int64_t x) const { return x >= from && (x < to || to == std::numeric_limits<std::int64_t>::max()); }
};

// The chunks of a series over steps: which of them has points of a time is known only after decoding.
struct StepChunk {
  std::int64_t id = 0, x0 = 0, x1 = 0;
  std::uint32_t crc = 0;
  bool late = false, good = true;
  std::optional<TimeNs> earliest;
};
struct StepSlot {
  std::int64_t version = -1;
  bool without_open = false;
  std::vector<StepChunk> chunks;  // by end, the last one first
};

// An encoded chunk for a DecodedCache.
struct KeptChunk {
  std::shared_ptr<EncodedChunk> chunk;
  std::size_t bytes() const { return chunk->bytes(); }
};

class MomentCache {
 public:
  explicit MomentCache(std::size_t budget) : m_budget(budget) {}
  // A new jump: entries that the previous jump did not use are dropped.
  void begin() {
    ++m_jump;
    if (m_bytes < m_budget / 4 * 3) return;
    for (auto& [id, slot] : m_slots)
      if (slot.used + 1 < m_jump) empty(slot);
  }
  MomentSlot& of(SeriesId id) { return m_slots[id.value]; }
  MomentSlot* find(SeriesId id) {
    const auto known = m_slots.find(id.value);
    return known == m_slots.end() ? nullptr : &known->second;
  }
  // After a slot was used: keeps its chunks if the budget allows.
  void settle(MomentSlot& slot) {
    std::size_t bytes = 0;
    for (const MomentChunk& chunk : slot.chunks) bytes += chunk.points.bytes() + sizeof chunk;
    m_bytes += bytes - slot.bytes;
    slot.bytes = bytes;
    slot.used = m_jump;
    if (m_bytes > m_budget) empty(slot);
  }

 private:
  void empty(MomentSlot& slot) {
    m_bytes -= slot.bytes;
    slot.bytes = 0;
    slot.version = -1;
    slot.chunks = {};
  }
  std::unordered_map<std::uint64_t, MomentSlot> m_slots;
  std::size_t m_budget, m_bytes = 0;
  std::uint64_t m_jump = 0;
};

// The answers for one moment: a view that requests both the catalogue and the values gets the same ones. Answers of another moment stay
// until they are replaced: a jump allocates nothing.
struct MomentAnswers {
  struct Answer {
    std::uint64_t jump = 0;  // the jump it belongs to
    std::optional<LatestSample> newest;
  };
  TimeNs moment = 0;
  std::int64_t version = -1;
  std::uint64_t live = 0, jump = 0;
  std::unordered_map<std::uint64_t, Answer> of;  // by series
};

}  // namespace runglass
