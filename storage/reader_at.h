// SPDX-License-Identifier: Apache-2.0
// readerAt: a store as of a moment. Code that shows or analyses the present state does the same for the past state through this Reader.
//
// Threading:  the inner Reader's: one thread at a time for both together.
// Ownership:  the inner Reader outlives it.
// Units:      TimeNs, as the inner Reader corrects it. Data stamped with the moment itself is included: ranges end one ns after it.
// Errors:     the inner Reader's; NOT_FOUND also for objects that did not exist yet.
// Cost:       a call of the inner Reader, and one latestAt() of the series that continue after the moment.
//
// Data after the moment is left out; an object that began before and ended after it has no end: a run is running, a checkpoint not durable,
// a span open. Where the store lacks the data for that, the answer is an approximation:
// - A run without a clock is shown in its present state. In other runs, an object without a time of its own (a finding, a note, an event,
//   points without times) is included if nothing of the run or attempt is later than the moment.
// - A finding that was published while its run was in progress (Finding::published) exists from then on, in the last version published by
//   the moment; for a finding that changes all the time, this version may be too old by a sixteenth of its age. This applies if its first
//   publication is between the begin of its problem and ten minutes after the last data of its run. All others, those of imported runs and
//   of later analyses, exist from the begin of their problem, in their present version and unpublished.
// - An incident exists from its creation. If it was changed after the moment, only its initial state is shown: open, without notes, cause,
//   summary and reason.
// - An alert whose last notification is after the moment counts one notification less. A snooze exists once it has expired: its creation
//   time is not recorded.
// - Issues exist from their first occurrence; their counts are the present ones.
// - The steps of an attempt that continues are those of its step times, or of all its series where it has no step times.
// - A rank's progress is its own report if that was made by the moment, or if its operation had begun by then; else the step according to
//   its step times, without an operation.
// - A node is lost, stale or back according to the hub's events; its last report is the time of its newest sample.
// - sample_count of a series counts all its samples; last_time of a series over steps is that of its highest step. Tracks are those of
//   attempts that had begun.
// - A bar of several spans that contains the moment ends there; its shares are those of the whole bar.
// - Clocks and alignments are the present ones: they are not part of the run's state.
// - query() and verify() use the present store: SQL is not clipped.
#pragma once

#include <memory>

#include "storage/reader.h"

namespace runglass {

// generation() follows the inner Reader's until the moment is past. Afterwards only late data can change the answers: it follows every
// kLateLook, so that a view of the past is not redrawn with each sample of the present.
inline constexpr DurNs kLateLook = 2 * kNsPerSecond;

std::unique_ptr<Reader> readerAt(Reader& inner, TimeNs moment);

}  // namespace runglass
