// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/issue_json.h"

#include "model/issue_catalog.h"

namespace runglass::ctl {

nlohmann::ordered_json issuesJson(std::span<const Issue> issues) {
  using Json = nlohmann::ordered_json;
  const auto orNull = [](const std::optional<TimeNs>& time) { return time ? Json(*time) : Json(); };
  Json all = Json::array();
  for (const Issue& issue : issues) {
    const IssueInfo* known = findIssue(issue.code);
    all.push_back({{"code", issue.code},
                   {"severity", known ? Json(severityName(known->severity)) : Json()},
                   {"source", issue.source},
                   {"count", issue.count},
                   {"first_ns", orNull(issue.first)},
                   {"last_ns", orNull(issue.last)},
                   {"detail", issue.detail},
                   {"help", known ? Json(known->help) : Json()}});
  }
  return all;
}

nlohmann::ordered_json damagedJson(std::span<const std::string> lines) {
  auto all = nlohmann::ordered_json::array();
  for (const std::string& line : lines) {
    const std::size_t end = line.find(": ");
    all.push_back({{"object", line.substr(0, end)}, {"why", end == std::string::npos ? "" : line.substr(end + 2)}});
  }
  return all;
}

}  // namespace runglass::ctl
