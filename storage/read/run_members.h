// SPDX-License-Identifier: Apache-2.0
// The events and log lines that belong to a run: those of its attempts, and those of its machines that name no attempt. Internal to
// storage.
//
// Threading:  that of the connection.
// Errors:     those of SQLite.
// Cost:       three index ranges.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_set>

#include "model/ids.h"
#include "model/result.h"
#include "model/time.h"
#include "storage/sqlite/connection.h"

namespace runglass {

struct RunMembers {
  std::unordered_set<std::uint64_t> attempts, nodes, devices;
  bool own(AttemptId attempt, NodeId node, DeviceId device) const {
    if (attempt) return attempts.contains(attempt.value);
    return nodes.contains(node.value) || devices.contains(device.value);
  }
};
Result<RunMembers> membersOf(sqlite::Connection& db, RunId run);

// The same as an SQL condition " AND ..." on rows `e`.
std::string ofRun(RunId run, bool with_devices);

}  // namespace runglass
