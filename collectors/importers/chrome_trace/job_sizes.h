// SPDX-License-Identifier: Apache-2.0
// JobSizes: the parallel layout of a job, from the small YAML file that lies beside its traces (StragglerAnalysis: meta-<trial>.yaml).
//
// Threading:  pure but for reading files.
// Ownership:  values.
// Units:      ranks.
// Errors:     lines that are no `key: value`, sizes that are no numbers from 1 and keys that come twice are counted in odd_lines; what is
//             left holds. Other keys are of no concern.
// Cost:       files up to 64 KiB; jobSizesBeside() lists at most 4,096 names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/topology.h"

namespace runglass {

struct JobSizes {
  Layout layout;      // dsp_size and cp_size are cp
  std::string trial;  // trial_name
  std::string path;
  std::int64_t odd_lines = 0;
};

JobSizes parseJobSizes(std::string_view text);
// Of the trace at `path`: meta-X.yaml for timeline-X.json, else meta.yaml, else the only .yaml of the folder if it says at least two sizes.
std::optional<JobSizes> jobSizesBeside(const std::string& path);
// False when all of tp, pp, dp and cp are known and their product is another world size.
bool productFits(const Layout& layout);

}  // namespace runglass
