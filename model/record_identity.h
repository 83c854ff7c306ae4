// SPDX-License-Identifier: Apache-2.0
// The identity of a series or a track outside its store: 128 bits of its full key. It is the same in every store, whatever the local id;
// programs in other languages compute it from names alone (docs/formats/schema.md, "Identity").
//
// Threading:  pure.
// Errors:     two of 2^32 series have the same identity with a probability of 2^-64.
// Cost:       one SHA-256 of the key's texts, below 1 us.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "model/samples.h"
#include "model/spans.h"

namespace runglass {

struct Identity {
  std::array<std::uint8_t, 16> bytes{};
  std::string hex() const;  // 32 digits
  friend auto operator<=>(const Identity&, const Identity&) = default;
};

// The owners whose ids are in a key: a run's uuid and an attempt's key, uuids of node and device. Empty: the key has no such owner.
struct OwnerNames {
  std::string_view run, attempt, node, device;
};
Identity identityOf(const SeriesKey& key, const OwnerNames& owner);
Identity identityOf(const TrackKey& key, const OwnerNames& owner);
// The identity of an object that only has a name.
Identity identityOf(std::string_view name);

}  // namespace runglass
