// SPDX-License-Identifier: Apache-2.0
// Analysis `hardware_faults`: one finding per broken component, regardless of the number of its symptoms.
//
// Findings: `hardware_fault` (GPU, link, node, storage, silence, hub), `slow_link` (a link that flaps), `thermal_throttle`.
// Evidence: {"cause", "root": {time_ns, kind, code, message, node, device_uuid}, "repeats", "nodes", "meaning", "advice", "action",
// "source", "check": [what else to look at], "symptom_count", "symptoms_by_kind": {...}, "symptoms": [the first 20]}; for throttling
// {"cause", "reasons": [{bit, name, meaning, advice}], "source", "devices": [{device_uuid, start_ns, end_ns}], "check"}.
//
// Threading:  as Analysis.
// Ownership:  as Analysis; keeps its published findings and the clock reasons that it has read.
// Units:      TimeNs.
// Errors:     the Reader's.
// Cost:       the first call reads all events (at most 100,000) and reasons; later calls the events of the last two hours and new reasons.
#pragma once

#include <memory>

#include "analysis/engine/analysis.h"

namespace runglass {

std::unique_ptr<Analysis> makeHardwareFaults();

}  // namespace runglass
