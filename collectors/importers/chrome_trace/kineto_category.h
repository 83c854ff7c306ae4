// SPDX-License-Identifier: Apache-2.0
// Maps the categories of Kineto's events to span categories and to rows of the host or of a device.
//
// Threading:  pure.
// Errors:     an unknown category is kOther on the host.
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
