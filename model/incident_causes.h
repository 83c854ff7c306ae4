// SPDX-License-Identifier: Apache-2.0
// The taxonomy of root causes that an incident may have, with the number of interruptions by each in the most detailed published report of
// a run.
//
// Threading:  immutable.
// Ownership:  static storage.
// Units:      counts of unexpected interruptions.
// Errors:     an unlisted code has no text here (a newer program chose it).
// Cost:       O(causes), some thirty.
//
// Source of the counts and of the causes that have one: "The Llama 3 Herd of Models", arXiv 2407.21783, section 3.3.4 "Reliability and
// Operational Challenges", table 5: 419 unexpected interruptions in 54 days on 16,384 H100. The other causes are additions of Runglass.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace runglass {

enum class CauseGroup : std::uint8_t { kHardware, kSoftware, kNetwork, kStorage, kHost, kData, kTraining, kOperator, kNotKnown };
const char* causeGroupName(CauseGroup group);  // "hardware", ..., "not known"

struct IncidentCause {
  std::string_view code;  // "gpu_faulty"
  std::string_view words;
  CauseGroup group;
  std::optional<std::int32_t> llama3_count;  // absent: not in the table
};

std::span<const IncidentCause> incidentCauses();  // by group; within one, the most frequent first
const IncidentCause* findIncidentCause(std::string_view code);

}  // namespace runglass
