// SPDX-License-Identifier: Apache-2.0
// What the machines say of slow ranks: clock, temperature, power of their devices against those of their peers, and the node's events, in
// the time for which they were slow. It turns "slow" into a likely reason, or rules reasons out, with numbers.
//
// Threading:  on the thread of the Reader.
// Units:      catalogue units; TimeRange.
// Errors:     the Reader's. What was not recorded is absent, and rules nothing out.
// Cost:       one bin of each of three series for the slow devices and kPeersAsked others: 50 look-ups, 5 ms.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/words/message.h"
#include "model/findings.h"
#include "model/topology.h"
#include "storage/reader.h"

namespace runglass {

struct MachineValue {
  std::string metric;
  double own = 0, peers = 0;  // medians over devices of their means
  std::size_t devices = 0, peer_devices = 0;
};

struct MachineEvidence {
  std::vector<MachineValue> values;           // of those metrics that both sides have
  std::map<std::string, std::size_t> events;  // kind, or kind and code: how many, warnings and worse
  std::string cause;                          // "clock", "thermal", "power", "fault", "" where nothing differs or nothing is known
  std::optional<words::Message> sentence;     // "its SM clock is 1410 MHz against 1980 MHz"; or what is ruled out
};

inline constexpr std::size_t kPeersAsked = 16;
// From how far off a reading speaks against a machine: shares of the peers' clock and power, degrees.
inline constexpr double kClockOff = 0.03, kPowerOff = 0.10, kHotter = 5;

Result<MachineEvidence> machineEvidence(Reader& reader, RunId run, const std::vector<Rank>& slow, const std::vector<Rank>& peers,
                                        TimeRange range, std::stop_token stop);

// What the machines said of slow ranks and nodes when they were asked last.
struct MachineMemory {
  static constexpr DurNs kAskAgain = 30 * kNsPerSecond;
  static constexpr std::size_t kMaxAsked = 16;  // findings a call
  struct Said {
    TimeNs until = 0;  // of the stretch asked about
    MachineEvidence evidence;
    Finding without, with;  // of a finding that ended: as asked, and with the evidence
  };
  std::map<std::string, Said> said;  // by kind, subject and first step
};
// What the machines say of a slow rank or node, from the findings above; others stay as they are. `now` ends what is still going on.
Status addMachineEvidence(Reader& reader, RunId run, const std::vector<Rank>& ranks, TimeNs now, MachineMemory& memory,
                          std::vector<Finding>& findings, const std::stop_token& stop);

}  // namespace runglass
