// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collectors/importers/import_fixture.h"

namespace runglass {
namespace {

using test::importText;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// `kubectl get pods,jobs,events -o json`, shortened.
constexpr std::string_view kList = R"({
    "apiVersion": "v1",
    "items": [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "creationTimestamp": "2026-11-26T10:00:01Z", "name": "train-0-x", "namespace": "ml", "uid": "p0",
                "labels": {"batch.kubernetes.io/job-completion-index": "0"},
                "ownerReferences": [{"apiVersion": "batch/v1", "controller": true, "kind": "Job", "name": "train", "uid": "j0"}]
            },
            "spec": {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "8"}}}], "nodeName": "gpu-1"},
            "status": {"phase": "Running", "containerStatuses": [{"name": "main", "state": {"running": {"startedAt": "2026-11-26T10:00:09Z"}}}]}
        },
        {
            "apiVersion": "batch/v1", "kind": "Job",
            "metadata": {"name": "train", "namespace": "ml", "uid": "j0", "creationTimestamp": "2026-11-26T10:00:00Z"},
            "spec": {"parallelism": 1}, "status": {"active": 1, "startTime": "2026-11-26T10:00:00Z"}
        }
    ],
    "kind": "List",
    "metadata": {"resourceVersion": ""}
}
)";

TEST(KubernetesImporter, AListBecomesTheRunOfItsWorkload) {
  const auto imported = importText(kList, {}, 50);
  ASSERT_TRUE(imported.status.ok()) << imported.status.message();
  EXPECT_EQ(imported.kind, "kubernetes");
  ASSERT_THAT(imported.recorder.runs, SizeIs(1));
  EXPECT_EQ(imported.recorder.runs[0].name, "ml/train");
  EXPECT_THAT(imported.recorder.ranks, SizeIs(8));
  EXPECT_TRUE(imported.report.run);
  EXPECT_THAT(imported.recorder.issues, IsEmpty());
}

TEST(KubernetesImporter, ARunsNameThatTheUserGaveWins) {
  const auto imported = importText(kList, {.run_name = "mine", .run_named = true});
  ASSERT_THAT(imported.recorder.runs, SizeIs(1));
  EXPECT_EQ(imported.recorder.runs[0].name, "mine");
}

std::string event(int second, const char* uid, const char* type = nullptr) {
  const std::string object =
      R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"ml","uid":")" + std::string(uid) +
      R"("},"involvedObject":{"kind":"Pod","namespace":"ml","name":"t-0","uid":"p"},"reason":"FailedScheduling","message":"0/4 nodes are available","firstTimestamp":"2026-11-26T10:00:0)" +
      std::to_string(second) + R"(Z","lastTimestamp":"2026-11-26T10:00:0)" + std::to_string(second) + R"(Z","type":"Warning"})";
  return type == nullptr ? object + "\n" : R"({"type":")" + std::string(type) + R"(","object":)" + object + "}\n";
}

TEST(KubernetesImporter, AStreamOfEventsWithAndWithoutTypesContinuesWhereItEnded) {
  for (const char* type : {static_cast<const char*>(nullptr), "ADDED"}) {
    const std::string first = event(1, "a", type) + event(2, "b", type), whole = first + event(3, "c", type);
    const std::string begun = first + whole.substr(first.size(), 100);
    const auto imported = importText(begun, {.final = false});
    EXPECT_THAT(imported.recorder.events, SizeIs(2));
    EXPECT_EQ(imported.report.committed_offset, first.size() - 1) << "after the last object";
    EXPECT_THAT(imported.recorder.issues, IsEmpty());
    const auto more = importText(whole, {.resume_at = imported.report.committed_offset}, 64);
    ASSERT_THAT(more.recorder.events, SizeIs(1));
    EXPECT_EQ(more.recorder.events[0].message, "pod t-0: 0/4 nodes are available");
    ASSERT_THAT(more.recorder.runs, SizeIs(1));
  }
}

TEST(KubernetesImporter, ACutFileIsPartialAndDamageIsCounted) {
  const auto cut = importText(kList.substr(0, kList.size() - 60));
  EXPECT_EQ(cut.report.partial_reason, "the file ends within an object");
  EXPECT_THAT(cut.recorder.runs, SizeIs(1));
  EXPECT_EQ(cut.recorder.issueCount("import.truncated"), 1);
  const auto odd = importText(event(1, "a") + "error: stream lost\n" + R"({"apiVersion":)" + "}\n" + event(2, "b"));
  EXPECT_THAT(odd.recorder.events, SizeIs(2));
  EXPECT_EQ(odd.recorder.issueCount("kubernetes.bad_object"), 2);
}

TEST(KubernetesImporter, FaultsOfMindClusterAreEventsOfTheirNode) {
  const auto imported =
      importText(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"mindx-dl-nodeinfo-w1","namespace":"mindx-dl"},
    "data":{"NodeInfo":"{\"NodeInfo\":{\"FaultDevList\":[{\"DeviceType\":\"CPU\",\"DeviceId\":1,\"FaultCode\":[\"0100001D\"],\"FaultLevel\":\"SeparateFault\"}]}}"}})");
  ASSERT_THAT(imported.recorder.events, SizeIs(1));
  EXPECT_EQ(imported.recorder.events[0].kind, "node_fault");
  EXPECT_EQ(imported.recorder.nodes.at(0).name, "w1");
  EXPECT_EQ(imported.recorder.events[0].message, "CPU-1: SeparateFault");
}

TEST(KubernetesImporter, OtherListsAreSkippedWithTheReason) {
  const auto imported =
      importText(R"({"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Service","metadata":{"name":"x"}}]})");
  EXPECT_THAT(imported.report.skipped_reason, HasSubstr("no pod, workload or event"));
}

}  // namespace
}  // namespace runglass
