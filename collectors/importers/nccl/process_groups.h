// SPDX-License-Identifier: Apache-2.0
// The process groups of one dump: their ranks, their purpose, and this rank's progress in each.
//
// Ownership:  owns its strings.
// Units:      sequence numbers of collectives.
// Errors:     data missing in a dump is absent.
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

// This rank's progress in one group, by the group's number in this process.
struct GroupStatus {
  std::string pg_id;
  std::optional<std::int64_t> enqueued, started, completed;
  const ProcessGroup* group = nullptr;  // null: unknown group
  bool by_order = false;                // matched by the order of creation, not by an entry
};

class ProcessGroups {
 public:
  static constexpr std::size_t kMax = 65'536;

  explicit ProcessGroups(PlainValue dump);
  const std::map<std::string, ProcessGroup, std::less<>>& all() const { return m_groups; }
  // The group of an entry; created if pg_config does not list it. None beyond kMax.
  const ProcessGroup* of(PlainValue entry);
  const std::vector<GroupStatus>& statuses() const { return m_statuses; }

  // Size of the group of all ranks; 0 if there is none.
  std::int32_t world() const;
  // The only rank that all groups have in common, if there is exactly one: a process lists the groups that it is in.
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

// Size of PyTorch's type name ("BFloat16"), with or without a leading c10::; 0 = unknown.
std::int64_t bytesOfDtype(std::string_view dtype);

}  // namespace runglass
