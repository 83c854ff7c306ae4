// SPDX-License-Identifier: GPL-3.0-or-later
// An incident as `runglassctl incident` prints it.
//
// Threading:  contextOf() on the thread of the Reader; the rest anywhere.
// Units:      TimeNs; UTC in text.
// Errors:     those of the Reader.
// Cost:       contextOf(): a few catalogue reads.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "storage/reader.h"

namespace runglass::ctl {

using Json = nlohmann::ordered_json;

// What its ids stand for.
struct IncidentContext {
  Run run;
  std::optional<std::int32_t> attempt;  // its number
  std::vector<Finding> findings;        // its own, those that are (still) there
};
// `all`: findings of the store, its own among them.
Result<IncidentContext> contextOf(Reader& reader, const Incident& incident, const std::vector<Finding>& all);

Json incidentJson(const Incident& incident, const IncidentContext& context);
std::string incidentLine(const Incident& incident, const IncidentContext& context);
std::string incidentText(const Incident& incident, const IncidentContext& context);

}  // namespace runglass::ctl
