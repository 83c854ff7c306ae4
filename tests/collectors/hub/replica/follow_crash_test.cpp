// SPDX-License-Identifier: Apache-2.0
// Real processes, killed with SIGKILL at random moments: the replica has all data of the hub, once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <thread>

#include "collectors/agent/agent.h"
#include "collectors/hub/server/hub.h"
#include "collectors/wire/payload_replay.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/collectors/hub/feed/store_text.h"
#include "tests/support/process.h"
#include "tests/support/reserved_port.h"
#include "tests/support/seed.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

using test::Process;

std::vector<std::string> textOf(const std::string& store) {
  // Stores the data that a killed writer left in its journal.
  EXPECT_TRUE(mustRead(openStore(store).writer({.replay = makeJournalReplay()}))->close().ok());
  const auto reader = mustRead(openStore(store).reader());
  EXPECT_THAT(*reader->verify(), testing::IsEmpty());
  return storeText(*reader);
}

TEST(FollowCrash, NothingIsLostOrDoubledWhenHubAndCopyAreKilledAgainAndAgain) {
  const char* wanted = std::getenv("RG_CRASH_ROUNDS");
  const int rounds = wanted == nullptr ? 4 : std::atoi(wanted);
  const test::TempFolder dir;
  const test::ReservedPort port;
  const std::string there = dir.file("there.rgl"), here = dir.file("here.rgl"), hub = port.address();
  const std::vector<std::string> serve = {"runglassctl", "serve", "--store", there, "--listen", hub};
  const std::vector<std::string> follow = {"runglassctl", "follow", "--store", here, "--from", hub};

  AgentOptions options;
  options.link.hub = hub;
  options.link.first_pause = 20 * kNsPerMs;
  options.link.longest_pause = 200 * kNsPerMs;
  options.seal_every = 5 * kNsPerMs;
  options.state_dir = dir.file("agent");
  options.node = {.uuid = "n1", .name = "n1"};
  const auto agent = mustRead(Agent::start(options));
  Recorder& recorder = agent->recorder();
  const AttemptId attempt =
      recorder.attempt({.run = recorder.run({.name = "job", .time_domain = TimeDomain::kUtc, .state = RunState::kRunning}), .key = "0"});
  const SeriesId loss = recorder.series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
  std::vector<SeriesId> parts;
  for (std::int32_t rank = 0; rank < 16; ++rank)
    parts.push_back(
        recorder.series({.attempt = attempt, .rank = rank, .metric = "step_part_ns", .unit = "ns", .kind = SeriesKind::kScalar}));

  std::mt19937_64 random(test::seed());
  auto hub_process = std::make_unique<Process>(serve);
  ASSERT_THAT(hub_process->line(), testing::StartsWith("listening"));
  auto copy = std::make_unique<Process>(follow);
  std::int64_t step = 0;
  for (int round = 0; round < rounds; ++round) {
    const int ticks = 20 + static_cast<int>(random() % 40);
    for (int tick = 0; tick < ticks; ++tick, ++step) {
      const TimeNs now = agent->now();
      recorder.scalar(loss, step, now, 3.0 / static_cast<double>(step + 1));
      for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        recorder.scalar(parts[rank], step - (random() % 50 == 0 ? 5 : 0), now, static_cast<double>(random() % 1'000'000));
        recorder.progress(
            {.attempt = attempt, .rank = static_cast<std::int32_t>(rank), .time = now, .step = step, .phase = "steady", .op = "forward"});
      }
      if (tick % 10 == 0) recorder.event({.time = now, .attempt = attempt, .kind = "note", .message = "step " + std::to_string(step)});
      if (tick % 7 == 0) recorder.log({.time = now, .attempt = attempt, .stream = "stdout", .text = "step " + std::to_string(step)});
      (void)recorder.flush();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (round % 2 == 0) {
      copy->end(SIGKILL);
      copy = std::make_unique<Process>(follow);
    } else {
      hub_process->end(SIGKILL);
      hub_process = std::make_unique<Process>(serve);
      ASSERT_THAT(hub_process->line(), testing::StartsWith("listening"));
    }
  }
  EXPECT_TRUE(agent->stop(60 * kNsPerSecond));
  copy->end(SIGKILL);
  hub_process->end(SIGKILL);
  // A hub without analyses: its store does not grow while the rest is replicated.
  {
    const auto quiet = mustRead(Hub::start(there, {.listen = hub}));
    std::vector<std::string> once = follow;
    once.push_back("--once");
    for (int i = 0; i < 2; ++i) EXPECT_EQ(Process(once).end(0), 0);
    EXPECT_TRUE(quiet->stop().ok());
  }

  const std::vector<std::string> source = textOf(there), mirrored = textOf(here);
  std::vector<std::string> lacks, extra;
  std::ranges::set_difference(source, mirrored, std::back_inserter(lacks));
  std::ranges::set_difference(mirrored, source, std::back_inserter(extra));
  EXPECT_GT(source.size(), static_cast<std::size_t>(step) * 16);
  EXPECT_THAT(std::vector(lacks.begin(), lacks.begin() + std::min<std::ptrdiff_t>(6, std::ssize(lacks))), testing::IsEmpty());
  EXPECT_THAT(std::vector(extra.begin(), extra.begin() + std::min<std::ptrdiff_t>(6, std::ssize(extra))), testing::IsEmpty());
}

}  // namespace
}  // namespace runglass
