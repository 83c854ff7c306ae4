// SPDX-License-Identifier: Apache-2.0
// Feed: replicates a store into a MirrorRecorder incrementally, and continues as the store grows. Order: current progress, events, findings
// and edits, losses, parts of steps, names of other series and of tracks, log lines; then, as time permits, summaries of samples over time.
// Spans, captures and the samples over time themselves are not replicated.
//
// Threading:  one thread at a time.
// Ownership:  owns its readers, borrows the MirrorRecorder.
// Units:      TimeNs is the source's wall time.
// Errors:     those of the readers; rows already sent stay sent.
// Cost:       memory: 88 bytes a series, 16 an object. A round without changes: some microseconds per 1,000 series.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "collectors/wire/feed_names.h"
#include "model/fields.h"
#include "model/mirror_recorder.h"
#include "storage/read/change_reader.h"
#include "storage/reader.h"

namespace runglass {

struct FeedOptions {
  std::string from;                        // source of the marks
  DurNs round = 500 * kNsPerMs;            // from the start of one round to the next
  DurNs clocks = 10 * kNsPerSecond;        // interval of looking for readings of clocks
  DurNs summaries = 10 * kNsPerSecond;     // interval of looking for blocks of samples
  DurNs old_attempts = 30 * kNsPerSecond;  // interval for progress of attempts that are not a run's newest
  std::shared_ptr<FeedNames> names;        // shared with other users of the id mapping; null: none
  std::function<bool()> spare;             // there is room for low-priority data; empty: whenever the target is not full
};

class Feed {
 public:
  // `full`: the target has no room for now. An interrupted call continues where it stopped.
  static Result<std::unique_ptr<Feed>> open(const std::string& store, const ReaderOptions& reader, MirrorRecorder& target,
                                            std::function<bool()> full, FeedOptions options = {});

  const std::string& sourceUuid() const { return m_source_uuid; }
  // Grows with every change of the store, sent or not.
  std::uint64_t generation() { return m_reader->generation(); }
  // State of the target from earlier sessions: rows up to the mark are not sent. Call it before the first step().
  void resume(const MirrorMark& mark);
  // Points that the target has of its declared series (by its ids): of series up to `through` that are not listed it has none. Points of a
  // series are sent only once this is known.
  struct Have {
    SeriesId series;
    std::int64_t count = 0, last_step = 0;
    SummaryPosition summaries;  // of a series over time
  };
  void answer(std::span<const Have> have, SeriesId through);
  bool waitsForAnswer() const { return !m_asked.empty(); }
  // Only low-priority data is left: it is sent in small parts while there is spare room.
  bool hasTime() const { return m_in_round && m_stage == Stage::kSummaries; }

  // Sends until the target is full or nothing is left. True: there is more. `now` is the wall time for marks; `monotonic` determines which
  // work is due.
  Result<bool> step(TimeNs now, DurNs monotonic);

 private:
  static constexpr std::size_t kMaxAsked = 8'192;
  struct SeriesState {
    SeriesId target;
    enum : std::uint8_t { kUnknown, kAsked, kReady } stage = kUnknown;
    bool of_steps = false, over_time = false, queued = false;
    bool rest = false;  // samples that do not fill a block yet were not sent
    PointPosition have;
    SummaryPosition summaries;
  };
  struct IssueTotal {
    Issue issue;
  };
  using Saying = std::variant<Node, Device, Run, Attempt, Rank, Fact, Checkpoint, CommGroup, ClockReading, IssueTotal, Judgements>;
  enum class Stage : std::uint8_t { kCatalog, kProgress, kRows, kJudgements, kSeries, kLoss, kSteps, kNames, kLogs, kDone, kSummaries };

  Feed(MirrorRecorder& target, std::function<bool()> full, FeedOptions options)
      : m_target(target),
        m_full(std::move(full)),
        m_options(std::move(options)),
        m_names(m_options.names ? m_options.names : std::make_shared<FeedNames>()) {}
  Status stage(DurNs now);
  Status loadCatalog(DurNs now);
  Status loadEdits();
  Status loadFindings();
  Status tellProgress(DurNs now);
  void markRows();
  Result<bool> tellEvents();
  Result<bool> tellLabels();
  Result<bool> tellLogs();
  Status loadSeries();
  Result<bool> tellNames();
  Result<bool> tellPoints(std::deque<SeriesId>& queue);
  Status lookForSummaries(TimeNs now, DurNs monotonic);
  Result<bool> tellSummaries();
  Status tellWhole();
  Status place(SeriesId source, const Have& have);
  void queue(SeriesId source);
  void say(const Saying& saying);
  bool changed(StorePart part);
  bool waitsFor(bool missing);
  bool spare() const { return !m_options.spare || m_options.spare(); }
  // True once per content: `key` identifies the object.
  bool news(std::string_view key, std::string_view content);
  // The target's id. `missing` is set where the source id has not been sent.
  template <class Id>
  Id look(Id source, bool& missing) const {
    const Id target = m_names->there(source);
    missing = missing || (source && !target);
    return target;
  }
  // The row with the target's ids.
  template <class Row>
  Row translated(Row row, bool& missing) const {
    mapIds(row, [&](auto id, FieldRole) { return this->look(id, missing); });
    return row;
  }
  static std::uint64_t hashOf(std::string_view bytes) { return std::hash<std::string_view>{}(bytes); }

  MirrorRecorder& m_target;
  const std::function<bool()> m_full;
  const FeedOptions m_options;
  const std::shared_ptr<FeedNames> m_names;  // source and target
  std::unique_ptr<Reader> m_reader;
  std::unique_ptr<ChangeReader> m_changes;
  std::string m_source_uuid;

  bool m_in_round = false;
  Stage m_stage = Stage::kCatalog;
  TimeNs m_round_begin = 0;
  DurNs m_next_round = 0, m_next_progress = 0, m_next_clocks = 0, m_next_old = 0, m_next_blocks = 0;
  std::deque<Saying> m_sayings;
  ChangeReader::Parts m_parts{}, m_reported_parts{};  // of this round; as last read
  bool m_first = true;                                // nothing has been read yet
  DurNs m_missing_since = 0;                          // since when a row refers to an object that was not sent; 0: none does

  std::unordered_map<std::uint64_t, std::uint64_t> m_reported;  // hash of a name -> hash of the content
  std::unordered_map<std::uint64_t, std::uint64_t> m_progress;  // the same
  std::int64_t m_clocks = 0;                                    // number of the newest reading sent
  MirrorMark m_mark, m_reported_mark;

  std::vector<SeriesState> m_series;  // by the source's id
  SeriesId m_last_series;
  std::uint64_t m_growth = 0;
  std::unordered_map<std::uint64_t, SeriesId> m_asked;  // the target's id -> the source's
  std::deque<SeriesId> m_loss, m_steps, m_blocks;
  std::uint64_t m_blocks_growth = 0;
  std::optional<TimeNs> m_blocks_begin;  // start of the look whose results are being sent
  std::deque<Series> m_others;           // names not sent yet; keys are the target's
  TrackId m_last_track;
  bool m_more_tracks = false;
  struct Whole {
    SeriesId source;
    WholeSeries series;
    std::size_t at = 0;
  };
  std::optional<Whole> m_whole;
};

}  // namespace runglass
