// SPDX-License-Identifier: Apache-2.0
// What two attempts were told differently: options of the command line, versions, variables of the environment.
//
// Threading:  pure; any thread.
// Ownership:  values.
// Units:      values as text.
// Errors:     none. Values of names that look secret are never shown.
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
  std::optional<std::string> a, b;  // absent: that side did not say it; several values of nodes and ranks are joined
};

// By key. What names a machine or a process rather than a setting (host names, process ids, device lists, times) is left out.
std::vector<FactDelta> differentFacts(std::span<const Fact> a, std::span<const Fact> b);

}  // namespace runglass
