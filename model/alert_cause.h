// SPDX-License-Identifier: Apache-2.0
// The cause by which notifications of a finding are counted and muted: the same string in the hub that notifies and in the console that
// mutes.
#pragma once

#include <string>

#include "model/findings.h"

namespace runglass {

// Findings of one fault share one cause. A slow node affects its ranks and the clocks of its GPUs; a machine's fault is the same in every
// run that it stops, and a problem is the same in the attempt after a restart. `node`: the name of the finding's node, "" without one;
// `run`: the uuid of its run.
std::string causeOfFinding(const Finding& finding, const std::string& node, const std::string& run);

}  // namespace runglass
