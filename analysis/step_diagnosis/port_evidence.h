// SPDX-License-Identifier: Apache-2.0
// Which network port among many is the odd one: its errors, its rate and its events, against the other ports of the same job.
//
// Threading:  on the thread of the Reader.
// Units:      counts in the range; bytes per second.
// Errors:     the Reader's. Ports that nobody recorded cannot be accused.
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
  std::string port;            // "ib3"; "" where only the node is known
  std::string metric;          // what is odd
  double own = 0, others = 0;  // growth of a counter, or mean of a gauge; median of the other ports
  std::string counter;         // what a counter counts: "sequence errors"; "" of a rate
};

struct PortEvidence {
  std::optional<OddPort> odd;  // the oddest, if it stands out
  std::size_t ports = 0;       // looked at
};

// "ib3 of n0412 counted 812 sequence errors, the other ports 0"; absent `node`: without it.
words::Message portSentence(const OddPort& odd, words::Arg node);

// Of the ports' own error counters alone, in the range: a port that counts far more than the others, whether or not anything is slow.
Result<std::optional<OddPort>> countingPort(Reader& reader, const std::vector<NodeId>& nodes, TimeRange range, std::stop_token stop);

// Of these nodes' ports in the range.
Result<PortEvidence> portEvidence(Reader& reader, const std::vector<NodeId>& nodes, TimeRange range, std::stop_token stop);

}  // namespace runglass
