// SPDX-License-Identifier: Apache-2.0
// MirrorRecorder: what a store that copies another one is told: all that can be said about a run, and what that store concluded and what
// people added to it.
//
// Threading:  as Recorder.
// Ownership:  arguments are copied before a call returns.
// Units:      times as they were stamped, uncorrected: the clock readings that correct them come, too.
// Errors:     as Recorder. Every call may be repeated: what is there is not doubled.
// Cost:       complete(): one read of what the copy has of the range.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "model/alerts.h"
#include "model/edits.h"
#include "model/findings.h"
#include "model/recorder.h"
#include "model/samples.h"

namespace runglass {

// What analyses and people made of the data. Findings and notes keep the ids that they have at the source, because edits name them.
struct Judgements {
  std::vector<Finding> findings;                           // new or changed; its run, attempt and node are the MirrorRecorder's
  std::vector<Finding> published;                          // what findings were published as before, by id and Finding::published
  std::vector<Alert> alerts;                               // new or changed; its run, too
  std::vector<IncidentEdit> incidents;                     // new or changed, as they are
  std::vector<ClockAlignment> alignments;                  // changed; without shifts: there is none any more
  std::optional<std::vector<std::string>> incident_uuids;  // of all there are: others are gone
  std::optional<std::vector<Note>> notes;                  // all there are
  std::optional<std::vector<Snooze>> snoozes;              // all there are
};

// How far a copy has what the samples of a series over time were reduced to. Chunks of the source have numbers that grow.
struct SummaryPosition {
  struct Open {
    std::int64_t points = 0;                                     // of the open chunk, in whole blocks
    std::int64_t x1 = std::numeric_limits<std::int64_t>::min();  // the last one of these; of an empty one: of those before it
    friend bool operator==(const Open&, const Open&) = default;
  };
  std::int64_t chunk = 0;  // the newest sealed one
  Open main, late;         // points that came in order, and late
  friend bool operator==(const SummaryPosition&, const SummaryPosition&) = default;
};
// Blocks of a series, by x0; in a block x1 is inclusive, and count and nan_count make at most 64. With `from` they are all that begin at or
// after it: what was said of that before is over. Without, they are further ones.
struct Summaries {
  std::optional<std::int64_t> from;
  std::vector<Bin> blocks;
  SummaryPosition next;
};

// How far a copy is.
struct MirrorMark {
  std::string source_uuid;                     // of the store that is copied
  std::string from;                            // where it was asked: HOST:PORT
  std::optional<TimeNs> complete;              // the source's time at which nothing was left to tell but summaries; absent: not yet
  std::optional<TimeNs> summarised;            // the same for series over time; absent: not yet
  std::int64_t event = 0, log = 0, label = 0;  // the newest ids there that are here
  friend bool operator==(const MirrorMark&, const MirrorMark&) = default;
};

class MirrorRecorder : public Recorder {
 public:
  // All points of a series with step in [step0, step1] in order of step, of equal steps in order of arrival: what lacks is added.
  virtual void complete(SeriesId series, std::int64_t step0, std::int64_t step1, const ScalarColumns& points) = 0;
  // Of a series over time, of which samples stay at the source.
  virtual void summaries(SeriesId series, const Summaries& summaries) = 0;
  // An issue with the count that it has at the source.
  virtual void total(const Issue& issue) = 0;
  virtual void judge(const Judgements& judgements) = 0;
  virtual void mark(const MirrorMark& mark) = 0;
};

}  // namespace runglass
