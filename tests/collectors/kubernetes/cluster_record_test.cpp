// SPDX-License-Identifier: Apache-2.0
// Objects as the API server prints them, shortened to the fields that matter and a few that must not.
#include "collectors/kubernetes/cluster_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <map>

#include "model/pod_event.h"
#include "tests/support/memory_recorder.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// 2026-11-26T10:00:00Z and `seconds`.
TimeNs at(std::int64_t seconds) { return (1'795'687'200 + seconds) * kNsPerSecond; }
std::string stamp(std::int64_t seconds) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "2026-11-26T%02d:%02d:%02dZ", static_cast<int>(10 + seconds / 3600),
                static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60));
  return text.data();
}
// $0 .. $99999: the time of that second.
std::string timed(std::string text) {
  for (std::size_t dollar = 0; (dollar = text.find('$')) != std::string::npos;) {
    std::size_t end = dollar + 1;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    text.replace(dollar, end - dollar, stamp(std::stoll(text.substr(dollar + 1))));
  }
  return text;
}

class ClusterRecordTest : public ::testing::Test {
 protected:
  void take(const std::string& json, std::optional<TimeNs> observed = {}) {
    auto change = parseKubeChange(timed(json), "");
    ASSERT_TRUE(change.ok()) << change.status().message() << "\n" << json;
    m_record->take(std::move(*change), observed);
  }
  void record(std::optional<TimeNs> now = {}) { m_record->record(m_out, now); }
  void begin(ClusterRecordOptions options) { m_record = std::make_unique<ClusterRecord>(std::move(options)); }
  std::vector<Event> events(std::string_view kind) const {
    std::vector<Event> out;
    for (const Event& event : m_out.events)
      if (event.kind == kind) out.push_back(event);
    return out;
  }
  std::map<std::string, std::string> phases(const std::string& track) const {
    std::map<std::string, std::string> out;
    for (const auto& [id, key] : m_out.track_keys)
      if (key.name == track && m_out.span_batches.contains(id))
        for (const SpanColumns& spans : m_out.span_batches.at(id))
          for (std::size_t i = 0; i < spans.size(); ++i)
            out[spans.names[spans.name[i]]] = std::to_string((spans.start[i] - at(0)) / kNsPerSecond) +
                                              (spans.dur[i] == kAbsent ? " open" : "+" + std::to_string(spans.dur[i] / kNsPerSecond));
    return out;
  }
  test::MemoryRecorder m_out;
  std::unique_ptr<ClusterRecord> m_record = std::make_unique<ClusterRecord>(ClusterRecordOptions{.run_name = "file", .snapshot = true});
};

constexpr const char* kJob =
    R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"train","namespace":"ml","uid":"0aa3b1b2-0000-4000-8000-000000000001","creationTimestamp":"$0"},
  "spec":{"parallelism":2,"completions":2,"completionMode":"Indexed"},"status":{"active":2,"startTime":"$0"}})";

std::string jobPod(int index, const std::string& uid, const std::string& status, const std::string& more = "") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"train-)" + std::to_string(index) + "-" + uid +
         R"(","namespace":"ml","uid":")" + uid + R"(","creationTimestamp":"$1",)" + more +
         R"("labels":{"batch.kubernetes.io/job-completion-index":")" + std::to_string(index) +
         R"("},"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":"train","uid":"0aa3b1b2-0000-4000-8000-000000000001","controller":true,"blockOwnerDeletion":true}]},
  "spec":{"nodeName":"gpu-)" +
         std::to_string(index) +
         R"(","containers":[{"name":"main","image":"t","env":[{"name":"WANDB_API_KEY","value":"hunter2"}],"resources":{"limits":{"cpu":"8","nvidia.com/gpu":"1"}}}]},"status":)" +
         status + "}";
}
constexpr const char* kRunning =
    R"({"phase":"Running","startTime":"$5","conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"$4"},{"type":"Initialized","status":"True","lastTransitionTime":"$5"}],
  "containerStatuses":[{"name":"main","ready":true,"restartCount":0,"state":{"running":{"startedAt":"$20"}}}]})";

TEST_F(ClusterRecordTest, AnIndexedJobIsARunWithRanksNodesRequestsAndPhases) {
  take(jobPod(0, "p0", kRunning));  // before its owner, as kubectl prints them
  take(jobPod(1, "p1", kRunning));
  take(kJob);
  record();
  ASSERT_THAT(m_out.runs, SizeIs(1));
  EXPECT_EQ(m_out.runs[0].name, "ml/train");
  EXPECT_EQ(m_out.runs[0].uuid, "0aa3b1b2-0000-4000-8000-000000000001");
  EXPECT_EQ(m_out.runs[0].state, RunState::kRunning);
  EXPECT_EQ(m_out.runs[0].start, at(0));
  ASSERT_THAT(m_out.attempts, SizeIs(1));
  ASSERT_THAT(m_out.ranks, SizeIs(2));
  EXPECT_EQ(m_out.ranks[1].rank, 1);
  EXPECT_EQ(m_out.nodes.at(m_out.ranks[1].node.value - 1).name, "gpu-1");
  ASSERT_THAT(m_out.facts, SizeIs(3));
  EXPECT_EQ(m_out.facts[0].value, "Job ml/train");
  EXPECT_EQ(m_out.facts[1].key, "gpu_request");
  EXPECT_EQ(m_out.facts[1].value, "nvidia.com/gpu=1") << "and nothing of the environment";
  EXPECT_THAT(phases("train-0-p0"),
              UnorderedElementsAre(std::pair("pending", "1+3"), std::pair("initialising", "4+16"), std::pair("running", "20 open")));
  ASSERT_THAT(events("pod_started"), SizeIs(2));
  EXPECT_EQ(events("pod_started")[0].rank, 0);
}

TEST_F(ClusterRecordTest, NothingIsRecordedTwiceHoweverOftenItIsSeenOrListedOrAfterARestart) {
  std::map<std::string, std::string> stored;
  const auto restart = [&] {
    begin({.run_name = {},
           .only_run = false,
           .snapshot = false,
           .load = [&](const std::string& uid) { return stored.contains(uid) ? std::optional(stored[uid]) : std::nullopt; },
           .save = [&](const std::string& uid, const std::string& facts) { stored[uid] = facts; }});
  };
  restart();
  for (int round = 0; round < 4; ++round) {
    if (round == 2) restart();
    take(kJob, at(100));
    take(jobPod(0, "p0", kRunning), at(100));
    record(at(100));
  }
  EXPECT_THAT(m_out.attempts, SizeIs(1));
  EXPECT_THAT(events("pod_created"), SizeIs(1));
  EXPECT_THAT(events("pod_started"), SizeIs(1));
  EXPECT_THAT(phases("train-0-p0"), UnorderedElementsAre(std::pair("pending", "1+3"), std::pair("initialising", "4+16")))
      << "it still runs";
  m_record->listed("v1", "Pod", "other", {});
  record(at(150));
  EXPECT_THAT(events("pod_ended"), IsEmpty());
  m_record->listed("v1", "Pod", "", {});
  record(at(200));
  ASSERT_THAT(events("pod_ended"), SizeIs(1));
  EXPECT_FALSE(events("pod_ended")[0].time) << "the time is not recorded";
}

TEST_F(ClusterRecordTest, APodThatReplacesOneOfTheSameIndexBelongsToTheNextAttempt) {
  take(kJob);
  take(jobPod(0, "p0", kRunning));
  record();
  take(jobPod(0, "p9", kRunning));
  record();
  ASSERT_THAT(m_out.attempts, SizeIs(2));
  EXPECT_EQ(events("pod_created")[0].attempt.value, 1);
  EXPECT_EQ(events("pod_created")[1].attempt.value, 2);
  EXPECT_NE(m_out.attempts[0].key, m_out.attempts[1].key);
}

TEST_F(ClusterRecordTest, AContainerThatWasOomKilledNamesRankNodeAndContainer) {
  take(kJob);
  take(jobPod(1, "p1", R"({"phase":"Failed","conditions":[],"containerStatuses":[{"name":"main","restartCount":0,"state":{"terminated":
    {"exitCode":137,"reason":"OOMKilled","startedAt":"$20","finishedAt":"$300"}}}]})"));
  record();
  ASSERT_THAT(events("oom_killed"), SizeIs(1));
  const Event event = events("oom_killed")[0];
  EXPECT_EQ(event.time, at(300));
  EXPECT_EQ(event.rank, 1);
  EXPECT_EQ(event.code, "OOMKilled");
  EXPECT_EQ(event.message, "pod train-1-p1, container main: exit code 137 (OOMKilled)");
  EXPECT_EQ(parsePodMessage(event.message).container, "main");
  EXPECT_EQ(m_out.nodes.at(event.node.value - 1).name, "gpu-1");
  EXPECT_EQ(phases("train-1-p1")["running"], "20+280");
}

TEST_F(ClusterRecordTest, SigkillAfterTheGracePeriodIsDistinguishedFromAnEndWithinIt) {
  take(kJob);
  const auto killed = [&](int index, const char* uid, int finished, int code) {
    take(jobPod(index, uid,
                R"({"phase":"Running","containerStatuses":[{"name":"main","state":{"terminated":{"exitCode":)" + std::to_string(code) +
                    R"(,"reason":"Error","startedAt":"$20","finishedAt":"$)" + std::to_string(finished) + R"("}}}]})",
                R"("deletionTimestamp":"$130","deletionGracePeriodSeconds":30,)"));
  };
  killed(0, "p0", 130, 137);
  killed(1, "p1", 104, 143);
  record();
  ASSERT_THAT(events("grace_period_exceeded"), SizeIs(1));
  EXPECT_EQ(events("grace_period_exceeded")[0].rank, 0);
  EXPECT_EQ(events("grace_period_exceeded")[0].code, "30");
  ASSERT_THAT(events("killed"), SizeIs(1));
  EXPECT_EQ(events("killed")[0].code, "15");
  EXPECT_EQ(events("pod_deleted")[0].time, at(100)) << "when SIGTERM was sent";
  EXPECT_EQ(phases("train-0-p0")["terminating"], "100+30");
  EXPECT_THAT(events("process_failed"), IsEmpty());
}

TEST_F(ClusterRecordTest, EvictionAndPreemptionHaveTheirReasonOnce) {
  take(kJob);
  take(jobPod(
      0, "p0",
      R"({"phase":"Failed","reason":"Evicted","message":"The node was low on resource: memory.","conditions":[{"type":"DisruptionTarget","status":"True","reason":"TerminationByKubelet","message":"m","lastTransitionTime":"$50"}]})"));
  take(jobPod(
      1, "p1",
      R"({"phase":"Running","conditions":[{"type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler","message":"default-scheduler: preempting to accommodate a higher priority pod","lastTransitionTime":"$60"}]})"));
  record();
  record();
  ASSERT_THAT(events("pod_evicted"), SizeIs(1));
  EXPECT_EQ(events("pod_evicted")[0].code, "TerminationByKubelet");
  EXPECT_EQ(parsePodMessage(events("pod_evicted")[0].message).text, "The node was low on resource: memory.");
  ASSERT_THAT(events("pod_preempted"), SizeIs(1));
  EXPECT_EQ(events("pod_preempted")[0].time, at(60));
}

constexpr const char* kPending =
    R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/4 nodes are available: 4 Insufficient nvidia.com/gpu.","lastTransitionTime":"$2"}]})";

TEST_F(ClusterRecordTest, APodThatCannotBeScheduledHasTheSchedulersReasonUntilItIsScheduled) {
  take(kJob);
  take(jobPod(0, "p0", kPending));
  record();
  ASSERT_THAT(events("pod_unschedulable"), SizeIs(1));
  EXPECT_EQ(events("pod_unschedulable")[0].time, at(2));
  EXPECT_EQ(events("pod_unschedulable")[0].message, "pod train-0-p0: 0/4 nodes are available: 4 Insufficient nvidia.com/gpu.");
  EXPECT_EQ(phases("train-0-p0")["pending: Unschedulable"], "1 open");
}

std::string rayPod(const std::string& uid, const std::string& init, const std::string& type = "worker") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"rayjob-9xk2p-workers-)" + uid + R"(","namespace":"default","uid":")" + uid +
         R"(","creationTimestamp":"$10","labels":{"ray.io/cluster":"rayjob-9xk2p","ray.io/group":"workers","ray.io/node-type":")" + type +
         R"(","ray.io/originated-from-cr-name":"rayjob","ray.io/originated-from-crd":"RayJob"},"ownerReferences":[{"apiVersion":"ray.io/v1","kind":"RayCluster","name":"rayjob-9xk2p","uid":"c1","controller":true}]},
  "spec":{"nodeName":"n1","containers":[{"name":"ray-worker","resources":{"limits":{"nvidia.com/gpu":"8"}}}]},
  "status":{"phase":"Pending","initContainerStatuses":[)" +
         init + R"(],"containerStatuses":[{"name":"ray-worker","state":{"waiting":{"reason":"PodInitializing"}}}]}})";
}
constexpr const char* kRayJob =
    R"({"apiVersion":"ray.io/v1","kind":"RayJob","metadata":{"name":"rayjob","namespace":"default","uid":"0aa3b1b2-0000-4000-8000-00000000000a","creationTimestamp":"$0"},
  "status":{"jobId":"rayjob-7","rayClusterName":"rayjob-9xk2p","jobStatus":"","jobDeploymentStatus":"Initializing","startTime":"$3","rayClusterStatus":{"desiredWorkerReplicas":1}}})";
constexpr const char* kRayCluster =
    R"({"apiVersion":"ray.io/v1","kind":"RayCluster","metadata":{"name":"rayjob-9xk2p","namespace":"default","uid":"c1","creationTimestamp":"$4","ownerReferences":[{"apiVersion":"ray.io/v1","kind":"RayJob","name":"rayjob","uid":"0aa3b1b2-0000-4000-8000-00000000000a","controller":true}]},"status":{"conditions":[{"type":"HeadPodReady","status":"False","reason":"HeadPodNotFound","lastTransitionTime":"$5"}]}})";

TEST_F(ClusterRecordTest, ARayJobIsTheRunOfItsClustersPodsWithTheirFailedInitContainers) {
  take(rayPod("w1", R"({"name":"wait-gcs-ready","state":{"terminated":{"exitCode":1,"reason":"Error","finishedAt":"$15"}}},
    {"name":"fetch-data","state":{"terminated":{"exitCode":1,"reason":"Error","startedAt":"$11","finishedAt":"$12"}}})"));
  take(kRayCluster);
  take(kRayJob);
  record();
  ASSERT_THAT(m_out.runs, SizeIs(1));
  EXPECT_EQ(m_out.runs[0].name, "default/rayjob");
  ASSERT_THAT(m_out.attempts, SizeIs(1));
  EXPECT_EQ(m_out.attempts[0].key, "rayjob-9xk2p");
  ASSERT_THAT(events("init_container_failed"), SizeIs(1)) << "wait-gcs-ready waits";
  EXPECT_EQ(events("init_container_failed")[0].code, "1");
  EXPECT_EQ(parsePodMessage(events("init_container_failed")[0].message).container, "fetch-data");
  EXPECT_EQ(events("pod_created")[0].code, "workers");
  ASSERT_THAT(events("workload_phase"), SizeIs(1));
  EXPECT_EQ(events("workload_phase")[0].code, "Initializing");
  EXPECT_EQ(events("workload_phase")[0].time, at(3));
  EXPECT_THAT(m_out.ranks, IsEmpty()) << "Ray places ranks itself";
}

TEST_F(ClusterRecordTest, WithoutTheRightToReadRayJobsTheLabelsOfPodsNameTheJob) {
  take(rayPod("w1", ""));
  record();
  ASSERT_THAT(m_out.runs, SizeIs(1));
  EXPECT_EQ(m_out.runs[0].name, "default/rayjob");
  EXPECT_EQ(m_out.runs[0].uuid, "") << "the uid is the cluster's";
  EXPECT_EQ(m_out.attempts[0].key, "rayjob-9xk2p");
}

TEST_F(ClusterRecordTest, LiveAPodWaitsAMomentForItsOwner) {
  begin({});
  take(rayPod("w1", ""), at(100));
  record(at(101));
  EXPECT_THAT(m_out.runs, IsEmpty());
  take(kRayCluster, at(101));
  take(kRayJob, at(101));
  record(at(101));
  ASSERT_THAT(m_out.runs, SizeIs(1));
  EXPECT_EQ(m_out.runs[0].uuid, "0aa3b1b2-0000-4000-8000-00000000000a");
}

TEST_F(ClusterRecordTest, ARetriedRayJobHasAnotherAttempt) {
  take(kRayJob);
  take(kRayCluster);
  take(rayPod("w1", ""));
  record();
  std::string second = kRayJob;
  second.replace(second.find("rayjob-9xk2p"), 12, "rayjob-b7m4q");
  take(second);
  record();
  EXPECT_THAT(m_out.attempts, SizeIs(2));
}

TEST_F(ClusterRecordTest, RestartsOfAJobSetAndVersionsOfAVolcanoJobAreAttempts) {
  const auto pod = [](const std::string& uid, const std::string& kind, const std::string& meta) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"x-)" + uid + R"(","namespace":"ml","uid":")" + uid + R"(",)" + meta +
           R"(,"ownerReferences":[{"kind":")" + kind + R"(","name":"x","uid":"u)" + kind +
           R"(","controller":true}]},"spec":{},"status":{}})";
  };
  for (const char* restart : {"0", "1"})
    take(pod(std::string("j") + restart, "JobSet",
             R"("labels":{"jobset.sigs.k8s.io/jobset-name":"x","jobset.sigs.k8s.io/restart-attempt":")" + std::string(restart) + "\"}"));
  for (const char* version : {"0", "1"})
    take(pod(std::string("v") + version, "Job", R"("annotations":{"volcano.sh/job-version":")" + std::string(version) + "\"}"));
  record();
  EXPECT_THAT(m_out.attempts, SizeIs(4));
}

TEST_F(ClusterRecordTest, RanksComeFromTheEnvironmentOfThePodsLauncher) {
  const auto pod = [](const std::string& uid, const std::string& env) {
    return R"({"kind":"Pod","metadata":{"name":")" + uid + R"(","namespace":"ml","uid":")" + uid +
           R"(","ownerReferences":[{"kind":"PyTorchJob","name":"pt","uid":"u","controller":true}]},
      "spec":{"nodeName":"n","containers":[{"name":"pytorch","env":)" +
           env + R"(,"resources":{"limits":{"nvidia.com/gpu":2}}}]},"status":{}})";
  };
  take(pod("a", R"([{"name":"RANK","value":"1"},{"name":"PET_NODE_RANK","value":"1"},{"name":"PET_NPROC_PER_NODE","value":"2"}])"));
  take(pod("b", R"([{"name":"RANK","value":"7"},{"name":"WORLD_SIZE","value":"8"}])"));
  take(pod("c", R"([{"name":"RANK","value":"99999999999"},{"name":"PET_NODE_RANK","valueFrom":{"fieldRef":{}}}])"));
  record();
  std::vector<std::int32_t> ranks;
  for (const Rank& rank : m_out.ranks) ranks.push_back(rank.rank);
  EXPECT_THAT(ranks, ElementsAre(2, 3, 7));
}

TEST_F(ClusterRecordTest, AFinishedOrFailedWorkloadEndsItsRunAndAttempt) {
  take(jobPod(0, "p0", kRunning));
  take(
      R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"train","namespace":"ml","uid":"0aa3b1b2-0000-4000-8000-000000000001","creationTimestamp":"$0"},
    "spec":{"parallelism":2},"status":{"startTime":"$0","failed":1,"conditions":[{"type":"FailureTarget","status":"True","reason":"BackoffLimitExceeded","lastTransitionTime":"$89"},{"type":"Failed","status":"True","reason":"BackoffLimitExceeded","message":"Job has reached the specified backoff limit","lastTransitionTime":"$90"}]}})");
  record();
  EXPECT_EQ(m_out.runs[0].state, RunState::kFailed);
  EXPECT_EQ(m_out.runs[0].end, at(90));
  EXPECT_EQ(m_out.attempts[0].end_cause, "BackoffLimitExceeded");
  ASSERT_THAT(events("workload_phase"), SizeIs(1));
  EXPECT_EQ(events("workload_phase")[0].message, "Job train: BackoffLimitExceeded: Job has reached the specified backoff limit");
}

TEST_F(ClusterRecordTest, ADeletedWorkloadEndsItsRunWithAnUnknownOutcome) {
  begin({});
  take(kJob, at(100));
  take(jobPod(0, "p0", kRunning), at(100));
  record(at(100));
  EXPECT_EQ(m_out.runs.at(0).state, RunState::kRunning);
  take(std::string(R"({"type":"DELETED","object":)") + kJob + "}", at(300));
  record(at(301));
  EXPECT_EQ(m_out.runs.at(0).state, RunState::kUnknown);
  EXPECT_EQ(m_out.runs.at(0).end, at(300));
  ASSERT_THAT(m_out.attempts, SizeIs(1));
  EXPECT_EQ(m_out.attempts[0].end, at(300));
  EXPECT_EQ(m_out.attempts[0].end_cause, "deleted");
  EXPECT_FALSE(m_out.attempts[0].planned);
}

TEST_F(ClusterRecordTest, AWorkloadThatAListLacksEndsAtTheTimeOfTheList) {
  begin({});
  take(kJob, at(100));
  record(at(100));
  m_record->listed("batch/v1", "Job", "", {});
  record(at(400));
  EXPECT_EQ(m_out.runs.at(0).end, at(400));
  EXPECT_EQ(m_out.attempts.at(0).end_cause, "deleted");
}

TEST_F(ClusterRecordTest, AWorkloadThatWasDeletedWhileNoHubWatchedEndsAtTheFirstList) {
  std::map<std::string, std::string> stored;
  const auto restart = [&](const std::string& scope) {
    begin({.run_name = {},
           .only_run = false,
           .snapshot = false,
           .scope = scope,
           .load = [&](const std::string& uid) { return stored.contains(uid) ? std::optional(stored[uid]) : std::nullopt; },
           .save = [&](const std::string& uid, const std::string& facts) { stored[uid] = facts; }});
  };
  const std::string ray =
      R"({"apiVersion":"ray.io/v1","kind":"RayJob","metadata":{"name":"r","namespace":"ml","uid":"r","creationTimestamp":"$0"},"status":{"rayClusterName":"r-1","jobDeploymentStatus":"Running","startTime":"$5"}})";
  restart("a");
  take(kJob, at(100));
  take(ray, at(100));
  record(at(100));
  ASSERT_THAT(m_out.attempts, SizeIs(2));
  restart("b");  // of another cluster
  m_record->listed("batch/v1", "Job", "", {});
  record(at(200));
  EXPECT_EQ(m_out.runs.at(0).state, RunState::kRunning);
  restart("a");
  m_record->listed("batch/v1", "Job", "other", {});
  take(ray, at(300));
  m_record->listed("ray.io/v1", "RayJob", "", {"r"});
  record(at(300));
  EXPECT_EQ(m_out.runs.at(0).state, RunState::kRunning);
  restart("a");
  m_record->listed("batch/v1", "Job", "", {});
  m_record->listed("ray.io/v1", "RayJob", "", {});
  record(at(400));
  ASSERT_THAT(m_out.runs, SizeIs(2));
  ASSERT_THAT(m_out.attempts, SizeIs(2)) << "the attempts that were open";
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(m_out.runs[i].state, RunState::kUnknown) << i;
    EXPECT_EQ(m_out.runs[i].end, at(400)) << i;
    EXPECT_EQ(m_out.attempts[i].end_cause, "deleted") << i;
  }
  restart("a");
  m_record->listed("batch/v1", "Job", "", {});
  record(at(500));
  EXPECT_EQ(m_out.runs[0].end, at(400)) << "it ends once";
}

TEST_F(ClusterRecordTest, AFinishedWorkloadStaysFinishedWhenItIsDeleted) {
  begin({});
  const std::string done =
      R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"train","namespace":"ml","uid":"j","creationTimestamp":"$0"},
    "spec":{"parallelism":2},"status":{"startTime":"$0","completionTime":"$90","succeeded":2,"conditions":[{"type":"Complete","status":"True","lastTransitionTime":"$90"}]}})";
  take(done, at(100));
  record(at(100));
  take(R"({"type":"DELETED","object":)" + done + "}", at(300));
  record(at(300));
  EXPECT_EQ(m_out.runs.at(0).state, RunState::kFinished);
  EXPECT_EQ(m_out.runs.at(0).end, at(90));
  EXPECT_EQ(m_out.attempts.at(0).end_cause, "finished");
}

TEST_F(ClusterRecordTest, TheTimeInAQueueOfKueueIsAPhase) {
  take(kJob);
  take(jobPod(0, "p0", kRunning));
  take(
      R"({"apiVersion":"kueue.x-k8s.io/v1beta1","kind":"Workload","metadata":{"name":"job-train-1","namespace":"ml","uid":"w","creationTimestamp":"$0","ownerReferences":[{"kind":"Job","name":"train","uid":"0aa3b1b2-0000-4000-8000-000000000001","controller":true}]},
    "status":{"conditions":[{"type":"QuotaReserved","status":"True","reason":"QuotaReserved","lastTransitionTime":"$40"},{"type":"Admitted","status":"True","reason":"Admitted","lastTransitionTime":"$41"}]}})");
  record();
  EXPECT_EQ(phases("Workload job-train-1")["queued"], "0+41");
  EXPECT_THAT(m_out.runs, SizeIs(1));
}

constexpr const char* kFailedScheduling =
    R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"train-0-p0.1","namespace":"ml","uid":"e1","creationTimestamp":"$3"},
  "involvedObject":{"kind":"Pod","namespace":"ml","name":"train-0-p0","uid":"p0"},"reason":"FailedScheduling","message":"0/4 nodes are available: 4 Insufficient nvidia.com/gpu.",
  "source":{"component":"default-scheduler"},"firstTimestamp":"$3","lastTimestamp":"$1803","count":12,"type":"Warning","eventTime":null})";

TEST_F(ClusterRecordTest, EventsAreOfTheirPodAndARepeatedOneIsRecordedFirstAndLast) {
  take(kJob);
  take(jobPod(0, "p0", kPending));
  take(kFailedScheduling);
  record();
  record();
  const auto found = events("pod_unschedulable");
  ASSERT_THAT(found, SizeIs(3)) << "the pod's condition, the event's first and its last time";
  EXPECT_EQ(found[1].code, "FailedScheduling");
  EXPECT_EQ(found[1].time, at(3));
  EXPECT_EQ(found[1].rank, 0);
  EXPECT_EQ(found[2].time, at(1803));
  EXPECT_EQ(found[2].message, "pod train-0-p0: 0/4 nodes are available: 4 Insufficient nvidia.com/gpu. (12 times)");
}

TEST_F(ClusterRecordTest, EventsAloneAreOneRunAndThoseOfNodesBelongToNodes) {
  take(kFailedScheduling);
  take(
      R"({"kind":"Event","metadata":{"name":"n1.1","uid":"e2"},"involvedObject":{"kind":"Node","name":"gpu-7","uid":"gpu-7"},"reason":"NodeNotReady","message":"Node gpu-7 status is now: NodeNotReady","firstTimestamp":"$9","lastTimestamp":"$9","count":1,"type":"Normal"})");
  take(
      R"({"kind":"Event","metadata":{"name":"m","uid":"e3"},"involvedObject":{"kind":"Pod","name":"m","uid":"m"},"reason":"Failed","message":"Failed to pull image \"nvcr.io/x:1\": not found","firstTimestamp":"$9","lastTimestamp":"$9","count":1,"type":"Warning"})");
  record();
  ASSERT_THAT(m_out.runs, SizeIs(1));
  EXPECT_EQ(m_out.runs[0].name, "file");
  ASSERT_THAT(events("node_not_ready"), SizeIs(1));
  EXPECT_EQ(m_out.nodes.at(events("node_not_ready")[0].node.value - 1).name, "gpu-7");
  EXPECT_FALSE(events("node_not_ready")[0].attempt);
  EXPECT_THAT(events("image_pull_error"), SizeIs(1));
}

TEST_F(ClusterRecordTest, EventsOfAPodThatIsGoneBelongToTheWorkloadThatNamedIt) {
  take(kJob);
  take(jobPod(0, "p0", kRunning));
  take(
      R"({"kind":"Event","metadata":{"name":"e","uid":"e"},"involvedObject":{"kind":"Pod","namespace":"ml","name":"train-1-gone","uid":"gone"},"reason":"Killing","message":"Stopping container main","firstTimestamp":"$9","type":"Normal"})");
  record();
  ASSERT_THAT(events("kubernetes_event"), SizeIs(1));
  EXPECT_EQ(events("kubernetes_event")[0].attempt.value, 1);
  EXPECT_THAT(m_out.runs, SizeIs(1));
}

std::string podEvent(const std::string& uid, const std::string& reason, const std::string& message, const std::string& field = "",
                     const std::string& pod = "p0") {
  return R"({"apiVersion":"v1","kind":"Event","metadata":{"name":")" + uid + R"(","namespace":"ml","uid":")" + uid +
         R"("},"involvedObject":{"kind":"Pod","namespace":"ml","name":"train-0-)" + pod + R"(","uid":")" + pod + R"(","fieldPath":")" +
         field + R"("},"reason":")" + reason + R"(","message":")" + message +
         R"(","firstTimestamp":"$30","lastTimestamp":"$300","count":3,"type":"Normal"})";
}

TEST_F(ClusterRecordTest, APodWhoseContainersHaveEndedHasStarted) {
  take(kJob);
  take(jobPod(0, "p0", R"({"phase":"Succeeded","containerStatuses":[{"name":"main","restartCount":1,
    "state":{"terminated":{"exitCode":0,"reason":"Completed","startedAt":"$60","finishedAt":"$300"}},
    "lastState":{"terminated":{"exitCode":1,"reason":"Error","startedAt":"$20","finishedAt":"$50"}}}]})"));
  // What a runtime reports of a container that it could not start, and of one that has not left the init container.
  take(jobPod(
      1, "p1",
      R"({"phase":"Failed","initContainerStatuses":[{"name":"fetch","state":{"terminated":{"exitCode":0,"startedAt":"$6","finishedAt":"$7"}}}],
    "containerStatuses":[{"name":"main","state":{"terminated":{"exitCode":128,"reason":"StartError","startedAt":"1970-01-01T00:00:00Z","finishedAt":"$9"}}}]})"));
  record();
  ASSERT_THAT(events("pod_started"), SizeIs(1));
  EXPECT_EQ(events("pod_started")[0].rank, 0);
  EXPECT_EQ(events("pod_started")[0].time, at(20)) << "of its first container's first start";
  EXPECT_FALSE(phases("train-1-p1").contains("running"));
}

TEST_F(ClusterRecordTest, TheKubeletsEventThatAContainerStartedStartsThePodOnce) {
  take(kJob);
  take(jobPod(0, "p0", kPending));
  take(podEvent("e1", "Started", "Started container fetch", "spec.initContainers{fetch}"));
  record();
  EXPECT_THAT(events("pod_started"), IsEmpty());
  take(podEvent("e2", "Started", "Started container main", "spec.containers{main}"));
  take(podEvent("e3", "Started", "Started container sidecar", "spec.containers{sidecar}"));
  take(podEvent("e4", "Started", "Started container main", "spec.containers{main}", "gone"));
  record();
  take(jobPod(0, "p0", kRunning));
  record();
  const auto found = events("pod_started");
  ASSERT_THAT(found, SizeIs(2)) << "of the pod and of the one that is gone";
  EXPECT_EQ(found[0].time, at(30));
  EXPECT_EQ(found[0].message, "pod train-0-p0: Started container main");
  EXPECT_EQ(found[1].message, "pod train-0-gone: Started container main");
}

TEST_F(ClusterRecordTest, APodThatTheTaintManagerDoesNotDeleteAfterAllIsNotEvicted) {
  take(kJob);
  take(jobPod(0, "p0", kRunning));
  take(podEvent("e1", "TaintManagerEviction", "Cancelling deletion of Pod ml/train-0-p0"));
  record();
  EXPECT_THAT(events("pod_evicted"), IsEmpty());
  EXPECT_EQ(events("kubernetes_event")[0].code, "TaintManagerEviction");
  EXPECT_EQ(events("kubernetes_event")[0].severity, Severity::kInfo);
  take(podEvent("e2", "TaintManagerEviction", "Marking for deletion Pod ml/train-0-p0"));
  record();
  ASSERT_FALSE(events("pod_evicted").empty());
  EXPECT_EQ(events("pod_evicted")[0].severity, Severity::kWarning);
}

std::string faultMap(int node, std::size_t faults, std::size_t bytes) {
  std::string list;
  for (std::size_t i = 0; i < faults; ++i)
    list += std::string(i > 0 ? "," : "") + R"({\"faultCode\":\")" + std::to_string(i) +
            R"(\",\"assertion\":\"occur\",\"influence\":[{\"nodeName\":\"n\"}]})";
  return R"({"kind":"ConfigMap","metadata":{"name":"m)" + std::to_string(node) + R"(","uid":"m)" + std::to_string(node) +
         R"(","labels":{"mc-consumer-publicfault":"true"}},"data":{"PublicFault":"{\"faults\":[)" + list + R"(]}","other":")" +
         std::string(bytes, 'x') + "\"}}";
}

TEST_F(ClusterRecordTest, FaultsOfConfigMapsAreBoundedUntilTheyAreRecorded) {
  constexpr std::size_t kEach = 4'096, kMaps = ClusterRecord::kMaxFaults / kEach;
  for (std::size_t i = 0; i <= kMaps; ++i) take(faultMap(static_cast<int>(i), kEach, 0));
  take(faultMap(0, kEach, 0));  // replaces the first one
  EXPECT_EQ(m_record->leftOut(), kEach);
  record();
  EXPECT_THAT(events("public_fault"), SizeIs(ClusterRecord::kMaxFaults));
  take(faultMap(99, kEach, 0));
  record();
  EXPECT_EQ(m_record->leftOut(), kEach) << "recorded ones no longer count";
  EXPECT_THAT(events("public_fault"), SizeIs(ClusterRecord::kMaxFaults + kEach));
}

TEST_F(ClusterRecordTest, TheDataOfConfigMapsAreNotKept) {
  const auto allocated = [] {
    const auto heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
  };
  const std::size_t before = allocated();
  for (int i = 0; i < 64; ++i) take(faultMap(i, 1, 1'000'000));
  EXPECT_LT(allocated(), before + (8U << 20)) << "before they are recorded";
  record();
  EXPECT_THAT(events("public_fault"), SizeIs(64));
  EXPECT_LT(allocated(), before + (8U << 20));
}

TEST_F(ClusterRecordTest, LiveAnEventWaitsAMomentForItsPodAndIsRecordedOnce) {
  begin({});
  take(kJob, at(100));
  take(kFailedScheduling, at(100));
  record(at(101));
  EXPECT_THAT(events("pod_unschedulable"), IsEmpty());
  take(jobPod(0, "p0", kRunning), at(102));
  record(at(102));
  ASSERT_THAT(events("pod_unschedulable"), SizeIs(2)) << "the first and the last time";
  EXPECT_EQ(events("pod_unschedulable")[0].rank, 0);
}

TEST_F(ClusterRecordTest, LiveAnEventWhosePodComesTooLateIsTheWorkloadsAndIsNotRecordedAgain) {
  begin({});
  take(kJob, at(100));
  take(kFailedScheduling, at(100));
  record(at(105));
  EXPECT_THAT(events("pod_unschedulable"), SizeIs(2));
  take(jobPod(0, "p0", kRunning), at(110));
  take(kFailedScheduling, at(110));
  record(at(120));
  EXPECT_THAT(events("pod_unschedulable"), SizeIs(2));
}

TEST_F(ClusterRecordTest, EventsOfDeletedPodsAndOfNodesAreNotRecordedAgainAfterARestartOrAList) {
  std::map<std::string, std::string> stored;
  const auto restart = [&] {
    begin({.run_name = {},
           .only_run = false,
           .snapshot = false,
           .load = [&](const std::string& uid) { return stored.contains(uid) ? std::optional(stored[uid]) : std::nullopt; },
           .save = [&](const std::string& uid, const std::string& facts) { stored[uid] = facts; }});
  };
  const auto listAll = [&](TimeNs now) {
    take(kJob, now);
    take(kFailedScheduling, now);
    take(
        R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"n1.1","uid":"e2"},"involvedObject":{"kind":"Node","name":"gpu-7","uid":"gpu-7"},"reason":"NodeNotReady","message":"m","firstTimestamp":"$9","lastTimestamp":"$9","count":1,"type":"Normal"})",
        now);
    record(now + ClusterRecord::kOwnerPatience);
  };
  restart();
  take(jobPod(0, "p0", kRunning), at(100));
  listAll(at(100));
  m_record->listed("v1", "Pod", "", {});
  record(at(110));
  listAll(at(120));
  m_record->listed("v1", "Event", "", {"e1"});  // the other one has expired
  record(at(130));
  restart();
  listAll(at(200));
  EXPECT_THAT(events("pod_unschedulable"), SizeIs(2)) << "the first and the last time";
  EXPECT_EQ(events("pod_unschedulable")[1].rank, 0);
  EXPECT_THAT(events("node_not_ready"), SizeIs(1));
}

TEST_F(ClusterRecordTest, ManyEventsLeaveRoomForPodsAndWhatIsLeftOutIsAnIssue) {
  std::map<std::string, std::string> stored;
  begin({.run_name = {},
         .only_run = false,
         .snapshot = false,
         .load = [&](const std::string& uid) { return stored.contains(uid) ? std::optional(stored[uid]) : std::nullopt; },
         .save = [&](const std::string& uid, const std::string& facts) { stored[uid] = facts; }});
  take(kJob, at(90));
  record(at(90));
  const auto takeEvents = [&](std::size_t count, const std::string& prefix) {
    KubeChange change;
    change.object.kind = "Event";
    change.object.event = KubeEvent{.object_kind = "Node", .object_name = "gpu-1", .reason = "Rebooted", .first = at(1), .last = at(1)};
    for (std::size_t i = 0; i < count; ++i) {
      change.object.uid = prefix + std::to_string(i);
      m_record->take(change, at(100));
    }
  };
  takeEvents(ClusterRecord::kMaxEvents + 3, "a");
  take(jobPod(0, "p0", kRunning), at(100));
  record(at(100));
  EXPECT_THAT(events("pod_created"), SizeIs(1));
  ASSERT_THAT(m_out.issues, SizeIs(1));
  EXPECT_EQ(m_out.issues[0].code, "kubernetes.left_out");
  EXPECT_EQ(m_out.issues[0].count, 3);
  takeEvents(ClusterRecord::kMaxEvents, "a");  // another list: nothing is new
  takeEvents(10, "b");
  record(at(110));
  EXPECT_THAT(m_out.issues, SizeIs(2)) << "too many at once";
  takeEvents(10, "b");
  record(at(120));
  EXPECT_THAT(events("kubernetes_event"), SizeIs(ClusterRecord::kMaxEvents + 10));
  EXPECT_THAT(m_out.issues, SizeIs(2));
}

TEST_F(ClusterRecordTest, PodsThatAreNoTrainingAreLeftOut) {
  take(
      R"({"kind":"Pod","metadata":{"name":"coredns-1","namespace":"kube-system","uid":"d","ownerReferences":[{"kind":"ReplicaSet","name":"coredns","uid":"r","controller":true}]},"spec":{"nodeName":"n1","containers":[{"name":"c"}]},"status":{"phase":"Running"}})");
  take(R"({"kind":"Secret","metadata":{"name":"s","uid":"s"},"data":{"token":"aHVudGVyMg=="}})");
  record();
  EXPECT_THAT(m_out.runs, IsEmpty());
  EXPECT_THAT(m_out.events, IsEmpty());
}

}  // namespace
}  // namespace runglass
