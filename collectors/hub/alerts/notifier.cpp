// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Stored as due, then sent, then stored as sent: if the hub is killed in between, the next one sends it again with the same id
//    (at-least-once). When the store accepts no rows, it is sent without waiting for them.
// 2. m_shared->mutex guards the AlertState; neither the store's writer nor the courier is called under it.
#include "collectors/hub/alerts/notifier.h"

#include <algorithm>
#include <array>

#include "model/alert_cause.h"
#include "model/mutex.h"
#include "model/place_link.h"
#include "storage/read/store_uuid.h"

namespace runglass {
namespace {

constexpr DurNs kMetricsEvery = 5 * kNsPerSecond;
constexpr DurNs kNamesEvery = 10 * kNsPerSecond;
constexpr DurNs kNamesPatience = 30 * kNsPerSecond;
constexpr DurNs kHeldBackReportedEvery = 3'600 * kNsPerSecond;
constexpr std::size_t kHistory = 5'000;    // rows read at start
constexpr std::size_t kMaxEvents = 2'000;  // per step, the newest

bool stopsTheRun(const std::string& kind) { return kind == "stall" || kind == "hang"; }

// Events that last until one of another kind about the same node, or the store, ends them.
struct Lasting {
  std::string_view kind, ended_by;
};
constexpr std::array<Lasting, 5> kLasting = {{{"node_lost", "node_back"},
                                              {"node_lost", "node_left"},
                                              {"node_stale", "node_back"},
                                              {"node_stale", "node_left"},
                                              {"store_full", "store_has_room"}}};

bool isLasting(std::string_view kind) { return std::ranges::find(kLasting, kind, &Lasting::kind) != kLasting.end(); }
bool isEnd(std::string_view kind) { return std::ranges::find(kLasting, kind, &Lasting::ended_by) != kLasting.end(); }

void addSelect(std::string& select, const char* key, const std::string& value) {
  if (!select.empty()) select += ',';
  select.append(key).append("=").append(value);
}

FaultSign signOf(const Trouble& trouble, NodeId node) {
  return {.cause = trouble.cause, .kind = trouble.kind, .since = trouble.since, .end = trouble.end, .run = trouble.run, .node = node};
}

// The condition becomes a part of the fault that it was joined with.
void takeCause(Trouble& trouble, const JoinedFault& fault) {
  if (!fault.joined) return;
  trouble.part = std::exchange(trouble.cause, fault.cause);
  trouble.joined = true;
  trouble.grown = fault.grown;
  trouble.failure = OneFault::partOf(trouble.kind) == OneFault::Part::kFailure;
}

}  // namespace

struct Notifier::Shared {
  explicit Shared(AlertOptions given) : options(std::move(given)), book(options) {}
  const AlertOptions options;
  mutable Mutex mutex;
  AlertState book RG_GUARDED_BY(mutex);
  Stats stats RG_GUARDED_BY(mutex);
  SaveAlerts save;
};

Notifier::Notifier(AlertOptions options, CourierOptions courier, SaveAlerts save)
    : m_shared(std::make_shared<Shared>(std::move(options))), m_save(save), m_metrics(m_shared->options, m_store) {
  m_shared->save = std::move(save);
  for (const AlertRule& rule : m_shared->options.rules)
    if (!rule.events.empty()) m_events_from = std::min(m_events_from.value_or(rule.at_least), rule.at_least);
  courier.done = [shared = m_shared](const AlertMessage& message, const std::string& delivery, bool notified) {
    std::vector<Alert> rows;
    std::vector<Issue> issues;
    const TimeNs now = wallNow();
    {
      const MutexLock lock(shared->mutex);
      shared->book.delivered(message.alerts, delivery, now);
      rows = shared->book.takeRows();
      if (!notified && !message.to.empty()) {
        ++shared->stats.not_reported;
        issues.push_back({.code = "alert.not_told", .source = message.alerts.front().rule, .first = now, .last = now, .detail = delivery});
      }
    }
    shared->save(std::move(rows), std::move(issues), [](const Status&) {});
  };
  m_courier = std::make_shared<Courier>(m_shared->options.targets, std::move(courier));
}

Notifier::~Notifier() = default;

void Notifier::stop() { m_courier->stop(); }

Notifier::Stats Notifier::stats() const {
  const MutexLock lock(m_shared->mutex);
  Stats stats = m_shared->stats;
  stats.held_back = m_shared->book.heldBack();
  stats.unkept = m_shared->book.unkept();
  stats.causes = m_shared->book.causes();
  return stats;
}

Status Notifier::start(Reader& reader, const std::string& store, TimeNs now) {
  m_store.path = store;
  RG_ASSIGN(m_store.uuid, storeUuid(store));
  RG_ASSIGN(const std::vector<Alert> alerts, reader.alerts(kHistory));
  const MutexLock lock(m_shared->mutex);
  m_shared->book.load(alerts, now);
  return {};
}

Status Notifier::readNames(Reader& reader) {
  RG_ASSIGN(const std::vector<Run> runs, reader.runs());
  for (const Run& run : runs) {
    m_runs[run.id] = run;
    RG_ASSIGN(const std::vector<Attempt> attempts, reader.attempts(run.id));
    for (const Attempt& attempt : attempts) m_attempts[attempt.id] = attempt;
  }
  RG_ASSIGN(const std::vector<Node> nodes, reader.nodes());
  for (const Node& node : nodes) m_nodes[node.id] = node;
  RG_ASSIGN(const std::vector<Device> devices, reader.devices());
  for (const Device& device : devices) m_devices[device.id] = device;
  return {};
}

void Notifier::seeFinding(const Finding& finding, TimeNs now) {
  Trouble trouble{.cause = "",
                  .part = finding.kind + '/' + finding.subject,
                  .kind = finding.kind,
                  .code = "",
                  .severity = finding.severity,
                  .since = finding.start.value_or(now),
                  .end = finding.end};
  if (const auto run = m_runs.find(finding.run); run != m_runs.end()) {
    trouble.run = finding.run;
    trouble.run_uuid = run->second.uuid;
    trouble.run_name = run->second.name;
  }
  const auto node = m_nodes.find(finding.node);
  trouble.cause = causeOfFinding(finding, node == m_nodes.end() ? std::string() : node->second.name, trouble.run_uuid);
  trouble.moment = !finding.run && !finding.end;  // no run that could report its end
  trouble.who = finding.subject == "run" ? "" : finding.subject;
  trouble.summary = finding.summary.empty() ? finding.kind + " of " + finding.subject : finding.summary;
  std::string select;
  if (node != m_nodes.end()) {
    if (trouble.who.find(node->second.name) == std::string::npos) trouble.who += (trouble.who.empty() ? "" : " on ") + node->second.name;
    addSelect(select, "node", node->second.name);
  }
  if (finding.rank) addSelect(select, "rank", std::to_string(*finding.rank));
  if (finding.first_step) addSelect(select, "step", std::to_string(*finding.first_step));
  if (const auto attempt = m_attempts.find(finding.attempt); attempt != m_attempts.end()) {
    addSelect(select, "attempt", std::to_string(attempt->second.number));
    // All ranks of a stopped run are paid for and idle.
    if (stopsTheRun(finding.kind) && attempt->second.layout.world > 0) trouble.gpu_hours_per_hour = attempt->second.layout.world;
  }
  trouble.link = linkOf(trouble, m_store, viewOfFinding(finding.kind), select);
  takeCause(trouble, m_one_fault.join(signOf(trouble, finding.node)));
  const MutexLock lock(m_shared->mutex);
  m_shared->book.see(std::move(trouble), now);
}

Trouble Notifier::troubleOf(const Event& event) const {
  Trouble trouble{.source = Trouble::Source::kEvent,
                  .rule = "",
                  .cause = "",
                  .kind = event.kind,
                  .code = event.code,
                  .severity = event.severity,
                  .since = event.time.value_or(0)};
  trouble.moment = !isLasting(event.kind);
  std::string owner, select;
  const auto device = m_devices.find(event.device);
  const auto node = m_nodes.find(event.node ? event.node : device != m_devices.end() ? device->second.node : NodeId());
  if (node != m_nodes.end()) {
    trouble.who = node->second.name;
    owner = node->second.uuid;
    addSelect(select, "node", node->second.name);
  }
  if (device != m_devices.end()) {
    trouble.who +=
        (trouble.who.empty() ? "" : " ") + device->second.kind + (device->second.index ? " " + std::to_string(*device->second.index) : "");
    owner = device->second.uuid;
  }
  if (event.rank) {
    trouble.who += (trouble.who.empty() ? "rank " : ", rank ") + std::to_string(*event.rank);
    addSelect(select, "rank", std::to_string(*event.rank));
    owner += "/rank:" + std::to_string(*event.rank);
  }
  if (const auto attempt = m_attempts.find(event.attempt); attempt != m_attempts.end()) {
    if (const auto run = m_runs.find(attempt->second.run); run != m_runs.end()) {
      trouble.run = run->first, trouble.run_uuid = run->second.uuid, trouble.run_name = run->second.name;
      owner += '/' + trouble.run_uuid;
    }
  }
  trouble.cause = "event/" + event.kind + (event.code.empty() ? "" : ':' + event.code) + '/' + owner;
  trouble.summary = event.message.empty() ? event.kind + ' ' + trouble.who : event.message;
  trouble.link = linkOf(trouble, m_store, "events", select);
  return trouble;
}

bool Notifier::isNamed(const Event& event) const {
  return (!event.node || m_nodes.contains(event.node)) && (!event.device || m_devices.contains(event.device)) &&
         (!event.attempt || m_attempts.contains(event.attempt));
}

Status Notifier::seeEvents(Reader& reader, TimeNs now) {
  if (!m_events_from) return {};
  const std::uint64_t generation = reader.generation();
  if (generation == std::exchange(m_events_generation, generation)) return {};
  EventFilter filter{
      .range = {now - AlertState::kNews, std::numeric_limits<TimeNs>::max()}, .run = std::nullopt, .at_least = *m_events_from, .kind = ""};
  filter.limit = kMaxEvents;
  RG_ASSIGN(std::vector<Event> events, reader.events(filter));
  // These cause no notification, but end one.
  for (const char* kind : {"node_back", "node_left", "store_has_room"}) {
    EventFilter quiet = filter;
    quiet.at_least = Severity::kDebug;
    quiet.kind = kind;
    RG_ASSIGN(const std::vector<Event> found, reader.events(quiet));
    events.insert(events.end(), found.begin(), found.end());
  }
  std::ranges::stable_sort(events, {}, &Event::time);
  if (!std::ranges::all_of(events, [this](const Event& event) { return isNamed(event); })) RG_TRY(readNames(reader));
  const MutexLock lock(m_shared->mutex);
  for (Event& event : events) {
    if (!event.time) continue;
    // An event can be seen before the store has committed its node or run. Without their names it would get a different cause.
    if (!isNamed(event) && now - *event.time < kNamesPatience) {
      m_events_generation = 0;
      continue;
    }
    if (!isEnd(event.kind)) {
      Trouble trouble = troubleOf(event);
      takeCause(trouble, m_one_fault.join(signOf(trouble, event.node)));
      m_shared->book.see(std::move(trouble), now);
      continue;
    }
    const std::string end = event.kind;
    for (const auto& [lasting, ended_by] : kLasting) {
      if (ended_by != end) continue;
      event.kind = lasting;
      Trouble ended = troubleOf(event);
      takeCause(ended, m_one_fault.recall(ended.cause));
      m_shared->book.end(ended.cause, ended.part, *event.time);
    }
  }
  return {};
}

Status Notifier::step(Reader& reader, std::span<const Finding> findings, TimeNs now) {
  if (m_names_read == 0 || !findings.empty() || now - m_names_read >= kNamesEvery) {
    RG_TRY(readNames(reader));
    m_names_read = now;
  }
  RG_ASSIGN(std::vector<Snooze> snoozes, reader.snoozes());
  {
    const MutexLock lock(m_shared->mutex);
    m_shared->book.snooze(std::move(snoozes));
  }
  // In the order of causation: the fault of a machine, the stall that it causes, the hang that the stall becomes, the failure of the job.
  // So a restarted hub gives them the same causes as before.
  const auto order = [](const Finding& finding) {
    return finding.kind == "job_failed" ? 3 : finding.kind == "hang" ? 2 : stopsTheRun(finding.kind) ? 1 : 0;
  };
  for (const int wanted : {0, 1, 2, 3})
    for (const Finding& finding : findings)
      if (order(finding) == wanted) seeFinding(finding, now);
  RG_TRY(seeEvents(reader, now));
  if (m_metrics_looked == 0 || now - m_metrics_looked >= kMetricsEvery) {
    m_metrics_looked = now;
    RG_ASSIGN(std::vector<Trouble> troubles, m_metrics.look(reader, now));
    const MutexLock lock(m_shared->mutex);
    for (Trouble& trouble : troubles) m_shared->book.see(std::move(trouble), now);
  }
  std::vector<Notification> notifications;
  {
    const MutexLock lock(m_shared->mutex);
    notifications = m_shared->book.decide(now);
  }
  send(std::move(notifications), now);
  return {};
}

void Notifier::send(std::vector<Notification> notifications, TimeNs now) {
  std::vector<std::shared_ptr<const AlertMessage>> messages;
  for (Notification& notification : notifications) {
    AlertMessage message = messageOf(notification, m_shared->options, m_store, now);
    messages.push_back(std::make_shared<const AlertMessage>(std::move(message)));
  }
  std::vector<Alert> rows;
  std::vector<Issue> issues;
  {
    const MutexLock lock(m_shared->mutex);
    m_shared->stats.notifications += static_cast<std::int64_t>(messages.size());
    rows = m_shared->book.takeRows();
    const std::int64_t held = m_shared->book.heldBack() - m_held_back;
    if (held > 0 && now - m_reported_held_back >= kHeldBackReportedEvery) {
      issues.push_back({.code = "alert.held_back", .source = "hub", .count = held, .first = now, .last = now, .detail = ""});
      m_reported_held_back = now;
      m_held_back += held;
    }
    if (const std::int64_t more = m_shared->book.unkept() - m_reported_unkept; more > 0) {
      issues.push_back({.code = "alert.too_many_causes", .source = "hub", .count = more, .first = now, .last = now, .detail = ""});
      m_reported_unkept += more;
    }
  }
  if (rows.empty() && issues.empty() && messages.empty()) return;
  m_save(std::move(rows), std::move(issues), [weak = std::weak_ptr(m_courier), messages = std::move(messages)](const Status&) {
    const std::shared_ptr<Courier> courier = weak.lock();
    if (!courier) return;
    for (const auto& message : messages) courier->send(message);
  });
}

}  // namespace runglass
