// SPDX-License-Identifier: Apache-2.0
// Settings that should be the same everywhere and are not, and those that are known to hurt.
//
// Threading:  pure.
// Units:      values are text as the source gave it.
// Errors:     none: a setting that nobody told of is not judged.
// Cost:       O(told log told).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/findings.h"

namespace runglass {

// One machine's (or GPU's) word: "driver" on "n0412" is "550.54".
struct ReportedSetting {
  std::string key, value;
  std::string node;    // "" = told for the whole attempt
  std::string device;  // uuid; "" = of the node
};

// Kind "settings": subject "setting:KEY"; severity warning where a few differ from the rest, info where all share what may hurt.
// Evidence: {"key", "meaning", "advice", "values": [{"value", "count", "nodes": [at most 64]}], "odd": [nodes that differ]}.
std::vector<Finding> judgeSettings(std::span<const ReportedSetting> reported);

}  // namespace runglass
