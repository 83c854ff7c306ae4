// SPDX-License-Identifier: Apache-2.0
// A RewindAnswer for people (lines), for scripts (JSON), and as arguments to copy into a command line.
//
// Threading:  pure.
// Units:      as RewindPlan.
// Cost:       O(skipped steps).
#pragma once

#include <string>
#include <vector>

#include "analysis/rewind/rewind_facts.h"

namespace runglass {

const char* rewindRuleName(RewindRule rule);  // "palm", "falcon"
// In the format of docs/guide/loss_spikes.md.
std::string rewindJson(const RewindAnswer& answer);
// One fact per line. Nothing here is ever executed.
std::vector<std::string> rewindLines(const RewindAnswer& answer);
}  // namespace runglass
