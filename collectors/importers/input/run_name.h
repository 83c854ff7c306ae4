// SPDX-License-Identifier: Apache-2.0
// The name of a run that only its file's name can give.
//
// Threading:  pure.
// Ownership:  none.
// Units:      none.
// Errors:     none.
// Cost:       O(path).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "collectors/importers/telemetry/display_name.h"

namespace runglass {

// "a/b/run.json.gz" -> "run"; files that all have one name (train.log, trainer_state.json) are called after their folder.
std::string runNameOfFile(const std::string& path);
// 3 of "trace_rank3.json", "rank-3.gz".
std::optional<std::int32_t> rankOfName(std::string_view name);

}  // namespace runglass
