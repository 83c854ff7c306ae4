// SPDX-License-Identifier: Apache-2.0
// AlertMessage: a notification in the formats of its targets: a line, a text, JSON, OTLP log records, environment variables.
//
// Units:      TimeNs; GPU-hours per hour; money per hour.
// Errors:     invalid UTF-8 is replaced with replacement characters, control characters with spaces.
// Cost:       O(alerts of the notification), of which at most kMaxListed are listed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collectors/hub/alerts/alert_state.h"

namespace runglass {

struct AlertMessage {
  std::string id;                        // equal when the same notification is sent again after a crash
  std::string title;                     // one line: severity and subject
  std::string text;                      // a few lines for people
  std::string json;                      // docs/operate/alerts.md
  std::string otlp;                      // an ExportLogsServiceRequest in JSON, one record an alert
  std::vector<std::string> environment;  // "RUNGLASS_…=…"
  std::string link;
  Severity severity = Severity::kInfo;
  std::vector<std::string> to;
  std::vector<Alert> alerts;
};

// Identity of a store in messages and links.
struct StoreName {
  std::string uuid, path;
};

inline constexpr std::size_t kMaxListed = 100;

AlertMessage messageOf(const Notification& notification, const AlertOptions& options, const StoreName& store, TimeNs now);
// Link to the time around a `Trouble`; `select` as --select.
std::string linkOf(const Trouble& trouble, const StoreName& store, std::string view, std::string select);

}  // namespace runglass
