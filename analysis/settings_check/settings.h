// SPDX-License-Identifier: Apache-2.0
// Settings that should be equal on all nodes and are not, and settings known to be harmful.
//
// Threading:  pure.
// Units:      values are text as recorded.
// Errors:     a setting that is not recorded is not judged.
// Cost:       O(n log n) in the recorded settings.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/findings.h"

namespace runglass {

// One value of a node (or GPU): "driver" on "n0412" is "550.54".
struct ReportedSetting {
  std::string key, value;
  std::string node;    // "": recorded for the whole attempt
  std::string device;  // uuid; "": of the node
};

// Kind "settings": subject "setting:KEY"; severity warning where a few differ from the rest, info where the values have no clear majority,
// or all share one that may be harmful. Evidence: {"key", "meaning", "advice", "values": [{"value", "count", "nodes": [at most 64]}],
// "odd": [nodes that differ]}.
std::vector<Finding> judgeSettings(std::span<const ReportedSetting> reported);

}  // namespace runglass
