// SPDX-License-Identifier: Apache-2.0
#include "analysis/scheduling/scheduling.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/words/sentences.h"
#include "model/pod_event.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;
using words::Arg;
using words::Message;

// A few minutes of waiting for a node are normal: an autoscaler takes that long.
constexpr DurNs kPendingLimit = 10 * 60 * kNsPerSecond;
// One failed pull is often followed by a successful one.
constexpr DurNs kPullLimit = 2 * 60 * kNsPerSecond;
// KubeRay issue 4637: at least 3 pods of a group within 5 minutes.
constexpr DurNs kChurnWindow = 5 * 60 * kNsPerSecond;
constexpr std::size_t kMinPods = 3;
constexpr std::array kKinds = {pod_event::kCreated,   pod_event::kUnschedulable, pod_event::kScheduled, pod_event::kStarted,
                               pod_event::kImagePull, pod_event::kInitFailed,    pod_event::kWaiting,   pod_event::kOomKilled,
                               pod_event::kEvicted,   pod_event::kPreempted,     pod_event::kDeleted,   pod_event::kGraceExceeded,
                               pod_event::kEnded,     pod_event::kPhase};

struct PodRecord {
  std::string name, group;
  std::optional<TimeNs> created, over;  // over: deleted or ended
  bool started = false, ended = false;
  std::optional<TimeNs> unschedulable, scheduled, newest_refusal;
  std::string refusal;
  const Event* pull = nullptr;     // the last error
  const Event* failure = nullptr;  // the last one before its containers could run
};

struct Job {
  const Attempt* attempt = nullptr;
  std::map<std::string, PodRecord> pods;                       // by name
  std::map<std::string_view, std::vector<const Event*>> ends;  // OOM-killed, evicted, ...: by kind, in order of time
  bool ran = false, over = false;                              // by the workload's own phases
};

class Scheduling : public Analysis {
 public:
  Result<std::vector<Finding>> look(const Question& question) override {
    std::vector<Finding> out;
    RG_ASSIGN(const auto attempts, question.reader.attempts(question.run));
    bool on_kubernetes = false;
    for (const Attempt& attempt : attempts) {
      RG_ASSIGN(const auto facts, question.reader.facts(attempt.id));
      on_kubernetes = on_kubernetes || std::ranges::any_of(facts, [](const Fact& fact) { return fact.key == pod_event::kWorkloadFact; });
    }
    if (!on_kubernetes) return out;
    RG_ASSIGN(const auto events, eventsOf(question));
    RG_ASSIGN(const auto newest, question.reader.events({.range = {}, .run = question.run, .limit = 1}));
    RG_ASSIGN(m_nodes, question.reader.nodes());
    m_as_of = question.now ? question.now : newest.empty() ? std::nullopt : newest.front().time;
    for (const Attempt& attempt : attempts) {
      const Job job = read(attempt, events);
      churn(job, out);
      unschedulable(job, out);
      imagePull(job, out);
      ends(job, out);
    }
    for (Finding& finding : out) finding.run = question.run;
    return out;
  }

 private:
  // By time, those without one last: nothing that is known came after them.
  static Result<std::vector<Event>> eventsOf(const Question& question) {
    std::vector<Event> all;
    for (const std::string_view kind : kKinds) {
      RG_ASSIGN(auto events, question.reader.events({.range = {}, .run = question.run, .kind = std::string(kind)}));
      all.insert(all.end(), std::make_move_iterator(events.begin()), std::make_move_iterator(events.end()));
    }
    std::ranges::sort(all, {}, [](const Event& event) { return std::tuple(!event.time, event.time.value_or(0), event.id); });
    return all;
  }

  static Job read(const Attempt& attempt, const std::vector<Event>& events) {
    Job job{.attempt = &attempt};
    for (const Event& event : events) {
      if (event.attempt != attempt.id) continue;
      if (event.kind == pod_event::kPhase) {
        job.ran = job.ran || event.code == "Running";
        job.over = job.over || event.severity >= Severity::kError;
        continue;
      }
      const PodMessage message = parsePodMessage(event.message);
      PodRecord& pod = job.pods[message.pod];
      pod.name = message.pod;
      if (event.kind == pod_event::kCreated) pod.created = event.time, pod.group = event.code;
      if (event.kind == pod_event::kUnschedulable) {
        if (!pod.unschedulable) pod.unschedulable = event.time;
        pod.newest_refusal = event.time;
        if (pod.refusal.empty()) pod.refusal = message.text;
      }
      if (event.kind == pod_event::kScheduled) pod.scheduled = event.time;
      // All containers of a pod that succeeded have run, also where their times are no longer known.
      if (event.kind == pod_event::kStarted || (event.kind == pod_event::kEnded && event.code == "Succeeded")) pod.started = true;
      if (event.kind == pod_event::kImagePull) pod.pull = pod.failure = &event;
      if (event.kind == pod_event::kInitFailed || event.kind == pod_event::kWaiting) pod.failure = &event;
      if (event.kind == pod_event::kDeleted || event.kind == pod_event::kEnded) {
        pod.ended = true;
        if (!pod.over) pod.over = event.time;
      }
      for (const std::string_view kind : {pod_event::kOomKilled, pod_event::kEvicted, pod_event::kPreempted, pod_event::kGraceExceeded})
        if (event.kind == kind) job.ends[kind].push_back(&event);
    }
    return job;
  }

  static Finding begun(const Job& job, const char* kind, std::string subject, Severity severity) {
    Finding finding;
    finding.attempt = job.attempt->id;
    finding.kind = kind;
    finding.subject = "attempt:" + std::to_string(job.attempt->number) + (subject.empty() ? "" : " " + subject);
    finding.severity = severity;
    finding.confidence = 0.9;
    return finding;
  }
  static void setEvidence(Finding& finding, const Json& evidence) {
    finding.evidence = evidence.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  void churn(const Job& job, std::vector<Finding>& out) const {
    std::map<std::string, std::vector<const PodRecord*>> groups;
    for (const auto& [name, pod] : job.pods)
      if (pod.created) groups[pod.group].push_back(&pod);
    for (auto& [group, pods] : groups) {
      std::ranges::sort(pods, {}, [](const PodRecord* pod) { return *pod->created; });
      const PodRecord* last_failed = nullptr;
      std::size_t failed = 0;
      for (const PodRecord* pod : pods)
        if (pod->failure != nullptr) last_failed = pod, ++failed;
      // A job that has run has left its initial phase, and so has a group whose containers started.
      if (failed < kMinPods || job.ran || std::ranges::any_of(pods, &PodRecord::started)) continue;
      if (!isChurn(pods)) continue;
      const PodMessage reason = parsePodMessage(last_failed->failure->message);
      const TimeNs first = *pods.front()->created, last = *pods.back()->created;
      Finding finding = begun(job, "pod_churn", group, Severity::kError);
      finding.start = first;
      if (job.over) finding.end = job.attempt->end ? job.attempt->end : last;
      finding.node = last_failed->failure->node;
      const bool init = last_failed->failure->kind == pod_event::kInitFailed;
      const Arg container = reason.container.empty() ? Arg() : Arg(reason.container), text = reason.text;
      const Arg cause = init ? Arg(Message{"pod_churn_init", {{"container", container}, {"text", text}}})
                             : Arg(Message{"pod_churn_other", {{"code", last_failed->failure->code}, {"text", text}}});
      words::setMessage(finding, Message{"pod_churn",
                                         {{"pods", pods.size()},
                                          {"group", group.empty() ? Arg() : Arg(group)},
                                          {"length", words::duration(last - first)},
                                          {"cause", cause}}});
      setEvidence(finding, {{"group", group},
                            {"pods", pods.size()},
                            {"failed_pods", failed},
                            {"minutes", (last - first) / (60 * kNsPerSecond)},
                            {"container", reason.container},
                            {"code", last_failed->failure->code},
                            {"reason", reason.text},
                            {"last_pod", last_failed->name}});
      out.push_back(std::move(finding));
    }
  }

  // Pods that take the place of ended ones: as many within the window as one place needs for kMinPods.
  static bool isChurn(const std::vector<const PodRecord*>& pods) {
    std::vector<TimeNs> over;
    for (const PodRecord* pod : pods)
      if (pod->ended) over.push_back(std::max(*pod->created, pod->over.value_or(*pod->created)));
    std::ranges::sort(over);
    std::vector<TimeNs> replacements;
    std::size_t free = 0;
    for (const PodRecord* pod : pods) {
      while (free < over.size() && over[free] <= *pod->created && free <= replacements.size()) ++free;
      if (free > replacements.size()) replacements.push_back(*pod->created);
    }
    for (std::size_t i = kMinPods - 2; i < replacements.size(); ++i)
      if (replacements[i] - replacements[i - (kMinPods - 2)] <= kChurnWindow) return true;
    return false;
  }

  void unschedulable(const Job& job, std::vector<Finding>& out) const {
    const PodRecord* longest = nullptr;
    DurNs length = 0;
    std::int64_t pods = 0;
    bool still = false;
    std::optional<TimeNs> first, last;
    for (const auto& [name, pod] : job.pods) {
      if (!pod.unschedulable) continue;
      // Of events alone the end is not known.
      const bool waits = pod.created && !pod.scheduled && !pod.started && !pod.ended && !job.attempt->end;
      auto until = pod.scheduled ? pod.scheduled : pod.over ? pod.over : waits ? m_as_of : pod.newest_refusal;
      if (!until) continue;
      const DurNs took = *until - *pod.unschedulable;
      if (took < kPendingLimit) continue;
      ++pods;
      still = still || waits;
      if (took > length) length = took, longest = &pod;
      first = std::min(first.value_or(*pod.unschedulable), *pod.unschedulable);
      last = std::max(last.value_or(*until), *until);
    }
    if (longest == nullptr) return;
    Finding finding = begun(job, "unschedulable", "", Severity::kWarning);
    finding.start = first;
    if (!still) finding.end = last;
    words::setMessage(finding, Message{still ? "unschedulable_now" : "unschedulable_past",
                                       {{"pods", pods}, {"length", words::duration(length)}, {"reason", longest->refusal}}});
    setEvidence(finding,
                {{"pods", pods}, {"longest_pod", longest->name}, {"seconds", length / kNsPerSecond}, {"reason", longest->refusal}});
    out.push_back(std::move(finding));
  }

  void imagePull(const Job& job, std::vector<Finding>& out) const {
    const PodRecord* first = nullptr;
    std::int64_t pods = 0;
    for (const auto& [name, pod] : job.pods) {
      if (pod.pull == nullptr || pod.started) continue;
      // The back-off follows repeated failures; without a time the state itself is all that is known.
      const bool lasts =
          pod.ended || pod.pull->code == "ImagePullBackOff" || !pod.pull->time || (m_as_of && *m_as_of - *pod.pull->time >= kPullLimit);
      if (!lasts) continue;
      ++pods;
      if (first == nullptr || (pod.pull->time && first->pull->time && *pod.pull->time < *first->pull->time)) first = &pod;
    }
    if (first == nullptr) return;
    Finding finding = begun(job, "image_pull", "", Severity::kError);
    finding.start = first->pull->time ? first->pull->time : first->created;
    if (job.attempt->end) finding.end = job.attempt->end;
    finding.node = first->pull->node;
    const std::string text = parsePodMessage(first->pull->message).text;
    words::setMessage(finding, Message{"image_pull", {{"pods", pods}, {"code", first->pull->code}, {"text", text}}});
    setEvidence(finding, {{"pods", pods}, {"first_pod", first->name}, {"code", first->pull->code}, {"reason", text}});
    out.push_back(std::move(finding));
  }

  Message who(const Event& event, const std::string& pod) const {
    const auto node = std::ranges::find(m_nodes, event.node, &Node::id);
    const Arg where = event.node && node != m_nodes.end() ? Arg(node->name) : Arg();
    if (event.rank) return Message{"pod_of_rank", {{"rank", *event.rank}, {"pod", pod}, {"node", where}}};
    return Message{"pod_of_node", {{"pod", pod}, {"node", where}}};
  }

  void ends(const Job& job, std::vector<Finding>& out) const {
    struct Row {
      std::string_view event;
      const char* kind;
      Severity severity;
    };
    constexpr std::array kRows = {Row{pod_event::kOomKilled, "oom_killed", Severity::kError},
                                  Row{pod_event::kEvicted, "evicted", Severity::kWarning},
                                  Row{pod_event::kPreempted, "preempted", Severity::kWarning},
                                  Row{pod_event::kGraceExceeded, "grace_period_exceeded", Severity::kWarning}};
    for (const Row& row : kRows) {
      const auto found = job.ends.find(row.event);
      if (found == job.ends.end()) continue;
      const Event& first = *found->second.front();
      // The pods of a job that has finished are deleted: how they end does not matter.
      if (job.attempt->planned.value_or(false) && row.event == pod_event::kGraceExceeded) continue;
      std::set<std::string> pods;
      for (const Event* event : found->second) pods.insert(parsePodMessage(event->message).pod);
      const PodMessage message = parsePodMessage(first.message);
      Finding finding = begun(job, row.kind, "", row.severity);
      finding.start = first.time;
      finding.end = found->second.back()->time;
      finding.node = first.node, finding.rank = first.rank;
      const Arg others = pods.size() > 1 ? Arg(pods.size() - 1) : Arg(), place = who(first, message.pod);
      const Arg text = message.text.empty() ? Arg(first.code) : Arg(message.text);
      if (row.event == pod_event::kOomKilled)
        words::setMessage(
            finding,
            Message{"oom_killed",
                    {{"who", place}, {"container", message.container.empty() ? Arg() : Arg(message.container)}, {"others", others}}});
      else if (row.event == pod_event::kEvicted)
        words::setMessage(finding, Message{"evicted", {{"who", place}, {"text", text}, {"others", others}}});
      else if (row.event == pod_event::kPreempted)
        words::setMessage(finding, Message{"preempted", {{"who", place}, {"text", text}, {"others", others}}});
      else
        words::setMessage(finding, Message{"grace_period_exceeded", {{"who", place}, {"grace", graceOf(first)}, {"others", others}}});
      setEvidence(
          finding,
          {{"pod", message.pod}, {"container", message.container}, {"code", first.code}, {"reason", message.text}, {"pods", pods.size()}});
      out.push_back(std::move(finding));
    }
  }

  // Events of the kubelet itself have a reason there.
  static Arg graceOf(const Event& event) {
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(event.code.data(), event.code.data() + event.code.size(), seconds);
    if (error != std::errc() || seconds <= 0 || seconds > 86'400) return {};
    return words::duration(seconds * kNsPerSecond);
  }

  std::vector<Node> m_nodes;
  std::optional<TimeNs> m_as_of;
};

}  // namespace

std::unique_ptr<Analysis> makeScheduling() { return std::make_unique<Scheduling>(); }

}  // namespace runglass
