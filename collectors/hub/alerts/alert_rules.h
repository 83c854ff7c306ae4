// SPDX-License-Identifier: Apache-2.0
// AlertRules: the findings, events and metrics that cause notifications, and their targets (TOML; docs/operate/alerts.md).
//
// Units:      DurNs; money per GPU-hour.
// Errors:     readAlertRules(): INVALID_ARGUMENT with file, line or rule and the cause. An unknown key is an error.
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
  // Exactly one of the four.
  std::vector<std::string> command;  // argv; no shell
  std::string webhook;               // http or https
  std::string otlp;                  // http or https: a collector's port for OTLP/HTTP; without a path, /v1/logs
  bool desktop = false;              // a notification on the console's screen

  std::vector<std::string> headers;  // of the webhook or the collector
  std::string ca_file;
  DurNs timeout = 10 * kNsPerSecond;
};

// A value beyond a threshold until it is back beyond `clear`, or a series that has become silent.
struct MetricCondition {
  std::string metric;
  std::optional<double> above, below;
  std::optional<double> clear;  // absent: the threshold itself
  bool absent = false;
};

struct AlertRule {
  std::string name;
  // Exactly one of the three. "*": any kind; an event can be "KIND:CODE".
  std::vector<std::string> findings, events;
  std::optional<MetricCondition> metric;

  Severity at_least = Severity::kWarning;  // of a metric: severity of its alert
  DurNs hold = 0;                          // how long it must last before a notification
  std::vector<std::string> to;             // names of targets; empty: no notification, and no later rule is tried
};

struct DeadmanOptions {
  std::string file, url, method = "GET";  // one of file and url
  DurNs every = 60 * kNsPerSecond;
  DurNs timeout = 10 * kNsPerSecond;
};

struct AlertOptions {
  std::vector<AlertRule> rules;  // the first match decides
  std::vector<AlertTarget> targets;
  DurNs repeat_after = 6 * 3600 * kNsPerSecond;
  // A condition that recurs after having ended this long ago is a new one.
  DurNs rearm_after = 30 * 60 * kNsPerSecond;
  std::int64_t most_per_hour = 20;  // per rule
  std::optional<double> price_per_gpu_hour;
  std::string currency;
  std::optional<DeadmanOptions> deadman;
};

// Rules without a file: findings of severity warning and above, and nodes lost for a minute. `desktop`: the only target.
AlertOptions defaultAlerts(bool desktop);
Result<AlertOptions> readAlertRules(const std::string& path);
Result<AlertOptions> parseAlertRules(std::string_view toml, const std::string& name);

}  // namespace runglass
