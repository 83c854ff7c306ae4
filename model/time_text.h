// SPDX-License-Identifier: Apache-2.0
// Times and durations as text in findings and messages.
//
// Units:      ns in; s, min, h, d out.
#pragma once

#include <string>

#include "model/time.h"

namespace runglass {

// "10 s", "2 min 10 s", "3 h 5 min", "4 d 2 h"; the second unit where it is not 0. Negative: "0 s".
std::string durationText(DurNs duration);
// Three digits: "850 ns", "12.5 µs", "312 ms", "4.07 s"; from one minute on as durationText().
std::string shortDurationText(DurNs duration);
// "2026-03-02 10:00:00Z"
std::string utcText(TimeNs time);
// The time of day of it: "10:00:00"
std::string clockText(TimeNs time);
// Minutes and seconds, hours where there are any: "5:03", "1:20:07". Negative: "0:00".
std::string countdownText(DurNs left);

}  // namespace runglass
