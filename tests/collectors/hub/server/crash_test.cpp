// SPDX-License-Identifier: Apache-2.0
// Real processes, killed with SIGKILL at random moments: nothing acknowledged is lost, nothing is stored twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <fstream>
#include <numeric>
#include <random>
#include <thread>

#include "collectors/agent/agent.h"
#include "storage/open_store.h"
#include "storage/reader.h"
#include "tests/support/process.h"
#include "tests/support/reserved_port.h"
#include "tests/support/seed.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::Process;
using test::waitUntil;
using testing::IsEmpty;

class Crash : public testing::Test {
 protected:
  std::unique_ptr<Process> serve() {
    auto hub = std::make_unique<Process>(std::vector<std::string>{"runglassctl", "serve", "--store", store, "--listen", port.address()});
    EXPECT_EQ(hub->line(), "listening on " + port.address());
    return hub;
  }
  std::unique_ptr<Reader> read() const {
    auto reader = openStore(store).reader();
    EXPECT_TRUE(reader.ok()) << reader.status().message();
    return std::move(*reader);
  }
  std::vector<Issue> issues(const std::string& code) const {
    std::vector<Issue> found = *read()->issues();
    std::erase_if(found, [&](const Issue& issue) { return issue.code != code; });
    return found;
  }

  std::string spooled() const {
    std::string bytes;
    std::error_code not_yet;
    for (const auto& entry : std::filesystem::directory_iterator(dir.file("agent/spool"), not_yet)) {
      std::ifstream segment(entry.path(), std::ios::binary);
      bytes.append(std::istreambuf_iterator<char>(segment), {});
    }
    return bytes;
  }

  test::TempFolder dir;
  std::string store = dir.file("s.rgl");
  const test::ReservedPort port;
};

TEST_F(Crash, OfTheHubLosesNothingAcknowledgedAndStoresNothingTwice) {
  constexpr int kAgents = 2, kRounds = 20;
  std::mt19937_64 random(test::seed());
  auto hub = serve();
  std::vector<std::unique_ptr<Agent>> agents;
  std::vector<std::atomic<std::int64_t>> said(kAgents);
  std::atomic<bool> stop = false;
  std::vector<std::thread> speakers;
  agents.reserve(kAgents);  // the speakers hold references into it
  for (int i = 0; i < kAgents; ++i) {
    AgentOptions options;
    options.link.hub = port.address();
    options.link.first_pause = 5 * kNsPerMs;
    options.link.longest_pause = 20 * kNsPerMs;
    options.seal_every = 2 * kNsPerMs;
    options.state_dir = dir.file("a" + std::to_string(i));
    options.node = {.uuid = "u" + std::to_string(i), .name = "n" + std::to_string(i)};
    auto agent = Agent::start(std::move(options));
    ASSERT_TRUE(agent.ok()) << agent.status().message();
    agents.push_back(std::move(*agent));
    speakers.emplace_back([&, i] {
      Recorder& out = agents[static_cast<std::size_t>(i)]->recorder();
      const NodeId node = out.node(agents[static_cast<std::size_t>(i)]->node());
      const SeriesId numbers = out.series({.node = node, .metric = "number"});
      const RunId run = out.run({.name = "r" + std::to_string(i)});
      const SeriesId loss = out.series({.attempt = out.attempt({.run = run}), .metric = "loss", .kind = SeriesKind::kScalar});
      for (std::int64_t n = 0; !stop; said[static_cast<std::size_t>(i)] = ++n) {
        out.sample(numbers, agents[static_cast<std::size_t>(i)]->now(), static_cast<double>(n));
        out.scalar(loss, n, std::nullopt, static_cast<double>(n));
        out.event({.time = agents[static_cast<std::size_t>(i)]->now(), .node = node, .kind = "tick", .code = std::to_string(n)});
        // New definitions all the time: the dictionary must survive as well.
        if (n % 50 == 0)
          out.sample(out.series({.node = node, .metric = "fresh", .labels = std::to_string(n)}), agents[static_cast<std::size_t>(i)]->now(),
                     1);
        if (n % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  for (int round = 0; round < kRounds; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + random() % 190));
    ASSERT_EQ(hub->end(SIGKILL), -SIGKILL);
    hub = serve();
  }
  EXPECT_TRUE(waitUntil([&] { return std::ranges::all_of(said, [](const auto& count) { return count > 1'000; }); }));
  stop = true;
  for (std::thread& speaker : speakers) speaker.join();
  for (const auto& agent : agents) EXPECT_TRUE(agent->stop(60 * kNsPerSecond));
  ASSERT_EQ(hub->end(SIGTERM), 0);

  const auto reader = read();
  EXPECT_THAT(*reader->verify(), IsEmpty());
  EXPECT_THAT(issues("wire.gap"), IsEmpty());
  EXPECT_THAT(issues("wire.unknown_id"), IsEmpty());
  EXPECT_THAT(issues("wire.bad_payload"), IsEmpty());
  const std::vector<Node> nodes = *reader->nodes();
  std::int64_t total = 0, fresh = 0;
  for (int i = 0; i < kAgents; ++i) {
    const std::int64_t count = said[static_cast<std::size_t>(i)];
    total += count;
    fresh += (count + 49) / 50;
    std::vector<double> expected(static_cast<std::size_t>(count));
    std::iota(expected.begin(), expected.end(), 0.0);
    const NodeId node = std::find_if(nodes.begin(), nodes.end(), [&](const Node& n) { return n.uuid == "u" + std::to_string(i); })->id;
    const std::vector<Series> numbers = *reader->series({.node = node, .metric = "number"});
    ASSERT_EQ(numbers.size(), 1U);
    EXPECT_TRUE(reader->samples(numbers[0].id, {})->value == expected) << "agent " << i;
  }
  const std::vector<Series> losses = *reader->series({.metric = "loss"});
  std::int64_t points = 0;
  for (const Series& loss : losses) points += loss.sample_count;
  EXPECT_EQ(points, total);
  EXPECT_EQ(static_cast<std::int64_t>(reader->series({.metric = "fresh"})->size()), fresh);
  std::int64_t ticks = 0;
  const std::vector<Event> events = *reader->events({.limit = 10'000'000});
  for (const Event& event : events) ticks += event.kind == "tick" ? 1 : 0;
  EXPECT_EQ(ticks, total);
}

TEST_F(Crash, OfAnAgentKeepsItsSpoolAndTellsTheGap) {
  const std::vector<std::string> command = {"runglass-agent", "--hub", port.address(), "--state-dir", dir.file("agent")};
  {
    Process agent(command);  // no hub yet: its data goes to the spool
    // The metric's definition, then the record of its first sample, then more: the last record will be torn.
    ASSERT_TRUE(waitUntil([&, before = std::size_t{0}, growths = 0]() mutable {
      const std::string now = spooled();
      return now.find("load_1m") != std::string::npos && now.size() > std::exchange(before, now.size()) && ++growths == 4;
    }));
    ASSERT_EQ(agent.end(SIGKILL), -SIGKILL);
  }
  const TimeNs killed = wallNow();
  // A torn record at the end, as after a power cut.
  std::string segment;
  for (const auto& entry : std::filesystem::directory_iterator(dir.file("agent/spool"))) segment = entry.path();
  ASSERT_FALSE(segment.empty());
  std::filesystem::resize_file(segment, std::filesystem::file_size(segment) - 3);

  auto hub = serve();
  {
    Process agent(command);
    ASSERT_TRUE(waitUntil([&] {
      const std::vector<Series> series = *read()->series({.metric = "load_1m"});
      return !series.empty() && series[0].last_x > killed;
    }));
    EXPECT_EQ(agent.end(SIGTERM), 0);
  }
  ASSERT_EQ(hub->end(SIGTERM), 0);
  const auto reader = read();
  EXPECT_THAT(*reader->verify(), IsEmpty());
  EXPECT_EQ(issues("agent.unclean_end").size(), 1U);
  EXPECT_EQ(issues("agent.spool_damaged").size(), 1U);
  const std::vector<Series> series = *reader->series({.metric = "load_1m"});
  ASSERT_FALSE(series.empty());
  const std::vector<TimeNs> times = reader->samples(series[0].id, {})->time;
  ASSERT_FALSE(times.empty());
  EXPECT_LT(times.front(), killed) << "what was spooled before the kill is there";
  EXPECT_GT(times.back(), killed);
}

TEST_F(Crash, TwoHubsCannotShareAPortOrAStore) {
  auto hub = serve();
  Process same_port({"runglassctl", "serve", "--store", dir.file("other.rgl"), "--listen", port.address()});
  EXPECT_EQ(same_port.line(), "");
  EXPECT_EQ(same_port.end(0), 1);
  Process same_store({"runglassctl", "serve", "--store", store, "--listen", "127.0.0.1:0"});
  EXPECT_EQ(same_store.line(), "");
  EXPECT_EQ(same_store.end(0), 1);
  EXPECT_EQ(hub->end(SIGTERM), 0);
}

}  // namespace
}  // namespace runglass
