// SPDX-License-Identifier: Apache-2.0
// The root cause of the taxonomy that an incident's findings point to. The kernel; a person decides.
//
// One table maps the kind of a finding, and for a hardware fault its root event, to a code of model/incident_causes.h. The meaning of Xids
// is NVIDIA's (Xid Errors catalog, 2025-10: model/fault_catalog.cpp); the groups are those of "The Llama 3 Herd of Models", arXiv
// 2407.21783, section 3.3.4, table 5. Symptoms with several causes (a PCIe error, a silent node, a loss spike) have no proposal.
//
// Threading:  pure; any thread.
// Ownership:  codes have static storage.
// Errors:     absent where no finding points to a cause.
// Cost:       one JSON document per finding.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/findings.h"

namespace runglass {

struct LikelyCause {
  std::string_view code;
  std::string why;           // "Xid 79", "data bound"
  std::int64_t finding = 0;  // that points to it
};

// "" matches any value; the first matching row counts.
struct CauseRow {
  std::string_view finding;     // its kind
  std::string_view event;       // of a fault: kind of its root event; of a slow rank or node: `cause` of its evidence
  std::string_view event_code;  // of that event
  std::string_view code;        // of the taxonomy; "": no proposal
};
std::span<const CauseRow> causeTable();

// `findings`: root first; the first one that points to a cause decides.
std::optional<LikelyCause> likelyCause(std::span<const Finding* const> findings);

}  // namespace runglass
