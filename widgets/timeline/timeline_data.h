// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline's queries to a store: the ranks and tracks of a run, and the picture of the visible rows in a time range.
//
// Threading:  the functions run on a query worker; their results are immutable.
// Units:      TimeNs; a strip's shares are 0..255 of its pixel.
// Errors:     as Reader; NOT_FOUND without a run.
// Cost:       the catalogue O(ranks + tracks) and that of a SlowVerdictFeed; a picture as Reader::spanPicture of the requested rows.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "storage/reader.h"

namespace runglass {

struct SharedSlowVerdict;  // analysis/ranking/slow_verdict.h

struct TimelineText {
  Q_DECLARE_TR_FUNCTIONS(Timeline)
};

struct TimelineRank {
  std::optional<std::int32_t> rank;  // absent: tracks of the run as a whole
  Rank place;                        // coordinates and node, if known
  QString node;
  std::vector<Track> tracks;         // streams of the device first
  std::optional<DurNs> clock_error;  // of its alignment, or its node, at the end of the run; absent: never compared with another clock
  bool has_device = false;           // some track is a device's queue
};

// A value over time, shown above the spans.
struct TimelineMetric {
  SeriesId series;  // 0: the bus bandwidth of a communicator
  QString title;    // "GPU power"
  std::string unit;
  std::int64_t group = 0;  // that communicator
};

inline constexpr std::size_t kMaxFindingRanks = 8;

struct TimelineCatalog {
  Run run;
  Attempt attempt;
  std::size_t attempts = 0;                                                                      // of the run
  TimeRange chosen_for{std::numeric_limits<TimeNs>::min(), std::numeric_limits<TimeNs>::max()};  // viewed times for this attempt
  std::vector<TimelineRank> ranks;                                                               // by rank
  // The slow ranks, and by how much each is slower where that is known (SlowVerdict); and the worst of them.
  std::map<std::int32_t, std::optional<double>> slow;
  std::optional<std::int32_t> slowest;
  std::vector<std::int32_t> finding_ranks;  // of the most urgent open finding that names ranks or a node, at most kMaxFindingRanks
  // The loss, and clock, power, network and the communicators' bus bandwidth of the requested rank.
  std::vector<TimelineMetric> metrics;
  std::optional<TimeRange> extent;  // of its spans in the file
  std::string spans_at;             // without extent: the hub that has them, if the store is a replica
  std::optional<ClockAlignment> alignment;
  std::uint64_t tracks() const;
};
// Metrics are those of `rank`, else of the slowest or first one. Of `attempt`; 0: the one that ran last at `seen`, or the newest. `memory`:
// of the view; null: a single question.
Result<TimelineCatalog> readTimelineCatalog(Reader& reader, RunId run, AttemptId attempt, std::optional<std::int32_t> rank,
                                            std::stop_token stop, std::optional<TimeNs> seen = std::nullopt,
                                            SharedSlowVerdict* memory = nullptr);

struct RowQuestion {
  std::vector<TrackId> tracks;
  bool strip = false;      // all tracks as one busy strip, else each lane with its bars
  bool folded = false;     // without strip: only the outermost lane
  SeriesId series;         // a metric instead of spans
  std::int64_t group = 0;  // the bus bandwidth of this communicator instead of spans
  std::vector<bool> host;  // with strip, per track: a thread, whose spans nest
  friend bool operator==(const RowQuestion&, const RowQuestion&) = default;
};

struct TimelineQuestion {
  RunId run;
  std::int32_t attempt = 0;  // its number
  std::vector<RowQuestion> rows;
  TimeRange range;  // the visible range with a margin
  DurNs pixel = 1;
  std::optional<std::int32_t> step_rank;  // the rank whose steps the bands show
};

// Busy shares of the four classes, one entry per pixel from t0.
struct BusyStrip {
  TimeNs t0 = 0;
  DurNs pixel = 1;
  std::vector<std::array<std::uint8_t, kSpanClassCount>> columns;
};

struct RowPicture {
  RowQuestion question;
  std::vector<SpanPicture::Lane> lanes;  // empty for strips
  BusyStrip strip;
  std::vector<Bin> bins;  // of a metric
  QString note;           // why there are none
};

struct StepBand {
  std::int64_t step = 0;
  TimeNs t0 = 0, t1 = 0;
  bool slow = false;  // by more than a tenth above the median of the shown ones
};

struct TimelinePicture {
  TimeRange range;
  DurNs pixel = 1;
  std::vector<RowPicture> rows;      // in the order of the query
  std::vector<QString> names;        // short names of bars
  std::vector<std::uint8_t> shades;  // of names: equal names have equal shades in every picture
  std::vector<StepBand> steps;
  bool steps_too_many = false;  // too many to distinguish
  bool exact = true;
};
Result<TimelinePicture> readTimeline(Reader& reader, const TimelineQuestion& question, std::stop_token stop);

// "void at::native::foo<float>(…)" -> "foo<float>(…)": the distinguishing part comes first.
QString shortSpanName(std::string_view name);
BusyStrip busyStrip(const std::vector<SpanPicture::Lane>& lanes, const RowQuestion& question, TimeRange range, DurNs pixel);

}  // namespace runglass
