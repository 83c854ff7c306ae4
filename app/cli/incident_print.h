// SPDX-License-Identifier: GPL-3.0-or-later
// An incident as `runglassctl incident` prints it.
//
// Threading:  contextOf() on the Reader's thread; the rest on any thread.
// Units:      TimeNs; UTC in text.
// Errors:     those of the Reader.
// Cost:       contextOf(): a few catalogue reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/json_value.h"
#include "storage/reader.h"

namespace runglass::ctl {

// The objects that an incident's ids refer to.
struct IncidentContext {
  Run run;
  std::optional<std::int32_t> attempt;  // number of its attempt
  std::vector<Finding> findings;        // its findings that still exist
};
// `all`: findings of the store, including those of the incident.
Result<IncidentContext> contextOf(Reader& reader, const Incident& incident, const std::vector<Finding>& all);

Json incidentJson(const Incident& incident, const IncidentContext& context);
std::string incidentLine(const Incident& incident, const IncidentContext& context);
std::string incidentText(const Incident& incident, const IncidentContext& context);

}  // namespace runglass::ctl
