// SPDX-License-Identifier: Apache-2.0
// What names a series or a track outside its store: 128 bits of its full key. The same in every store that holds it, whatever its local id;
// another language computes it from names alone (docs/formats/schema.md, "Identity").
//
// Threading:  pure.
// Errors:     none; two keys share one with a probability of 2^-64 at 2^32 series.
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

// Whose it is, where a key has ids: a run's uuid and an attempt's key, uuids of node and device. Empty: the key has no such owner.
struct OwnerNames {
  std::string_view run, attempt, node, device;
};
Identity identityOf(const SeriesKey& key, const OwnerNames& owner);
Identity identityOf(const TrackKey& key, const OwnerNames& owner);
// Of what has nothing but a name.
Identity identityOf(std::string_view name);

}  // namespace runglass
