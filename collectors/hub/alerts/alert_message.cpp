// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/alerts/alert_message.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "model/number_text.h"
#include "model/place_link.h"
#include "model/time_text.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;
constexpr DurNs kAround = 10 * 60 * kNsPerSecond;  // time range of a link, before and after
constexpr std::size_t kLongest = 2'000;            // of a summary

std::string clean(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text;
}

const char* reasonName(Notification::Reason reason) {
  switch (reason) {
    case Notification::Reason::kNew:
      return "new";
    case Notification::Reason::kWorse:
      return "worse";
    case Notification::Reason::kStill:
      return "still";
    case Notification::Reason::kAgain:
      return "again";
  }
  return "";
}

// FNV-1a 64 of the fields that identify the notification.
std::string idOf(const Notification& notification) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  const auto mix = [&hash](const std::string& text) {
    for (const char c : text + '\n') hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  };
  for (const Alert& alert : notification.alerts) mix(alert.rule), mix(alert.cause), mix(std::to_string(alert.since));
  char text[40];
  std::snprintf(text, sizeof text, "%016llx-%lld", static_cast<unsigned long long>(hash),
                static_cast<long long>(notification.alerts.front().count));
  return text;
}

struct Cost {
  std::optional<double> gpu_hours, money;  // per hour
};

// The ranks of one run can be lost only once: of several causes in a run the maximum counts.
Cost costOf(const Notification& notification, const AlertOptions& options) {
  Cost cost;
  std::map<RunId, double> per_run;
  for (const Trouble& one : notification.worst)
    if (one.gpu_hours_per_hour) per_run[one.run] = std::max(per_run[one.run], *one.gpu_hours_per_hour);
  for (const auto& [run, hours] : per_run) cost.gpu_hours = cost.gpu_hours.value_or(0) + hours;
  if (cost.gpu_hours && options.price_per_gpu_hour) cost.money = *cost.gpu_hours * *options.price_per_gpu_hour;
  return cost;
}

std::string titleOf(const Notification& notification) {
  const Alert& first = notification.alerts.front();
  std::string title = severityName(first.severity);
  if (notification.reason == Notification::Reason::kWorse) title += " (worse)";
  if (notification.reason == Notification::Reason::kStill) title += " (still)";
  title += ": ";
  if (notification.alerts.size() == 1) return title + clean(first.summary);
  return title + std::to_string(notification.alerts.size()) + " at once: " + clean(first.summary);
}

std::string textOf(const AlertMessage& message, const Notification& notification, const Cost& cost, const AlertOptions& options,
                   TimeNs now) {
  const Alert& first = notification.alerts.front();
  std::string text = message.title + '\n';
  text += "since " + utcText(first.since) + " (" + durationText(now - first.since) + ")";
  if (!notification.worst.empty()) {
    const Trouble& worst = notification.worst.front();
    if (!worst.who.empty()) text += ", " + clean(worst.who);
    if (!worst.run_name.empty()) text += ", run " + clean(worst.run_name);
  }
  text += '\n';
  if (cost.gpu_hours) {
    text += "costs " + gpuHoursText(*cost.gpu_hours) + " GPU-hours per hour";
    if (cost.money) text += ", " + moneyText(*cost.money) + (options.currency.empty() ? "" : " " + options.currency) + " per hour";
    text += '\n';
  }
  for (std::size_t i = 1; i < std::min(notification.alerts.size(), kMaxListed); ++i)
    text += "also: " + clean(notification.alerts[i].summary) + '\n';
  if (notification.alerts.size() > kMaxListed) text += "and " + std::to_string(notification.alerts.size() - kMaxListed) + " more\n";
  return text + message.link + '\n';
}

Json orNull(const std::optional<TimeNs>& time) { return time ? Json(*time) : Json(); }

std::string jsonOf(const AlertMessage& message, const Notification& notification, const Cost& cost, const AlertOptions& options,
                   const StoreName& store, TimeNs now) {
  const Alert& first = notification.alerts.front();
  Json json = {{"version", 1},
               {"id", message.id},
               {"reason", reasonName(notification.reason)},
               {"rule", first.rule},
               {"kind", first.kind},
               {"cause", first.cause},
               {"severity", severityName(first.severity)},
               {"title", message.title},
               {"text", message.text},
               {"summary", first.summary},
               {"since_ns", first.since},
               {"end_ns", orNull(first.end)},
               {"now_ns", now},
               {"count", first.count},
               {"link", message.link},
               {"store_uuid", store.uuid},
               {"store", store.path}};
  if (!notification.worst.empty()) {
    const Trouble& worst = notification.worst.front();
    json["who"] = worst.who;
    json["run"] = worst.run_name;
    json["run_uuid"] = worst.run_uuid;
  }
  json["gpu_hours_per_hour"] = cost.gpu_hours ? Json(*cost.gpu_hours) : Json();
  if (cost.money) json["money_per_hour"] = *cost.money, json["currency"] = options.currency;
  json["total"] = notification.alerts.size();
  json["alerts"] = Json::array();
  for (std::size_t i = 0; i < std::min(notification.alerts.size(), kMaxListed); ++i) {
    const Alert& alert = notification.alerts[i];
    json["alerts"].push_back({{"cause", alert.cause},
                              {"kind", alert.kind},
                              {"severity", severityName(alert.severity)},
                              {"since_ns", alert.since},
                              {"summary", clean(alert.summary)}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Severity numbers of OpenTelemetry's logs data model.
int otlpSeverity(Severity severity) {
  switch (severity) {
    case Severity::kDebug:
      return 5;
    case Severity::kInfo:
      return 9;
    case Severity::kWarning:
      return 13;
    case Severity::kError:
      return 17;
    case Severity::kCritical:
      return 21;
  }
  return 0;
}

// A list of OTLP attributes; empty texts are left out.
Json otlpAttributes(std::initializer_list<std::pair<const char*, std::string>> texts) {
  Json list = Json::array();
  for (const auto& [key, value] : texts)
    if (!value.empty()) list.push_back({{"key", key}, {"value", {{"stringValue", value}}}});
  return list;
}

// OTLP/HTTP's JSON (opentelemetry-proto, logs/v1): 64-bit numbers are texts there. A notification that is sent again has the same
// attribute runglass.notification.id.
std::string otlpOf(const AlertMessage& message, const Notification& notification, const StoreName& store, TimeNs now) {
  Json records = Json::array();
  for (std::size_t i = 0; i < std::min(notification.alerts.size(), kMaxListed); ++i) {
    const Alert& alert = notification.alerts[i];
    const auto known = std::ranges::find(notification.worst, alert.cause, &Trouble::cause);
    const Trouble worst = known == notification.worst.end() ? Trouble() : *known;
    Json attributes = otlpAttributes({{"runglass.notification.id", message.id},
                                      {"runglass.notification.reason", reasonName(notification.reason)},
                                      {"runglass.rule", alert.rule},
                                      {"runglass.kind", alert.kind},
                                      {"runglass.cause", alert.cause},
                                      {"runglass.who", worst.who},
                                      {"runglass.run.name", worst.run_name},
                                      {"runglass.run.uuid", worst.run_uuid},
                                      {"runglass.link", alert.link}});
    if (worst.gpu_hours_per_hour)
      attributes.push_back({{"key", "runglass.gpu_hours_per_hour"}, {"value", {{"doubleValue", *worst.gpu_hours_per_hour}}}});
    if (alert.end) attributes.push_back({{"key", "runglass.end_ns"}, {"value", {{"intValue", std::to_string(*alert.end)}}}});
    records.push_back({{"timeUnixNano", std::to_string(alert.since)},
                       {"observedTimeUnixNano", std::to_string(now)},
                       {"severityNumber", otlpSeverity(alert.severity)},
                       {"severityText", severityName(alert.severity)},
                       {"body", {{"stringValue", clean(alert.summary)}}},
                       {"attributes", std::move(attributes)}});
  }
  const Json resource = {{"attributes", otlpAttributes({{"service.name", "runglass"}, {"service.instance.id", store.uuid}})}};
  const Json scope = {{"scope", {{"name", "runglass.alerts"}}}, {"logRecords", std::move(records)}};
  const Json all = {{"resourceLogs", Json::array({{{"resource", resource}, {"scopeLogs", Json::array({scope})}}})}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string linkOf(const Trouble& trouble, const StoreName& store, std::string view, std::string select) {
  return linkText({.store_uuid = store.uuid,
                   .run_uuid = trouble.run_uuid,
                   .view = std::move(view),
                   .t0 = trouble.since - kAround,
                   .t1 = trouble.end.value_or(trouble.since) + kAround,
                   .select = std::move(select)});
}

AlertMessage messageOf(const Notification& notification, const AlertOptions& options, const StoreName& store, TimeNs now) {
  AlertMessage message;
  message.id = idOf(notification);
  message.to = notification.to;
  message.alerts = notification.alerts;
  message.severity = notification.alerts.front().severity;
  message.title = titleOf(notification);
  message.link = notification.alerts.front().link;
  const Cost cost = costOf(notification, options);
  message.text = textOf(message, notification, cost, options, now);
  message.json = jsonOf(message, notification, cost, options, store, now);
  message.otlp = otlpOf(message, notification, store, now);
  const Alert& first = notification.alerts.front();
  const auto set = [&](const char* name, const std::string& value) {
    message.environment.push_back(std::string("RUNGLASS_") + name + "=" + clean(value));
  };
  set("ALERT_ID", message.id);
  set("TITLE", message.title);
  set("RULE", first.rule);
  set("KIND", first.kind);
  set("CAUSE", first.cause);
  set("SEVERITY", severityName(first.severity));
  set("SINCE", utcText(first.since));
  set("LINK", message.link);
  set("STORE", store.path);
  if (!notification.worst.empty()) set("WHO", notification.worst.front().who), set("RUN", notification.worst.front().run_name);
  if (cost.gpu_hours) set("GPU_HOURS_PER_HOUR", gpuHoursText(*cost.gpu_hours, {.thousands = ""}));
  return message;
}

}  // namespace runglass
