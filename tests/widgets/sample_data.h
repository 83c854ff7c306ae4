// SPDX-License-Identifier: GPL-3.0-or-later
// Values of a small cluster for widget tests: three runs, two of them odd, with findings and ingest issues.
//
// Ownership:  the caller's.
// Units:      kSampleNow is the wall-clock time of the data.
// Cost:       milliseconds.
#pragma once

#include <memory>

#include "tests/widgets/fake_reader.h"

namespace runglass {

inline constexpr TimeNs kSampleNow = 1'795'211'434LL * kNsPerSecond;

// Run 1 is running (attempt 2 after a restart), run 2 failed and has a hostile name, run 3 has no clock and no loss.
std::shared_ptr<FakeData> sampleData();

}  // namespace runglass
