// SPDX-License-Identifier: Apache-2.0
// MirrorRecorder: what a store that copies another one is told: all that can be said about a run, and what that store concluded and what
// people added to it.
//
// Threading:  as Recorder.
// Ownership:  arguments are copied before a call returns.
// Units:      times as they were stamped, uncorrected: the clock readings that correct them come, too.
// Errors:     as Recorder: the first failure sticks and flush() returns it. Every call may be repeated: what is there is not doubled.
// Cost:       complete(): one read of what the copy has of the range.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/alerts.h"
#include "model/edits.h"
#include "model/findings.h"
#include "model/recorder.h"

namespace runglass {

// What analyses and people made of the data. Findings and notes keep the ids that they have at the source, because edits name them.
struct Judgements {
  std::vector<Finding> findings;                           // new or changed; its run, attempt and node are the MirrorRecorder's
  std::vector<Finding> tellings;                           // what findings were told as before, by id and Finding::told
  std::vector<Alert> alerts;                               // new or changed; its run, too
  std::vector<IncidentEdit> incidents;                     // new or changed, as they are
  std::vector<ClockAlignment> alignments;                  // changed; without shifts: there is none any more
  std::optional<std::vector<std::string>> incident_uuids;  // of all there are: others are gone
  std::optional<std::vector<Note>> notes;                  // all there are
  std::optional<std::vector<Snooze>> snoozes;              // all there are
};

// How far a copy is.
struct MirrorMark {
  std::string source_uuid;                     // of the store that is copied
  std::string from;                            // where it was asked: HOST:PORT
  std::optional<TimeNs> complete;              // the source's time at which nothing was left to tell; absent: not yet
  std::int64_t event = 0, log = 0, label = 0;  // the newest ids there that are here
  friend bool operator==(const MirrorMark&, const MirrorMark&) = default;
};

class MirrorRecorder : public Recorder {
 public:
  // All points of a series with step in [step0, step1] in order of step, of equal steps in order of arrival: what lacks is added.
  virtual void complete(SeriesId series, std::int64_t step0, std::int64_t step1, const ScalarColumns& points) = 0;
  // An issue with the count that it has at the source.
  virtual void total(const Issue& issue) = 0;
  virtual void judge(const Judgements& judgements) = 0;
  virtual void mark(const MirrorMark& mark) = 0;
};

}  // namespace runglass
