// SPDX-License-Identifier: Apache-2.0
// Calls the Recorder function for a record's type, for code that handles records of any type.
#pragma once

#include "model/recorder.h"

namespace runglass {

inline NodeId record(Recorder& to, const Node& value) { return to.node(value); }
inline DeviceId record(Recorder& to, const Device& value) { return to.device(value); }
inline RunId record(Recorder& to, const Run& value) { return to.run(value); }
inline AttemptId record(Recorder& to, const Attempt& value) { return to.attempt(value); }
inline SeriesId record(Recorder& to, const SeriesKey& value) { return to.series(value); }
inline TrackId record(Recorder& to, const TrackKey& value) { return to.track(value); }
inline void record(Recorder& to, const Rank& value) { to.rank(value); }
inline void record(Recorder& to, const Fact& value) { to.fact(value); }
inline void record(Recorder& to, const Checkpoint& value) { to.checkpoint(value); }
inline void record(Recorder& to, const CommGroup& value) { to.group(value); }
inline void record(Recorder& to, const Event& value) { to.event(value); }
inline void record(Recorder& to, const LogLine& value) { to.log(value); }
inline void record(Recorder& to, const Progress& value) { to.progress(value); }
inline void record(Recorder& to, const Issue& value) { to.issue(value); }
inline void record(Recorder& to, const Label& value) { to.label(value); }
inline void record(Recorder& to, const ClockReading& value) { to.clock(value); }
inline void record(Recorder& to, const Capture& value) { to.capture(value); }

}  // namespace runglass
