// SPDX-License-Identifier: Apache-2.0
#include "net/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <mutex>
#include <optional>

#include "tests/support/http_server.h"

namespace runglass {
namespace {

using test::HttpServer;
using testing::AllOf;
using testing::HasSubstr;

TEST(HttpClient, AnAnswerHasStatusTypeAndBodyAndTheConnectionIsKept) {
  std::atomic<int> requests = 0;
  const HttpServer server([&](const std::string& request, const HttpServer::Connection& to) {
    EXPECT_THAT(request, HasSubstr("X-Seen: yes\r\n"));
    return to.answer("body " + std::to_string(++requests), "text/x-test");
  });
  HttpClient client;
  const HttpRequest request{.url = server.url("/a"), .headers = {"X-Seen: yes"}};
  const auto first = client.request(request);
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_EQ(first->status, 200);
  EXPECT_EQ(first->content_type, "text/x-test");
  EXPECT_EQ(first->body, "body 1");
  EXPECT_EQ(client.request(request)->body, "body 2");
}

TEST(HttpClient, APostCarriesItsBody) {
  const HttpServer server([&](const std::string& request, const HttpServer::Connection& to) {
    EXPECT_TRUE(request.starts_with("POST /hook "));
    EXPECT_TRUE(request.ends_with("\r\n\r\n{\"a\":1}"));
    return to.answer("");
  });
  HttpClient client;
  const auto answer =
      client.request({.url = server.url("/hook"), .method = "POST", .headers = {"Content-Type: application/json"}, .body = "{\"a\":1}"});
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_EQ(answer->status, 200);
}

// Restores the environment at the end.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const std::string& value) : m_name(name) {
    if (const char* before = std::getenv(name)) m_before = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~EnvironmentVariable() { m_before ? ::setenv(m_name, m_before->c_str(), 1) : ::unsetenv(m_name); }

 private:
  const char* m_name;
  std::optional<std::string> m_before;
};

TEST(HttpClient, TheProxyOfTheEnvironmentIsUsedOnlyWhereItIsAskedFor) {
  std::mutex mutex;
  std::vector<std::string> lines;
  const HttpServer proxy([&](const std::string& request, const HttpServer::Connection& to) {
    const std::lock_guard lock(mutex);
    lines.push_back(request.substr(0, request.find('\r')));
    return to.answer("proxied") && request.starts_with("POST");
  });
  const EnvironmentVariable http("http_proxy", proxy.url("")), https("https_proxy", proxy.url("")), none("no_proxy", "");
  HttpClient client;
  const auto post = [&](const std::string& url, bool environment_proxy) {
    return client.request({.url = url, .method = "POST", .body = "x", .environment_proxy = environment_proxy});
  };
  const auto plain = post("http://alerts.invalid/hook", true);
  ASSERT_TRUE(plain.ok()) << plain.status().message();
  EXPECT_EQ(plain->body, "proxied");
  EXPECT_FALSE(post("https://alerts.invalid/hook", true).ok()) << "this proxy does not speak TLS";
  EXPECT_THAT(lines, testing::ElementsAre("POST http://alerts.invalid/hook HTTP/1.1", "CONNECT alerts.invalid:443 HTTP/1.1"));
  const HttpServer direct([&](const std::string&, const HttpServer::Connection& to) { return to.answer("direct"); });
  for (const bool environment_proxy : {true, false}) EXPECT_EQ(post(direct.url("/hook"), environment_proxy)->body, "direct");
  EXPECT_EQ(lines.size(), 2U) << "this host's own addresses go through no proxy";
}

TEST(HttpClient, ErrorStatusesAndRedirectsAreAnswersThatAreNotFollowed) {
  std::atomic<int> requests = 0;
  const HttpServer server([&](const std::string&, const HttpServer::Connection& to) {
    ++requests;
    return to.answer("gone", "text/plain", "302 Found", "Location: http://127.0.0.1:1/\r\n");
  });
  HttpClient client;
  EXPECT_EQ(client.request({.url = server.url("/")})->status, 302);
  EXPECT_EQ(requests, 1);
}

TEST(HttpClient, OnlyHttpIsSpoken) {
  HttpClient client;
  for (const char* const url : {"file:///etc/passwd", "gopher://127.0.0.1/", "", "http://"})
    EXPECT_EQ(client.request({.url = url}).status().code(), Code::kInvalidArgument) << url;
}

TEST(HttpClient, ARefusedConnectionNamesTheUrlWithoutItsSecrets) {
  HttpClient client;
  const auto answer = client.request({.url = "http://user:secret@127.0.0.1:1/x?token=secret"});
  EXPECT_EQ(answer.status().code(), Code::kUnavailable);
  EXPECT_THAT(answer.status().message(), AllOf(HasSubstr("GET http://127.0.0.1:1/x: "), Not(HasSubstr("secret"))));
}

TEST(HttpClient, AServerThatHangsIsGivenUpAtTheTimeout) {
  const HttpServer server([](const std::string&, const HttpServer::Connection& to) {
    to.hang();
    return false;
  });
  HttpClient client;
  const DurNs begin = monotonicNow();
  const auto answer = client.request({.url = server.url("/"), .timeout = 100 * kNsPerMs});
  EXPECT_EQ(answer.status().code(), Code::kUnavailable);
  EXPECT_THAT(answer.status().message(), HasSubstr("no answer within 100 ms"));
  EXPECT_LT(monotonicNow() - begin, 10 * kNsPerSecond);
}

TEST(HttpClient, AStopEndsARequestLongBeforeItsTimeout) {
  const HttpServer server([](const std::string&, const HttpServer::Connection& to) {
    to.hang();
    return false;
  });
  HttpClient client;
  std::stop_source stop;
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  const DurNs begin = monotonicNow();
  const auto answer = client.request({.url = server.url("/"), .timeout = 300 * kNsPerSecond}, stop.get_token());
  later.join();
  EXPECT_EQ(answer.status().code(), Code::kCancelled);
  EXPECT_LT(monotonicNow() - begin, 30 * kNsPerSecond);
}

TEST(HttpClient, ABodyBeyondTheLimitIsRefused) {
  const HttpServer server([](const std::string&, const HttpServer::Connection& to) { return to.answer(std::string(1'001, 'x')); });
  HttpClient client;
  EXPECT_EQ(client.request({.url = server.url("/"), .most_bytes = 1'000}).status().code(), Code::kResourceExhausted);
  EXPECT_EQ(client.request({.url = server.url("/"), .most_bytes = 1'001})->body.size(), 1'001U);
}

TEST(HttpClient, AFloodOfHeadersIsRefused) {
  const HttpServer server([](const std::string&, const HttpServer::Connection& to) {
    if (!to.send("HTTP/1.1 200 OK\r\n")) return false;
    const std::string header = "X-Flood: " + std::string(1'000, 'x') + "\r\n";
    for (int i = 0; i < 100'000; ++i)
      if (!to.send(header)) return false;
    return false;
  });
  HttpClient client;
  EXPECT_FALSE(client.request({.url = server.url("/")}).ok());
}

TEST(HttpClient, AnAnswerThatBreaksOffIsNone) {
  const HttpServer server([](const std::string&, const HttpServer::Connection& to) {
    to.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    return false;
  });
  HttpClient client;
  EXPECT_EQ(client.request({.url = server.url("/")}).status().code(), Code::kUnavailable);
}

TEST(ShownUrl, HasNoUserNoQueryAndNoFragment) {
  EXPECT_EQ(shownUrl("http://h:1/p?q=s#f"), "http://h:1/p");
  EXPECT_EQ(shownUrl("https://u:p@h/p"), "https://h/p");
  EXPECT_EQ(shownUrl("https://u:p@w@h"), "https://h");
  EXPECT_EQ(shownUrl("http://h/p@x"), "http://h/p@x");
  EXPECT_EQ(shownUrl("u:p@h?x"), "h");
  EXPECT_EQ(shownUrl(""), "");
  EXPECT_EQ(shownHost("https://u:p@h:1/services/T0/B0?x=y"), "https://h:1/...");
  EXPECT_EQ(shownHost("https://h"), "https://h");
  EXPECT_EQ(shownHost("h/p"), "h/...");
}

}  // namespace
}  // namespace runglass
