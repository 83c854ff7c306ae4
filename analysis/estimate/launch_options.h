// SPDX-License-Identifier: Apache-2.0
// The options of a run: a command line taken apart, and the arguments that a framework logs, under one name each.
//
// Threading:  pure; any thread.
// Ownership:  values.
// Units:      values are text as given.
// Errors:     none: what is no option is left out.
// Cost:       O(bytes).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/topology.h"

namespace runglass {

// "--global-batch-size 512 --lr=3e-4 --bf16 data/a" -> {"global_batch_size": "512", "lr": "3e-4", "bf16": "true"}. Names in the form of
// Python's argparse: lower case, '_' for '-' and blanks. Hydra's "a.b=c" counts too. The last of several wins. Quotes are taken off.
// Options whose name looks secret have the value "(not shown)".
std::map<std::string, std::string> optionsOf(std::string_view command_line);

// Of an attempt's facts: those of argv, then every fact of the attempt as a whole, which win. Facts of single nodes and ranks are left out,
// except argv of rank 0's.
std::map<std::string, std::string> optionsOf(std::span<const Fact> facts);

// A finite number from its text; thousands separators are allowed. Absent: none of the names has one.
std::optional<double> optionNumber(const std::map<std::string, std::string>& options, std::span<const std::string_view> names);
std::optional<double> numberOfText(std::string text);

}  // namespace runglass
