// SPDX-License-Identifier: Apache-2.0
// The cause under which notifications of a finding are counted and muted: the same string for the hub that notifies and the console that
// mutes.
//
// Threading:  pure.
#pragma once

#include <string>

#include "model/findings.h"

namespace runglass {

// Findings of one fault are parts of one cause. A slow node shows in its ranks and in the clocks of its GPUs; a fault of a machine is the
// same in every run that it stops, and a trouble is the same in the attempt after a restart. `node`: the name of its node, "" without one;
// `run`: the uuid of its run.
std::string causeOfFinding(const Finding& finding, const std::string& node, const std::string& run);

}  // namespace runglass
