// SPDX-License-Identifier: Apache-2.0
// readerAt: a store as of a moment. Code that shows or analyses the present state does the same for the past state through this Reader.
//
// Threading:  the inner Reader's: one thread at a time for both together.
// Ownership:  the inner Reader outlives it.
// Units:      TimeNs, as the inner Reader corrects it. Data stamped with the moment itself is included: ranges end one ns after it.
// Errors:     the inner Reader's; NOT_FOUND also for objects that did not exist yet.
// Cost:       a call of the inner Reader, and one latestAt() of the series that continue after the moment.
//
// What is later than the moment is not there; what began by it and ended later is not over: it has no end, a run is running, a checkpoint
// not durable, a span open. Where a store keeps less than that, less is told:
// - A run without a clock cannot travel: it is as it is. Of other runs, what has no time of its own (a finding, a note, an event, points
//   without times) is there once nothing of the run or attempt is later than the moment.
// - A finding that was published while its run was active (Finding::published) exists from then on, in the words last published by the
// moment;
//   of one that changes all the time these may be older by a sixteenth of its age. So it is where the first telling lies between the
//   begin of its trouble and ten minutes after the last word of its run. All others, those of imported runs and of analyses that were asked
//   afterwards, are there from when their trouble began, as they are known now, and untold.
// - An incident is there from when it was made. Of one that was changed after the moment only what was so from the begin is told: it is
//   open, without notes, cause, summary and reason.
// - An alert that was last told after the moment counts as told once less. A snooze is there once it is over: when it was made is not kept.
// - Issues are there from the first on; their counts are those of now.
// - The steps of an attempt that goes on are those of its step times, of all its series where it has none.
// - A rank's progress is what it said of itself if that was by the moment, or of an operation that had begun by then; else the step
//   that its step times tell, without an operation.
// - A node is lost, stale or back as the hub's events say; it was heard when the newest sample of it came.
// - sample_count of a series is that of all its samples; last_time of one of steps is that of its highest step. Tracks are those
//   of attempts that had begun.
// - A bar of several spans that the moment cuts ends there; its shares are those of the whole bar.
// - Clocks and alignments are those of now: what is known of them is no state of the run.
// - query() and verify() look at the store as it is: SQL is not clipped.
#pragma once

#include <memory>

#include "storage/reader.h"

namespace runglass {

// generation() follows the inner Reader's until the moment is past. Afterwards only late data can change the answers: it follows every
// kLateLook, so that a view of the past is not redrawn with each sample of the present.
inline constexpr DurNs kLateLook = 2 * kNsPerSecond;

std::unique_ptr<Reader> readerAt(Reader& inner, TimeNs moment);

}  // namespace runglass
