// SPDX-License-Identifier: Apache-2.0
// The outlier among network ports: its errors, rate and events compared with the other ports of the same job.
//
// Threading:  on the thread of the Reader.
// Units:      counts in the range; bytes per second.
// Errors:     the Reader's. Ports without records cannot be accused.
// Cost:       one bin of each port series of the nodes: 20 us each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/words/message.h"
#include "storage/reader.h"

namespace runglass {

struct OddPort {
  NodeId node;
  std::string port;            // "ib3"; "" if only the node is known
  std::string metric;          // the odd metric
  double own = 0, others = 0;  // growth of a counter, or mean of a gauge; median of the other ports
  std::string counter;         // the events that a counter counts: "sequence errors"; "" for a rate
};

struct PortEvidence {
  std::optional<OddPort> odd;  // the most deviant port, if it is an outlier
  std::size_t ports = 0;       // number of ports read
};

// "ib3 of n0412 counted 812 sequence errors, the other ports 0"; without a node if `node` is absent.
words::Message portSentence(const OddPort& odd, words::Arg node);

// By the ports' own error counters alone, in the range: a port that counts far more than the others, even if nothing is slow.
Result<std::optional<OddPort>> countingPort(Reader& reader, const std::vector<NodeId>& nodes, TimeRange range, std::stop_token stop);

// For these nodes' ports in the range.
Result<PortEvidence> portEvidence(Reader& reader, const std::vector<NodeId>& nodes, TimeRange range, std::stop_token stop);

}  // namespace runglass
