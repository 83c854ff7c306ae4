// SPDX-License-Identifier: Apache-2.0
// Converts results of a Reader to messages (ask.proto) and back.
//
// Threading:  pure.
// Units:      reader.h. FeedNames translates ids of the catalogue: to the dictionary's, and from these to the replica's.
// Errors:     decoding: DATA_LOSS for an invalid message, before memory is allocated for the sizes that it claims.
// Cost:       a pass over the columns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectors/wire/feed_names.h"
#include "model/result.h"
#include "runglass/v1/ask.pb.h"
#include "storage/reader.h"

namespace runglass {

// Limits of one answer; beyond them OUT_OF_RANGE.
inline constexpr std::size_t kMaxAnswer = std::size_t{8} << 20, kAnswerPiece = std::size_t{256} << 10;
inline constexpr std::size_t kMaxPoints = 1U << 20, kMaxBins = 1U << 18, kMaxAsked = 16U << 10, kMaxSpans = 1U << 18, kMaxLanes = 1U << 16,
                             kMaxBars = 1U << 19, kMaxLines = 20'000, kMaxParts = 1U << 16, kMaxCaptures = 1U << 16;

// Translates ids for the wire; `missing` is set when an id has no counterpart and becomes none.
struct Crossing {
  const FeedNames& names;
  bool missing = false;

  template <class Id>
  std::int64_t out(Id id) {
    const Id there = names.there(id);
    missing = missing || (id && !there);
    return static_cast<std::int64_t>(there.value);
  }
  template <class Id>
  Id in(std::int64_t id) {
    const Id here = id > 0 ? names.here(Id{static_cast<std::uint64_t>(id)}) : Id{};
    missing = missing || (id != 0 && !here);
    return here;
  }
};

v1::SampleTable messageOf(const std::vector<SampleColumns>& of_series);
v1::BinTable messageOf(const std::vector<Bin>& bins);
// `asked`: the series in the order of the question.
v1::LatestTable messageOf(const std::vector<LatestSample>& samples, std::span<const SeriesId> asked);
v1::ExtentTable extentsOf(const std::vector<Series>& series, std::span<const SeriesId> asked);
v1::SpanTable messageOf(const SpanColumns& spans);
v1::SpanTable messageOf(const StoredSpans& stored, Crossing& crossing);
v1::Picture messageOf(const SpanPicture& picture, Crossing& crossing);
v1::LogTable messageOf(const std::vector<LogHit>& lines, Crossing& crossing);
v1::Density densityOf(const std::vector<SeverityCounts>& logs);
v1::CaptureTable messageOf(const std::vector<Capture>& captures, Crossing& crossing);
v1::Usage messageOf(const StoreUsage& usage);
// All fields except those that only questions about events have.
v1::AskLogs messageOf(const RowQuery& query, Crossing& crossing);
v1::AskLogs messageOf(const EventFilter& filter, Crossing& crossing);

Result<std::vector<SampleColumns>> samplesOf(const v1::SampleTable& message);
Result<std::vector<Bin>> binsOf(const v1::BinTable& message);
Result<std::vector<LatestSample>> latestOf(const v1::LatestTable& message, std::span<const SeriesId> asked);
// Only id and extent of each.
Result<std::vector<Series>> extentsOf(const v1::ExtentTable& message, std::span<const SeriesId> asked);
Result<SpanColumns> spansOf(const v1::SpanTable& message);
Result<StoredSpans> storedSpansOf(const v1::SpanTable& message, Crossing& crossing);
Result<SpanPicture> pictureOf(const v1::Picture& message, Crossing& crossing);
Result<std::vector<LogHit>> linesOf(const v1::LogTable& message, Crossing& crossing);
Result<std::vector<SeverityCounts>> densityOf(const v1::Density& message);
Result<std::vector<Capture>> capturesOf(const v1::CaptureTable& message, Crossing& crossing);
StoreUsage usageOf(const v1::Usage& message);
RowQuery queryOf(const v1::AskLogs& message, Crossing& crossing);
EventFilter filterOf(const v1::AskLogs& message, Crossing& crossing);

// The Answer's bytes in pieces of kAnswerPiece.
std::vector<v1::AnswerPart> partsOf(std::string_view answer);

// Reassembles the parts.
class AnswerAssembly {
 public:
  // DATA_LOSS out of order, too large, after the last one, or damaged.
  Status add(const v1::AnswerPart& part);
  // DATA_LOSS incomplete.
  Result<v1::Answer> take();

 private:
  std::string m_bytes;
  std::uint64_t m_next = 0;
  bool m_whole = false;
};

}  // namespace runglass
