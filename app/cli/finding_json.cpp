// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/finding_json.h"

namespace runglass::ctl {

nlohmann::ordered_json findingMessageJson(const Finding& finding) {
  auto json = nlohmann::ordered_json::parse(finding.message, nullptr, false);
  return json.is_object() ? std::move(json) : nlohmann::ordered_json();
}

}  // namespace runglass::ctl
