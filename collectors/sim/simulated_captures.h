// SPDX-License-Identifier: Apache-2.0
// What a capture of a simulated run holds: stacks and process states that fit what the player is doing, each of them saying that it is
// simulated.
//
// Threading:  capture() on one thread with a Recorder of its own, while play() runs on another.
// Ownership:  borrows all arguments during the call.
// Units:      steps, TimeNs.
// Errors:     none of its own.
// Cost:       two texts of some 1 KiB a rank.
#pragma once

#include <vector>

#include "collectors/sim/simulator.h"
#include "model/captures.h"

namespace runglass::sim {

std::string nodeUuid(const Scenario& scenario, std::int32_t index);
// Of all the scenario's nodes.
std::vector<std::string> nodeUuids(const Scenario& scenario);
// Records the captures of these ranks (none named: all) and flushes; the ranks that there are.
std::vector<std::int32_t> capture(const Scenario& scenario, const PlayState& state, const std::vector<std::int32_t>& ranks,
                                  CaptureReason reason, TimeNs now, Recorder& out);

}  // namespace runglass::sim
