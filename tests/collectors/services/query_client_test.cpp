// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/prometheus/query_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/http_server.h"
#include "tests/support/reserved_port.h"

namespace runglass {
namespace {

using test::HttpServer;
using testing::HasSubstr;
using testing::Not;

constexpr TimeNs kAskedAt = 1'700'000'000 * kNsPerSecond;
constexpr const char* kNone = R"({"status":"success","data":{"resultType":"matrix","result":[]}})";

QueryClient clientOf(PrometheusAccess access) { return {std::move(access), {.timeout = 5 * kNsPerSecond, .first_pause = kNsPerMs}}; }

TEST(QueryClient, AsksByPostForRawSamplesOfAHalfOpenRangeWithHeadersAndAPathPrefix) {
  std::string seen;
  HttpServer server([&](const std::string& request, const HttpServer::Connection& to) {
    seen = request;
    return to.answer(
        R"({"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1699999999.999,"1"],[1700000000,"2"],[1700000059.999,"3"]]}]}})",
        "application/json");
  });
  QueryClient client = clientOf({.url = server.url("/select/0/prometheus"), .token = "t0ken", .headers = {"X-Scope-OrgID: a"}});
  const auto answer = client.samples("up{job=\"a b\"}", {kAskedAt, kAskedAt + 60 * kNsPerSecond});
  ASSERT_TRUE(answer.ok()) << answer.status().message();
  EXPECT_THAT(seen, HasSubstr("POST /select/0/prometheus/api/v1/query HTTP"));
  EXPECT_THAT(seen, HasSubstr("query=up%7Bjob%3D%22a%20b%22%7D%5B60000ms%5D&time=1700000059.999"));
  EXPECT_THAT(seen, HasSubstr("Authorization: Bearer t0ken"));
  EXPECT_THAT(seen, HasSubstr("X-Scope-OrgID: a"));
  EXPECT_THAT(answer->matrix.front().value, testing::ElementsAre(2.0, 3.0)) << "Prometheus 2 includes the begin of a range selector";
}

TEST(QueryClient, UserAndPasswordAreSentAsBasicAuthentication) {
  std::string seen;
  HttpServer server([&](const std::string& request, const HttpServer::Connection& to) {
    seen = request;
    return to.answer(kNone);
  });
  QueryClient client = clientOf({.url = server.url(""), .user = "ada", .password = "l0ve"});
  ASSERT_TRUE(client.samples("up", {kAskedAt, kAskedAt + kNsPerSecond}).ok());
  EXPECT_THAT(seen, HasSubstr("Authorization: Basic YWRhOmwwdmU="));
}

TEST(QueryClient, AnErrorNamesUrlStatusAndTheServersWords) {
  HttpServer server([](const std::string&, const HttpServer::Connection& to) {
    return to.answer(R"({"status":"error","errorType":"bad_data","error":"1:4: parse error: unexpected end of input"})", "application/json",
                     "400 Bad Request");
  });
  QueryClient client = clientOf({.url = server.url(""), .token = "t0ken"});
  const Status status = client.samples("up", {kAskedAt, kAskedAt + kNsPerSecond}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(status.message(),
            "prometheus: " + server.url("/api/v1/query") + ": HTTP 400: bad_data: 1:4: parse error: unexpected end of input");
}

TEST(QueryClient, APageOfAProxyIsQuotedInOneLine) {
  HttpServer server([](const std::string&, const HttpServer::Connection& to) {
    return to.answer("401 Authorization Required\n<html>", "text/html", "401 Unauthorized");
  });
  QueryClient client = clientOf({.url = server.url(""), .token = "t0ken"});
  const Status status = client.metricTypes().status();
  EXPECT_EQ(status.code(), Code::kPermissionDenied);
  EXPECT_THAT(status.message(), HasSubstr("HTTP 401: 401 Authorization Required"));
  EXPECT_THAT(status.message(), Not(HasSubstr("t0ken")));
}

TEST(QueryClient, OverloadIsAskedAgainAndALimitIsNot) {
  std::atomic<int> asked = 0;
  HttpServer server([&](const std::string&, const HttpServer::Connection& to) {
    const int n = asked++;
    if (n == 0) return to.answer("slow down", "text/plain", "429 Too Many Requests");
    if (n == 1) return to.answer("", "text/plain", "503 Service Unavailable");
    if (n == 2) return to.answer(kNone);
    return to.answer(R"({"status":"error","errorType":"execution","error":"query processing would load too many samples into memory"})",
                     "application/json", "422 Unprocessable Entity");
  });
  QueryClient client = clientOf({.url = server.url("")});
  EXPECT_TRUE(client.samples("up", {kAskedAt, kAskedAt + kNsPerSecond}).ok());
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(client.samples("up", {kAskedAt, kAskedAt + kNsPerSecond}).status().code(), Code::kResourceExhausted);
  EXPECT_EQ(asked, 4);
}

TEST(QueryClient, AServerThatIsNotThereIsReportedAtOnce) {
  const test::ReservedPort nobody;
  QueryClient client = {{.url = "http://" + nobody.address()}, {.timeout = kNsPerSecond, .first_pause = 3'600 * kNsPerSecond}};
  const Status status = client.metricTypes().status();
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("prometheus: GET http://" + nobody.address() + "/api/v1/metadata: "));
}

TEST(QueryClient, AConnectionThatBreaksIsTriedAgain) {
  std::atomic<int> asked = 0;
  HttpServer server([&](const std::string&, const HttpServer::Connection& to) {
    if (asked++ == 1) return false;
    return to.answer(kNone);
  });
  QueryClient client = clientOf({.url = server.url("")});
  EXPECT_TRUE(client.samples("up", {kAskedAt, kAskedAt + kNsPerSecond}).ok());
  EXPECT_TRUE(client.samples("up", {kAskedAt, kAskedAt + kNsPerSecond}).ok());
}

TEST(QueryClient, TextsAreQuotedForASelector) {
  EXPECT_EQ(quotedForQuery("a\"b\\c\n"), R"("a\"b\\c\n")");
  EXPECT_EQ(anyOfForQuery({"gpu-01:9400", "10.0.0.1:9400", "[::1]:9"}), R"("gpu-01:9400|10\\.0\\.0\\.1:9400|\\[::1\\]:9")");
}

}  // namespace
}  // namespace runglass
