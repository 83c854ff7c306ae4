// SPDX-License-Identifier: GPL-3.0-or-later
// The part `what_if` of runglassctl analyze: contract section 5, and a block of text.
//
// Threading:  as the Reader.
// Ownership:  values.
// Units:      mean step times in ns; ratios.
// Errors:     the Reader's; a run without spans is "insufficient", with a reason.
// Cost:       as readNewestWhatIf().
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/result.h"
#include "storage/reader.h"

namespace runglass::ctl {

struct WhatIfPart {
  nlohmann::ordered_json json;
  std::string text;  // lines, indented; "" where spans say nothing
};

Result<WhatIfPart> whatIfPart(Reader& reader, RunId run);

}  // namespace runglass::ctl
