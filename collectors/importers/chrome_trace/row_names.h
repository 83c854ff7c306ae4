// SPDX-License-Identifier: Apache-2.0
// RowNames: names of a trace's processes and threads, and the rank, coordinates and lane in them.
//
// Threading:  one thread.
// Ownership:  owns copies of the names.
// Units:      ranks from 0.
// Errors:     names beyond kMaxNames are not kept.
// Cost:       a hash look-up; names are cut at 256 bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "collectors/importers/chrome_trace/trace_ranks.h"

namespace runglass {

// Meaning of a name such as "PP rank 0, TP rank 1, pp-comm", "rank[3] pp ->", "DP rank [7]".
struct RowMeaning {
  std::optional<std::int32_t> rank;
  Coordinates at;
  std::string lane;  // rest of the name, lower case
};
RowMeaning meaningOf(std::string_view name);
// Track kind of a lane of ndtimeline ("main", "pp ->", "tp collective", ...) or StragglerAnalysis ("compute", "pp-comm", ...); "" for
// others.
std::string_view kindOfLane(std::string_view lane);

struct Row {
  std::string kind, name;
  std::optional<std::int32_t> rank;
  Coordinates at;
};

class RowNames {
 public:
  static constexpr std::size_t kMaxNames = 65'536;
  void nameProcess(std::string_view pid, std::string_view name);
  void nameThread(std::string_view pid, std::string_view tid, std::string_view name);
  // The known meaning of a thread's row, or of a process if `tid` is empty.
  Row row(std::string_view pid, std::string_view tid) const;
  std::string_view threadName(std::string_view pid, std::string_view tid) const;  // empty: unknown

 private:
  std::unordered_map<std::string, std::string> m_processes, m_threads;
};

}  // namespace runglass
