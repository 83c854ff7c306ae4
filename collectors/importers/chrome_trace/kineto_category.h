// SPDX-License-Identifier: Apache-2.0
// What the categories of Kineto's events are: of what kind their spans, and whether on rows of the host or of a device.
//
// Threading:  pure.
// Ownership:  static.
// Units:      none.
// Errors:     none: an unknown category is something else of the host.
// Cost:       some twenty comparisons.
#pragma once

#include <string_view>

#include "model/spans.h"

namespace runglass {

struct KinetoCategory {
  std::string_view name;
  SpanCategory span;
  enum Where : std::uint8_t { kHost, kGpu, kAccelerator } where;
};

const KinetoCategory& kinetoCategory(std::string_view name);

}  // namespace runglass
