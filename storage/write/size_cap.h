// SPDX-License-Identifier: Apache-2.0
// The cap on a store's size: what is refused, and how much was. Internal to storage; the rules are in store_cap.cpp.
//
// Threading:  the writer's thread.
// Ownership:  values.
// Units:      bytes.
// Errors:     none.
// Cost:       none.
#pragma once

#include <cstdint>

namespace runglass {

struct SizeCap {
  enum class Refusing : std::uint8_t { kNothing, kSamples, kScalarsToo };

  void judge(bool nothing_to_delete);
  bool refusesSamples() const { return refusing != Refusing::kNothing; }

  Refusing refusing = Refusing::kNothing;
  std::int64_t refused = 0;          // points, spans, lines and captures since the last flush
  std::int64_t bytes = 0, used = 0;  // of the newest retention's policy; after the newest commit
};

}  // namespace runglass
