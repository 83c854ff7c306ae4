// SPDX-License-Identifier: Apache-2.0
// How importers of a tool's text output recognise it.
//
// Threading:  pure.
#pragma once

#include <string_view>

namespace runglass {

// Job scripts run such tools before they train, and the log of the job then begins with their output. So the score is below that of a
// training log with records, and above that of any other log.
constexpr int kToolOutput = 84;

// Whether a line of `head` begins with `text`. A prefix of a launcher (`srun --label`) hides the output from its importer.
inline bool beginsLine(std::string_view head, std::string_view text) {
  for (std::size_t at = head.find(text); at != std::string_view::npos; at = head.find(text, at + 1))
    if (at == 0 || head[at - 1] == '\n' || head[at - 1] == '\r') return true;
  return false;
}

}  // namespace runglass
