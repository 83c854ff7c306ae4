// SPDX-License-Identifier: Apache-2.0
// The facts in which two attempts differ: command line options, versions, environment variables.
//
// Threading:  pure; any thread.
// Units:      values as text.
// Errors:     values whose name looks secret are never shown.
// Cost:       O(facts).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/topology.h"

namespace runglass {

struct FactDelta {
  std::string key;
  std::optional<std::string> a, b;  // absent: not recorded on that side; different values of nodes and ranks are joined
};

// By key. Facts that identify a machine or a process rather than a setting (host names, process ids, device lists, times) are left out.
std::vector<FactDelta> differentFacts(std::span<const Fact> a, std::span<const Fact> b);

}  // namespace runglass
