// SPDX-License-Identifier: GPL-3.0-or-later
// The content of the timeline's drawer: one span with its peers, the spans of an area by name, and the hits of a search.
//
// Threading:  the functions run on a query worker; their results are immutable.
// Units:      TimeNs; shares 0..1.
// Errors:     as Reader; NOT_FOUND if the span no longer exists.
// Cost:       O(spans in the range), which is bounded; `whole` is false if the bound cut it.
#pragma once

#include <QString>
#include <array>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

#include "widgets/timeline/intervals.h"
#include "widgets/timeline/timeline_data.h"
#include "widgets/timeline/wait_question.h"

namespace runglass {

struct SpanPeer {
  QString kind;  // "launched by", "launches", "operator", "same collective", "other end"
  TrackId track;
  std::int32_t rank = -1;
  std::int64_t id = 0;
  TimeNs t0 = 0, t1 = 0;
  QString name;
  DurNs apart = 0;              // its start minus that of the inspected span
  std::optional<DurNs> waited;  // of a collective's call, if known
};

struct SpanDetail {
  TrackId track;
  std::int32_t rank = -1;
  SpanColumns span;  // a single span
  std::vector<SpanPeer> peers;
  std::optional<WaitPart> wait;                            // of a collective or a message
  QString waited;                                          // who waited for whom, as text; empty: neither a collective nor a message
  std::vector<std::pair<QString, QString>> lines() const;  // name and value, arguments included
  QString name() const;
};
// `catalog` lists the tracks of other ranks.
Result<SpanDetail> readSpanDetail(Reader& reader, const TimelineCatalog& catalog, TrackId track, std::int32_t rank, std::int64_t id,
                                  TimeNs t0, std::stop_token stop);

// Ranks with the tracks to read.
using RankTracks = std::vector<std::pair<std::int32_t, std::vector<TrackId>>>;

// Calls `take(rank, track, spans, i)` for spans that touch the range until it returns false; returns false if it did, or if there were too
// many spans to read all.
using TakeSpan = std::function<bool(std::int32_t, TrackId, const SpanColumns&, std::size_t)>;
Result<bool> eachSpan(Reader& reader, const RankTracks& ranks, TimeRange range, const std::stop_token& stop, const TakeSpan& take);
TimeNs spanEndOf(const SpanColumns& spans, std::size_t i);  // the highest int64 while it is open

struct AreaRow {
  SpanCategory category = SpanCategory::kOther;
  QString name;
  std::int64_t count = 0;
  DurNs total = 0, shortest = 0, longest = 0;  // inside the area
};
struct AreaRank {
  std::int32_t rank = -1;
  std::array<DurNs, kSpanClassCount> busy{};  // union over its tracks
  DurNs exposed = 0;                          // communication while none of its computation ran
  std::optional<DurNs> waiting;               // of its communication; absent: unknown
};
struct AreaSummary {
  TimeRange range;
  std::vector<AreaRow> rows;                  // by class, then by total, the largest first
  std::array<DurNs, kSpanClassCount> busy{};  // union over a rank's tracks, summed over ranks
  DurNs exposed = 0;                          // communication while none of the rank's computation ran, summed over ranks
  int ranks = 0;                              // number of ranks read
  std::vector<AreaRank> of_rank;              // of the ranks with spans
  std::optional<DurNs> waiting;               // summed over the ranks for which it is known
  bool whole = true;
  QString sentence() const;
};
Result<AreaSummary> readArea(Reader& reader, const TimelineCatalog& catalog, const RankTracks& ranks, TimeRange range,
                             std::stop_token stop);

struct SearchHit {
  TrackId track;
  std::int32_t rank = -1;
  std::int64_t id = 0;
  TimeNs t0 = 0, t1 = 0;
  QString name;
};

}  // namespace runglass
