// SPDX-License-Identifier: Apache-2.0
// Typed ids: a run cannot be mistaken for a series.
//
// Ownership:  an id is local to the Recorder or store that assigned it; uuids are valid across files and machines.
// Units:      0 is "none".
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
