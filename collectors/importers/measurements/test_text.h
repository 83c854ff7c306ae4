// SPDX-License-Identifier: Apache-2.0
// The run() of importers that read a test's text output line by line; a test that is still running is read again when it has ended.
//
// Threading:  one thread.
// Errors:     as readPieces().
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "collectors/importers/importer.h"
#include "collectors/importers/measurements/test_results.h"

namespace runglass {

// Calls `line` for every line, then `end`, and finishes the report. While `results.recording` is false, the line is before resume_at.
Status readTestText(ByteStream& in, const ImportTarget& target, ImportReport& report, const std::stop_token& stop, TestResults& results,
                    const std::function<void(std::string_view)>& line, const std::function<void()>& end);

std::vector<std::string_view> wordsOf(std::string_view line);
// Of the whole text.
std::optional<double> decimal(std::string_view text);

}  // namespace runglass
