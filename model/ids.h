// SPDX-License-Identifier: Apache-2.0
// Typed ids: a run is never mistaken for a series.
//
// Threading:  plain values.
// Ownership:  none. An id is local to the Recorder or store that gave it; uuids are what crosses files and machines.
// Units:      0 is "no such thing".
// Cost:       8 bytes.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace runglass {

template <class Tag>
struct Id {
  std::uint64_t value = 0;
  constexpr explicit operator bool() const { return value != 0; }
  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

using RunId = Id<struct RunTag>;
using AttemptId = Id<struct AttemptTag>;
using NodeId = Id<struct NodeTag>;
using DeviceId = Id<struct DeviceTag>;
using SeriesId = Id<struct SeriesTag>;
using TrackId = Id<struct TrackTag>;

}  // namespace runglass

template <class Tag>
struct std::hash<runglass::Id<Tag>> {
  std::size_t operator()(const runglass::Id<Tag>& id) const noexcept { return std::hash<std::uint64_t>{}(id.value); }
};
