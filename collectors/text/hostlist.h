// SPDX-License-Identifier: Apache-2.0
// Lists of hosts as Slurm writes them: "gpu-[001-003,7],rack[1-2]n[01-04],login".
//
// Threading:  pure.
// Errors:     INVALID_ARGUMENT with the text and the cause; more than kMaxHosts hosts.
// Cost:       O(hosts).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"

namespace runglass {

inline constexpr std::size_t kMaxHosts = 65'536;

// In the order of the list; a host that occurs twice is there twice.
Result<std::vector<std::string>> expandHostlist(std::string_view text);
// "0-2,5", as in GRES=gpu:4(IDX:0-2,5). At most kMaxHosts numbers.
Result<std::vector<std::int32_t>> expandNumbers(std::string_view text);

}  // namespace runglass
