// SPDX-License-Identifier: Apache-2.0
// Recorder: the interface for recording data of a cluster and its runs. Sources and importers call it; the store and the wire implement it,
// so that a parser is independent of whether it feeds a file or an agent.
//
// Threading:  one thread at a time per Recorder.
// Ownership:  arguments are copied before a call returns.
// Units:      TimeNs; see samples.h and spans.h for shapes.
// Errors:     calls return no status: flush() returns the first failure since the last flush. Other calls are not affected. Ids are valid
//             for this Recorder only. Equal keys give equal ids.
// Cost:       a few hash look-ups per declaration; samples/scalars/spans are O(n) appends.
#pragma once

#include <span>

#include "model/captures.h"
#include "model/events.h"
#include "model/result.h"
#include "model/samples.h"
#include "model/spans.h"
#include "model/topology.h"

namespace runglass {

class Recorder {
 public:
  virtual ~Recorder() = default;

  // Declare or update (set fields replace known ones; of starts the earliest wins, of ends the latest). `id` fields of the argument are
  // ignored.
  virtual NodeId node(const Node& node) = 0;                  // identity: uuid
  virtual DeviceId device(const Device& device) = 0;          // identity: uuid
  virtual RunId run(const Run& run) = 0;                      // identity: uuid if given, else name
  virtual AttemptId attempt(const Attempt& attempt) = 0;      // identity: (run, key)
  virtual void rank(const Rank& rank) = 0;                    // identity: (attempt, rank)
  virtual void fact(const Fact& fact) = 0;                    // identity: (attempt, node, rank, key)
  virtual void checkpoint(const Checkpoint& checkpoint) = 0;  // identity: (attempt, step, path)
  virtual void group(const CommGroup& group) = 0;             // identity: (attempt, id)
  virtual SeriesId series(const SeriesKey& key) = 0;
  virtual TrackId track(const TrackKey& key) = 0;

  // Append. Any order, duplicates and equal x are allowed; docs/formats/schema.md has the rule for each.
  virtual void samples(SeriesId series, std::span<const TimeNs> time, std::span<const double> value) = 0;
  // `time` is empty (no clock) or as long as `step`.
  virtual void scalars(SeriesId series, std::span<const std::int64_t> step, std::span<const TimeNs> time,
                       std::span<const double> value) = 0;
  virtual void spans(TrackId track, const SpanColumns& spans) = 0;
  virtual void event(const Event& event) = 0;
  virtual void log(const LogLine& line) = 0;
  virtual void progress(const Progress& progress) = 0;
  virtual void issue(const Issue& issue) = 0;
  virtual void label(const Label& label) = 0;
  virtual void clock(const ClockReading& reading) = 0;
  virtual void capture(const Capture& capture) = 0;

  // Passes on the data recorded so far (store: commits; wire: seals a batch). Returns the first failure since the last flush.
  virtual Status flush() = 0;

  void sample(SeriesId id, TimeNs time, double value) { samples(id, {&time, 1}, {&value, 1}); }
  void scalar(SeriesId id, std::int64_t step, std::optional<TimeNs> time, double value) {
    scalars(id, {&step, 1}, time ? std::span<const TimeNs>(&*time, 1) : std::span<const TimeNs>(), {&value, 1});
  }
};

}  // namespace runglass
