// SPDX-License-Identifier: Apache-2.0
// OneFault: a hang, the stall that it was first and the fault of the machine that made it are one cause, so that they are one notification.
//
// Threading:  one thread.
// Ownership:  values.
// Units:      TimeNs.
// Errors:     none.
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
  // What began nearer together than this on one node, or in one run where the node of a hang's culprits is not known, is one fault.
  static constexpr DurNs kTogether = 10 * 60 * kNsPerSecond;
  static constexpr std::size_t kMaxFaults = 4'096;

  static Part partOf(std::string_view kind);
  // Gives `trouble` the cause of the fault that it is another part of; the answer is the same for as long as it is the same trouble.
  void join(Trouble& trouble, Part part, NodeId node);
  // The cause that a trouble was given, of one that is over now.
  void recall(Trouble& trouble) const;

 private:
  struct Fault {
    std::string cause, own;  // that it goes under; the trouble's
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

  std::vector<Fault> m_faults;                // by when they were seen
  std::map<std::string, Decision> m_decided;  // by a trouble's own cause
};

}  // namespace runglass
