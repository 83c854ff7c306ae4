// SPDX-License-Identifier: Apache-2.0
// A RewindAnswer for people (lines), for scripts (JSON), and what is to be copied into a command line.
//
// Threading:  pure.
// Units:      as RewindPlan.
// Cost:       O(steps left out).
#pragma once

#include <string>
#include <vector>

#include "analysis/rewind/rewind_facts.h"

namespace runglass {

const char* rewindRuleName(RewindRule rule);  // "palm", "falcon"
// As docs/guide/loss_spikes.md says.
std::string rewindJson(const RewindAnswer& answer);
// One fact a line. Nothing here is ever executed.
std::vector<std::string> rewindLines(const RewindAnswer& answer);
}  // namespace runglass
