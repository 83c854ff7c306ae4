// SPDX-License-Identifier: Apache-2.0
// The options of a run: a parsed command line and the arguments that a framework logs, under normalized names.
//
// Threading:  pure; any thread.
// Units:      values are text as given.
// Errors:     words that are not options are left out.
// Cost:       O(bytes).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/topology.h"

namespace runglass {

// "--global-batch-size 512 --lr=3e-4 --bf16 data/a" -> {"global_batch_size": "512", "lr": "3e-4", "bf16": "true"}. Names follow Python's
// argparse: lower case, '_' for '-' and blanks. Hydra's "a.b=c" is accepted too. The last of several values wins. Quotes are removed.
// Options whose name looks secret have the value "(not shown)".
std::map<std::string, std::string> optionsOf(std::string_view command_line);

// From an attempt's facts: the options of argv, overridden by every fact of the attempt as a whole. Facts of single nodes and ranks are
// left out, except rank 0's argv.
std::map<std::string, std::string> optionsOf(std::span<const Fact> facts);

// A finite number from its text; thousands separators are allowed. Absent: none of the names has a number.
std::optional<double> optionNumber(const std::map<std::string, std::string>& options, std::span<const std::string_view> names);
std::optional<double> numberOfText(std::string text);

}  // namespace runglass
