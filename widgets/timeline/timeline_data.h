// SPDX-License-Identifier: GPL-3.0-or-later
// What the timeline asks of a store: which ranks and tracks a run has, and how the rows on screen look in a stretch of time.
//
// Threading:  the functions run on a query worker; their answers are immutable.
// Ownership:  values.
// Units:      TimeNs; a strip's shares are 0..255 of its pixel.
// Errors:     as Reader; NOT_FOUND without a run.
// Cost:       the catalogue O(ranks + tracks); a picture as Reader::spanPicture of the rows asked for.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>
#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "storage/reader.h"

namespace runglass {

struct TimelineText {
  Q_DECLARE_TR_FUNCTIONS(Timeline)
};

struct TimelineRank {
  std::optional<std::int32_t> rank;  // absent: tracks of the run as a whole
  Rank place;                        // coordinates and node as far as they are known
  QString node;
  std::vector<Track> tracks;         // streams of the device first
  std::optional<DurNs> clock_error;  // of its alignment, or its node, at the end of the run; absent: never compared with another's
  bool has_device = false;           // any of them is a device's queue
};

// A value over time that stands above the spans.
struct TimelineMetric {
  SeriesId series;  // 0: the bus bandwidth of a communicator
  QString title;    // "GPU power"
  std::string unit;
  std::int64_t group = 0;  // that communicator
};

struct TimelineCatalog {
  Run run;
  Attempt attempt;
  std::size_t attempts = 0;                                                                      // of the run
  TimeRange chosen_for{std::numeric_limits<TimeNs>::min(), std::numeric_limits<TimeNs>::max()};  // looked at where, it is this attempt
  std::vector<TimelineRank> ranks;                                                               // by rank
  // Of the slowest rank by median step time, and how it compares; absent without steps.
  std::optional<std::int32_t> slowest;
  std::optional<double> slower_ratio;
  // The loss, and clock, power, network and the communicators' bus bandwidth of the rank asked for.
  std::vector<TimelineMetric> metrics;
  std::optional<TimeRange> extent;  // of its spans in the file
  std::string spans_at;             // without extent: the hub that has them, where the store is a copy of its
  std::optional<ClockAlignment> alignment;
  std::uint64_t tracks() const;
};
// Metrics are those of `rank`, or else of the slowest or first one. Of `attempt`; 0: of the one that ran last at `seen`, or the newest.
Result<TimelineCatalog> readTimelineCatalog(Reader& reader, RunId run, AttemptId attempt, std::optional<std::int32_t> rank,
                                            std::stop_token stop, std::optional<TimeNs> seen = std::nullopt);

bool isDeviceTrack(const TrackKey& key);  // a stream or queue of a GPU or accelerator

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
  TimeRange range;  // what is on screen and some more
  DurNs pixel = 1;
  std::optional<std::int32_t> step_rank;  // whose steps the bands show
};

// Busy shares of the four classes, one entry per pixel from t0 on.
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
  bool slow = false;  // by more than a tenth over the median of those shown
};

struct TimelinePicture {
  TimeRange range;
  DurNs pixel = 1;
  std::vector<RowPicture> rows;      // as asked
  std::vector<QString> names;        // of bars, short
  std::vector<std::uint8_t> shades;  // of names: the same name has the same shade in every picture
  std::vector<StepBand> steps;
  bool steps_too_many = false;  // more than can be told apart
  bool exact = true;
};
Result<TimelinePicture> readTimeline(Reader& reader, const TimelineQuestion& question, std::stop_token stop);

// "void at::native::foo<float>(…)" -> "foo<float>(…)": what differs comes first.
QString shortSpanName(std::string_view name);
BusyStrip busyStrip(const std::vector<SpanPicture::Lane>& lanes, const RowQuestion& question, TimeRange range, DurNs pixel);

}  // namespace runglass
