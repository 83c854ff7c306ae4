// SPDX-License-Identifier: Apache-2.0
#include "analysis/engine/analysis.h"
#include "analysis/hangs/hangs.h"

namespace runglass {

const std::vector<AnalysisEntry>& analyses() {
  static const std::vector<AnalysisEntry> kAll = {
      {"hangs", makeHangs},
  };
  return kAll;
}

}  // namespace runglass
