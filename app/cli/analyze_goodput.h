// SPDX-License-Identifier: GPL-3.0-or-later
// The part `goodput` of `runglassctl analyze`: time lost by cause, the effective-training-time ratio and the checkpoint interval.
//
// Threading:  on the thread of the Reader.
// Units:      ns, seconds where the name has that unit, ratios.
// Errors:     the Reader's.
// Cost:       as readGoodput().
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>

#include "analysis/estimate/run_plan.h"
#include "analysis/goodput/goodput.h"

namespace runglass::ctl {

struct GoodputAnswer {
  Goodput goodput;
  RunPlan plan;
};

Result<GoodputAnswer> askGoodput(Reader& reader, const Run& run, std::span<const Finding> findings);
nlohmann::ordered_json planJson(const RunPlan& plan);
// Lines indented by two spaces; none for a run without steps and restarts.
std::string planText(const RunPlan& plan);

}  // namespace runglass::ctl
