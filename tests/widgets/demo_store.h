// SPDX-License-Identifier: GPL-3.0-or-later
// A small recorded training run for tests that need a real store: two attempts, eight ranks on two nodes with a GPU each, loss, tokens per
// second, power, a checkpoint, an issue.
//
// Threading:  any thread; one Recorder at a time.
// Units:      times end at `end`, one step per second.
// Errors:     the Recorder's, at flush().
// Cost:       milliseconds.
#pragma once

#include "model/recorder.h"

namespace runglass {

inline constexpr std::int64_t kDemoSteps = 600;

// Equal `end` gives equal data.
void recordDemo(Recorder& recorder, TimeNs end);

}  // namespace runglass
