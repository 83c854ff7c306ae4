// SPDX-License-Identifier: Apache-2.0
#include "analysis/engine/analysis.h"

namespace runglass {

const std::vector<AnalysisEntry>& analyses() {
  static const std::vector<AnalysisEntry> kAll = {};
  return kAll;
}

}  // namespace runglass
