// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/client/rank_placement.h"

#include <algorithm>
#include <vector>

namespace runglass {

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
  for (std::string_view name : dimensions) product *= std::min<std::int64_t>(sizeOf(name), 1 << 20);
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
