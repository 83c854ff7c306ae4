// SPDX-License-Identifier: Apache-2.0
// LiveTail: what the writer of this process holds beyond the file's last commit, shared with Readers of the same process, such that
// file + tail is every sample exactly once at any moment. Internal to storage.
//
// Threading:  the writer's thread changes it; Readers call the snapshot methods from any thread. One mutex per series and track.
// Ownership:  shared. A series or track stays until it is idle and the file has all of it (evictIdle()), until remove(), or clear().
// Units:      generations count commits (rg_meta 'generation'): a snapshot of the file at generation g plus all that is newer here.
// Errors:     a snapshot is refused (absent) when the file's snapshot is older than what is kept; the Reader takes a newer one.
// Cost:       a snapshot copies the open chunk (a few KiB); a lock is held for that long.
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

// Rows that are appended, not upserted: they wait for the commit that moves the high-water marks.
struct PendingRows {
  std::uint64_t generation = 0;
  std::vector<Event> events;
  std::vector<LogLine> logs;
  std::int64_t first_log = 0;  // the id of logs[0]; the others follow
  std::vector<Label> labels;
  std::vector<std::shared_ptr<const Capture>> captures;  // shared: their texts are large, and a snapshot is taken many times a second
  std::vector<Issue> issues;
};

// Adds `more` of the same code and source.
void addIssue(Issue& have, const Issue& more);

struct SeriesSnapshot {
  bool owned = false;  // the tail holds the open chunks: those of the file are to be ignored
  std::vector<PendingChunk> sealed;
  std::optional<RawPoints> open, open_late;  // in x order
};

// What a commit may have changed; see LiveTail::parts().
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
  // What it has of a series' newest point within a bound: sealed chunks that may hold it, and those of the open ones.
  struct Moment {
    bool owned = false;  // as above
    std::vector<PendingChunk> sealed;
    std::optional<FoundPoint> main, late;
  };
  std::optional<Moment> newestAt(SeriesId id, std::uint64_t file_generation, PointBound bound) const;
  // Lanes' pending and open spans; `owned` as above.
  struct SpanSnapshot {
    bool owned = false;
    std::vector<PendingSpans> chunks;
  };
  std::optional<SpanSnapshot> spans(TrackId id, std::uint64_t file_generation) const;
  // A span chunk by its id, if the tail holds what the file's snapshot does not.
  struct ChunkSnapshot {
    TrackId track;
    std::optional<PendingSpans> chunk;
  };
  std::optional<ChunkSnapshot> spanChunk(std::int64_t chunk_id, std::uint64_t file_generation) const;
  // The same for who copies points: the open ones in order of arrival, those beyond `main` and `late` of all the series ever had.
  struct Arrivals {
    bool owned = false;
    std::vector<PendingChunk> sealed;
    SealedPoints sealed_main, sealed_late;
    std::int64_t open_count = 0, open_late_count = 0;  // all of them
    RawPoints open, open_late;
  };
  std::optional<Arrivals> arrivals(SeriesId id, std::uint64_t file_generation, std::int64_t main, std::int64_t late) const;
  // The same for who copies summaries. How far they go is known without their blocks, and cheaply.
  struct Blocks {
    struct Open {
      std::int64_t points = 0;
      bool ordered = true;
      Pyramid blocks;  // all
    };
    bool owned = false;  // the tail has the series
    std::int64_t newest_sealed = 0;
    std::vector<PendingChunk> sealed;
    Open main, late;
  };
  enum class BlockParts : std::uint8_t { kCounts, kAll };
  std::optional<Blocks> blocks(SeriesId id, std::uint64_t file_generation, BlockParts parts) const;
  // Adds the series that got points after growth() was `since`. False: there may be more, which are no longer here.
  std::uint64_t growth() const { return m_growth.load(std::memory_order_acquire); }
  bool grownSince(std::uint64_t since, std::vector<SeriesId>& out) const;
  // Each grows with every commit that changed that part.
  std::array<std::uint64_t, kStoreParts> parts() const;
  std::optional<SeriesExtent> extent(SeriesId id) const;
  std::optional<LatestSample> latest(SeriesId id) const;
  // Rows newer than the file's snapshot. Log lines may be very many: without `logs` they stay out.
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
  // Readers see what the file has of it.
  void remove(SeriesId id);
  void remove(TrackId id);
  void addText(std::int64_t id, std::string_view text);
  // Appends under the lock of rows.
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
  void noteChange() { m_changes.store(m_changes.load(std::memory_order_relaxed) + 1, std::memory_order_release); }  // one thread changes it
  void setGeneration(std::uint64_t file_generation) { m_committed = m_kept_from = file_generation; }
  std::uint64_t committed() const { return m_committed; }
  // Before a flush: drops what the last commit but one stored; after its commit: the next generation begins.
  void forgetStored();
  void commitDone();
  // After forgetStored(): series and tracks that got nothing after `before` (of LiveSeries::touched) and wait for no commit leave. A Reader
  // finds them in the file, as its snapshot is not older than the last commit. Tracks go once their lanes are sealed: those to seal are in
  // `unsealed`. Returns the series that left.
  std::vector<SeriesId> evictIdle(TimeNs before, std::vector<TrackId>& unsealed);
  std::size_t seriesHeld() const;
  std::size_t tracksHeld() const;
  void clear();

 private:
  std::shared_ptr<LiveSeries> known(SeriesId id) const;  // null: it is not here
  void dropPending(std::uint64_t stored);
  void findIdle(TimeNs before, std::vector<SeriesId>& series, std::vector<TrackId>& tracks, std::vector<TrackId>& unsealed) const;
  // The writer alone changes them: it reads them without the locks.
  void writerReads() const RG_ASSERT_SHARED(m_map_mutex, m_rows_mutex) {}
  mutable SharedMutex m_map_mutex;  // of the vectors, not of what they point to
  SlotPages<LiveSeries> m_series RG_GUARDED_BY(m_map_mutex);
  SlotPages<LiveTrack> m_tracks RG_GUARDED_BY(m_map_mutex);
  static constexpr std::size_t kMarksEach = SlotPages<LiveSeries>::kPage;
  using Marks = std::array<std::atomic<std::uint64_t>, kMarksEach>;
  std::vector<std::unique_ptr<Marks>> m_grown RG_GUARDED_BY(m_map_mutex);  // by series
  std::uint64_t m_growth_gone RG_GUARDED_BY(m_map_mutex) = 0;              // the highest mark of those that left
  std::atomic<std::uint64_t> m_growth{0};
  std::array<std::atomic<std::uint64_t>, kStoreParts> m_parts{};
  mutable Mutex m_rows_mutex;
  PendingRows m_rows RG_GUARDED_BY(m_rows_mutex);         // of the generation to come
  PendingRows m_stored_rows RG_GUARDED_BY(m_rows_mutex);  // of the last one
  mutable Mutex m_text_mutex;
  std::vector<std::string> m_texts RG_GUARDED_BY(m_text_mutex);  // by id
  std::atomic<std::uint64_t> m_changes{1};
  std::atomic<std::uint64_t> m_committed{0}, m_kept_from{0};
};

}  // namespace runglass
