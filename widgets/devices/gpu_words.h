// SPDX-License-Identifier: GPL-3.0-or-later
// The sentence and the scale line of the GPU view.
//
// Threading: pure.
#pragma once

#include "widgets/devices/gpu_data.h"

namespace runglass {

// Sets sentence, severity and scale from the other members.
void sayGpus(GpuData& data, TimeNs as_of, TimeStyle style);

// Whether a metric's deviation is relative to the peers' median.
bool comparesPeers(const GridMetric& metric);

// "25.0 % above its peers"; kAbsentText without peers.
QString deviationText(const GpuCell& cell);
QString findingText(const FindingMark& mark);

}  // namespace runglass
