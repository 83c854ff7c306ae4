// SPDX-License-Identifier: Apache-2.0
// AlertMessage: a telling as those who are told get it: a line, a text, JSON, environment variables.
//
// Threading:  plain values.
// Ownership:  values.
// Units:      TimeNs; GPU-hours per hour; money per hour.
// Errors:     none: text that is no UTF-8 comes out with replacement characters, control characters as spaces.
// Cost:       O(alerts told of), at most kMaxListed are listed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectors/hub/alerts/alert_state.h"

namespace runglass {

struct AlertMessage {
  std::string id;                        // equal when the same telling is told again after a crash
  std::string title;                     // one line: severity, what
  std::string text;                      // a few lines for people
  std::string json;                      // docs/operate/alerts.md
  std::vector<std::string> environment;  // "RUNGLASS_…=…"
  std::string link;
  Severity severity = Severity::kInfo;
  std::vector<std::string> to;
  std::vector<Alert> alerts;
};

// What a store is called in messages and links.
struct StoreName {
  std::string uuid, path;
};

inline constexpr std::size_t kMaxListed = 100;

AlertMessage messageOf(const Notification& notification, const AlertOptions& options, const StoreName& store, TimeNs now);
// To the time around a trouble; `select` as --select.
std::string linkOf(const Trouble& trouble, const StoreName& store, std::string view, std::string select);

}  // namespace runglass
