// SPDX-License-Identifier: Apache-2.0
// Where a finding's trouble is, when it was, and at which place of the chain from cause to consequence its kind stands.
//
// Threading:  pure.
// Units:      TimeNs, steps.
// Errors:     none: evidence that is missing or of another shape is absent.
// Cost:       a JSON document a finding.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/findings.h"
#include "model/topology.h"

namespace runglass {

// Who ran where. Attempts by their id; of a run.
struct RunPlaces {
  std::string run_uuid;
  std::map<NodeId, Node> nodes;
  std::map<AttemptId, Attempt> attempts;
  std::map<AttemptId, std::map<std::int32_t, NodeId>> rank_nodes;
  std::optional<TimeNs> last_data;           // what goes on has lasted until then
  bool traced = true;                        // there are spans of the run
  std::optional<std::set<NodeId>> measured;  // of which metrics of hosts or devices were told; absent: nobody asked

  const Attempt* attempt(AttemptId id) const;
  const Attempt* after(const Attempt& attempt) const;   // the run's next one; null: there is none
  const Attempt* before(const Attempt& attempt) const;  // the one before it
  std::string nodeName(NodeId id) const;                // "" not known
};

// A fault of a machine makes ranks slow or lets them hang, these move the throughput. What the loss does is another matter.
enum class ChainLink : std::uint8_t { kMachine = 0, kRank, kRun, kLoss };

// What evidence says of another finding that explains this one.
struct ExplainedBy {
  std::string kind, subject;
  std::optional<std::int64_t> first_step;
};

struct FindingPlace {
  ChainLink link = ChainLink::kRun;
  std::vector<NodeId> nodes;        // sorted
  std::vector<std::int32_t> ranks;  // sorted, of the finding's attempt
  std::optional<std::int32_t> stage;
  std::optional<TimeNs> start, until;  // `until` of what goes on: the attempt's end or the last data; of a fault that is not over its begin
  std::optional<ExplainedBy> explained_by;
  bool stands = false;         // hang, stall: nothing moves
  bool goes_on = false;        // it has no end, and neither has its attempt
  bool after_restart = false;  // what it says is seen in the first steps of an attempt, against the one before
  bool everywhere() const { return nodes.empty() && ranks.empty() && !stage; }
};

FindingPlace placeOf(const Finding& finding, const RunPlaces& places);

}  // namespace runglass
