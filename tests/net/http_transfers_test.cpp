// SPDX-License-Identifier: Apache-2.0
#include "net/http_transfers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/http_server.h"

namespace runglass {
namespace {

using test::HttpServer;

void driveUntil(HttpTransfers& http, const std::function<bool()>& done) {
  const DurNs end = monotonicNow() + 30 * kNsPerSecond;
  while (!done() && monotonicNow() < end) http.drive(10 * kNsPerMs);
}

TEST(HttpTransfers, ThoseThatAnswerAreNotHeldUpByThoseThatHang) {
  const HttpServer server([](const std::string& request, const HttpServer::Connection& to) {
    if (request.starts_with("GET /hang ")) {
      to.hang();
      return false;
    }
    return to.answer("ok");
  });
  HttpTransfers http;
  std::map<Code, int> hung;
  int answered = 0;
  for (int i = 0; i < 50; ++i)
    http.start(
        {.url = server.url("/hang"), .timeout = 20 * kNsPerSecond}, [](const HttpAnswer&, std::string_view) { return true; },
        [&](const Result<HttpAnswer>& answer) { ++hung[answer.status().code()]; });
  for (int i = 0; i < 50; ++i) {
    auto body = std::make_shared<std::string>();
    http.start(
        {.url = server.url("/")},
        [body](const HttpAnswer& head, std::string_view piece) {
          EXPECT_EQ(head.status, 200);
          body->append(piece);
          return true;
        },
        [&, body](const Result<HttpAnswer>& answer) { answered += answer.ok() && *body == "ok" ? 1 : 0; });
  }
  driveUntil(http, [&] { return answered == 50; });
  EXPECT_EQ(answered, 50);
  EXPECT_TRUE(hung.empty());
  EXPECT_EQ(http.running(), 50U);
}

TEST(HttpTransfers, AReceiverThatWantsNoMoreEndsAnEndlessAnswer) {
  std::atomic<bool> cut = false;
  const HttpServer server([&](const std::string&, const HttpServer::Connection& to) {
    to.send("HTTP/1.1 200 OK\r\n\r\n");
    while (to.send(std::string(65'536, 'x'))) continue;
    cut = true;
    return false;
  });
  HttpTransfers http;
  Code code = Code::kOk;
  http.start(
      {.url = server.url("/")}, [](const HttpAnswer&, std::string_view) { return false; },
      [&](const Result<HttpAnswer>& answer) { code = answer.status().code(); });
  driveUntil(http, [&] { return code != Code::kOk && cut; });
  EXPECT_EQ(code, Code::kCancelled);
  EXPECT_TRUE(cut);
  EXPECT_EQ(http.running(), 0U);
}

TEST(HttpTransfers, ACallbackMayStartTheNextRequest) {
  const HttpServer server([](const std::string&, const HttpServer::Connection& to) { return to.answer("ok"); });
  HttpTransfers http;
  int left = 5;
  std::function<void()> next = [&] {
    http.start(
        {.url = server.url("/")}, [](const HttpAnswer&, std::string_view) { return true; },
        [&](const Result<HttpAnswer>& answer) {
          EXPECT_TRUE(answer.ok());
          if (--left > 0) next();
        });
  };
  next();
  driveUntil(http, [&] { return left == 0; });
  EXPECT_EQ(left, 0);
}

TEST(HttpTransfers, WakeEndsAWaitFromAnotherThread) {
  HttpTransfers http;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    http.wake();
  });
  const DurNs begin = monotonicNow();
  http.drive(50 * kNsPerSecond);
  other.join();
  EXPECT_LT(monotonicNow() - begin, 20 * kNsPerSecond);
}

}  // namespace
}  // namespace runglass
