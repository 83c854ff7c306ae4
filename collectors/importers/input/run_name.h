// SPDX-License-Identifier: Apache-2.0
// The name of a run, for files without one in their content.
//
// Threading:  pure.
// Cost:       O(path).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectors/text/display_name.h"

namespace runglass {

// "a/b/run.json.gz" -> "run"; files with a generic name (train.log, trainer_state.json) are named after their folder.
std::string runNameOfFile(const std::string& path);
// 3 of "trace_rank3.json", "rank-3.gz".
std::optional<std::int32_t> rankOfName(std::string_view name);

}  // namespace runglass
