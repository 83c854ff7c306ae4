// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl serve --kubernetes: the shipped hub against a played API server, killed in the middle.
#include <signal.h>

#include "tests/app/ctl_fixture.h"
#include "tests/support/http_server.h"
#include "tests/support/program.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;

std::string pod(int index) {
  const std::string id = std::to_string(index);
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"t-)" + id + R"(","namespace":"ml","uid":"p)" + id +
         R"(","resourceVersion":"1","creationTimestamp":"2026-11-26T10:00:00Z","labels":{"batch.kubernetes.io/job-completion-index":")" +
         id + R"("},"ownerReferences":[{"kind":"Job","name":"t","uid":"j","controller":true}]},"spec":{"nodeName":"n","containers":[]},)" +
         R"("status":{"conditions":[{"type":"PodScheduled","status":"True","lastTransitionTime":"2026-11-26T10:00:05Z"}],)" +
         R"("containerStatuses":[{"name":"main","state":{"running":{"startedAt":"2026-11-26T10:00:20Z"}}}]}})";
}

class KubernetesServe : public CtlFixture {
 protected:
  bool waitFor(const std::string& count, const std::string& sql) {
    return test::waitUntil([&] { return query("SELECT count(*) AS n FROM " + sql).out == "n\n" + count + "\n"; });
  }
};

TEST_F(KubernetesServe, AKilledHubThatStartsAgainRecordsNothingTwice) {
  std::atomic<int> pods = 2;
  test::HttpServer server([&](const std::string& request, const test::HttpServer::Connection& to) {
    if (request.find("watch=1") != std::string::npos) {
      to.hang();
      return false;
    }
    const auto list = [&](const char* kind, const std::string& items) {
      return to.answer(
          std::string(R"({"kind":")") + kind + R"(","apiVersion":"v1","metadata":{"resourceVersion":"5"},"items":[)" + items + "]}",
          "application/json");
    };
    if (request.starts_with("GET /apis/batch/v1/namespaces/ml/jobs?"))
      return list(
          "JobList",
          R"({"metadata":{"name":"t","namespace":"ml","uid":"j","creationTimestamp":"2026-11-26T10:00:00Z"},"spec":{"parallelism":8},"status":{"active":8}})");
    if (request.starts_with("GET /api/v1/namespaces/ml/events?")) return list("EventList", "");
    if (!request.starts_with("GET /api/v1/namespaces/ml/pods?")) return to.answer("{}", "application/json", "404 Not Found");
    std::string items;
    for (int i = 0; i < pods; ++i) items += (i > 0 ? "," : "") + pod(i);
    return list("PodList", items);
  });
  const auto serve = [&] {
    return std::make_unique<Program>(
        std::vector<std::string>{RG_BIN_DIR "/runglassctl", "serve", "--store", m_store, "--listen", "127.0.0.1:0", "--kubernetes",
                                 server.url(""), "--kubernetes-namespace", "ml"},
        m_folder.file("hub.log"));
  };
  auto hub = serve();
  ASSERT_TRUE(waitFor("2", "event WHERE kind = 'pod_started'"));
  ASSERT_TRUE(waitFor("4", "span"));
  hub->signal(SIGKILL);
  hub->wait();
  pods = 3;
  hub = serve();
  ASSERT_TRUE(waitFor("3", "event WHERE kind = 'pod_started'"));
  hub->signal(SIGTERM);
  EXPECT_EQ(WEXITSTATUS(hub->wait()), 0);
  EXPECT_TRUE(waitFor("3", "event WHERE kind = 'pod_created'"));
  EXPECT_TRUE(waitFor("6", "span"));
  EXPECT_TRUE(waitFor("1", "attempt"));
  EXPECT_THAT(query("SELECT name FROM run").out, HasSubstr("ml/t"));
}

TEST_F(KubernetesServe, AKubeconfigIsRefusedWithWhatToDo) {
  expectFails(ctl({"serve", "--store", m_store, "--listen", "127.0.0.1:0", "--kubernetes", "/home/me/.kube/config"}),
              "run `kubectl proxy`");
}

}  // namespace
}  // namespace runglass
