// SPDX-License-Identifier: Apache-2.0
#include "model/rank_order.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace runglass {
namespace {

constexpr std::int32_t kMaxOfOne = 1 << 24;
constexpr std::int64_t kFarProduct = std::int64_t{1} << 42;  // no world size times its experts is that large

std::int32_t* sizeIn(Layout& layout, std::string_view name) {
  return name == "tp"   ? &layout.tp
         : name == "pp" ? &layout.pp
         : name == "dp" ? &layout.dp
         : name == "cp" ? &layout.cp
         : name == "ep" ? &layout.ep
                        : nullptr;
}

}  // namespace

Result<std::vector<RankOrderPart>> parseRankOrder(std::string_view order) {
  const auto refused = [&](const std::string& why) { return Status(Code::kInvalidArgument, "order " + std::string(order) + ": " + why); };
  std::vector<RankOrderPart> parts;
  for (std::size_t at = 0; at <= order.size();) {
    const std::size_t end = std::min(order.find('-', at), order.size());
    const std::string_view text = order.substr(at, end - at);
    at = end + 1;
    RankOrderPart part{.name = std::string(text.substr(0, 2))};
    Layout names;
    if (sizeIn(names, part.name) == nullptr) return refused("\"" + std::string(text) + "\" is none of tp, pp, dp, cp, ep");
    if (std::ranges::find(parts, part.name, &RankOrderPart::name) != parts.end()) return refused("has " + part.name + " twice");
    if (text.size() > 2) {
      const auto [stop, error] = std::from_chars(text.data() + 2, text.data() + text.size(), part.size);
      if (error != std::errc() || stop != text.data() + text.size() || part.size < 1 || part.size > kMaxOfOne)
        return refused("\"" + std::string(text) + "\" has no size");
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

Layout sizesBy(const std::vector<RankOrderPart>& order, Layout layout) {
  std::int64_t product = 1;
  for (const RankOrderPart& part : order) {
    std::int32_t& size = *sizeIn(layout, part.name);
    if (part.size > 0) size = part.size;
    if (part.name != "ep") product = std::min<std::int64_t>(product * std::max(size, 1), kMaxOfOne);
  }
  if (layout.world == 0) layout.world = static_cast<std::int32_t>(product);
  return layout;
}

void placeRank(const Layout& layout, std::string_view order, Rank& rank) {
  const auto sizeOf = [&](std::string_view name) -> std::int64_t {
    const std::int32_t size = name == "tp"   ? layout.tp
                              : name == "pp" ? layout.pp
                              : name == "dp" ? layout.dp
                              : name == "cp" ? layout.cp
                              : name == "ep" ? layout.ep
                                             : 0;
    return std::max(size, 1);
  };
  std::vector<std::string_view> dimensions;
  for (std::size_t at = 0; at <= order.size();) {
    const std::size_t end = std::min(order.find('-', at), order.size());
    dimensions.push_back(order.substr(at, end - at));
    at = end + 1;
  }
  std::int64_t product = 1;
  for (std::string_view name : dimensions)
    if (product *= std::min<std::int64_t>(sizeOf(name), 1 << 20); product > kFarProduct) return;
  const bool ep_divides_dp = layout.ep > 1 && product == static_cast<std::int64_t>(layout.world) * layout.ep;
  if (layout.world <= 0 || (product != layout.world && !ep_divides_dp)) return;
  std::int64_t rest = rank.rank;
  for (std::string_view name : dimensions) {
    if (name == "ep" && ep_divides_dp) continue;
    const std::int64_t size = sizeOf(name);
    const auto coordinate = static_cast<std::int32_t>(rest % size);
    rest /= size;
    if (name == "tp") rank.tp = coordinate;
    if (name == "pp") rank.pp = coordinate;
    if (name == "dp") rank.dp = coordinate;
    if (name == "cp") rank.cp = coordinate;
    if (name == "ep") rank.ep = coordinate;
  }
  if (ep_divides_dp && rank.dp) rank.ep = *rank.dp % layout.ep;
}

}  // namespace runglass
