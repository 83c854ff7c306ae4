// SPDX-License-Identifier: Apache-2.0
// MirrorRecorder: the interface for writing a replica: everything a Recorder accepts, and the findings of the source's analyses and the
// additions of people.
//
// Threading:  as Recorder.
// Ownership:  arguments are copied before a call returns.
// Units:      times as stamped, uncorrected: the clock readings that correct them are sent too.
// Errors:     as Recorder. Every call may be repeated: existing data is not duplicated.
// Cost:       complete(): one read of the replica's data in the range.
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

// Results of analyses and additions of people. Findings and notes keep their ids at the source, because edits refer to them.
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

// The position up to which a replica has the pyramid blocks of a series over time. Chunk ids of the source grow.
struct SummaryPosition {
  struct Open {
    std::int64_t points = 0;                                     // in complete blocks of the open chunk
    std::int64_t x1 = std::numeric_limits<std::int64_t>::min();  // of the last such block; without one: of the block before it
    friend bool operator==(const Open&, const Open&) = default;
  };
  std::int64_t chunk = 0;  // the newest sealed one
  Open main, late;         // points that arrived in order, and late ones
  friend bool operator==(const SummaryPosition&, const SummaryPosition&) = default;
};
// Blocks of a series, by x0; in a block x1 is inclusive, and count and nan_count add up to at most 64. With `from`, they are all blocks
// that begin at or after it and replace earlier ones there. Without `from`, they are additional ones.
struct Summaries {
  std::optional<std::int64_t> from;
  std::vector<Bin> blocks;
  SummaryPosition next;
};

// The position of a replica.
struct MirrorMark {
  std::string source_uuid;                     // of the source store
  std::string from;                            // address of the source: HOST:PORT
  std::optional<TimeNs> complete;              // the source's time at which everything but summaries had been sent; absent: not yet
  std::optional<TimeNs> summarised;            // the same for summaries of series over time; absent: not yet
  std::int64_t event = 0, log = 0, label = 0;  // the newest ids of the source that are in the replica
  friend bool operator==(const MirrorMark&, const MirrorMark&) = default;
};

class MirrorRecorder : public Recorder {
 public:
  // All points of a series with step in [step0, step1], in order of step, equal steps in order of arrival: missing points are added.
  virtual void complete(SeriesId series, std::int64_t step0, std::int64_t step1, const ScalarColumns& points) = 0;
  // For a series over time whose samples stay at the source.
  virtual void summaries(SeriesId series, const Summaries& summaries) = 0;
  // An issue with its count at the source.
  virtual void total(const Issue& issue) = 0;
  virtual void judge(const Judgements& judgements) = 0;
  virtual void mark(const MirrorMark& mark) = 0;
};

}  // namespace runglass
