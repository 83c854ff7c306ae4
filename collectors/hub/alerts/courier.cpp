// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A message is finished for each of its targets exactly once, unless the courier stops before that.
#include "collectors/hub/alerts/courier.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>

#include "collectors/hub/alerts/command_run.h"
#include "model/mutex.h"
#include "net/http_client.h"

namespace runglass {

// A message being sent to all its targets.
struct Courier::Delivery {
  Delivery(std::shared_ptr<const AlertMessage> what, std::size_t targets) : message(std::move(what)), left(targets) {}
  const std::shared_ptr<const AlertMessage> message;
  Mutex mutex;
  std::size_t left RG_GUARDED_BY(mutex);  // targets
  std::string report RG_GUARDED_BY(mutex);
  bool notified RG_GUARDED_BY(mutex) = false;
};

struct Courier::Lane {
  AlertTarget target;
  Mutex mutex;
  StoppableCondition wake;
  std::deque<std::shared_ptr<Delivery>> queue RG_GUARDED_BY(mutex);
  std::jthread thread;
};

namespace {

constexpr std::size_t kMaxAnswer = 64U << 10;

bool isForGood(const Status& status) { return status.code() == Code::kInvalidArgument || status.code() == Code::kFailedPrecondition; }

// A collector that stored only a part, or nothing, reports so in an answer of status 200.
Status otlpStatus(const std::string& answer) {
  const auto json = nlohmann::json::parse(answer, nullptr, false);
  if (!json.is_object() || !json.contains("partialSuccess") || !json["partialSuccess"].is_object()) return {};
  const auto& partial = json["partialSuccess"];
  const auto count = partial.find("rejectedLogRecords");  // a 64-bit number: a text in protobuf's JSON
  if (count == partial.end() || *count == 0 || *count == "0") return {};
  const auto why = partial.find("errorMessage");
  return {Code::kFailedPrecondition, "the collector rejected log records" +
                                         (why != partial.end() && why->is_string() ? ": " + why->get<std::string>() : std::string())};
}

// A collector's address without a path: OTLP/HTTP's path of logs is added.
std::string otlpUrl(const std::string& url) {
  const std::size_t host = url.find("://") + 3, path = url.find('/', host);
  if (path == std::string::npos) return url + "/v1/logs";
  return path + 1 == url.size() ? url + "v1/logs" : url;
}

Status post(const AlertTarget& target, const AlertMessage& message, HttpClient& http, const std::stop_token& stop) {
  const bool is_otlp = !target.otlp.empty();
  HttpRequest request{.url = is_otlp ? otlpUrl(target.otlp) : target.webhook,
                      .method = "POST",
                      .headers = target.headers,
                      .body = is_otlp ? message.otlp : message.json,
                      .timeout = target.timeout};
  request.headers.emplace_back("Content-Type: application/json");
  request.most_bytes = kMaxAnswer;
  request.ca_file = target.ca_file;
  request.secret_path = true;
  request.environment_proxy = true;
  const Result<HttpAnswer> answer = http.request(request, stop);
  // The response exceeded the size limit: the message was received.
  if (answer.status().code() == Code::kResourceExhausted) return {};
  if (!answer.ok()) return answer.status();
  if (answer->status >= 200 && answer->status < 300) return is_otlp ? otlpStatus(answer->body) : Status();
  const bool mends = answer->status >= 500 || answer->status == 408 || answer->status == 429;
  return {mends ? Code::kUnavailable : Code::kFailedPrecondition,
          "POST " + shownHost(request.url) + ": HTTP status " + std::to_string(answer->status)};
}

// Half to all of the pause, so that many hubs do not retry at the same moment.
DurNs jittered(DurNs pause) {
  thread_local std::minstd_rand random(std::random_device{}());
  return pause / 2 + static_cast<DurNs>(std::uniform_real_distribution<double>(0, static_cast<double>(pause) / 2)(random));
}

}  // namespace

Status tellOnce(const AlertTarget& target, const AlertMessage& message, HttpClient& http, const std::stop_token& stop) {
  if (!target.webhook.empty() || !target.otlp.empty()) return post(target, message, http, stop);
  if (target.desktop) return {Code::kUnimplemented, "only the console notifies a screen"};
  return runCommand(target.command, message.environment, message.json, target.timeout, stop);
}

std::vector<TriedTarget> tryTargets(const AlertOptions& options, const StoreName& store, const std::stop_token& stop) {
  const TimeNs now = wallNow();
  Notification notification;
  notification.alerts.push_back({.rule = "test",
                                 .cause = "test",
                                 .kind = "test",
                                 .since = now,
                                 .count = 1,
                                 .summary = "this is a test of Runglass's alerts; nothing is wrong",
                                 .link = linkOf({.since = now}, store, "", "")});
  const AlertMessage message = messageOf(notification, options, store, now);
  std::vector<TriedTarget> tried;
  HttpClient http;
  for (const AlertTarget& target : options.targets) tried.push_back({target.name, tellOnce(target, message, http, stop)});
  return tried;
}

Courier::Courier(const std::vector<AlertTarget>& targets, CourierOptions options) : m_options(std::move(options)) {
  for (const AlertTarget& target : targets) {
    Lane& lane = *m_lanes.emplace_back(std::make_unique<Lane>());
    lane.target = target;
    if (!target.desktop) lane.thread = std::jthread([this, &lane](const std::stop_token& stop) { work(lane, stop); });
  }
}

Courier::~Courier() { stop(); }

void Courier::stop() {
  m_stopped = true;
  for (const auto& lane : m_lanes) lane->thread.request_stop();
  for (const auto& lane : m_lanes)
    if (lane->thread.joinable()) lane->thread.join();
}

void Courier::send(std::shared_ptr<const AlertMessage> message) {
  if (m_stopped) return;
  std::vector<Lane*> lanes;
  for (const auto& lane : m_lanes)
    if (std::ranges::find(message->to, lane->target.name) != message->to.end()) lanes.push_back(lane.get());
  if (lanes.empty()) {
    if (m_options.done) m_options.done(*message, "no target", false);
    return;
  }
  const auto delivery = std::make_shared<Delivery>(std::move(message), lanes.size());
  for (Lane* lane : lanes) {
    if (lane->target.desktop) {
      if (m_options.desktop) m_options.desktop(*delivery->message);
      finish(*delivery, lane->target.name, m_options.desktop ? Status() : Status(Code::kFailedPrecondition, "this hub has no screen"), 1);
      continue;
    }
    bool taken = false;
    {
      const MutexLock lock(lane->mutex);
      taken = lane->queue.size() < kMaxQueue;
      if (taken) lane->queue.push_back(delivery);
    }
    if (taken)
      lane->wake.notifyOne();
    else
      finish(*delivery, lane->target.name, {Code::kResourceExhausted, std::to_string(kMaxQueue) + " messages wait already"}, 0);
  }
}

void Courier::work(Lane& lane, const std::stop_token& stop) {
  HttpClient http;
  while (true) {
    std::shared_ptr<Delivery> delivery;
    {
      MutexLock lock(lane.mutex);
      if (!lane.wake.wait(lock, stop, [&lane]() RG_REQUIRES(lane.mutex) { return !lane.queue.empty(); })) return;
      delivery = lane.queue.front();
      lane.queue.pop_front();
    }
    const TimeNs begin = monotonicNow();
    DurNs pause = m_options.first_pause;
    for (int tries = 1;; ++tries) {
      const Status status = tellOnce(lane.target, *delivery->message, http, stop);
      if (stop.stop_requested()) {
        // Sent in spite of the stop: it must not be sent again.
        if (status.ok()) finish(*delivery, lane.target.name, status, tries);
        return;
      }
      if (status.ok() || isForGood(status) || monotonicNow() - begin + pause > m_options.give_up_after) {
        finish(*delivery, lane.target.name, status, tries);
        break;
      }
      sleepUnlessStopped(stop, jittered(pause));
      if (stop.stop_requested()) return;
      pause = std::min(2 * pause, m_options.longest_pause);
    }
  }
}

void Courier::finish(Delivery& delivery, const std::string& target, const Status& status, int tries) {
  std::string report;
  bool notified = false;
  {
    const MutexLock lock(delivery.mutex);
    if (!delivery.report.empty()) delivery.report += "; ";
    delivery.report +=
        target +
        (status.ok() ? ": sent" : ": failed after " + std::to_string(tries) + (tries == 1 ? " try: " : " tries: ") + status.message());
    delivery.notified = delivery.notified || status.ok();
    if (--delivery.left > 0) return;
    report = delivery.report;
    notified = delivery.notified;
  }
  if (m_options.done) m_options.done(*delivery.message, report, notified);
}

}  // namespace runglass
