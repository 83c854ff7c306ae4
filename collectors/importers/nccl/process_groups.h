// SPDX-License-Identifier: Apache-2.0
// The process groups of one dump: their ranks, what they are for, and how far this rank came in each.
//
// Threading:  plain values.
// Ownership:  owns its strings.
// Units:      sequence numbers of collectives.
// Errors:     none: what a dump does not say is absent.
// Cost:       O(groups × their ranks).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectors/importers/nccl/plain_document.h"

namespace runglass {

struct ProcessGroup {
  std::string name, desc;
  std::int64_t id = 0;  // commGroupId
  std::vector<std::int32_t> ranks;
};

// How far this rank came in one group, by the group's number in this process.
struct GroupStatus {
  std::string pg_id;
  std::optional<std::int64_t> enqueued, started, completed;
  const ProcessGroup* group = nullptr;  // if it is known which one it is
  bool by_order = false;                // known by the order in which groups were made, not from an entry
};

class ProcessGroups {
 public:
  static constexpr std::size_t kMax = 65'536;

  explicit ProcessGroups(PlainValue dump);
  const std::map<std::string, ProcessGroup, std::less<>>& all() const { return m_groups; }
  // Of an entry; made when pg_config does not list it. Nothing beyond kMax.
  const ProcessGroup* of(PlainValue entry);
  const std::vector<GroupStatus>& statuses() const { return m_statuses; }

  // Size of the group of all ranks; 0 when there is none.
  std::int32_t world() const;
  // The only rank that all groups have, if there is only one: a process lists the groups that it is in.
  std::optional<std::int32_t> onlyMember() const;
  // Whether a rank is in every group whose ranks are known.
  bool couldBe(std::int32_t rank) const;

 private:
  void readStatuses(PlainValue dump);
  void nameStatusesByEntries(PlainValue dump);
  void nameStatusesByOrder();

  std::map<std::string, ProcessGroup, std::less<>> m_groups;
  std::vector<GroupStatus> m_statuses;
};

// Of PyTorch's name of a type ("BFloat16"), with or without the c10:: before it; 0 = not known.
std::int64_t bytesOfDtype(std::string_view dtype);

}  // namespace runglass
