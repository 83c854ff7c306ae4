// SPDX-License-Identifier: Apache-2.0
// `runglassctl serve --receive`, killed with SIGKILL between and during requests: what was acknowledged is stored, and nothing twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <random>
#include <thread>

#include "net/http_client.h"
#include "storage/open_store.h"
#include "tests/collectors/hub/receivers/write_body.h"
#include "tests/support/process.h"
#include "tests/support/reserved_port.h"
#include "tests/support/seed.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::WriteBody;
using testing::IsEmpty;

class ReceivedHub : public testing::Test {
 protected:
  std::unique_ptr<test::Process> serve() {
    auto hub = std::make_unique<test::Process>(
        std::vector<std::string>{"runglassctl", "serve", "--store", m_store, "--listen", "127.0.0.1:0", "--receive", m_port.address()});
    EXPECT_THAT(hub->line(), testing::StartsWith("listening on "));
    EXPECT_EQ(hub->line(), "receiving on " + m_port.address());
    return hub;
  }
  // As a sender does: the same request until it is acknowledged.
  bool send(HttpClient& client, const std::string& packed) const {
    return static_cast<bool>(test::waitUntil([&] {
      const auto answer = client.request({.url = "http://" + m_port.address() + "/api/v1/write",
                                          .method = "POST",
                                          .headers = {"Content-Type: application/x-protobuf", "Content-Encoding: snappy"},
                                          .body = packed});
      return answer.ok() && answer->status == 204;
    }));
  }

  test::TempFolder m_folder;
  const std::string m_store = m_folder.file("s.rgl");
  const test::ReservedPort m_port;
};

TEST_F(ReceivedHub, KilledLosesNothingAcknowledgedAndStoresNothingTwice) {
  constexpr int kRounds = 12, kSeries = 20, kPerRequest = 3;
  std::mt19937_64 random(test::seed());
  auto hub = serve();
  std::atomic<bool> stop = false;
  const std::int64_t begin = wallNow() / kNsPerMs - 3'600'000;
  std::int64_t sent = 0;  // requests
  std::thread sender([&] {
    HttpClient client;
    for (; !stop; ++sent) {
      WriteBody body;
      for (int s = 0; s < kSeries; ++s) {
        WriteBody::Samples samples;
        for (int i = 0; i < kPerRequest; ++i)
          samples.emplace_back(begin + sent * kPerRequest + i, static_cast<double>(sent * kPerRequest + i));
        body.series({{"__name__", "number"}, {"instance", "n" + std::to_string(s) + ":9100"}, {"job", "test"}}, samples);
      }
      ASSERT_TRUE(send(client, body.packed()));
    }
  });
  for (int round = 0; round < kRounds; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + random() % 190));
    ASSERT_EQ(hub->end(SIGKILL), -SIGKILL);
    hub = serve();
  }
  stop = true;
  sender.join();
  ASSERT_EQ(hub->end(SIGTERM), 0);
  const auto reader = openStore(m_store).reader().value();
  EXPECT_THAT(reader->verify().value(), IsEmpty());
  EXPECT_THAT(reader->issues().value(), IsEmpty());
  const std::vector<Series> all = reader->series({.metric = "number"}).value();
  ASSERT_EQ(all.size(), static_cast<std::size_t>(kSeries));
  EXPECT_GT(sent, 100);
  for (const Series& series : all) {
    const SampleColumns columns = reader->samples(series.id, {}).value();
    ASSERT_EQ(columns.size(), static_cast<std::size_t>(sent * kPerRequest));
    for (std::size_t i = 0; i < columns.size(); ++i) ASSERT_EQ(columns.value[i], static_cast<double>(i));
  }
}

}  // namespace
}  // namespace runglass
