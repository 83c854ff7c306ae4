// SPDX-License-Identifier: Apache-2.0
// OneFault: gives a hang, its initial stall and the machine fault that caused it one cause, and so one notification.
//
// Threading:  one thread.
// Units:      TimeNs.
// Cost:       O(faults of the last kTogether on one node), at most kMaxFaults remembered.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectors/hub/alerts/alert_state.h"

namespace runglass {

class OneFault {
 public:
  enum class Part : std::uint8_t {
    kNone,
    kMachine,
    kSilence,
    kStandstill
  };  // a broken GPU, link or node; its agent is silent; a hang or stall
  // Conditions closer together than this are one fault: on one node, or in one run where the node of a hang's culprits is unknown.
  static constexpr DurNs kTogether = 10 * 60 * kNsPerSecond;
  static constexpr std::size_t kMaxFaults = 4'096;

  static Part partOf(std::string_view kind);
  // Sets the cause of `trouble` to that of the fault it belongs to; the result stays the same while the condition is the same.
  void join(Trouble& trouble, Part part, NodeId node);
  // Restores the cause of a condition that has ended.
  void recall(Trouble& trouble) const;

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
  Fault* sameAs(const Trouble& trouble, Part part, NodeId node);
  // The stall that became this hang.
  Fault* stallOf(const Trouble& trouble);

  std::vector<Fault> m_faults;                // in the order in which they were seen
  std::map<std::string, Decision> m_decided;  // by the condition's own cause
};

}  // namespace runglass
