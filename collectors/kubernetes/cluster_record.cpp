// SPDX-License-Identifier: Apache-2.0
// Invariants: 1. A fact is in `facts` exactly if it was recorded, now or by an earlier process whose facts were loaded. 2. A pod's attempt
// is decided once and stays. 3. Pods, which decide the attempts, are recorded before workloads, and both before events about them.
#include "collectors/kubernetes/cluster_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/pod_event.h"

namespace runglass {
namespace {

using Json = nlohmann::json;

constexpr int kMaxOwnerDepth = 8;
constexpr const char* kOpenKey = "open workloads ";  // and the scope
constexpr std::size_t kKeyBytes = 8;                 // of a uid, in the key of an attempt

bool looksLikeUuid(std::string_view text) {
  return text.size() == 36 && text.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
}

// The place of a pod among equal ones, which the pod that replaces it takes; "" if pods of its workload have no places.
std::string slotOf(const KubeObject& pod) {
  if (const std::string& index = pod.label("batch.kubernetes.io/job-completion-index"); !index.empty()) return "index " + index;
  if (const std::string& index = pod.label("training.kubeflow.org/replica-index"); !index.empty())
    return pod.label("training.kubeflow.org/replica-type") + " " + index;
  return {};
}

// An owner that controls it. The reference from a Workload of Kueue to its job may have no controller.
const KubeOwner* ownerOf(const KubeObject& object) {
  auto owner = std::ranges::find_if(object.owners, &KubeOwner::controller);
  if (owner == object.owners.end() && object.kind == "Workload") owner = object.owners.begin();
  return owner == object.owners.end() || !isWorkloadKind(owner->kind) ? nullptr : &*owner;
}

}  // namespace

ClusterRecord::Tracked& ClusterRecord::tracked(const std::string& uid) {
  Tracked& out = m_objects[uid];
  load(uid, out);
  return out;
}

void ClusterRecord::load(const std::string& uid, Tracked& of) {
  if (std::exchange(of.loaded, true)) return;
  const auto stored = m_options.load ? m_options.load(uid) : std::nullopt;
  const Json json = stored ? Json::parse(*stored, nullptr, false) : Json();
  if (!json.is_object()) return;
  if (json.contains("attempt")) of.attempt_key = json.value("attempt", std::string());
  for (const Json& fact : json.value("facts", Json::array()))
    if (fact.is_string()) of.facts.insert(fact.get<std::string>());
}

void ClusterRecord::save(const std::string& uid, Tracked& of) {
  if (!std::exchange(of.unsaved, false) || !m_options.save) return;
  Json json = {{"facts", of.facts}};
  if (of.attempt_key) json["attempt"] = *of.attempt_key;
  m_options.save(uid, json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void ClusterRecord::loadOpen() {
  if (std::exchange(m_open_loaded, true) || !m_options.load) return;
  const auto stored = m_options.load(kOpenKey + m_options.scope);
  const Json json = stored ? Json::parse(*stored, nullptr, false) : Json();
  if (!json.is_object()) return;
  for (const auto& [uid, value] : json.items()) {
    if (!value.is_object()) continue;
    Open& open = m_open[uid];
    for (const auto& [name, field] : {std::pair("api", &open.api), {"kind", &open.kind}, {"space", &open.space}, {"name", &open.name}})
      if (const auto at = value.find(name); at != value.end() && at->is_string()) *field = at->get<std::string>();
    if (const auto at = value.find("attempt"); at != value.end() && at->is_string()) open.attempt_key = at->get<std::string>();
  }
}

void ClusterRecord::saveOpen() {
  if (!std::exchange(m_open_unsaved, false) || !m_options.save) return;
  Json json = Json::object();
  for (const auto& [uid, open] : m_open) {
    json[uid] = {{"api", open.api}, {"kind", open.kind}, {"space", open.space}, {"name", open.name}};
    if (open.attempt_key) json[uid]["attempt"] = *open.attempt_key;
  }
  m_options.save(kOpenKey + m_options.scope, json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

bool ClusterRecord::once(Tracked& of, const std::string& fact) {
  if (of.facts.contains(fact)) return false;
  if (of.facts.size() >= kMaxFacts) {
    ++m_left_out;
    return false;
  }
  of.facts.insert(fact);
  return of.unsaved = true;
}

void ClusterRecord::take(KubeChange change, std::optional<TimeNs> observed) {
  if (change.type != KubeChange::Type::kPut && change.type != KubeChange::Type::kDeleted) return;
  KubeObject& object = change.object;
  const bool recorded = object.kind == "ConfigMap" ? MindClusterFaults::isOfMindCluster(object)
                                                   : object.pod || object.event || object.workload || object.kind == "Node";
  if (!recorded) return;
  if (object.uid.empty()) object.uid = object.kind + "/" + object.space + "/" + object.name;
  const std::string uid = object.uid;
  const auto& known = object.event ? m_events : m_objects;
  if (!known.contains(uid) && known.size() >= (object.event ? kMaxEvents : kMaxObjects)) {
    ++m_left_out;
    return;
  }
  Tracked& of = object.event ? m_events[uid] : tracked(uid);
  of.gone = change.type == KubeChange::Type::kDeleted;
  // An event that repeats while it waits for its object does not wait longer.
  if (!object.event || !of.changed) of.observed = observed;
  of.known = of.changed = true;
  takeFaults(object, of);
  of.object = std::move(object);
  if (!of.object.event) m_changed.insert(uid);
}

// At once, since the data of a cluster's ConfigMaps are too large to keep until record().
void ClusterRecord::takeFaults(KubeObject& object, Tracked& of) {
  m_faults -= of.faults.size();
  of.faults = m_mindcluster.faultsOf(object);  // none of other kinds
  object.data.clear();
  if (const std::size_t room = kMaxFaults - m_faults; of.faults.size() > room) {
    m_left_out += static_cast<std::int64_t>(of.faults.size() - room);
    of.faults.resize(room);
  }
  m_faults += of.faults.size();
}

void ClusterRecord::listed(std::string_view api, std::string_view kind, const std::string& space, const std::set<std::string>& uids) {
  const auto isGone = [&](const std::string& uid, const Tracked& of) {
    return of.known && of.object.api == api && of.object.kind == kind && (space.empty() || of.object.space == space) && !uids.contains(uid);
  };
  for (auto& [uid, of] : m_events) of.gone = of.gone || isGone(uid, of);
  loadOpen();
  for (const auto& [uid, open] : m_open) {
    if (open.api != api || open.kind != kind || (!space.empty() && open.space != space) || uids.contains(uid)) continue;
    Tracked& of = tracked(uid);
    if (of.known) continue;
    of.known = true;
    of.object.api = open.api, of.object.kind = open.kind, of.object.space = open.space, of.object.name = open.name, of.object.uid = uid;
    of.object.workload.emplace();
    of.attempt_key = open.attempt_key;
  }
  for (auto& [uid, of] : m_objects) {
    if (of.gone || !isGone(uid, of)) continue;
    of.gone = of.changed = true;
    of.observed.reset();
    m_changed.insert(uid);
  }
}

bool ClusterRecord::waitsForOwner(const Tracked& of, std::optional<TimeNs> now) const {
  if (!now || !of.observed || *now - *of.observed >= kOwnerPatience) return false;
  const KubeObject* at = &of.object;
  for (int depth = 0; depth < kMaxOwnerDepth; ++depth) {
    const KubeOwner* owner = ownerOf(*at);
    if (owner == nullptr) return false;
    const auto known = m_objects.find(owner->uid);
    if (known == m_objects.end() || !known->second.known) return true;
    at = &known->second.object;
  }
  return false;
}

bool ClusterRecord::waitsForObject(const Tracked& event, std::optional<TimeNs> now) const {
  const KubeEvent& of = *event.object.event;
  if (m_changed.contains(of.object_uid)) return true;  // which waits for its owner
  if (!now || !event.observed || *now - *event.observed >= kOwnerPatience || of.object_kind == "Node") return false;
  const auto known = m_objects.find(of.object_uid);
  return known == m_objects.end() || !known->second.known;
}

std::optional<ClusterRecord::Top> ClusterRecord::topOf(const KubeObject& object) const {
  std::optional<Top> top;
  const KubeObject* at = &object;
  for (int depth = 0; depth < kMaxOwnerDepth; ++depth) {
    const KubeOwner* owner = ownerOf(*at);
    if (owner == nullptr) break;
    top = Top{owner->kind, object.space, owner->name, owner->uid};
    const auto known = m_objects.find(owner->uid);
    if (known == m_objects.end() || !known->second.known) break;
    at = &known->second.object;
  }
  // Where the owner itself is not seen, the labels of its pods name what it is a part of.
  if (top && top->kind == "RayCluster" && object.label("ray.io/originated-from-crd") == "RayJob")
    top = Top{"RayJob", object.space, object.label("ray.io/originated-from-cr-name"), top->uid, false};
  if (const std::string& set = object.label("jobset.sigs.k8s.io/jobset-name"); top && top->kind == "Job" && !set.empty())
    top = Top{"JobSet", object.space, set, top->uid, false};
  if (top) return top;
  if ((object.workload && object.kind != "Workload") || (object.pod && !object.pod->gpus.empty()))
    return Top{object.kind, object.space, object.name, object.uid};
  return std::nullopt;
}

ClusterRecord::Tracked& ClusterRecord::declareRun(Recorder& out, const Top& top) {
  Tracked& of = tracked(top.uid);
  if (of.run.id) return of;
  if (!of.known) of.object.kind = top.kind, of.object.space = top.space, of.object.name = top.name, of.object.uid = top.uid;
  of.run.name = m_options.only_run ? m_options.run_name : top.space.empty() ? top.name : top.space + "/" + top.name;
  if (!m_options.only_run && top.exact && looksLikeUuid(top.uid)) of.run.uuid = top.uid;
  of.run.time_domain = TimeDomain::kUtc;
  of.run.id = out.run(of.run);
  if (!m_first_run) m_first_run = of.run.id;
  return of;
}

std::string ClusterRecord::attemptKey(Tracked& top, const KubeObject& pod) {
  if (const std::string& cluster = pod.label("ray.io/cluster"); !cluster.empty()) return cluster;
  if (top.object.workload && !top.object.workload->cluster.empty()) return top.object.workload->cluster;
  if (const std::string& restart = pod.label("jobset.sigs.k8s.io/restart-attempt"); !restart.empty()) return "restart " + restart;
  if (const std::string& version = pod.label("volcano.sh/job-version"); !version.empty()) return "version " + version;
  const std::string slot = slotOf(pod);
  const bool alone = top.object.kind == "Job" && top.object.workload && top.object.workload->parallelism.value_or(1) <= 1;
  if (slot.empty() && !alone) return {};
  const std::string prefix = "pod of " + slot + ": ";
  std::size_t before = 0;
  for (auto fact = top.facts.lower_bound(prefix); fact != top.facts.end() && fact->starts_with(prefix); ++fact) ++before;
  once(top, prefix + pod.uid);
  return "restart " + std::to_string(before);
}

// The first bytes of the workload's uid distinguish a workload that was deleted and made again under the same name, which is the same run;
// the name of a RayCluster is a new one for each attempt.
AttemptId ClusterRecord::declareAttempt(Recorder& out, const Tracked& top, Attempt attempt, const std::string& key) {
  const bool ray = top.object.kind.starts_with("Ray");
  attempt.run = top.run.id;
  attempt.key = ray ? key : top.object.uid.substr(0, kKeyBytes) + (key.empty() ? "" : " " + key);
  return describeAttempt(out, out.attempt(attempt), top.object.kind + " " + top.run.name);
}

AttemptId ClusterRecord::describeAttempt(Recorder& out, AttemptId attempt, const std::string& workload) {
  if (m_described.insert(attempt.value).second)
    out.fact({.attempt = attempt, .key = std::string(pod_event::kWorkloadFact), .value = workload});
  return attempt;
}

// Of a pod that is gone: the workload whose name its own begins with, as all controllers name their pods.
ClusterRecord::Tracked* ClusterRecord::workloadByName(const std::string& space, const std::string& pod) {
  Tracked* best = nullptr;
  for (auto& [uid, of] : m_objects) {
    const KubeObject& object = of.object;
    if (!object.workload || object.kind == "Workload" || !of.attempt || object.space != space || !pod.starts_with(object.name + "-"))
      continue;
    if (best == nullptr || object.name.size() > best->object.name.size()) best = &of;
  }
  return best;
}

NodeId ClusterRecord::declareNode(Recorder& out, const std::string& name, const std::string& uuid) {
  if (name.empty()) return {};
  NodeId& id = m_nodes[name];
  if (id) return id;
  id = out.node({.uuid = uuid.empty() ? "name:" + name : uuid, .name = name});
  return id;
}

void ClusterRecord::put(Recorder& out, const Tracked& of, std::string_view container, Event event) {
  event.attempt = of.attempt;
  event.rank = of.rank;
  if (!event.node) event.node = of.node;
  if (of.object.pod) event.message = printPodMessage({of.object.name, std::string(container), std::move(event.message)});
  if (event.time) m_newest = std::max(m_newest.value_or(*event.time), *event.time);
  m_recorded_events = true;
  out.event(event);
}

void ClusterRecord::phase(Recorder& out, Tracked& of, const TrackKey& key, const Phase& phase) {
  if (!phase.start || (!phase.end && !m_options.snapshot) || !once(of, std::string("phase ") + phase.name)) return;
  SpanColumns spans;
  spans.names = {phase.reason.empty() ? std::string(phase.name) : std::string(phase.name) + ": " + phase.reason};
  spans.start = {*phase.start};
  // Seconds of different clocks: the kubelet's may lie before the API server's.
  spans.dur = {phase.end ? std::max<DurNs>(0, *phase.end - *phase.start) : kAbsent};
  spans.name = {0};
  spans.category = {phase.category};
  out.spans(out.track(key), spans);
  m_newest = std::max(m_newest.value_or(*phase.start), phase.end.value_or(*phase.start));
}

void ClusterRecord::record(Recorder& out, std::optional<TimeNs> now) {
  std::vector<Tracked*> workloads, pods;
  for (auto uid = m_changed.begin(); uid != m_changed.end();) {
    Tracked& of = m_objects.at(*uid);
    if (waitsForOwner(of, now)) {
      ++uid;
      continue;
    }
    (of.object.pod ? pods : workloads).push_back(&of);
    uid = m_changed.erase(uid);
  }
  // In the order of their creation: earlier pods of a place belong to earlier attempts.
  std::ranges::sort(pods, {}, [](const Tracked* of) { return std::pair(of->object.created.value_or(0), of->object.uid); });
  for (Tracked* of : pods) recordPod(out, *of);
  std::vector<Tracked*> events;
  loadOpen();
  // One that was deleted and made again under the same name runs.
  std::ranges::stable_partition(workloads, &Tracked::gone);
  for (Tracked* of : workloads) {
    if (of->object.workload) recordWorkload(out, *of, now);
    if (of->object.kind == "Node") recordNode(out, *of);
    if (of->object.kind == "ConfigMap") recordFaults(out, *of);
  }
  for (auto& [uid, of] : m_events)
    if (of.changed && !waitsForObject(of, now)) events.push_back(&of);
  std::ranges::sort(events, {}, [](const Tracked* of) { return std::pair(of->object.event->first.value_or(0), of->object.uid); });
  for (Tracked* of : events) {
    recordEvent(out, *of);
    save(of->object.uid, *of);
    // All that listed() needs.
    KubeObject& object = of->object;
    KubeObject identity;
    identity.api = std::move(object.api), identity.kind = std::move(object.kind);
    identity.space = std::move(object.space), identity.uid = std::move(object.uid);
    object = std::move(identity);
  }
  // What was recorded of an event is loaded again. Without a store for it, it must stay.
  const bool many = m_options.load && m_events.size() > kMaxEvents / 2;
  std::erase_if(m_events, [&](const auto& one) {
    const Tracked& of = one.second;
    return !of.changed && (of.gone || of.facts.empty() || many);
  });
  for (auto& [uid, of] : m_objects) save(uid, of);
  saveOpen();
  // Objects that were only referred to are never reported as deleted; what was recorded of them is loaded again.
  const bool full = m_objects.size() > kMaxObjects / 2;
  std::erase_if(m_objects, [&](const auto& one) { return (one.second.gone && !one.second.changed) || (full && !one.second.known); });
  if (now && m_left_out > m_left_out_recorded)
    out.issue({.code = "kubernetes.left_out",
               .source = "kubernetes",
               .count = m_left_out - std::exchange(m_left_out_recorded, m_left_out),
               .first = *now,
               .last = *now});
}

}  // namespace runglass
