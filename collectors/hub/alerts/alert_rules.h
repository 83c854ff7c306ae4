// SPDX-License-Identifier: Apache-2.0
// AlertRules: which findings and events notify, and by which targets (TOML; docs/operate/alerts.md).
//
// Threading:  plain values.
// Ownership:  values.
// Units:      DurNs; money per GPU-hour.
// Errors:     readAlertRules(): INVALID_ARGUMENT names file, line or rule and what is wrong with it. A key that nobody reads is an error.
// Cost:       none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/events.h"
#include "model/result.h"
#include "model/time.h"

namespace runglass {

struct AlertTarget {
  std::string name;
  // Exactly one of the three.
  std::vector<std::string> command;  // argv; no shell
  std::string webhook;               // http or https
  bool desktop = false;              // a notification on the console's screen

  std::vector<std::string> headers;  // of the webhook
  std::string ca_file;
  DurNs timeout = 10 * kNsPerSecond;
};

// A value beyond a threshold until it is back beyond `clear`, or a series that has gone silent.
struct MetricCondition {
  std::string metric;
  std::optional<double> above, below;
  std::optional<double> clear;  // absent: the threshold itself
  bool absent = false;
};

struct AlertRule {
  std::string name;
  // One of the three. "*": any kind; an event may be "KIND:CODE".
  std::vector<std::string> findings, events;
  std::optional<MetricCondition> metric;

  Severity at_least = Severity::kWarning;  // of a metric: how severe it is
  DurNs hold = 0;                          // how long it must hold before anybody is told
  std::vector<std::string> to;             // names of targets; empty: nobody is told, and no later rule is asked
};

struct DeadmanOptions {
  std::string file, url, method = "GET";  // one of file and url
  DurNs every = 60 * kNsPerSecond;
  DurNs timeout = 10 * kNsPerSecond;
};

struct AlertOptions {
  std::vector<AlertRule> rules;  // the first that fits decides
  std::vector<AlertTarget> targets;
  DurNs repeat_after = 6 * 3600 * kNsPerSecond;
  // Trouble that was over for so long and comes back is new trouble.
  DurNs rearm_after = 30 * 60 * kNsPerSecond;
  std::int64_t most_per_hour = 20;  // of one rule
  std::optional<double> price_per_gpu_hour;
  std::string currency;
  std::optional<DeadmanOptions> deadman;
};

// What notifies when nobody said anything: findings from warning on, and nodes that are lost for a minute. `desktop`: the only target.
AlertOptions defaultAlerts(bool desktop);
Result<AlertOptions> readAlertRules(const std::string& path);
Result<AlertOptions> parseAlertRules(std::string_view toml, const std::string& name);

}  // namespace runglass
