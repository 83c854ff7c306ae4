// SPDX-License-Identifier: Apache-2.0
// Invariants: 1. A coordinate that a rank reported is never changed. 2. A source fills a dimension only if it agrees with every coordinate
// of it that is known already.
#include "analysis/layout/layout_places.h"

#include <algorithm>
#include <set>

#include "model/rank_order.h"

namespace runglass {
namespace {

std::optional<std::int32_t>& coordinateIn(Rank& rank, LayoutDimension dimension) {
  static constexpr std::array kMembers = {&Rank::tp, &Rank::cp, &Rank::ep, &Rank::dp, &Rank::pp};
  return rank.*kMembers[static_cast<std::size_t>(dimension)];
}
std::int32_t& sizeIn(Layout& layout, LayoutDimension dimension) {
  static constexpr std::array kMembers = {&Layout::tp, &Layout::cp, &Layout::ep, &Layout::dp, &Layout::pp};
  return layout.*kMembers[static_cast<std::size_t>(dimension)];
}

class Placing {
 public:
  explicit Placing(const LayoutQuestion& question) : m_question(question) {
    m_out.ranks = question.ranks;
    m_out.sizes = question.sizes;
  }

  LayoutPlaces place() {
    for (const LayoutDimension dimension : kLayoutDimensions) takeSaid(dimension);
    if (!m_question.chosen_order.empty()) byOrder(m_question.chosen_order, PlaceSource::kChosen);
    if (!m_question.said_order.empty()) byOrder(m_question.said_order, PlaceSource::kArguments);
    byGroups();
    if (!m_question.usual_order.empty()) byOrder(m_question.usual_order, PlaceSource::kUsualOrder);
    if (onlyOneDimension()) byOrder(kDefaultRankOrder, PlaceSource::kArguments);
    checkGroups();
    finish();
    return std::move(m_out);
  }

 private:
  DimensionPlaces& at(LayoutDimension dimension) { return m_out.dimensions[static_cast<std::size_t>(dimension)]; }

  void mismatch(LayoutMismatch one) {
    if (m_out.mismatches.size() < kMaxMismatches)
      m_out.mismatches.push_back(std::move(one));
    else
      ++m_out.more_mismatches;
  }

  void takeSaid(LayoutDimension dimension) {
    const bool any = std::ranges::any_of(m_out.ranks, [&](const Rank& r) { return coordinateOf(r, dimension).has_value(); });
    if (any) at(dimension).source = PlaceSource::kSaid;
  }

  // Sets `coordinate` for every rank that has none yet, unless it contradicts a known one.
  template <class CoordinateOf>
  void propose(LayoutDimension dimension, PlaceSource source, const CoordinateOf& coordinate) {
    std::size_t differ = 0;
    const Rank* first = nullptr;
    std::vector<std::optional<std::int32_t>> proposed(m_out.ranks.size());
    bool any = false;
    for (std::size_t i = 0; i < m_out.ranks.size(); ++i) {
      proposed[i] = coordinate(m_out.ranks[i]);
      const auto known = coordinateOf(m_out.ranks[i], dimension);
      if (!proposed[i]) continue;
      any |= !known;
      if (!known || *known == *proposed[i]) continue;
      if (first == nullptr) first = &m_out.ranks[i];
      ++differ;
    }
    DimensionPlaces& places = at(dimension);
    if (first != nullptr) {
      const std::string name = dimensionName(dimension);
      const auto place = static_cast<std::size_t>(first - m_out.ranks.data());
      mismatch({placeSourceName(source) + std::string(": ") + name + " of " +
                    (differ == 1 ? std::string("one rank") : std::to_string(differ) + " ranks"),
                name + " " + std::to_string(*coordinateOf(*first, dimension)) + " for rank " + std::to_string(first->rank) + ", " +
                    placeSourceName(places.source),
                name + " " + std::to_string(*proposed[place])});
      return;
    }
    if (!any) return;
    if (places.source == PlaceSource::kNone) places.source = source;
    for (std::size_t i = 0; i < m_out.ranks.size(); ++i)
      if (auto& known = coordinateIn(m_out.ranks[i], dimension); !known) known = proposed[i];
  }

  void byOrder(const std::string& text, PlaceSource source) {
    const auto order = parseRankOrder(text);
    if (!order.ok()) return mismatch({placeSourceName(source), "an order as tp-cp-ep-dp-pp", text});
    Layout sizes = sizesBy(*order, m_question.sizes);
    std::string plain;
    for (const RankOrderPart& part : *order) plain += (plain.empty() ? "" : "-") + part.name;
    completeSize(sizes, *order);
    if (std::ranges::none_of(kLayoutDimensions, [&](LayoutDimension d) { return sizeOf(sizes, d) > 0; })) {
      m_order_reason = "an order is known, no size of any dimension is";
      return;
    }
    Rank probe{.rank = 0};
    placeRank(sizes, plain, probe);
    const bool fits =
        std::ranges::any_of(*order, [&](const RankOrderPart& p) { return coordinateOf(probe, dimensionOf(p.name)).has_value(); });
    if (!fits) {
      m_order_reason = "the sizes " + sizesText(sizes) + " do not give a world of " + std::to_string(sizes.world);
      if (source == PlaceSource::kChosen || source == PlaceSource::kArguments)
        mismatch({placeSourceName(source), "sizes whose product is the world, " + std::to_string(sizes.world), sizesText(sizes)});
      return;
    }
    for (const RankOrderPart& part : *order) {
      const LayoutDimension dimension = dimensionOf(part.name);
      // A dimension without a declared size has no coordinate, although a size of 1 would be consistent with the world.
      if (sizeOf(sizes, dimension) == 0) continue;
      if (sizeIn(m_out.sizes, dimension) == 0) sizeIn(m_out.sizes, dimension) = sizeOf(sizes, dimension);
      propose(dimension, source, [&](const Rank& rank) {
        if (rank.rank < 0 || rank.rank >= sizes.world) return std::optional<std::int32_t>();
        Rank placed{.rank = rank.rank};
        placeRank(sizes, plain, placed);
        return coordinateOf(placed, dimension);
      });
    }
    if (m_out.sizes.world == 0) m_out.sizes.world = sizes.world;
  }

  // One missing size follows from the world.
  static void completeSize(Layout& sizes, const std::vector<RankOrderPart>& order) {
    std::int64_t product = 1;
    std::int32_t* open = nullptr;
    int open_count = 0;
    for (const RankOrderPart& part : order) {
      if (part.name == "ep") continue;
      std::int32_t& size = sizeIn(sizes, dimensionOf(part.name));
      if (size == 0 && part.name != "cp") open = &size, ++open_count;
      product *= std::clamp(size, 1, 1 << 20);
      if (product > (1 << 24)) return;
    }
    if (open_count == 1 && sizes.world > 0 && sizes.world % product == 0) *open = static_cast<std::int32_t>(sizes.world / product);
  }

  static LayoutDimension dimensionOf(const std::string& name) {
    return *std::ranges::find_if(kLayoutDimensions, [&](LayoutDimension d) { return name == dimensionName(d); });
  }
  static std::string sizesText(const Layout& sizes) {
    std::string text;
    for (const LayoutDimension dimension : kLayoutDimensions)
      if (const std::int32_t size = sizeOf(sizes, dimension); size > 0)
        text += (text.empty() ? "" : "-") + std::string(dimensionName(dimension)) + std::to_string(size);
    return text.empty() ? "(none)" : text;
  }

  void byGroups() {
    std::vector<LayoutMismatch> odd;
    std::array<GroupPlaces, kLayoutDimensions.size()> places;
    std::vector<LayoutDimension> without;
    for (const LayoutDimension dimension : kLayoutDimensions) {
      GroupPlaces& found = places[static_cast<std::size_t>(dimension)];
      found = placesByGroups(dimension, m_question.groups, m_question.sizes, odd);
      if (found.coordinate.empty() && dimension != LayoutDimension::kEp && sizeOf(m_question.sizes, dimension) > 1)
        without.push_back(dimension);
    }
    if (without.size() == 1)
      if (GroupPlaces rest = placesByRest(without.front(), m_question.groups, m_question.sizes); !rest.coordinate.empty())
        places[static_cast<std::size_t>(without.front())] = std::move(rest);
    std::ranges::for_each(odd, [this](LayoutMismatch& one) { mismatch(std::move(one)); });
    for (const LayoutDimension dimension : kLayoutDimensions) {
      const GroupPlaces& found = places[static_cast<std::size_t>(dimension)];
      at(dimension).reason = found.reason;
      if (sizeIn(m_out.sizes, dimension) == 0) sizeIn(m_out.sizes, dimension) = found.size;
      if (found.coordinate.empty()) continue;
      propose(dimension, PlaceSource::kGroups, [&](const Rank& rank) {
        const auto one = found.coordinate.find(rank.rank);
        return one == found.coordinate.end() ? std::optional<std::int32_t>() : std::optional(one->second);
      });
    }
    if (m_out.sizes.world == 0)
      for (const CommGroup& group : m_question.groups)
        if (roleOf(group) == GroupRole::kWorld)
          m_out.sizes.world = std::max(m_out.sizes.world, static_cast<std::int32_t>(group.ranks.size()));
  }

  // In this case every order is the same.
  bool onlyOneDimension() const {
    const Layout& sizes = m_question.sizes;
    for (const LayoutDimension dimension : kLayoutDimensions)
      if (dimension != LayoutDimension::kEp && sizes.world > 1 && sizeOf(sizes, dimension) == sizes.world) return true;
    return false;
  }

  // Members of a group of one dimension differ in that dimension only.
  void checkGroups() {
    std::map<std::int32_t, const Rank*> of;
    for (const Rank& rank : m_out.ranks) of[rank.rank] = &rank;
    for (const CommGroup& group : m_question.groups) {
      const GroupRole role = roleOf(group);
      const auto own = role == GroupRole::kTp   ? std::optional(LayoutDimension::kTp)
                       : role == GroupRole::kPp ? std::optional(LayoutDimension::kPp)
                       : role == GroupRole::kCp ? std::optional(LayoutDimension::kCp)
                                                : std::nullopt;
      if (!own || group.ranks.size() < 2) continue;
      for (const LayoutDimension other : {LayoutDimension::kTp, LayoutDimension::kPp, LayoutDimension::kDp}) {
        if (other == *own) continue;
        std::set<std::int32_t> seen;
        for (const std::int32_t rank : group.ranks)
          if (const auto known = of.find(rank); known != of.end())
            if (const auto coordinate = coordinateOf(*known->second, other)) seen.insert(*coordinate);
        if (seen.size() > 1)
          mismatch({group.name.empty() ? group.kind + " group " + std::to_string(group.id) : group.name,
                    std::string("members of one ") + dimensionName(other),
                    std::string(dimensionName(other)) + " " + std::to_string(*seen.begin()) + " and " +
                        std::to_string(*std::next(seen.begin()))});
      }
    }
  }

  void finish() {
    const bool nothing = std::ranges::none_of(m_out.ranks, [](const Rank& r) { return r.tp || r.pp || r.dp; });
    const bool any_size = std::ranges::any_of(kLayoutDimensions, [&](LayoutDimension d) { return sizeOf(m_question.sizes, d) > 1; });
    for (const LayoutDimension dimension : kLayoutDimensions) {
      DimensionPlaces& places = at(dimension);
      std::int32_t largest = -1;
      for (const Rank& rank : m_out.ranks)
        if (const auto coordinate = coordinateOf(rank, dimension)) largest = std::max(largest, *coordinate), ++places.placed;
      places.size = sizeOf(m_out.sizes, dimension) > 0 ? sizeOf(m_out.sizes, dimension) : largest + 1;
      if (places.placed == m_out.ranks.size()) {
        places.reason.clear();
      } else if (places.placed > 0) {
        places.reason = std::to_string(m_out.ranks.size() - places.placed) + " ranks are in no group of it that is known";
      } else if (places.size == 1) {
        places.reason = "one for all";
      } else if (!m_order_reason.empty() && nothing) {
        places.reason = m_order_reason;
      } else if (nothing && any_size && m_question.usual_order.empty() && m_question.said_order.empty()) {
        places.reason = "sizes are known, the order of the ranks is not, and " + places.reason;
      }
    }
  }

  const LayoutQuestion& m_question;
  LayoutPlaces m_out;
  std::string m_order_reason;
};

}  // namespace

const char* dimensionName(LayoutDimension dimension) {
  static constexpr std::array kNames = {"tp", "cp", "ep", "dp", "pp"};
  return kNames[static_cast<std::size_t>(dimension)];
}

std::optional<std::int32_t> coordinateOf(const Rank& rank, LayoutDimension dimension) {
  Rank copy = rank;
  return coordinateIn(copy, dimension);
}

std::int32_t sizeOf(const Layout& layout, LayoutDimension dimension) {
  Layout copy = layout;
  return sizeIn(copy, dimension);
}

const char* placeSourceName(PlaceSource source) {
  static constexpr std::array kNames = {"not known",           "reported by the ranks", "a selected order",
                                        "the job's arguments", "process groups",        "the framework's usual order"};
  return kNames[static_cast<std::size_t>(source)];
}

bool LayoutPlaces::derived() const {
  return std::ranges::any_of(dimensions, [](const DimensionPlaces& d) {
    return d.placed > 0 && d.source != PlaceSource::kNone && d.source != PlaceSource::kSaid;
  });
}

LayoutPlaces placeLayout(const LayoutQuestion& question) { return Placing(question).place(); }

}  // namespace runglass
