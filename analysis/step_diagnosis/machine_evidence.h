// SPDX-License-Identifier: Apache-2.0
// Machine metrics of slow ranks during their slowness: clock, temperature and power of their devices compared with those of their peers,
// and the node's events. They give a likely cause, or rule causes out, with numbers.
//
// Threading:  on the thread of the Reader.
// Units:      catalogue units; TimeRange.
// Errors:     the Reader's. Metrics that are not recorded are absent and rule nothing out.
// Cost:       one bin of each of three series for the slow devices and kPeersAsked others: 50 lookups, 5 ms.
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
  std::vector<MachineValue> values;           // metrics that both sides have
  std::map<std::string, std::size_t> events;  // number by kind, or by kind and code, of severity warning and above
  std::string cause;                          // "clock", "thermal", "power", "fault"; "" if nothing differs or is known
  std::optional<words::Message> sentence;     // "its SM clock is 1410 MHz against 1980 MHz", or the causes ruled out
};

inline constexpr std::size_t kPeersAsked = 16;
// Minimum deviations that accuse a machine: shares of the peers' clock and power, degrees.
inline constexpr double kClockOff = 0.03, kPowerOff = 0.10, kHotter = 5;

Result<MachineEvidence> machineEvidence(Reader& reader, RunId run, const std::vector<Rank>& slow, const std::vector<Rank>& peers,
                                        TimeRange range, std::stop_token stop);

// The latest machine evidence of slow ranks and nodes.
struct MachineMemory {
  static constexpr DurNs kAskAgain = 30 * kNsPerSecond;
  static constexpr std::size_t kMaxAsked = 16;  // findings per call
  struct Said {
    TimeNs until = 0;  // end of the stretch that was evaluated
    MachineEvidence evidence;
    Finding without, with;  // of an ended finding: before and after the evidence was added
  };
  std::map<std::string, Said> said;  // by kind, subject and first step
};
// Adds machine evidence to findings about a slow rank or node; others are unchanged. `now`: the end of open findings.
Status addMachineEvidence(Reader& reader, RunId run, const std::vector<Rank>& ranks, TimeNs now, MachineMemory& memory,
                          std::vector<Finding>& findings, const std::stop_token& stop);

}  // namespace runglass
