// SPDX-License-Identifier: Apache-2.0
// The place and time of a finding, and its link in the chain from cause to consequence.
//
// Threading:  pure.
// Units:      TimeNs, steps.
// Errors:     evidence that is missing or has another shape is absent.
// Cost:       one JSON document per finding.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/findings.h"
#include "model/topology.h"

namespace runglass {

// The placement of a run's ranks, and its attempts by id.
struct RunPlaces {
  std::string run_uuid;
  std::map<NodeId, Node> nodes;
  std::map<AttemptId, Attempt> attempts;
  std::map<AttemptId, std::map<std::int32_t, NodeId>> rank_nodes;
  std::optional<TimeNs> last_data;           // end of a finding that is still open
  std::optional<TimeRange> traced;           // from the run's first span to the end of its last; absent: it has none
  std::optional<std::set<NodeId>> measured;  // nodes with metrics of the host or a device; absent: not queried

  const Attempt* attempt(AttemptId id) const;
  const Attempt* after(const Attempt& attempt) const;   // the run's next attempt; null: none
  const Attempt* before(const Attempt& attempt) const;  // the previous one
  std::string nodeName(NodeId id) const;                // "": unknown
};

// A fault of a machine makes ranks slow or hangs them, and those change the throughput. Findings about the loss are a separate chain.
enum class ChainLink : std::uint8_t { kMachine = 0, kRank, kRun, kLoss };

// The finding that, by this finding's evidence, explains it.
struct ExplainedBy {
  std::string kind, subject;
  std::optional<std::int64_t> first_step;
};

struct FindingPlace {
  ChainLink link = ChainLink::kRun;
  std::vector<NodeId> nodes;        // sorted
  std::vector<std::int32_t> ranks;  // sorted, of the finding's attempt
  std::optional<std::int32_t> stage;
  std::optional<TimeNs> start, until;  // `until` if open: attempt's end or last data; of a fault without an end: its start
  std::optional<ExplainedBy> explained_by;
  bool stands = false;         // hang, stall: no progress
  bool goes_on = false;        // neither it nor its attempt has ended
  bool after_restart = false;  // seen in the first steps of an attempt, compared with the previous one
  bool everywhere() const { return nodes.empty() && ranks.empty() && !stage; }
};

FindingPlace placeOf(const Finding& finding, const RunPlaces& places);

}  // namespace runglass
