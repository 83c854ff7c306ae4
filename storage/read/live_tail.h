// SPDX-License-Identifier: Apache-2.0
// LiveTail: the data that the writer of this process holds beyond the file's last commit, shared with Readers of the same process, such
// that file + tail contain every sample exactly once at any moment. Internal to storage.
//
// Threading:  the writer's thread changes it; Readers call the snapshot methods from any thread. One mutex per series and track.
// Ownership:  shared. A series or track stays until it is idle and completely in the file (evictIdle()), until remove(), or clear().
// Units:      generations count commits (rg_meta 'generation'): a snapshot of the file at generation g plus everything newer in the tail.
// Errors:     a snapshot is refused (absent) when the file's snapshot is older than the data kept here; the Reader then takes a newer one.
// Cost:       a snapshot copies the open chunk (a few KiB) while holding its lock.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "model/captures.h"
#include "model/events.h"
#include "model/mutex.h"
#include "storage/read/live_series.h"
#include "storage/read/slot_pages.h"

namespace runglass {

// Rows that are appended, not upserted: they are stored by the commit that advances the high-water marks.
struct PendingRows {
  std::uint64_t generation = 0;
  std::vector<Event> events;
  std::vector<LogLine> logs;
  std::int64_t first_log = 0;  // the id of logs[0]; the others are consecutive
  std::vector<Label> labels;
  std::vector<std::shared_ptr<const Capture>> captures;  // shared: their texts are large, and a snapshot is taken many times a second
  std::vector<Issue> issues;
};

// Merges `more` into `have`, which has the same code and source.
void addIssue(Issue& have, const Issue& more);

struct SeriesSnapshot {
  bool owned = false;  // the tail holds the open chunks: ignore those of the file
  std::vector<PendingChunk> sealed;
  std::optional<RawPoints> open, open_late;  // in x order
};

// Parts of a store that a commit may change; see LiveTail::parts().
enum class StorePart : std::uint8_t {
  kNodes,
  kDevices,
  kRuns,
  kAttempts,
  kRanks,
  kFacts,
  kCheckpoints,
  kGroups,
  kSeries,
  kProgress,
  kClocks,
  kRows,
  kFindings,
  kEdits,
  kAlerts,
  kTracks
};
inline constexpr std::size_t kStoreParts = 16;

class LiveTail {
 public:
  // --- Readers ---
  std::uint64_t generation() const { return m_changes.load(std::memory_order_acquire); }
  std::optional<SeriesSnapshot> series(SeriesId id, std::uint64_t file_generation) const;
  // The tail's candidates for a series' newest point within a bound: sealed chunks that may hold it, and the points of the open ones.
  struct Moment {
    bool owned = false;  // as above
    std::vector<PendingChunk> sealed;
    std::optional<FoundPoint> main, late;
  };
  std::optional<Moment> newestAt(SeriesId id, std::uint64_t file_generation, PointBound bound) const;
  // The track's pending and open spans; `owned` as above.
  struct SpanSnapshot {
    bool owned = false;
    std::vector<PendingSpans> chunks;
  };
  std::optional<SpanSnapshot> spans(TrackId id, std::uint64_t file_generation) const;
  // A span chunk by its id, if the tail holds a newer state than the file's snapshot.
  struct ChunkSnapshot {
    TrackId track;
    std::optional<PendingSpans> chunk;
  };
  std::optional<ChunkSnapshot> spanChunk(std::int64_t chunk_id, std::uint64_t file_generation) const;
  // For replication of points: open ones in order of arrival, those beyond the first `main` and `late` of all that the series ever had.
  struct Arrivals {
    bool owned = false;
    std::vector<PendingChunk> sealed;
    SealedPoints sealed_main, sealed_late;
    std::int64_t open_count = 0, open_late_count = 0;  // total numbers
    RawPoints open, open_late;
  };
  std::optional<Arrivals> arrivals(SeriesId id, std::uint64_t file_generation, std::int64_t main, std::int64_t late) const;
  // For replication of summaries. Their extent is known without the blocks, at low cost.
  struct Blocks {
    struct Open {
      std::int64_t points = 0;
      bool ordered = true;
      Pyramid blocks;  // all
    };
    bool owned = false;  // the series is in the tail
    std::int64_t newest_sealed = 0;
    std::vector<PendingChunk> sealed;
    Open main, late;
  };
  enum class BlockParts : std::uint8_t { kCounts, kAll };
  std::optional<Blocks> blocks(SeriesId id, std::uint64_t file_generation, BlockParts parts) const;
  // Adds the series that got points after growth() was `since`. False: there may be more that are no longer in the tail.
  std::uint64_t growth() const { return m_growth.load(std::memory_order_acquire); }
  bool grownSince(std::uint64_t since, std::vector<SeriesId>& out) const;
  // Each number grows with every commit that changed that part.
  std::array<std::uint64_t, kStoreParts> parts() const;
  std::optional<SeriesExtent> extent(SeriesId id) const;
  std::optional<LatestSample> latest(SeriesId id) const;
  // Rows newer than the file's snapshot. Log lines may be very many: they are included only with `logs`.
  std::optional<PendingRows> rows(std::uint64_t file_generation, bool logs = false) const;
  // Interned texts that may not be in the file yet.
  std::string text(std::int64_t id) const;

  // --- the writer ---
  LiveSeries* find(SeriesId id) {
    writerReads();
    return m_series.find(id.value);
  }
  LiveSeries& add(SeriesId id, std::shared_ptr<LiveSeries> series);
  LiveTrack* find(TrackId id) {
    writerReads();
    return m_tracks.find(id.value);
  }
  LiveTrack& add(TrackId id);
  // Readers then use the file's data of it.
  void remove(SeriesId id);
  void remove(TrackId id);
  void addText(std::int64_t id, std::string_view text);
  // Appends while holding the lock of the rows.
  template <class Fill>
  void append(Fill fill) {
    const MutexLock lock(m_rows_mutex);
    fill(m_rows);
    noteChange();
  }
  void noteGrown(SeriesId id) {
    writerReads();
    const std::uint64_t mark = m_growth.load(std::memory_order_relaxed) + 1;
    (*m_grown[id.value / kMarksEach])[id.value % kMarksEach].store(mark, std::memory_order_relaxed);
    m_growth.store(mark, std::memory_order_release);
  }
  void noteParts(std::uint32_t changed);  // bits by StorePart
  const PendingRows& pendingRows() const {
    writerReads();
    return m_rows;
  }
  void noteChange() { m_changes.store(m_changes.load(std::memory_order_relaxed) + 1, std::memory_order_release); }  // one thread writes it
  void setGeneration(std::uint64_t file_generation) { m_committed = m_kept_from = file_generation; }
  std::uint64_t committed() const { return m_committed; }
  // Before a flush: drops the data that the last commit but one stored. commitDone(), after its commit: the next generation begins.
  void forgetStored();
  void commitDone();
  // After forgetStored(): evicts series and tracks that got nothing after `before` (compared with LiveSeries::touched) and have no data to
  // commit. A Reader finds them in the file, as its snapshot is not older than the last commit. Tracks are evicted once their lanes are
  // sealed; those to seal are returned in `unsealed`. Returns the evicted series.
  std::vector<SeriesId> evictIdle(TimeNs before, std::vector<TrackId>& unsealed);
  std::size_t seriesHeld() const;
  std::size_t tracksHeld() const;
  void clear();

 private:
  std::shared_ptr<LiveSeries> known(SeriesId id) const;  // null: not in the tail
  void dropPending(std::uint64_t stored);
  void findIdle(TimeNs before, std::vector<SeriesId>& series, std::vector<TrackId>& tracks, std::vector<TrackId>& unsealed) const;
  // Only the writer changes them, so it reads them without the locks.
  void writerReads() const RG_ASSERT_SHARED(m_map_mutex, m_rows_mutex) {}
  mutable SharedMutex m_map_mutex;  // guards the vectors, not the objects they point to
  SlotPages<LiveSeries> m_series RG_GUARDED_BY(m_map_mutex);
  SlotPages<LiveTrack> m_tracks RG_GUARDED_BY(m_map_mutex);
  static constexpr std::size_t kMarksEach = SlotPages<LiveSeries>::kPage;
  using Marks = std::array<std::atomic<std::uint64_t>, kMarksEach>;
  std::vector<std::unique_ptr<Marks>> m_grown RG_GUARDED_BY(m_map_mutex);  // by series
  std::uint64_t m_growth_gone RG_GUARDED_BY(m_map_mutex) = 0;              // the highest mark of evicted series
  std::atomic<std::uint64_t> m_growth{0};
  std::array<std::atomic<std::uint64_t>, kStoreParts> m_parts{};
  mutable Mutex m_rows_mutex;
  PendingRows m_rows RG_GUARDED_BY(m_rows_mutex);         // of the coming generation
  PendingRows m_stored_rows RG_GUARDED_BY(m_rows_mutex);  // of the last one
  mutable Mutex m_text_mutex;
  std::vector<std::string> m_texts RG_GUARDED_BY(m_text_mutex);  // by id
  std::atomic<std::uint64_t> m_changes{1};
  std::atomic<std::uint64_t> m_committed{0}, m_kept_from{0};
};

}  // namespace runglass
