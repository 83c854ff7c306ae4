// SPDX-License-Identifier: Apache-2.0
// Where every rank of an attempt stands in its parallel layout, from whatever tells it, and what contradicts what.
//
// In order of trust: what ranks said; the order that a person chose; sizes and order of the job's arguments; the members of its process
// groups (Megatron-LM: the groups of a kind partition the world, a rank's coordinate is its place in its group; Narayanan et al.,
// "Efficient Large-Scale Language Model Training on GPU Clusters", SC '21, and megatron/core/parallel_state.py); sizes with the order that
// the framework uses when nothing else is said. A source is refused for a dimension in which it contradicts one that is trusted more.
//
// Threading:  pure functions.
// Units:      ranks and coordinates from 0.
// Errors:     none: what cannot be told is absent, with a reason for its dimension; a contradiction is a LayoutMismatch.
// Cost:       O((ranks + members of groups) log).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/group_kind.h"
#include "model/topology.h"

namespace runglass {

enum class LayoutDimension : std::uint8_t { kTp, kCp, kEp, kDp, kPp };
inline constexpr std::array kLayoutDimensions = {LayoutDimension::kTp, LayoutDimension::kCp, LayoutDimension::kEp, LayoutDimension::kDp,
                                                 LayoutDimension::kPp};
const char* dimensionName(LayoutDimension dimension);
std::optional<std::int32_t> coordinateOf(const Rank& rank, LayoutDimension dimension);
std::int32_t sizeOf(const Layout& layout, LayoutDimension dimension);

enum class PlaceSource : std::uint8_t { kNone, kSaid, kChosen, kArguments, kGroups, kUsualOrder };
const char* placeSourceName(PlaceSource source);  // "said by the ranks", ...

struct DimensionPlaces {
  PlaceSource source = PlaceSource::kNone;  // of most of its coordinates
  std::int32_t size = 0;                    // declared, else of its groups, else what occurs; 0: not known
  std::size_t placed = 0;                   // ranks that have the coordinate
  std::string reason;                       // why others have none
};

// "35 TENSOR_MODEL_PARALLEL_GROUP: expected tp 8, found 4 ranks"
struct LayoutMismatch {
  std::string what;  // the group, or the source
  std::string expected, found;
};
inline constexpr std::size_t kMaxMismatches = 64;

struct LayoutQuestion {
  std::vector<Rank> ranks;  // as recorded
  Layout sizes;             // declared
  std::vector<CommGroup> groups;
  std::string chosen_order;  // by a person, see model/rank_order.h; empty: none
  std::string said_order;    // of the job's arguments; empty: not said
  std::string usual_order;   // of its framework where nothing is said; empty: not known
};

struct LayoutPlaces {
  std::vector<Rank> ranks;  // with their coordinates, in the order given
  Layout sizes;             // what is known of them
  std::array<DimensionPlaces, kLayoutDimensions.size()> dimensions;
  std::vector<LayoutMismatch> mismatches;
  std::size_t more_mismatches = 0;  // beyond kMaxMismatches
  const DimensionPlaces& of(LayoutDimension dimension) const { return dimensions[static_cast<std::size_t>(dimension)]; }
  bool derived() const;  // some coordinate was not said by its rank
};
LayoutPlaces placeLayout(const LayoutQuestion& question);

// What the members of process groups tell of one dimension.
struct GroupPlaces {
  std::map<std::int32_t, std::int32_t> coordinate;  // by rank
  std::int32_t size = 0;
  std::size_t groups = 0;
  std::string reason;  // why ranks are left out, or why there is nothing
};
// Groups of the dimension's own role, else of parts of it; groups that overlap another of their role, or differ in size from most, are left
// out and told of in `mismatches`.
GroupPlaces placesByGroups(LayoutDimension dimension, std::span<const CommGroup> groups, const Layout& sizes,
                           std::vector<LayoutMismatch>& mismatches);
// The one dimension of `sizes` that has no groups: ranks that are joined by groups of other dimensions share its coordinate.
GroupPlaces placesByRest(LayoutDimension dimension, std::span<const CommGroup> groups, const Layout& sizes);

GroupRole roleOf(const CommGroup& group);

}  // namespace runglass
