// SPDX-License-Identifier: Apache-2.0
// Invariant: within a role every rank is in at most one group that counts.
#include <algorithm>
#include <numeric>
#include <set>

#include "analysis/layout/layout_places.h"

namespace runglass {
namespace {

using Groups = std::vector<const CommGroup*>;

std::string nameOf(const CommGroup& group) { return group.name.empty() ? group.kind + " group " + std::to_string(group.id) : group.name; }

std::string listOf(const std::vector<std::int32_t>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(ranks.size(), 8); ++i) text += (i > 0 ? ", " : "") + std::to_string(ranks[i]);
  return text + (ranks.size() > 8 ? ", … (" + std::to_string(ranks.size()) + " ranks)" : "");
}

// The role's distinct groups, without groups that share a rank with another one.
Groups partitionOf(GroupRole role, std::span<const CommGroup> groups, std::vector<LayoutMismatch>& mismatches) {
  std::map<std::vector<std::int32_t>, const CommGroup*> distinct;
  for (const CommGroup& group : groups) {
    if (group.ranks.empty() || roleOf(group) != role) continue;
    std::vector<std::int32_t> sorted = group.ranks;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end() || sorted.front() < 0) {
      mismatches.push_back({nameOf(group), "every rank once", listOf(group.ranks)});
      continue;
    }
    distinct.emplace(std::move(sorted), &group);
  }
  std::map<std::int32_t, const CommGroup*> owner;
  std::set<const CommGroup*> bad;
  for (const auto& [sorted, group] : distinct) {
    for (const std::int32_t rank : sorted) {
      const auto [at, added] = owner.emplace(rank, group);
      if (added || bad.contains(group)) continue;
      mismatches.push_back(
          {nameOf(*group), "no rank of " + nameOf(*at->second) + " (" + listOf(at->second->ranks) + ")", listOf(group->ranks)});
      bad.insert(group), bad.insert(at->second);
    }
  }
  Groups good;
  for (const auto& [sorted, group] : distinct)
    if (!bad.contains(group)) good.push_back(group);
  return good;
}

std::int32_t usualSize(const Groups& groups) {
  std::map<std::size_t, std::size_t> sizes;
  for (const CommGroup* group : groups) sizes[group->ranks.size()] += group->ranks.size();
  const auto most = std::ranges::max_element(sizes, {}, [](const auto& size) { return size.second; });
  return most == sizes.end() ? 0 : static_cast<std::int32_t>(most->first);
}

// A rank's coordinate is its index in its group.
GroupPlaces byPlaceIn(Groups groups, const char* name, std::int32_t declared, std::vector<LayoutMismatch>& mismatches) {
  GroupPlaces out;
  out.size = usualSize(groups);
  out.groups = groups.size();
  for (const CommGroup* group : groups) {
    const auto size = static_cast<std::int32_t>(group->ranks.size());
    if (declared > 0 && size != declared)
      mismatches.push_back({nameOf(*group), name + std::string(" ") + std::to_string(declared), std::to_string(size) + " ranks"});
    else if (size != out.size)
      mismatches.push_back(
          {nameOf(*group), std::to_string(out.size) + " ranks, as in the other " + name + " groups", std::to_string(size) + " ranks"});
    if (size != out.size) continue;
    for (std::size_t i = 0; i < group->ranks.size(); ++i) out.coordinate[group->ranks[i]] = static_cast<std::int32_t>(i);
  }
  return out;
}

// Data-parallel groups that include context parallelism: the coordinate is the index of the context group within them, in list order.
GroupPlaces byGroupsIn(const Groups& wide, const Groups& inner) {
  GroupPlaces out;
  std::map<std::int32_t, const CommGroup*> inner_of;
  for (const CommGroup* group : inner)
    for (const std::int32_t rank : group->ranks) inner_of[rank] = group;
  for (const CommGroup* group : wide) {
    std::map<const CommGroup*, std::int32_t> number;
    for (const std::int32_t rank : group->ranks) {
      const auto at = inner_of.find(rank);
      if (at == inner_of.end()) continue;
      out.coordinate[rank] = number.emplace(at->second, static_cast<std::int32_t>(number.size())).first->second;
    }
    out.size = std::max(out.size, static_cast<std::int32_t>(number.size()));
    ++out.groups;
  }
  return out;
}

// DP in two parts: a rank's replica and its shard in it. The replica varies slower, as in the names of PyTorch's meshes.
GroupPlaces byParts(const GroupPlaces& replicate, const GroupPlaces& shard) {
  GroupPlaces out;
  out.size = std::max(replicate.size, 1) * std::max(shard.size, 1);
  out.groups = replicate.groups + shard.groups;
  for (const auto& [rank, at] : shard.coordinate)
    if (const auto replica = replicate.coordinate.find(rank); replica != replicate.coordinate.end())
      out.coordinate[rank] = replica->second * shard.size + at;
  return out;
}

GroupRole ownRole(LayoutDimension dimension) {
  static constexpr std::array kRoles = {GroupRole::kTp, GroupRole::kCp, GroupRole::kEp, GroupRole::kDp, GroupRole::kPp};
  return kRoles[static_cast<std::size_t>(dimension)];
}

GroupPlaces dataPlaces(std::span<const CommGroup> groups, const Layout& sizes, std::vector<LayoutMismatch>& mismatches) {
  const Groups shards = partitionOf(GroupRole::kShard, groups, mismatches),
               replicas = partitionOf(GroupRole::kReplicate, groups, mismatches);
  if (!shards.empty() && !replicas.empty()) {
    const GroupPlaces out = byParts(byPlaceIn(replicas, "dp_replicate", 0, mismatches), byPlaceIn(shards, "dp_shard", 0, mismatches));
    if (sizes.dp > 0 && out.size != sizes.dp)
      mismatches.push_back({"dp_replicate × dp_shard", "dp " + std::to_string(sizes.dp), std::to_string(out.size)});
    return out;
  }
  if (!shards.empty()) return byPlaceIn(shards, "dp", sizes.dp, mismatches);
  if (!replicas.empty()) return byPlaceIn(replicas, "dp", sizes.dp, mismatches);
  const Groups wide = partitionOf(GroupRole::kDpCp, groups, mismatches);
  if (wide.empty()) return {};
  const Groups contexts = partitionOf(GroupRole::kCp, groups, mismatches);
  if (usualSize(contexts) > 1) return byGroupsIn(wide, contexts);
  if (sizes.cp > 1)
    return {.coordinate = {}, .size = 0, .groups = 0, .reason = "its groups hold cp, too, and no cp group tells the two apart"};
  return byPlaceIn(wide, "dp", sizes.dp, mismatches);
}

}  // namespace

GroupRole roleOf(const CommGroup& group) {
  const GroupRole by_name = groupRoleOf(group.name);
  return by_name != GroupRole::kNone || group.kind.empty() ? by_name : groupRoleOf(group.kind);
}

GroupPlaces placesByGroups(LayoutDimension dimension, std::span<const CommGroup> groups, const Layout& sizes,
                           std::vector<LayoutMismatch>& mismatches) {
  const char* name = dimensionName(dimension);
  const Groups own = partitionOf(ownRole(dimension), groups, mismatches);
  GroupPlaces out;
  if (!own.empty())
    out = byPlaceIn(own, name, sizeOf(sizes, dimension), mismatches);
  else if (dimension == LayoutDimension::kDp)
    out = dataPlaces(groups, sizes, mismatches);
  else if (dimension == LayoutDimension::kTp)
    // "Model parallel" is TP, unless it spans a pipeline.
    if (std::ranges::none_of(groups, [](const CommGroup& g) { return roleOf(g) == GroupRole::kPp && g.ranks.size() > 1; }))
      out = byPlaceIn(partitionOf(GroupRole::kModel, groups, mismatches), name, sizes.tp, mismatches);
  if (out.coordinate.empty() && out.reason.empty()) out.reason = std::string("no group of ") + name + " names its ranks";
  return out;
}

GroupPlaces placesByRest(LayoutDimension dimension, std::span<const CommGroup> groups, const Layout& sizes) {
  const std::int32_t size = sizeOf(sizes, dimension);
  GroupPlaces out;
  if (size <= 1 || sizes.world <= 0 || sizes.world % size != 0 || sizes.world > (1 << 22)) return out;
  std::vector<std::int32_t> root(static_cast<std::size_t>(sizes.world));
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](std::int32_t rank) {
    while (root[static_cast<std::size_t>(rank)] != rank) {
      auto& up = root[static_cast<std::size_t>(rank)];
      up = root[static_cast<std::size_t>(up)];
      rank = up;
    }
    return rank;
  };
  for (const CommGroup& group : groups) {
    const GroupRole role = roleOf(group);
    const bool joins = std::ranges::any_of(kLayoutDimensions, [&](LayoutDimension other) {
      return other != dimension && other != LayoutDimension::kEp && role == ownRole(other);
    });
    if (!joins || group.ranks.empty()) continue;
    for (const std::int32_t rank : group.ranks) {
      if (rank < 0 || rank >= sizes.world) return {};
      const std::int32_t a = find(group.ranks.front()), b = find(rank);
      // The smallest rank represents the set.
      if (a >= 0 && b >= 0) root[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
  }
  std::map<std::int32_t, std::vector<std::int32_t>> parts;
  for (std::int32_t rank = 0; rank < sizes.world; ++rank) parts[find(rank)].push_back(rank);
  if (static_cast<std::int32_t>(parts.size()) != size) return out;
  for (const auto& [first, ranks] : parts)
    if (static_cast<std::int32_t>(ranks.size()) != sizes.world / size) return out;
  std::int32_t number = 0;
  for (const auto& [first, ranks] : parts) {
    for (const std::int32_t rank : ranks) out.coordinate[rank] = number;
    ++number;
  }
  out.size = size;
  return out;
}

}  // namespace runglass
