// SPDX-License-Identifier: Apache-2.0
// Findings about pods, from objects as the API server prints them, live and stored.
#include "analysis/scheduling/scheduling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectors/kubernetes/cluster_record.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr TimeNs kBegin = 1'795'687'200 * kNsPerSecond;  // 2026-11-26T10:00:00Z

std::string stamp(std::int64_t second) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "\"2026-11-26T%02d:%02d:%02dZ\"", static_cast<int>(10 + second / 3600),
                static_cast<int>(second / 60 % 60), static_cast<int>(second % 60));
  return text.data();
}

class SchedulingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = m_file.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    m_writer = std::move(*opened);
  }
  // As the watch does: every change is recorded when it comes, `second` after the begin.
  void live(const std::string& json, std::int64_t second, KubeChange::Type type = KubeChange::Type::kPut) {
    auto change = parseKubeChange(json, "");
    ASSERT_TRUE(change.ok()) << json;
    change->type = type;
    m_second = second;
    m_record.take(std::move(*change), kBegin + second * kNsPerSecond);
    m_record.record(*m_writer, kBegin + (second + 5) * kNsPerSecond);
  }
  std::vector<Finding> look(bool live) {
    EXPECT_TRUE(m_writer->flush().ok());
    const auto reader = m_file.reader();
    const auto runs = (*reader)->runs();
    if (runs->empty()) return {};
    EXPECT_THAT(*runs, SizeIs(1));
    const auto found = makeScheduling()->look({.reader = **reader,
                                               .run = runs->front().id,
                                               .now = live ? std::optional(kBegin + m_second * kNsPerSecond) : std::nullopt,
                                               .stop = {}});
    EXPECT_TRUE(found.ok()) << found.status().message();
    return *found;
  }
  // The same answer for the live and the stored run.
  std::vector<Finding> look() {
    const auto live = look(true), stored = look(false);
    EXPECT_EQ(live.size(), stored.size());
    for (std::size_t i = 0; i < std::min(live.size(), stored.size()); ++i) EXPECT_EQ(live[i].summary, stored[i].summary);
    return stored;
  }

  TempStore m_file;
  std::unique_ptr<Writer> m_writer;
  ClusterRecord m_record{ClusterRecordOptions{}};
  std::int64_t m_second = 0;
};

std::string rayJob(const std::string& state) {
  return R"({"apiVersion":"ray.io/v1","kind":"RayJob","metadata":{"name":"grpo","namespace":"rl","uid":"0aa3b1b2-0000-4000-8000-00000000000a","creationTimestamp":)" +
         stamp(0) + R"(},"status":{"rayClusterName":"grpo-x","jobDeploymentStatus":")" + state + R"(","startTime":)" + stamp(1) + "}}";
}
constexpr const char* kCluster =
    R"({"apiVersion":"ray.io/v1","kind":"RayCluster","metadata":{"name":"grpo-x","namespace":"rl","uid":"c1","ownerReferences":[{"kind":"RayJob","name":"grpo","uid":"0aa3b1b2-0000-4000-8000-00000000000a","controller":true}]}})";
std::string rayPod(const std::string& uid, std::int64_t created, const std::string& status, const std::string& group = "workers") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"grpo-x-)" + uid + R"(","namespace":"rl","uid":")" + uid +
         R"(","creationTimestamp":)" + stamp(created) + R"(,"labels":{"ray.io/cluster":"grpo-x","ray.io/group":")" + group +
         R"("},"ownerReferences":[{"kind":"RayCluster","name":"grpo-x","uid":"c1","controller":true}]},"spec":{"nodeName":"gpu-1","containers":[{"name":"ray-worker","resources":{"limits":{"nvidia.com/gpu":"8"}}}]},"status":)" +
         status + "}";
}
std::string initEnded(const std::string& container, int code, std::int64_t second) {
  return R"({"phase":"Pending","initContainerStatuses":[{"name":")" + container + R"(","state":{"terminated":{"exitCode":)" +
         std::to_string(code) + R"(,"reason":"Error","finishedAt":)" + stamp(second) + "}}}]}";
}
std::string running(std::int64_t second) {
  return R"({"phase":"Running","conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":)" + stamp(second - 2) +
         R"(}],"containerStatuses":[{"name":"ray-worker","state":{"running":{"startedAt":)" + stamp(second) + "}}}]}";
}

TEST_F(SchedulingTest, PodsThatChurnWhileTheJobInitialisesNameTheFailingInitContainer) {
  live(rayJob("Initializing"), 1);
  live(kCluster, 2);
  live(rayPod("head", 3, running(9), "headgroup"), 9);
  for (int i = 0; i < 20; ++i) {
    const std::string pod = rayPod("w" + std::to_string(i), 10 + 30 * i, initEnded("fetch-data", 1, 12 + 30 * i));
    live(pod, 13 + 30 * i);
    live(pod, 14 + 30 * i, KubeChange::Type::kDeleted);
  }
  const auto found = look();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].kind, "pod_churn");
  EXPECT_EQ(found[0].severity, Severity::kError);
  EXPECT_EQ(found[0].summary,
            "The job does not start: 20 pods of group workers were created one after the other in 9 min 30 s, none runs; init container "
            "fetch-data fails: exit code 1 (Error)");
  EXPECT_FALSE(found[0].end);
  EXPECT_THAT(found[0].evidence, HasSubstr("\"minutes\":9"));
}

TEST_F(SchedulingTest, AHealthyStartIsQuiet) {
  live(rayJob("Initializing"), 1);
  live(kCluster, 2);
  for (int i = 0; i < 8; ++i) {
    const std::string uid = "w" + std::to_string(i);
    // A few minutes without a node, the operator's own waits, one failed pull.
    live(
        rayPod(
            uid, 10,
            R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/4 nodes are available","lastTransitionTime":)" +
                stamp(11) + "}]}"),
        12);
    live(rayPod(uid, 10, initEnded("wait-gcs-ready", 1, 320)), 321);
    live(
        rayPod(
            uid, 10,
            R"({"phase":"Pending","containerStatuses":[{"name":"ray-worker","state":{"waiting":{"reason":"ErrImagePull","message":"timeout"}}}]})"),
        330);
    live(rayPod(uid, 10, running(400)), 401);
  }
  live(rayJob("Running"), 500);
  EXPECT_THAT(look(), IsEmpty());
  // Its pods are deleted when it has finished; some ignore SIGTERM.
  live(
      R"({"apiVersion":"ray.io/v1","kind":"RayJob","metadata":{"name":"grpo","namespace":"rl","uid":"0aa3b1b2-0000-4000-8000-00000000000a"},"status":{"rayClusterName":"grpo-x","jobDeploymentStatus":"Complete","jobStatus":"SUCCEEDED","endTime":)" +
          stamp(900) + "}}",
      901);
  std::string pod = rayPod(
      "w1", 10,
      R"({"phase":"Failed","containerStatuses":[{"name":"ray-worker","state":{"terminated":{"exitCode":137,"reason":"Error","finishedAt":)" +
          stamp(940) + "}}}]}");
  pod.insert(pod.find("\"labels\""), "\"deletionTimestamp\":" + stamp(935) + ",\"deletionGracePeriodSeconds\":30,");
  live(pod, 941);
  live(pod, 942, KubeChange::Type::kDeleted);
  EXPECT_THAT(look(), IsEmpty());
}

TEST_F(SchedulingTest, ManyPodsThatFailOnceAndRecoverAreNoChurn) {
  live(rayJob("Initializing"), 1);
  live(kCluster, 2);
  for (int i = 0; i < 40; ++i) live(rayPod("w" + std::to_string(i), 10, initEnded("fetch-data", 1, 20)), 21);
  EXPECT_THAT(look(), IsEmpty()) << "none was replaced";
}

TEST_F(SchedulingTest, APodWithoutANodeForLongHasTheSchedulersReason) {
  live(rayJob("Initializing"), 1);
  live(kCluster, 2);
  const std::string pending =
      R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable","message":"0/4 nodes are available: 4 Insufficient nvidia.com/gpu.","lastTransitionTime":)" +
      stamp(10) + "}]}";
  live(rayPod("w1", 10, pending), 11);
  live(rayPod("w2", 10, pending), 11);
  live(
      R"({"kind":"Event","metadata":{"uid":"e","namespace":"rl"},"involvedObject":{"kind":"Pod","namespace":"rl","name":"grpo-x-w1","uid":"w1"},"reason":"FailedScheduling","message":"0/4 nodes are available","firstTimestamp":)" +
          stamp(10) + R"(,"lastTimestamp":)" + stamp(2'410) + R"(,"count":9})",
      2'410);
  auto found = look();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].kind, "unschedulable");
  EXPECT_EQ(found[0].summary, "2 pods have not been scheduled for 40 min: 0/4 nodes are available: 4 Insufficient nvidia.com/gpu.");
  EXPECT_FALSE(found[0].end);
  live(rayPod("w1", 10, running(3'002)), 3'003);
  live(rayPod("w2", 10, running(3'002)), 3'003);
  found = look();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].summary, "2 pods were not scheduled for 49 min 50 s: 0/4 nodes are available: 4 Insufficient nvidia.com/gpu.");
  EXPECT_TRUE(found[0].end);
}

TEST_F(SchedulingTest, AnImageThatCannotBePulled) {
  live(rayJob("Initializing"), 1);
  live(kCluster, 2);
  live(
      rayPod(
          "w1", 10,
          R"({"phase":"Pending","containerStatuses":[{"name":"ray-worker","state":{"waiting":{"reason":"ImagePullBackOff","message":"Back-off pulling image \"nvcr.io/x:1\""}}}]})"),
      60);
  const auto found = look();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].kind, "image_pull");
  EXPECT_EQ(found[0].summary, "1 pod does not start, the image cannot be pulled: ImagePullBackOff: Back-off pulling image \"nvcr.io/x:1\"");
}

std::string jobPod(int rank, const std::string& status, const std::string& meta = "") {
  const std::string index = std::to_string(rank);
  return R"({"kind":"Pod","metadata":{"name":"t-)" + index + R"(","namespace":"ml","uid":"p)" + index + R"(","creationTimestamp":)" +
         stamp(1) + "," + meta + R"("labels":{"batch.kubernetes.io/job-completion-index":")" + index +
         R"("},"ownerReferences":[{"kind":"Job","name":"t","uid":"j","controller":true}]},"spec":{"nodeName":"gpu-)" + index +
         R"(","containers":[]},"status":)" + status + "}";
}
std::string ended(int code, const std::string& reason, std::int64_t second) {
  return R"({"phase":"Failed","containerStatuses":[{"name":"main","state":{"terminated":{"exitCode":)" + std::to_string(code) +
         R"(,"reason":")" + reason + R"(","startedAt":)" + stamp(5) + R"(,"finishedAt":)" + stamp(second) + "}}}]}";
}
constexpr const char* kJob =
    R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"t","namespace":"ml","uid":"j"},"spec":{"parallelism":8}})";

std::string podEvent(const std::string& uid, const std::string& pod, const std::string& reason, const std::string& message,
                     std::int64_t second, const std::string& field = "spec.containers{main}") {
  return R"({"kind":"Event","metadata":{"uid":")" + uid +
         R"(","namespace":"ml"},"involvedObject":{"kind":"Pod","namespace":"ml","name":")" + pod + R"(","uid":"u)" + pod +
         R"(","fieldPath":")" + field + R"("},"reason":")" + reason + R"(","message":")" + message +
         R"(","type":"Warning","firstTimestamp":)" + stamp(second) + "}";
}
constexpr const char* kPullFailed = "Failed to pull image \\\"nvcr.io/x:1\\\": timeout";

TEST_F(SchedulingTest, PodsThatRanAfterAFailedPullHadNoLastingPullError) {
  live(kJob, 1);
  live(
      jobPod(
          0,
          R"({"phase":"Succeeded","containerStatuses":[{"name":"main","state":{"terminated":{"exitCode":0,"reason":"Completed","startedAt":)" +
              stamp(90) + R"(,"finishedAt":)" + stamp(400) + "}}}]}"),
      500);
  live(jobPod(1, R"({"phase":"Succeeded"})"), 500);  // without its containers
  live(jobPod(2, ended(1, "Error", 400)), 500);
  for (int i = 0; i < 3; ++i) {
    std::string event = podEvent("e" + std::to_string(i), "t-" + std::to_string(i), "Failed", kPullFailed, 10);
    event.replace(event.find("\"ut-"), 4, "\"p");
    live(event, 501);
  }
  EXPECT_THAT(look(), IsEmpty());
}

TEST_F(SchedulingTest, EventsAloneReportThatAPodStartedAfterItsPullFailed) {
  m_record = ClusterRecord({.run_name = "events"});
  live(podEvent("e1", "t-0", "Failed", kPullFailed, 10), 11);
  live(podEvent("e2", "t-0", "BackOff", "Back-off pulling image \\\"nvcr.io/x:1\\\"", 20), 21);
  live(podEvent("e3", "t-0", "Pulled", "Successfully pulled image \\\"nvcr.io/x:1\\\"", 60), 61);
  live(podEvent("e4", "t-0", "Started", "Started container fetch", 62, "spec.initContainers{fetch}"), 63);
  live(podEvent("e5", "t-0", "Killing", "Stopping container main", 900), 901);
  EXPECT_THAT(look(), SizeIs(1)) << "only an init container has started";
  live(podEvent("e6", "t-0", "Started", "Started container main", 64), 902);
  EXPECT_THAT(look(), IsEmpty());
}

TEST_F(SchedulingTest, PodsOfAJobThatRanAndAreReplacedAreNoChurn) {
  live(kJob, 1);
  for (int i = 0; i < 6; ++i) {
    std::string pod = jobPod(0, ended(1, "Error", 20 + 30 * i));
    // Pods without an index belong to one attempt.
    pod.replace(pod.find("batch.kubernetes.io/job-completion-index"), 40, "app");
    pod.replace(pod.find(stamp(1)), stamp(1).size(), stamp(1 + 30 * i));
    const std::string uid = "\"p0-" + std::to_string(i) + "\"", name = "\"t-0-" + std::to_string(i) + "\"";
    pod.replace(pod.find("\"p0\""), 4, uid);
    pod.replace(pod.find("\"t-0\""), 5, name);
    pod.insert(pod.find("\"containerStatuses\""),
               R"("initContainerStatuses":[{"name":"fetch","lastState":{"terminated":{"exitCode":1,"reason":"Error","finishedAt":)" +
                   stamp(10 + 30 * i) + "}}}],");
    live(pod, 21 + 30 * i);
    live(pod, 22 + 30 * i, KubeChange::Type::kDeleted);
  }
  EXPECT_THAT(look(), IsEmpty());
}

TEST_F(SchedulingTest, TheFirstRankThatWasOomKilledIsNamedWithItsNode) {
  live(kJob, 1);
  live(jobPod(5, ended(137, "OOMKilled", 120)), 121);
  live(jobPod(3, ended(137, "OOMKilled", 100)), 122);
  const auto found = look();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].kind, "oom_killed");
  EXPECT_EQ(found[0].rank, 3);
  EXPECT_EQ(found[0].summary,
            "Rank 3 (pod t-3, gpu-3) was OOM-killed: container main exceeded its memory limit or the node ran out of memory; 1 other pod "
            "after it");
}

TEST_F(SchedulingTest, EvictionPreemptionAndAnExceededGracePeriodHaveTheirReasons) {
  live(kJob, 1);
  live(jobPod(0, R"({"phase":"Failed","reason":"Evicted","message":"The node was low on resource: memory."})"), 50);
  live(
      jobPod(
          1,
          R"({"conditions":[{"type":"DisruptionTarget","status":"True","reason":"PreemptionByScheduler","message":"preempting to accommodate a higher priority pod","lastTransitionTime":)" +
              stamp(60) + "}]}"),
      61);
  live(jobPod(2, ended(137, "Error", 100), "\"deletionTimestamp\":" + stamp(100) + ",\"deletionGracePeriodSeconds\":30,"), 101);
  const auto found = look();
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].summary, "Rank 0 (pod t-0, gpu-0) was evicted: The node was low on resource: memory.");
  EXPECT_EQ(found[1].summary, "Rank 1 (pod t-1, gpu-1) was preempted: preempting to accommodate a higher priority pod");
  EXPECT_EQ(found[2].summary,
            "Rank 2 (pod t-2, gpu-2) did not end within its grace period of 30 s after SIGTERM and was killed by SIGKILL");
  EXPECT_EQ(found[2].kind, "grace_period_exceeded");
}

}  // namespace
}  // namespace runglass
