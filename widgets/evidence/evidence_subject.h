// SPDX-License-Identifier: GPL-3.0-or-later
// The subject of an evidence card: the run, the attempt, the places that its select names, the shown and the marked time.
//
// Threading:  readSubject() on a query worker.
// Units:      TimeNs; half-open ranges.
// Errors:     the Reader's; NOT_FOUND without a run. Unknown names in a select are ignored.
// Cost:       O(ranks + nodes + series of the attempt).
#pragma once

#include <QString>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "widgets/evidence/evidence.h"

namespace runglass {

inline constexpr std::size_t kMaxNamed = 64;  // ranks that a select may list

// "rank=5,step=100": unknown parts are ignored.
struct EvidenceSelect {
  std::optional<std::int32_t> rank, attempt, gpu;
  std::vector<std::int32_t> ranks;  // "ranks=3-6" or "ranks=3;5"; grows, at most kMaxNamed
  std::optional<std::int64_t> step;
  std::string node, metric;
};
EvidenceSelect selectOf(std::string_view text);

struct EvidenceSubject {
  EvidenceSelect select;
  Run run;
  std::vector<Attempt> attempts;
  Attempt attempt;          // id 0: the run has none
  std::vector<Rank> ranks;  // of the attempt
  std::vector<Node> nodes;
  std::vector<Device> devices;
  std::vector<Series> series;     // of all attempts of the run, for kinds that choose among them
  std::optional<TimeRange> data;  // of the attempt; absent: no clock
  std::optional<TimeRange> mark;  // the card's range clipped to the data; t1 is never the highest int64
  TimeStyle style = TimeStyle::kUtc;

  const Rank* rank(std::int32_t number) const;
  const Rank* chosen() const;  // of select.rank, or the first on its node
  const Node* node() const;    // of select.node, or that of the chosen rank
  const Device* device() const;
  QString nodeName(NodeId id) const;
  QString rankName(std::int32_t number) const;  // "rank 37 on sim-0004"
  // The mark plus a quarter of its length on either side, for the time before and after; within the data.
  std::optional<TimeRange> around() const;
  // The parts of the card's select that the console understands.
  std::string linkSelect(std::optional<std::int32_t> of_rank = {}) const;
  // Its run and attempt, for WHERE.
  std::string sqlOfAttempt() const;
};
Result<EvidenceSubject> readSubject(Reader& reader, const EvidenceQuestion& question, const std::stop_token& stop);

std::string sqlRange(std::string_view column, TimeRange range);  // "time_ns >= 1 AND time_ns < 2"

// "21:43:05 – 21:44:10 UTC"
QString rangeWords(TimeRange range, TimeStyle style);
// "1 rank", "8 ranks" of "%1 rank", "%1 ranks", texts of the context Counts.
QString countWords(std::int64_t count, const char* one, const char* many);

}  // namespace runglass
