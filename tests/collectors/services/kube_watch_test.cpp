// SPDX-License-Identifier: Apache-2.0
// The watch against a server on the loopback interface that plays recorded answers of an API server: lists in pages, watches that are cut
// in the middle, bookmarks, expired versions, refusals.
#include "collectors/services/kubernetes/kube_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>

#include "collectors/services/kubernetes/resource_watch.h"
#include "tests/support/http_server.h"
#include "tests/support/memory_recorder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::HttpServer;
using ::testing::Contains;
using ::testing::HasSubstr;

std::string pod(int index, const std::string& version, const std::string& status = "{}") {
  const std::string id = std::to_string(index);
  return R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"t-)" + id + R"(","namespace":"ml","uid":"p)" + id +
         R"(","resourceVersion":")" + version +
         R"(","creationTimestamp":"2026-11-26T10:00:00Z","labels":{"batch.kubernetes.io/job-completion-index":")" + id +
         R"("},"ownerReferences":[{"kind":"Job","name":"t","uid":"j","controller":true}]},"spec":{"nodeName":"n)" + id +
         R"(","containers":[]},"status":)" + status + "}";
}
std::string line(const std::string& type, const std::string& object) { return R"({"type":")" + type + R"(","object":)" + object + "}\n"; }
std::string list(const std::string& kind, const std::string& items, const std::string& version, const std::string& more = "") {
  return R"({"kind":")" + kind + R"(","apiVersion":"v1","metadata":{"resourceVersion":")" + version + R"(","continue":")" + more +
         R"("},"items":[)" + items + "]}\n";
}
constexpr const char* kJob =
    R"({"metadata":{"name":"t","namespace":"ml","uid":"j","creationTimestamp":"2026-11-26T10:00:00Z"},"spec":{"parallelism":8},"status":{"active":8}})";

bool isWatch(const std::string& request) { return request.find("watch=1") != std::string::npos; }
std::string firstLine(const std::string& request) { return request.substr(0, request.find("\r\n")); }
void beginChunks(const HttpServer::Connection& to) {
  to.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
}
// Cut into pieces of 11 bytes, a chunk each.
void chunked(const HttpServer::Connection& to, std::string_view text) {
  for (; !text.empty(); text.remove_prefix(std::min<std::size_t>(11, text.size()))) {
    const std::string_view piece = text.substr(0, 11);
    std::array<char, 20> size{};
    std::snprintf(size.data(), size.size(), "%zx\r\n", piece.size());
    if (!to.send(size.data()) || !to.send(piece) || !to.send("\r\n")) return;
  }
}

class KubeWatchTest : public ::testing::Test {
 protected:
  // `pods` answers requests for pods, the others are an empty cluster with one Job.
  void start(std::function<bool(const std::string& request, const HttpServer::Connection& to)> pods) {
    m_server = std::make_unique<HttpServer>([this, pods](const std::string& request, const HttpServer::Connection& to) {
      {
        const std::lock_guard lock(m_mutex);
        m_requests.push_back(firstLine(request));
      }
      if (request.starts_with("GET /api/v1/pods?")) return pods(request, to);
      if (isWatch(request)) {
        beginChunks(to);
        to.hang();
        return false;
      }
      if (request.starts_with("GET /apis/batch/v1/jobs?")) return to.answer(list("JobList", kJob, "5"));
      if (request.starts_with("GET /api/v1/events?")) return to.answer(list("EventList", "", "5"));
      return to.answer(R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})", "application/json", "404 Not Found");
    });
    m_watch = std::make_unique<KubeWatch>(KubeWatchOptions{.access = {.url = m_server->url(""), .token_file = {}, .ca_file = {}},
                                                           .namespaces = {},
                                                           .selector = {},
                                                           .record = {},
                                                           .node_uuid = {},
                                                           .report =
                                                               [this](const std::string& words) {
                                                                 const std::lock_guard lock(m_mutex);
                                                                 m_said.push_back(words);
                                                               }},
                                          [this](const std::function<void(Recorder&)>& action) {
                                            const std::lock_guard lock(m_mutex);
                                            action(m_out);
                                          });
  }
  ~KubeWatchTest() override { m_watch.reset(); }
  testing::AssertionResult until(const std::function<bool()>& condition) {
    return test::waitUntil([&] {
      const std::lock_guard lock(m_mutex);
      return condition();
    });
  }
  std::int64_t events(std::string_view kind) const {
    return std::ranges::count_if(m_out.events, [&](const Event& event) { return event.kind == kind; });
  }
  std::int64_t requested(std::string_view part) const {
    return std::ranges::count_if(m_requests, [&](const std::string& request) { return request.find(part) != std::string::npos; });
  }

  std::mutex m_mutex;
  test::MemoryRecorder m_out;
  std::vector<std::string> m_requests, m_said;
  std::unique_ptr<HttpServer> m_server;
  std::unique_ptr<KubeWatch> m_watch;
};

const std::string kRunning =
    R"({"phase":"Running","containerStatuses":[{"name":"main","state":{"running":{"startedAt":"2026-11-26T10:00:20Z"}}}]})";

TEST_F(KubeWatchTest, PagesOfAListAndThenTheChangesFromItsVersion) {
  start([](const std::string& request, const HttpServer::Connection& to) {
    if (request.find("continue=next%3D") != std::string::npos) return to.answer(list("PodList", pod(1, "8"), "10"));
    if (!isWatch(request)) return to.answer(list("PodList", pod(0, "7"), "10", "next="));
    beginChunks(to);
    chunked(to, line("MODIFIED", pod(0, "11", kRunning)) + line("ADDED", pod(2, "12")));
    to.hang();
    return false;
  });
  EXPECT_TRUE(until([&] { return events("pod_created") == 3 && events("pod_started") == 1; }));
  m_watch->stop();
  EXPECT_THAT(m_requests, Contains(HasSubstr("GET /api/v1/pods?watch=1&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=10")));
  ASSERT_EQ(m_out.runs.size(), 1);
  EXPECT_EQ(m_out.runs[0].name, "ml/t");
  EXPECT_EQ(m_out.ranks.size(), 3);
  EXPECT_TRUE(m_said.empty()) << m_said.front() << " (that a cluster has no RayJobs is normal)";
}

TEST_F(KubeWatchTest, AWatchThatIsCutInTheMiddleOfAnObjectContinuesFromTheLastVersionOrBookmark) {
  std::atomic<int> watches = 0;
  start([&](const std::string& request, const HttpServer::Connection& to) {
    if (!isWatch(request)) return to.answer(list("PodList", pod(0, "7"), "10"));
    beginChunks(to);
    switch (watches++) {
      case 0:
        chunked(to, line("ADDED", pod(1, "11")) + line("ADDED", pod(2, "12")).substr(0, 150));
        return false;
      case 1:
        chunked(to,
                line("ADDED", pod(2, "12")) + line("BOOKMARK", R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"40"}})"));
        to.send("0\r\n\r\n");
        return true;
      default:
        to.hang();
        return false;
    }
  });
  EXPECT_TRUE(until([&] {
    return events("pod_created") == 3 && requested("pods?watch=1&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=40") > 0;
  }));
  m_watch->stop();
  EXPECT_EQ(requested("pods?limit"), 1) << "no second list";
  EXPECT_EQ(requested("pods?watch=1&allowWatchBookmarks=true&timeoutSeconds=300&resourceVersion=11"), 1);
}

TEST_F(KubeWatchTest, AnExpiredVersionIsListedAgainWithoutDoublesAndWhatIsMissingHasEnded) {
  std::atomic<int> lists = 0;
  start([&](const std::string& request, const HttpServer::Connection& to) {
    if (!isWatch(request))
      return to.answer(lists++ == 0 ? list("PodList", pod(0, "7") + "," + pod(1, "8"), "10")
                                    : list("PodList", pod(1, "8") + "," + pod(2, "60"), "61"));
    if (request.find("resourceVersion=61") != std::string::npos) {
      beginChunks(to);
      to.hang();
      return false;
    }
    beginChunks(to);
    chunked(
        to,
        line(
            "ERROR",
            R"j({"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old resource version: 10 (61)","reason":"Expired","code":410})j"));
    to.send("0\r\n\r\n");
    return true;
  });
  EXPECT_TRUE(until([&] { return events("pod_created") == 3 && events("pod_ended") == 1; }));
  m_watch->stop();
  EXPECT_EQ(requested("pods?limit"), 2);
  EXPECT_EQ(m_out.attempts.size(), 1);
}

TEST_F(KubeWatchTest, ARefusalIsSaidOnceWithTheResourceAndTheServersReasonAndTheOthersContinue) {
  start([](const std::string&, const HttpServer::Connection& to) {
    return to.answer(
        R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"pods is forbidden: User \"x\" cannot list resource","reason":"Forbidden","code":403})",
        "application/json", "403 Forbidden");
  });
  EXPECT_TRUE(until([&] { return m_out.runs.size() == 1 && !m_said.empty(); }));
  m_watch->stop();
  ASSERT_EQ(m_said.size(), 1);
  EXPECT_EQ(m_said[0], "kubernetes: pods.v1: not allowed; grant get, list and watch: pods is forbidden: User \"x\" cannot list resource");
}

TEST_F(KubeWatchTest, AServerThatIsAwayIsTriedAgain) {
  std::atomic<int> tries = 0;
  start([&](const std::string& request, const HttpServer::Connection& to) {
    if (tries++ < 1) {
      to.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n" +
              list("PodList", pod(0, "7"), "10").substr(0, 300));
      return false;
    }
    if (!isWatch(request)) return to.answer(list("PodList", pod(0, "7"), "10"));
    beginChunks(to);
    to.hang();
    return false;
  });
  EXPECT_TRUE(until([&] { return events("pod_created") == 1 && requested("pods?watch") == 1; }));
  m_watch->stop();
}

class ResourceWatchTest : public ::testing::Test {
 protected:
  static const KubeResource& pods() { return *std::ranges::find(kubeResources(), "Pod", &KubeResource::kind); }
  // The delay after an answer with this body.
  DurNs answered(const std::string& body, DurNs lasted, int status = 200) {
    (void)m_watch.path();
    m_watch.body(status, body, m_sink);
    return m_watch.ended(status, "", lasted, m_sink);
  }
  const std::string m_list = list("PodList", pod(0, "7"), "10");
  const std::string m_expired = line("ERROR", R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410})");
  const std::string m_bookmark = line("BOOKMARK", R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"40"}})");
  ResourceWatch m_watch{pods(), "", ""};
  ResourceWatch::Sink m_sink{.change = [](const KubeChange&) {},
                             .listed = [](std::string_view, std::string_view, const std::string&, const std::set<std::string>&) {},
                             .trouble = [](const std::string&) {}};
};

TEST_F(ResourceWatchTest, AServerThatListsButRefusesEveryWatchIsAskedLessAndLessOften) {
  for (const DurNs pause : {1, 2, 4, 8, 16, 32, 60, 60}) {
    EXPECT_EQ(answered(m_list, kNsPerMs), 0);
    EXPECT_EQ(answered(pause % 4 == 0 ? m_expired : m_bookmark + m_expired, kNsPerMs), pause * kNsPerSecond);
  }
  EXPECT_EQ(answered(m_list, kNsPerMs), 0);
  EXPECT_EQ(answered(m_bookmark + m_expired, ResourceWatch::kProven), ResourceWatch::kShortestPause) << "this watch worked";
}

TEST_F(ResourceWatchTest, AWatchThatClosesAtOnceIsNotRepeatedWithoutAPause) {
  EXPECT_EQ(answered(m_list, kNsPerMs), 0);
  EXPECT_EQ(answered(m_bookmark, kNsPerMs), ResourceWatch::kShortestPause);
  EXPECT_EQ(answered(m_bookmark, ResourceWatch::kWatchFor), 0);
}

TEST_F(ResourceWatchTest, AServerThatIsAwayHasNotAnswered) {
  (void)m_watch.path();
  (void)m_watch.ended(0, "connection refused", 0, m_sink);
  EXPECT_FALSE(m_watch.tried());
  (void)answered("", 0, 503);
  EXPECT_TRUE(m_watch.tried());
}

TEST(KubeAccess, SomethingElseThanAUrlIsRefusedWithWhatToDo) {
  EXPECT_THAT(kubeAccess("/home/me/.kube/config").status().message(), HasSubstr("run `kubectl proxy`"));
  EXPECT_EQ(kubeAccess("http://127.0.0.1:8001/")->url, "http://127.0.0.1:8001");
  EXPECT_THAT(inClusterAccess("/nowhere").status().message(), HasSubstr("not in a pod"));
}

}  // namespace
}  // namespace runglass
