// SPDX-License-Identifier: Apache-2.0
#include "analysis/ranking/roll_up.h"

#include <algorithm>
#include <map>

namespace runglass {

std::vector<RolledRow> rollUp(const std::vector<RankedRow>& rows, const Suspects* suspects,
                              const std::function<std::string(const RankedRow&)>& name_of) {
  std::map<std::string, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (std::string name = name_of(rows[i]); !name.empty()) places[std::move(name)].push_back(i);
  std::vector<RolledRow> out;
  for (auto& [name, members] : places) {
    RolledRow rolled{.name = name, .worst = members.front(), .members = {}, .standing_out = 0, .gpu_hours_per_day = {}};
    bool holds = false;  // whether the suspect of the cost is current
    for (const std::size_t member : members) {
      const RankedRow& row = rows[member];
      if (rowWeight(row, suspects) > rowWeight(rows[rolled.worst], suspects)) rolled.worst = member;
      rolled.standing_out += row.stands_out ? 1 : 0;
      if (!row.gpu_hours_per_day) continue;
      const bool now = suspects != nullptr && row.suspect != kNoSuspect && suspects->all[row.suspect].holds;
      if (holds && !now) continue;
      if (now && !holds) rolled.gpu_hours_per_day.reset();
      holds = now;
      rolled.gpu_hours_per_day = std::max(rolled.gpu_hours_per_day.value_or(0), *row.gpu_hours_per_day);
    }
    rolled.members = std::move(members);
    out.push_back(std::move(rolled));
  }
  std::ranges::stable_sort(out, std::greater(), [&](const RolledRow& row) { return rowWeight(rows[row.worst], suspects); });
  return out;
}

}  // namespace runglass
