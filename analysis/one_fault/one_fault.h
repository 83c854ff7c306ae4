// SPDX-License-Identifier: Apache-2.0
// OneFault: gives a hang, its initial stall, the machine fault that caused it and the failure of its job one cause, and so one
// notification.
//
// Threading:  one thread.
// Units:      TimeNs.
// Cost:       O(faults of the last kTogether on one node), at most kMaxFaults remembered.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"
#include "model/time.h"

namespace runglass {

// What may be part of a fault: a finding, or an event.
struct FaultSign {
  std::string cause, kind;  // its own cause, model/alert_cause.h
  TimeNs since = 0;
  std::optional<TimeNs> end;
  RunId run;
  NodeId node;
};
struct JoinedFault {
  std::string cause;    // of the fault
  bool joined = false;  // that of an earlier sign
  bool grown = false;   // joined, and the same condition under another name (a stall that became a hang)
};

class OneFault {
 public:
  enum class Part : std::uint8_t {
    kNone,
    kMachine,
    kSilence,
    kStandstill,
    kFailure
  };  // a broken GPU, link or node; its agent is silent; a hang or stall; the failure of a job
  // Conditions closer together than this are one fault: on one node, or in one run where the node of a hang's culprits is unknown.
  static constexpr DurNs kTogether = 10 * 60 * kNsPerSecond;
  // A standstill that ended earlier than this before a job failed is another fault.
  static constexpr DurNs kUntilFailure = 2 * 60 * kNsPerSecond;
  static constexpr std::size_t kMaxFaults = 4'096;

  static Part partOf(std::string_view kind);
  // The fault that the sign belongs to; the answer stays the same while the condition is the same.
  JoinedFault join(const FaultSign& sign);
  // The same for a condition that has ended.
  JoinedFault recall(const std::string& cause) const;

 private:
  struct Fault {
    std::string cause, own;  // the cause it was given; its own cause
    Part part;
    bool hang;
    TimeNs since;
    std::optional<TimeNs> end;
    NodeId node;
    RunId run;
  };
  struct Decision {
    std::string cause;
    TimeNs since;
    bool grown;
  };
  Fault* sameAs(const FaultSign& sign);
  // The standstill in which the job failed.
  Fault* standstillOf(const FaultSign& sign);
  // The stall that became this hang.
  Fault* stallOf(const FaultSign& sign);

  std::vector<Fault> m_faults;                // in the order in which they were seen
  std::map<std::string, Decision> m_decided;  // by the condition's own cause
};

}  // namespace runglass
