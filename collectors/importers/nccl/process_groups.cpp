// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/nccl/process_groups.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "collectors/importers/input/run_name.h"
#include "model/group_kind.h"
#include "model/topology.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxRanks = 1U << 20, kMaxRanksOfAll = 8U << 20;

// "[0, 1, 2]" or a list.
std::vector<std::int32_t> ranksOf(PlainValue value) {
  std::vector<std::int32_t> ranks;
  for (std::size_t i = 0; i < value.size() && ranks.size() < kMaxRanks; ++i)
    if (const auto rank = value.at(i).integer(); rank && *rank >= 0 && *rank < INT32_MAX) ranks.push_back(static_cast<std::int32_t>(*rank));
  const std::string_view text = value.text();
  for (const char *at = text.data(), *const end = at + text.size(); at < end && ranks.size() < kMaxRanks;) {
    std::int32_t rank = 0;
    const auto [next, error] = std::from_chars(at, end, rank);
    if (error == std::errc() && rank >= 0) ranks.push_back(rank);
    at = next > at ? next : at + 1;
  }
  return ranks;
}

std::string membersText(PlainValue ranks) {
  if (!ranks.isList()) return std::string(ranks.text());
  // In the format of the dumps, so that a group has one id from any source.
  std::string text = "[";
  for (const std::int32_t rank : ranksOf(ranks)) text += (text.size() > 1 ? ", " : "") + std::to_string(rank);
  return text + "]";
}

std::optional<std::int64_t> wholeNumber(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// Collectives are counted from 0 or 1; -1 means none.
std::optional<std::int64_t> counted(PlainValue value) {
  const auto number = value.integer();
  return number && *number >= 0 ? number : std::nullopt;
}

}  // namespace

ProcessGroups::ProcessGroups(PlainValue dump) {
  const PlainValue config = dump.find("pg_config");
  std::size_t all_ranks = 0;
  for (std::size_t i = 0; i < config.size() && m_groups.size() < kMax; ++i) {
    const PlainValue group = config.at(i);
    std::vector<std::int32_t> ranks = ranksOf(group.find("ranks"));
    all_ranks += ranks.size();
    if (all_ranks > kMaxRanksOfAll) ranks.clear();
    const std::string name(group.find("name").text().empty() ? config.key(i) : group.find("name").text());
    m_groups.insert_or_assign(name, ProcessGroup{.name = displayName(name),
                                                 .desc = displayName(group.find("desc").text()),
                                                 .id = commGroupId(name, membersText(group.find("ranks"))),
                                                 .ranks = std::move(ranks)});
  }
  readStatuses(dump);
}

const ProcessGroup* ProcessGroups::of(PlainValue entry) {
  const PlainValue names = entry.find("process_group");
  const std::string_view name = names.at(0).text();
  if (const auto known = m_groups.find(name); known != m_groups.end()) return &known->second;
  if (m_groups.size() >= kMax) return nullptr;
  const ProcessGroup group{.name = displayName(name), .desc = displayName(names.at(1).text()), .id = commGroupId(name, ""), .ranks = {}};
  return &m_groups.emplace(name, group).first->second;
}

void ProcessGroups::readStatuses(PlainValue dump) {
  const PlainValue statuses = dump.find("pg_status");
  for (std::size_t i = 0; i < statuses.size() && m_statuses.size() < kMax; ++i) {
    const PlainValue status = statuses.at(i);
    m_statuses.push_back({.pg_id = displayName(statuses.key(i)),
                          .enqueued = counted(status.find("last_enqueued_collective")),
                          .started = counted(status.find("last_started_collective")),
                          .completed = counted(status.find("last_completed_collective"))});
  }
  nameStatusesByEntries(dump);
  nameStatusesByOrder();
}

void ProcessGroups::nameStatusesByEntries(PlainValue dump) {
  std::map<std::string_view, GroupStatus*> by_id;
  for (GroupStatus& status : m_statuses) by_id.emplace(status.pg_id, &status);
  const PlainValue entries = dump.find("entries");
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto id = entries.at(i).find("pg_id").integer();
    const auto status = id ? by_id.find(std::to_string(*id)) : by_id.end();
    if (status == by_id.end() || status->second->group != nullptr) continue;
    const auto group = m_groups.find(entries.at(i).find("process_group").at(0).text());
    if (group != m_groups.end()) status->second->group = &group->second;
  }
}

// A process numbers its groups in order of creation, and PyTorch's numeric group names only increase: if both lists have the same length,
// their orders match. Not used if an entry contradicts it, or if a name is not a number (hashed names have no order).
void ProcessGroups::nameStatusesByOrder() {
  if (m_statuses.size() != m_groups.size()) return;
  std::map<std::int64_t, const ProcessGroup*> groups;
  std::map<std::int64_t, GroupStatus*> statuses;
  for (const auto& [name, group] : m_groups)
    if (const auto number = wholeNumber(name)) groups.emplace(*number, &group);
  for (GroupStatus& status : m_statuses)
    if (const auto number = wholeNumber(status.pg_id)) statuses.emplace(*number, &status);
  if (groups.size() != m_groups.size() || statuses.size() != m_statuses.size()) return;
  const auto agrees = [](const auto& status, const auto& group) {
    return status.second->group == nullptr || status.second->group == group.second;
  };
  if (!std::ranges::equal(statuses, groups, agrees)) return;
  auto group = groups.begin();
  for (const auto& [number, status] : statuses) {
    if (status->group == nullptr) status->group = group->second, status->by_order = true;
    ++group;
  }
}

std::int32_t ProcessGroups::world() const {
  std::size_t world = 0;
  for (const auto& [name, group] : m_groups)
    if (groupKindOf(group.desc) == "world") world = std::max(world, group.ranks.size());
  return static_cast<std::int32_t>(world);
}

std::optional<std::int32_t> ProcessGroups::onlyMember() const {
  const auto smallest = std::ranges::min_element(
      m_groups, {}, [](const auto& group) { return group.second.ranks.empty() ? std::size_t{SIZE_MAX} : group.second.ranks.size(); });
  constexpr std::size_t kMaxTried = 64;
  if (smallest == m_groups.end() || smallest->second.ranks.size() > kMaxTried) return std::nullopt;
  std::optional<std::int32_t> only;
  for (const std::int32_t rank : smallest->second.ranks) {
    if (!couldBe(rank)) continue;
    if (only && *only != rank) return std::nullopt;
    only = rank;
  }
  return only;
}

bool ProcessGroups::couldBe(std::int32_t rank) const {
  return std::ranges::all_of(m_groups, [rank](const auto& group) {
    return group.second.ranks.empty() || std::ranges::find(group.second.ranks, rank) != group.second.ranks.end();
  });
}

std::int64_t bytesOfDtype(std::string_view dtype) {
  struct Size {
    std::string_view name;
    std::int64_t bytes;
  };
  static constexpr std::array kSizes = {Size{"Byte", 1},
                                        Size{"Char", 1},
                                        Size{"Bool", 1},
                                        Size{"Short", 2},
                                        Size{"Half", 2},
                                        Size{"BFloat16", 2},
                                        Size{"Int", 4},
                                        Size{"Float", 4},
                                        Size{"Long", 8},
                                        Size{"Double", 8},
                                        Size{"ComplexHalf", 4},
                                        Size{"ComplexFloat", 8},
                                        Size{"ComplexDouble", 16},
                                        Size{"UInt16", 2},
                                        Size{"UInt32", 4},
                                        Size{"UInt64", 8},
                                        Size{"Float8_e5m2", 1},
                                        Size{"Float8_e4m3fn", 1},
                                        Size{"Float8_e5m2fnuz", 1},
                                        Size{"Float8_e4m3fnuz", 1},
                                        Size{"Float8_e8m0fnu", 1}};
  if (dtype.starts_with("c10::")) dtype.remove_prefix(5);
  const auto known = std::ranges::find(kSizes, dtype, &Size::name);
  return known == kSizes.end() ? 0 : known->bytes;
}

}  // namespace runglass
