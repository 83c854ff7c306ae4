// SPDX-License-Identifier: Apache-2.0
// The coordinates of an attempt's ranks in its parallel layout, from all sources, and the contradictions between sources.
//
// In order of trust: coordinates reported by ranks; the rank order that a user chose; sizes and order in the job's arguments; members of
// its process groups (Megatron-LM: the groups of a kind partition the world, and a rank's coordinate is its index in its group; Narayanan
// et al., "Efficient Large-Scale Language Model Training on GPU Clusters", SC '21, and megatron/core/parallel_state.py); sizes with the
// framework's default order. A source is rejected for a dimension in which it contradicts a more trusted one.
//
// Threading:  pure functions.
// Units:      ranks and coordinates from 0.
// Errors:     unknown coordinates are absent, with a reason per dimension; a contradiction is a LayoutMismatch.
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
const char* placeSourceName(PlaceSource source);  // `said by the ranks`, ...

struct DimensionPlaces {
  PlaceSource source = PlaceSource::kNone;  // of most of its coordinates
  std::int32_t size = 0;                    // declared, else from its groups, else from the coordinates; 0: unknown
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
  std::string chosen_order;  // by the user, see model/rank_order.h; empty: none
  std::string said_order;    // from the job's arguments; empty: not recorded
  std::string usual_order;   // the framework's default; empty: unknown
};

struct LayoutPlaces {
  std::vector<Rank> ranks;  // with their coordinates, in input order
  Layout sizes;             // as known
  std::array<DimensionPlaces, kLayoutDimensions.size()> dimensions;
  std::vector<LayoutMismatch> mismatches;
  std::size_t more_mismatches = 0;  // beyond kMaxMismatches
  const DimensionPlaces& of(LayoutDimension dimension) const { return dimensions[static_cast<std::size_t>(dimension)]; }
  bool derived() const;  // some coordinate was not reported by its rank
};
LayoutPlaces placeLayout(const LayoutQuestion& question);

// One dimension's coordinates from the members of process groups.
struct GroupPlaces {
  std::map<std::int32_t, std::int32_t> coordinate;  // by rank
  std::int32_t size = 0;
  std::size_t groups = 0;
  std::string reason;  // why ranks are left out, or why there are none
};
// Groups of the dimension's own role, else of its parts. Groups that overlap another of their role, or whose size differs from that of
// most, are left out and listed in `mismatches`.
GroupPlaces placesByGroups(LayoutDimension dimension, std::span<const CommGroup> groups, const Layout& sizes,
                           std::vector<LayoutMismatch>& mismatches);
// For the one dimension of `sizes` without groups: ranks connected by groups of other dimensions share its coordinate.
GroupPlaces placesByRest(LayoutDimension dimension, std::span<const CommGroup> groups, const Layout& sizes);

GroupRole roleOf(const CommGroup& group);

}  // namespace runglass
