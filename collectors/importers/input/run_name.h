// SPDX-License-Identifier: Apache-2.0
// The name of a run that only its file's name can give.
//
// Threading:  pure.
// Ownership:  none.
// Units:      none.
// Errors:     none.
// Cost:       O(path).
#pragma once

#include <string>
#include <string_view>

namespace runglass {

// "a/b/run.json.gz" -> "run"; files that all have one name (train.log, trainer_state.json) are called after their folder.
std::string runNameOfFile(const std::string& path);
// Fit to be a name and to be shown: control characters and marks that turn the direction of writing become "_", at most 256 bytes.
std::string displayName(std::string_view name);

}  // namespace runglass
