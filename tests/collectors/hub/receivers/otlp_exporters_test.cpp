// SPDX-License-Identifier: Apache-2.0
// OpenTelemetry's JavaScript exporters send to `runglassctl serve --receive`, or `--receive-grpc`, which is killed meanwhile: everything is
// stored once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "storage/open_store.h"
#include "tests/support/process.h"
#include "tests/support/program.h"
#include "tests/support/reserved_port.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

// The folder with the exporters, which ./dev fetches; "" where it could not.
std::string fetchedExporters() {
  const std::string folder = RG_SOURCE_DIR "/build/otlp_exporters";
  return std::filesystem::exists(folder) ? folder : "";
}

class OtlpExporters : public testing::TestWithParam<const char*> {
 protected:
  std::unique_ptr<test::Process> serve() {
    auto hub =
        std::make_unique<test::Process>(std::vector<std::string>{"runglassctl", "serve", "--store", m_store, "--listen", "127.0.0.1:0",
                                                                 m_grpc ? "--receive-grpc" : "--receive", m_receive.address()});
    (void)hub->line();
    EXPECT_EQ(hub->line(), (m_grpc ? "receiving OTLP/gRPC on " : "receiving on ") + m_receive.address());
    return hub;
  }
  int sent() const {
    std::ifstream log(m_folder.file("log"));
    int rounds = 0;
    for (std::string line; std::getline(log, line);) rounds += line.starts_with("sent ") ? 1 : 0;
    return rounds;
  }

  const bool m_grpc = std::string(GetParam()) == "grpc";
  test::TempFolder m_folder;
  const std::string m_store = m_folder.file("s.rgl");
  const test::ReservedPort m_receive;
};

TEST_P(OtlpExporters, LoseNothingAndDoubleNothingWhenTheHubIsKilled) {
  const std::string folder = fetchedExporters();
  if (folder.empty()) GTEST_SKIP() << "no exporters of OpenTelemetry (tests/otlp); ./dev test fetches them with npm";
  constexpr int kRounds = 150, kKills = 10, kSpans = 5;
  auto hub = serve();
  Program sender({"node", folder + "/sender.mjs", "http://" + m_receive.address(), GetParam(), std::to_string(kRounds)},
                 m_folder.file("log"));
  for (int kill = 1; kill <= kKills; ++kill) {
    const int reached = kill * kRounds / (kKills + 2);
    ASSERT_TRUE(test::waitUntil([&] { return sent() >= reached; }));
    ASSERT_EQ(hub->end(SIGKILL), -SIGKILL);
    hub = serve();
  }
  ASSERT_EQ(sender.wait(), 0);
  ASSERT_EQ(sent(), kRounds);
  ASSERT_EQ(hub->end(SIGTERM), 0);

  const auto reader = openStore(m_store).reader().value();
  EXPECT_THAT(reader->verify().value(), IsEmpty());
  // The clock of JavaScript has milliseconds: its spans overlap.
  for (const Issue& issue : reader->issues().value()) EXPECT_EQ(issue.code, "spans.overlap") << issue.detail;
  const auto runs = reader->runs().value();
  ASSERT_THAT(runs, SizeIs(1));
  EXPECT_EQ(runs[0].name, "otel");
  const auto attempts = reader->attempts(runs[0].id).value();
  ASSERT_THAT(attempts, SizeIs(1));
  for (const char* metric : {"delta", "cumulative", "exponential_count", "explicit_count"}) {
    const auto series = reader->series({.metric = metric}).value();
    ASSERT_THAT(series, SizeIs(1)) << metric;
    EXPECT_EQ(series[0].key.rank, 2);
    const SampleColumns columns = reader->samples(series[0].id, {}).value();
    ASSERT_THAT(columns.value, SizeIs(kRounds)) << metric;
    for (std::size_t i = 0; i < columns.size(); ++i) ASSERT_EQ(columns.value[i], static_cast<double>(i + 1)) << metric;
  }
  std::multiset<std::string> spans;
  for (const Track& track : reader->tracks(attempts[0].id).value()) {
    EXPECT_EQ(track.key.kind, "role");
    const SpanColumns columns = reader->spans(track.id, {}).value();
    for (const std::uint32_t name : columns.name) {
      EXPECT_TRUE(columns.names[name].starts_with(track.key.name));
      spans.insert(columns.names[name]);
    }
  }
  EXPECT_THAT(spans, SizeIs(kRounds * kSpans));
  EXPECT_THAT((std::set<std::string>(spans.begin(), spans.end())), SizeIs(kRounds * kSpans)) << "stored twice";
  std::multiset<std::string> lines;
  for (const LogLine& line : reader->logs({}).value()) lines.insert(line.text.substr(0, line.text.find(" round=")));
  EXPECT_THAT(lines, SizeIs(kRounds));
  EXPECT_THAT((std::set<std::string>(lines.begin(), lines.end())), SizeIs(kRounds));
}

INSTANTIATE_TEST_SUITE_P(Encodings, OtlpExporters, testing::Values("json", "proto", "grpc"),
                         [](const auto& param) { return std::string(param.param); });

}  // namespace
}  // namespace runglass
