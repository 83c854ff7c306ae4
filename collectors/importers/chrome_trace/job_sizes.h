// SPDX-License-Identifier: Apache-2.0
// JobSizes: the parallel layout of a job, from the small YAML file next to its traces (StragglerAnalysis: meta-<trial>.yaml).
//
// Threading:  pure but for reading files.
// Units:      ranks.
// Errors:     lines other than `key: value`, sizes other than positive numbers and repeated keys are counted in odd_lines; the rest is
//             used. Other keys are ignored.
// Cost:       files up to 64 KiB; jobSizesBeside() lists at most 4,096 names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/topology.h"

namespace runglass {

struct JobSizes {
  Layout layout;      // dsp_size and cp_size are both cp
  std::string trial;  // trial_name
  std::string path;
  std::int64_t odd_lines = 0;
};

JobSizes parseJobSizes(std::string_view text);
// For the trace at `path`: meta-X.yaml for timeline-X.json, else meta.yaml, else the only .yaml of the folder if it has at least two sizes.
std::optional<JobSizes> jobSizesBeside(const std::string& path);
// False if tp, pp, dp and cp are all known and their product differs from the world size.
bool productFits(const Layout& layout);

}  // namespace runglass
