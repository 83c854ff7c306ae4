// SPDX-License-Identifier: Apache-2.0
// Nodes, devices, runs, attempts, ranks and the parallel layout.
//
// Units:      bytes, TimeNs.
// Errors:     an absent value is std::nullopt, never 0 or -1.
// Cost:       small structs, passed by const reference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"
#include "model/time.h"

namespace runglass {

// Sizes of the parallel dimensions. 0: unknown (1 is a known size).
struct Layout {
  std::int32_t world = 0, tp = 0, pp = 0, dp = 0, cp = 0, ep = 0, vpp = 0;
  friend bool operator==(const Layout&, const Layout&) = default;
};

enum class NodeState : std::uint8_t { kUnknown = 0, kAlive = 1, kStale = 2, kLost = 3, kLeft = 4 };

struct Node {
  NodeId id;
  std::string uuid;  // machine-id; for imports without one, "name:<name>"
  std::string name;
  std::string rack, fabric_switch;
  NodeState state = NodeState::kUnknown;
  std::optional<TimeNs> last_heard;
};

struct Device {
  DeviceId id;
  std::string uuid;  // vendor UUID, else "<node uuid>/<kind><index>"
  NodeId node;
  std::optional<std::int32_t> index;
  std::string kind;   // "gpu", "nic", "npu", ...
  std::string model;  // "NVIDIA H100 80GB HBM3"
  std::optional<std::int64_t> memory_bytes;
};

enum class RunState : std::uint8_t { kUnknown = 0, kRunning = 1, kFinished = 2, kFailed = 3, kStalled = 4 };

struct Run {
  RunId id;
  std::string uuid;                       // empty on input: derived from the name
  std::string name;                       // unique in a store
  std::optional<TimeDomain> time_domain;  // absent: not reported by this source; UTC if no source reports it
  RunState state = RunState::kUnknown;
  std::optional<TimeNs> start, end;
  std::string framework;
  bool simulated = false;
};

// One execution of a run's processes. Recorders upsert by (run, key) and number attempts from 0 in order of first appearance.
struct Attempt {
  AttemptId id;
  RunId run;
  std::string key;          // distinguishes restarts at the source ("" = the only one): job id + restart count, file name, ...
  std::int32_t number = 0;  // filled by the store
  std::optional<TimeNs> start, end;
  std::string end_cause;
  std::optional<bool> planned;
  std::optional<std::int64_t> resumed_from_step;
  std::optional<std::int64_t> first_step, last_step;  // filled by the store
  Layout layout;
};

// A rank of one attempt. Coordinates are absent when the layout is unknown.
struct Rank {
  AttemptId attempt;
  std::int32_t rank = 0;
  NodeId node;      // may be 0
  DeviceId device;  // may be 0
  std::optional<std::int32_t> local_rank, pid;
  std::optional<std::int32_t> tp, pp, dp, cp, ep;
};

// Environment of an attempt: argv, config hash, versions, NCCL_* variables... rank/node absent: the whole attempt.
struct Fact {
  AttemptId attempt;
  NodeId node;
  std::optional<std::int32_t> rank;
  std::string key, value;
};

// The ranks of one communicator. `id` is the source's own number, which spans and progress have in `group`; sources with names instead of
// numbers use commGroupId(), which is equal on every rank.
struct CommGroup {
  AttemptId attempt;
  std::int64_t id = 0;
  std::string kind;  // "dp", "tp", "pp", ... if the source reports it, else ""
  std::string name;
  std::vector<std::int32_t> ranks;  // in the communicator's order; empty: unknown
};

// Of a name and its members: 48 bits, never 0.
std::int64_t commGroupId(std::string_view name, std::string_view members);

struct Checkpoint {
  AttemptId attempt;
  std::int64_t step = 0;
  std::optional<TimeNs> begin, durable;  // durable absent: not (yet) durable
  std::optional<std::int64_t> bytes;
  std::string path;
};

// True for names whose values must never be stored: TOKEN, SECRET, PASSWORD, KEY, CREDENTIAL, ... (case-insensitive).
bool looksSecret(std::string_view variable_name);

}  // namespace runglass
