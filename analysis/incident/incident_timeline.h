// SPDX-License-Identifier: Apache-2.0
// The timeline of an incident in two lanes: what happened, and what was known when. The kernel.
//
// A finding is in the first lane at the start of its fault. In the second lane it appears when it was published, became worse or better,
// and ended, with its summary at that time; if it was not published during the run, at the time of its judgement in the evidence. Repeats
// of one kind of event within a minute of each other are one entry.
//
// Threading:  pure.
// Units:      TimeNs.
// Errors:     items without a time are left out.
// Cost:       O(n log n); at most kMaxEntries entries; the least severe are left out and counted.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/incident/finding_place.h"
#include "analysis/words/sentence.h"
#include "model/alerts.h"
#include "model/captures.h"
#include "model/edits.h"
#include "model/incident.h"

namespace runglass {

inline constexpr std::size_t kMaxEntries = 400;

enum class IncidentLane : std::uint8_t { kHappened, kKnown };

struct TimelineEntry {
  TimeNs time = 0;
  std::optional<TimeNs> until;  // of a group, or of an item that lasted
  std::optional<std::int64_t> step;
  IncidentLane lane = IncidentLane::kHappened;
  std::string kind;  // "xid", "finding", "restart", "checkpoint", "alert", "capture", "note", ...
  Severity severity = Severity::kInfo;
  words::Sentence text;  // one line, from the source or our own
  std::int64_t count = 1;
  std::string select;        // in the form of a link's selection
  std::int64_t finding = 0;  // its id
};

struct TimelineSource {
  TimeRange range;
  std::span<const Event> events;
  std::span<const Finding> findings;   // of the run
  std::span<const Finding> published;  // of them, by time
  std::span<const Checkpoint> checkpoints;
  std::span<const Alert> alerts;
  std::span<const Capture> captures;
  std::span<const Note> notes;
  const RunPlaces& places;
  std::function<std::optional<std::int64_t>(TimeNs)> step_at;
};

struct Timeline {
  std::vector<TimelineEntry> entries;  // by time
  std::size_t left_out = 0;
};

Timeline timelineOf(const TimelineSource& source);

// Nodes that only one of two attempts has, by name.
struct NodeChange {
  std::vector<std::string> gone, come;
};
NodeChange nodeChange(const Attempt& before, const Attempt& after, const RunPlaces& places);
// Its summary; as the message of a finding whose sentence it is.
words::Arg alertArg(const Alert& alert, std::span<const Finding> findings);
words::Arg nodeChangeArg(const NodeChange& change);  // "n3 is replaced by n7", "n3 is gone"; absent: no change

}  // namespace runglass
