// SPDX-License-Identifier: Apache-2.0
// The name of a thread's row, in words: what distinguishes the thread comes first.
#pragma once

#include <string>
#include <string_view>

namespace runglass {

// "thread 25772 (python) of process 25738". `name`: as the source gives it; empty: unknown. An empty `pid` leaves out the process.
inline std::string threadRow(std::string_view pid, std::string_view tid, std::string_view name = {}) {
  std::string row(name);
  while (row.ends_with(' ')) row.pop_back();
  if (row.empty())
    row = "thread " + std::string(tid);
  else if (row.find(tid) == std::string::npos)
    row += " (" + std::string(tid) + ")";  // names of threads repeat
  if (!pid.empty()) row += " of process " + std::string(pid);
  return row;
}

}  // namespace runglass
