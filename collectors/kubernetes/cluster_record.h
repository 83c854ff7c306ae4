// SPDX-License-Identifier: Apache-2.0
// ClusterRecord: what a cluster's objects say about runs, as records: workloads are runs, their retries attempts, pods tracks of the
// timeline, and every reason why a pod does not run is an event. Each fact is recorded once, however often its object is seen again.
//
// Threading:  one thread.
// Ownership:  owns the newest state of live objects, of recorded events their identity; deleted ones are dropped once recorded.
// Units:      TimeNs of the API server's and kubelets' clocks, whole seconds.
// Errors:     objects beyond kMaxObjects, events beyond kMaxEvents, faults beyond kMaxFaults that wait for record(), and facts beyond
//             kMaxFacts of an object are left out and counted; live, the count is recorded as an issue.
// Cost:       about 2 KiB an object, of a ConfigMap none of its data; record() costs the objects that changed.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectors/kubernetes/kube_object.h"
#include "collectors/kubernetes/mindcluster.h"
#include "model/recorder.h"

namespace runglass {

struct ClusterRecordOptions {
  std::string run_name;   // of events if no workload is seen; "": such events are left out
  bool only_run = false;  // every workload is this run
  bool snapshot = false;  // no later state will follow: phases that have not ended become open spans
  std::string scope;      // what is watched: a cluster and a selector; workloads of another scope are not missing from its lists
  // What was recorded of the object with this uid, stored with the data: a restart records nothing twice. May be empty functions.
  std::function<std::optional<std::string>(const std::string& uid)> load;
  std::function<void(const std::string& uid, const std::string& facts)> save;
};

class ClusterRecord {
 public:
  static constexpr std::size_t kMaxObjects = 65'536, kMaxEvents = 65'536, kMaxFacts = 16'384, kMaxFaults = 65'536;
  static constexpr DurNs kOwnerPatience = 5 * kNsPerSecond;

  explicit ClusterRecord(ClusterRecordOptions options) : m_options(std::move(options)) {}
  // `observed`: now, if the object was received live; stands for times that the API does not record. Bookmarks and errors are ignored.
  void take(KubeChange change, std::optional<TimeNs> observed);
  // After a list of all objects of a kind, of a namespace or of all (""): the others that are known are gone, at an unknown time. So are
  // workloads that had not ended when an earlier process recorded them.
  void listed(std::string_view api, std::string_view kind, const std::string& space, const std::set<std::string>& uids);
  // What changed since the last call. Live (`now`), pods whose owner, and events whose object, has not been seen yet wait for it up to
  // kOwnerPatience.
  void record(Recorder& out, std::optional<TimeNs> now);

  RunId firstRun() const { return m_first_run; }
  std::optional<TimeNs> newest() const { return m_newest; }
  bool recordedEvents() const { return m_recorded_events; }
  std::int64_t leftOut() const { return m_left_out; }
  std::int64_t badValues() const { return m_mindcluster.bad(); }  // of ConfigMaps

 private:
  static constexpr const char* kStartedFact = "started";  // of a pod, by its own state or the kubelet's event

  struct Tracked {
    KubeObject object;              // without the data of a ConfigMap
    std::vector<NodeFault> faults;  // of a ConfigMap, until they are recorded
    std::optional<TimeNs> observed;
    bool known = false;  // false: only another object's reference to it was seen
    bool gone = false, changed = false, loaded = false, unsaved = false;
    std::set<std::string> facts;             // that were recorded
    Run run;                                 // of a workload at the top; without an id: not declared yet
    std::optional<std::string> attempt_key;  // of a pod: its attempt; of a workload at the top: the newest one
    AttemptId attempt;
    std::optional<std::int32_t> rank;
    NodeId node;
  };
  struct Top {
    std::string kind, space, name, uid;
    bool exact = true;  // false: `uid` is of a part of it
  };
  struct Open {
    std::string api, kind, space, name;
    std::optional<std::string> attempt_key;
    bool operator==(const Open&) const = default;
  };
  struct Phase {
    const char* name;
    std::optional<TimeNs> start, end;
    SpanCategory category;
    std::string reason;
  };

  Tracked& tracked(const std::string& uid);
  void load(const std::string& uid, Tracked& of);
  bool once(Tracked& of, const std::string& fact);
  void takeFaults(KubeObject& object, Tracked& of);
  void loadOpen();
  void saveOpen();
  void save(const std::string& uid, Tracked& of);
  bool waitsForOwner(const Tracked& of, std::optional<TimeNs> now) const;
  bool waitsForObject(const Tracked& event, std::optional<TimeNs> now) const;
  std::optional<Top> topOf(const KubeObject& object) const;
  Tracked& declareRun(Recorder& out, const Top& top);
  std::string attemptKey(Tracked& top, const KubeObject& pod);
  AttemptId declareAttempt(Recorder& out, const Tracked& top, Attempt attempt, const std::string& key);
  AttemptId describeAttempt(Recorder& out, AttemptId attempt, const std::string& workload);
  Tracked* workloadByName(const std::string& space, const std::string& pod);
  NodeId declareNode(Recorder& out, const std::string& name, const std::string& uuid = {});
  void recordWorkload(Recorder& out, Tracked& workload, std::optional<TimeNs> now);
  void recordPod(Recorder& out, Tracked& pod);
  void placeRanks(Recorder& out, Tracked& pod);
  void podEvents(Recorder& out, Tracked& pod);
  void containerEvents(Recorder& out, Tracked& pod, const KubeContainer& container);
  void containerEnd(Recorder& out, Tracked& pod, const KubeContainer& container, const KubeContainer::Ended& ended);
  void podPhases(Recorder& out, Tracked& pod);
  void phase(Recorder& out, Tracked& of, const TrackKey& track, const Phase& phase);
  void recordNode(Recorder& out, Tracked& node);
  void recordFaults(Recorder& out, Tracked& config_map);
  void recordEvent(Recorder& out, Tracked& event);
  void put(Recorder& out, const Tracked& of, std::string_view container, Event event);

  ClusterRecordOptions m_options;
  std::unordered_map<std::string, Tracked> m_objects;  // by uid: all but events
  std::unordered_map<std::string, Tracked> m_events;
  std::map<std::string, NodeId> m_nodes;  // by name
  std::set<std::string> m_changed;        // uids of m_objects
  std::size_t m_faults = 0;               // in m_objects
  std::map<std::string, Open> m_open;     // by uid: workloads at the top that have not ended
  bool m_open_loaded = false, m_open_unsaved = false;
  MindClusterFaults m_mindcluster;
  std::set<std::uint64_t> m_described;  // attempts
  RunId m_first_run;
  bool m_recorded_events = false;
  bool m_run_of_events = false;  // m_first_run is that of run_name
  std::optional<TimeNs> m_newest;
  std::int64_t m_left_out = 0, m_left_out_recorded = 0;
};

}  // namespace runglass
