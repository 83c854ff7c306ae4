// SPDX-License-Identifier: Apache-2.0
// Which root cause of the taxonomy an incident's findings speak for. The kernel; a person decides.
//
// One table maps what a finding is, and of a hardware fault the event at its root, to a code of model/incident_causes.h. What Xids mean is
// NVIDIA's (Xid Errors catalog, 2025-10: model/fault_catalog.cpp); the groups are those of "The Llama 3 Herd of Models", arXiv 2407.21783,
// section 3.3.4, table 5. Where a symptom has several causes (a PCIe error, a silent node, a loss spike) nothing is proposed.
//
// Threading:  pure; any thread.
// Ownership:  codes have static storage.
// Errors:     none: absent where nothing speaks for one cause.
// Cost:       a JSON document a finding.
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
  std::int64_t finding = 0;  // that speaks for it
};

// "" stands for any: of several rows that fit, the first counts.
struct CauseRow {
  std::string_view finding;     // its kind
  std::string_view event;       // of a fault: kind of the event at its root; of what is slow: `cause` of its evidence
  std::string_view event_code;  // of that event
  std::string_view code;        // of the taxonomy; "": nothing is proposed
};
std::span<const CauseRow> causeTable();

// `findings`: root first; the first one that speaks for a cause decides.
std::optional<LikelyCause> likelyCause(std::span<const Finding* const> findings);

}  // namespace runglass
