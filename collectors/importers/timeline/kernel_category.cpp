// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/timeline/kernel_category.h"

namespace runglass {

SpanCategory kernelCategory(std::string_view name) {
  for (std::size_t i = 0; i + 4 <= name.size(); ++i) {
    const auto lower = [&](std::size_t at) { return name[i + at] | 0x20; };
    if (lower(1) == 'c' && lower(2) == 'c' && lower(3) == 'l' && (lower(0) == 'n' || lower(0) == 'r')) return SpanCategory::kComm;
  }
  return SpanCategory::kCompute;
}

}  // namespace runglass
