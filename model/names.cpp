// SPDX-License-Identifier: Apache-2.0
// Names of the model's enumerations, as SQL and JSON print them.
#include <array>
#include <string_view>

#include "model/events.h"
#include "model/incident.h"
#include "model/spans.h"

namespace runglass {
namespace {
constexpr std::array<const char*, 5> kSeverities = {"debug", "info", "warning", "error", "critical"};
constexpr std::array<const char*, 4> kIncidentStates = {"open", "mitigated", "resolved", "dismissed"};
constexpr std::array<const char*, kSpanCategoryCount> kCategories = {
    "compute", "comm", "memcpy", "memset", "runtime", "cpu_op", "annotation", "sync", "dataload", "checkpoint", "gc", "idle", "other"};
template <class Enum, std::size_t N>
std::optional<Enum> fromName(const std::array<const char*, N>& names, std::string_view name) {
  for (std::size_t i = 0; i < N; ++i)
    if (name == names[i]) return static_cast<Enum>(i);
  return std::nullopt;
}
}  // namespace

const char* severityName(Severity severity) { return kSeverities[static_cast<std::size_t>(severity)]; }
std::optional<Severity> severityFromName(std::string_view name) { return fromName<Severity>(kSeverities, name); }
const char* spanCategoryName(SpanCategory category) { return kCategories[static_cast<std::size_t>(category)]; }
std::optional<SpanCategory> spanCategoryFromName(std::string_view name) { return fromName<SpanCategory>(kCategories, name); }
const char* incidentStateName(IncidentState state) { return kIncidentStates[static_cast<std::size_t>(state)]; }
std::optional<IncidentState> incidentStateFromName(std::string_view name) { return fromName<IncidentState>(kIncidentStates, name); }

}  // namespace runglass
