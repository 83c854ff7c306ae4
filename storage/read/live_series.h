// SPDX-License-Identifier: Apache-2.0
// LiveSeries and LiveTrack: the LiveTail's data of one series and of one track. Internal to storage.
//
// Threading:  the writer changes them, under their mutex; Readers lock it to copy. Members that no Reader uses belong to the writer alone.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/mutex.h"
#include "model/samples.h"
#include "model/spans.h"
#include "storage/codec/series_buffer.h"
#include "storage/codec/span_summary.h"

namespace runglass {

// A sealed chunk on its way into the file: it is removed here one commit after the one that stored it.
struct PendingChunk {
  std::uint64_t generation = 0;  // of the commit that stores it
  std::int64_t ordinal = 0;      // among the series' sealed chunks
  std::int64_t replaces = 0;     // the open chunk's row in the file; 0: none
  std::size_t stored = 0;        // number of leading points already in that row; 0 where their order was lost
  std::shared_ptr<const ChunkRow> row;
  std::shared_ptr<const Pyramid> pyramid;
};

struct SeriesExtent {
  std::int64_t count = 0, first_x = 0, last_x = 0;
  std::optional<TimeNs> first_time, last_time;
};

// The number of points that have left the open chunk. Up to `disordered` of them may be in chunks whose order of arrival was lost by
// sealing.
struct SealedPoints {
  std::int64_t count = 0, disordered = 0;
};

struct LiveSeries {
  mutable Mutex mutex;
  SeriesBuffer main RG_GUARDED_BY(mutex);
  std::unique_ptr<SeriesBuffer> late RG_GUARDED_BY(mutex);  // points before the last sealed one of `main`
  std::vector<PendingChunk> pending RG_GUARDED_BY(mutex);
  SeriesExtent extent RG_GUARDED_BY(mutex);
  std::int64_t newest_sealed RG_GUARDED_BY(mutex) = 0;  // the highest id of a sealed chunk
  SealedPoints sealed_main RG_GUARDED_BY(mutex);
  SealedPoints sealed_late RG_GUARDED_BY(mutex);
  std::optional<LatestSample> latest RG_GUARDED_BY(mutex);
  // Only the writer changes these members, so it reads them without the lock.
  void writerReads() const RG_ASSERT_SHARED(mutex) {}
  bool writerHasPending() const {
    writerReads();
    return !pending.empty();
  }

  // The writer's own:
  bool late_idle = false;  // nothing arrived for `late` since the last check
  bool extent_changed = false;
  bool listed = false;  // in the list of series to flush
  TimeNs touched = 0;   // when the flush before its newest point began, on the monotonic clock
  bool any_sealed = false;
  std::int64_t sealed_x1 = 0;
  std::int64_t sealed_chunks = 0;
};

// A chunk in its row's encoding.
struct PackedSpans {
  std::string data, summary;
};

struct PendingSpans {
  std::uint64_t generation = 0;  // of the commit that stores it; 0: the lane's open chunk
  std::int32_t lane = 0;
  std::int64_t chunk_id = 0, first_span_id = 0;
  std::size_t n = 0;
  std::shared_ptr<const SpanChunk> open;      // of an open chunk
  std::shared_ptr<const PackedSpans> packed;  // of a sealed one
  TimeNs t0 = 0, t1 = 0;                      // t1 exclusive; max while a span is open
};

// Lanes 0..63 are the source's depths; spans that overlap one of their own depth go to lanes 64 + depth, 128 + depth, ...
inline constexpr std::int32_t kSpanDepths = 64;

struct LiveLane {
  TimeNs end = std::numeric_limits<TimeNs>::min();  // the highest end of its spans
  SpanChunk open;
  std::int64_t chunk_id = 0, first_span_id = 0;
  TimeNs t0 = 0, t1 = 0;
  std::size_t args_bytes = 0;
  bool dirty = false;
  std::vector<PendingSpans> pending;
};

struct LiveTrack {
  mutable Mutex mutex;
  std::vector<std::unique_ptr<LiveLane>> lanes RG_GUARDED_BY(mutex);
  void writerReads() const RG_ASSERT_SHARED(mutex) {}  // as in LiveSeries
  bool listed = false;                                 // the writer's own: in the list of tracks to flush
  TimeNs touched = 0;                                  // as in LiveSeries
};

}  // namespace runglass
