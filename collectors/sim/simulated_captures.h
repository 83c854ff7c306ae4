// SPDX-License-Identifier: Apache-2.0
// Captures of a simulated run: stacks and process states that match the player's state, each marked as simulated.
//
// Threading:  capture() on one thread with its own Recorder, while play() runs on another.
// Ownership:  borrows all arguments during the call.
// Units:      steps, TimeNs.
// Cost:       two texts of some 1 KiB a rank.
#pragma once

#include <vector>

#include "collectors/sim/simulator.h"
#include "model/captures.h"

namespace runglass::sim {

std::string nodeUuid(const Scenario& scenario, std::int32_t index);
// Uuids of all nodes of the scenario.
std::vector<std::string> nodeUuids(const Scenario& scenario);
// Records the captures of these ranks (empty: all) and flushes; returns the captured ranks.
std::vector<std::int32_t> capture(const Scenario& scenario, const PlayState& state, const std::vector<std::int32_t>& ranks,
                                  CaptureReason reason, TimeNs now, Recorder& out);

}  // namespace runglass::sim
