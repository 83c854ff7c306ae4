// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/client/client_source.h"

#include <fcntl.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "collectors/sources/client/stray_stacks.h"
#include "model/issue_catalog.h"
#include "model/metric_catalog.h"
#include "model/rank_order.h"
#include "tests/collectors/client/local_agent.h"

namespace runglass::test {
namespace {

using Agent = LocalAgent;

TEST(ClientSource, TellsRunAttemptRankAndLayout) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    rg_options options = RG_OPTIONS_INIT;
    options.run = "gpt";
    options.attempt = "job=1";
    options.dir = dir.path().c_str();
    options.framework = "mine";
    options.rank = 6, options.world = 8, options.local_rank = 2;
    rg_init(&options);
    rg_layout(2, 2, 2, 1, 1, 1, nullptr);
    rg_shutdown(nullptr);
  });
  Agent agent(dir);
  agent.pollUntilEnd();
  ASSERT_EQ(agent.out.runs.size(), 1u);
  EXPECT_EQ(agent.out.runs[0].name, "gpt");
  EXPECT_EQ(agent.out.runs[0].framework, "mine");
  ASSERT_EQ(agent.out.attempts.size(), 1u);
  EXPECT_EQ(agent.out.attempts[0].key, "job=1");
  EXPECT_EQ(agent.out.attempts[0].layout, (Layout{.world = 8, .tp = 2, .pp = 2, .dp = 2, .cp = 1, .ep = 1, .vpp = 1}));
  const Rank& rank = agent.out.ranks.back();
  EXPECT_EQ(rank.rank, 6);
  EXPECT_EQ(rank.local_rank, 2);
  EXPECT_EQ(rank.pid, trainer.pid());
  EXPECT_EQ(rank.tp, 0);
  EXPECT_EQ(rank.dp, 1);
  EXPECT_EQ(rank.pp, 1);
  EXPECT_TRUE(std::filesystem::is_empty(dir.path())) << "a ring that was read to its end goes away";
}

// Runs the source with a configuration, up to the time at which a ring in each of `dirs` would have been read.
std::vector<std::string> runsReadBy(const std::string& config, const char* runglass_dir, const std::string& runtime_dir,
                                    const std::string& root) {
  if (runglass_dir != nullptr) setenv("RUNGLASS_DIR", runglass_dir, 1);
  setenv("XDG_RUNTIME_DIR", runtime_dir.c_str(), 1);
  MemoryRecorder out;
  const toml::table table = toml::parse(config);
  SourceContext context;
  context.node = {.uuid = "node-uuid", .name = "n0"};
  context.now = [] { return wallNow(); };
  context.config = &table;
  context.root = root + "/";
  const auto source = makeClientSource();
  EXPECT_TRUE(source->start(out, context).ok());
  TimeNs now = wallNow();
  for (int i = 0; i < 3; ++i) source->poll(out, now += kNsPerSecond);
  unsetenv("RUNGLASS_DIR");
  unsetenv("XDG_RUNTIME_DIR");
  std::vector<std::string> runs;
  for (const Run& run : out.runs)
    if (run.name == "ours" || run.name == "foreign") runs.push_back(run.name);
  std::ranges::sort(runs);
  runs.erase(std::ranges::unique(runs).begin(), runs.end());
  return runs;
}

TEST(ClientSource, AnAgentOfOneRunLeavesTheRingsOfOthersAlone) {
  const RingDirectory ours, runtime, root;
  const std::string foreign = runtime.path() + "/runglass";
  std::filesystem::create_directory(foreign);
  int ready[2] = {-1, -1};
  ASSERT_EQ(pipe(ready), 0);
  const auto train = [&](const char* run, const std::string& dir) {
    rg_options options = RG_OPTIONS_INIT;
    options.run = run;
    options.attempt = "a";
    options.dir = dir.c_str();
    options.rank = 0, options.world = 1;
    if (rg_init(&options) != 0) _exit(3);
    rg_step_begin(1);
    rg_step_end();
    (void)!write(ready[1], "x", 1);
    pause();
  };
  const TrainerProcess one([&] { train("ours", ours.path()); }), other([&] { train("foreign", foreign); });
  char byte = 0;
  for (int i = 0; i < 2; ++i) ASSERT_EQ(read(ready[0], &byte, 1), 1);
  close(ready[0]), close(ready[1]);
  EXPECT_THAT(runsReadBy("", ours.path().c_str(), runtime.path(), root.path()), testing::ElementsAre("ours"))
      << "RUNGLASS_DIR names the run";
  EXPECT_THAT(runsReadBy("", nullptr, runtime.path(), root.path()), testing::ElementsAre("foreign")) << "without it: those of the user";
  EXPECT_THAT(runsReadBy("dirs = ['" + ours.path() + "']", foreign.c_str(), runtime.path(), root.path()), testing::ElementsAre("ours"));
  EXPECT_THAT(runsReadBy("users = 'all'", ours.path().c_str(), runtime.path(), root.path()), testing::ElementsAre("foreign", "ours"));
}

TEST(ClientSource, ReadsTheRingsOfOtherUsersOnlyAsRootAndWhereConfigured) {
  if (getuid() != 0) GTEST_SKIP() << "only root can read the rings of other users";
  const RingDirectory runtime, root;
  // The folder that the library of user 65533 uses.
  const std::string theirs = root.path() + "/dev/shm/runglass-65533";
  std::filesystem::create_directories(theirs);
  int ready[2] = {-1, -1};
  ASSERT_EQ(pipe(ready), 0);
  const TrainerProcess trainer([&] {
    rg_options options = RG_OPTIONS_INIT;
    options.run = "foreign";
    options.attempt = "a";
    options.dir = theirs.c_str();
    if (rg_init(&options) != 0) _exit(3);
    (void)!write(ready[1], "x", 1);
    pause();
  });
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  close(ready[0]), close(ready[1]);
  EXPECT_THAT(runsReadBy("", nullptr, runtime.path(), root.path()), testing::IsEmpty());
  EXPECT_THAT(runsReadBy("users = 'all'", nullptr, runtime.path(), root.path()), testing::ElementsAre("foreign"));
}

TEST(ClientSource, SaysWhichUsersThereAreToChooseFrom) {
  const toml::table table = toml::parse("users = 'everybody'");
  SourceContext context;
  context.config = &table;
  MemoryRecorder out;
  EXPECT_THAT(makeClientSource()->start(out, context).message(), testing::HasSubstr("must be own or all"));
}

TEST(ClientSource, TurnsStepsPartsAndValuesIntoSeries) {
  RingDirectory dir;
  const TimeNs before = wallNow();
  TrainerProcess trainer([&] {
    initIn(dir, "gpt", 0, 1);
    for (int step = 0; step < 12; ++step) {
      rg_step_begin(step);
      rg_span_begin("data", RG_DATALOAD, RG_PART_DATA, RG_NONE, RG_NONE, RG_NONE, RG_NONE);
      usleep(1000);
      rg_span_end();
      rg_span_begin("forward", RG_COMPUTE, RG_PART_FORWARD, 3, RG_NONE, RG_NONE, RG_NONE);
      const std::int64_t until = rg_now() + 1'000'000;
      while (rg_now() < until) {
      }
      rg_span_begin("all_reduce", RG_COMM, RG_PART_COMMUNICATION, RG_NONE, 7, step, 4096);
      usleep(2000);
      rg_span_end();
      rg_span_end();
      rg_part("other", 5, RG_NONE);
      rg_data_range("books", step * 10, step * 10 + 10);
      rg_scalar("loss", RG_NONE, 2.5);
      rg_scalar("my metric", RG_NONE, -1);
      rg_rank_scalar("tokens_per_s", step, 100);
      rg_step_end();
    }
    rg_scalar("nowhere", RG_NONE, 1);
  });
  Agent agent(dir);
  agent.pollUntilEnd();
  const MemoryRecorder& out = agent.out;
  const ScalarColumns steps = out.scalarsOf("step_time_ns", 0);
  ASSERT_EQ(steps.size(), 12u);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(steps.step[i], static_cast<std::int64_t>(i));
    EXPECT_GE(steps.time[i], before - kNsPerSecond);
    EXPECT_GE(steps.value[i], 4e6);
  }
  EXPECT_THAT(out.scalarsOf("step_phase", 0).value, testing::ElementsAre(0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2));
  EXPECT_EQ(out.scalarsOf("step_cpu_ns", 0).size(), 12u);
  const auto part = [&](const char* metric, const char* name) {
    const ScalarColumns columns = out.scalarsOf(metric, 0, std::string("{\"part\":\"") + name + "\"}");
    return columns.size() == 12 ? columns.value[5] : -1;
  };
  EXPECT_GE(part("step_part_ns", "data"), 1e6);
  EXPECT_GE(part("step_part_ns", "communication"), 2e6);
  EXPECT_GE(part("step_part_ns", "forward"), 1e6);
  // The all-reduce inside the forward pass counts once, as communication: parts add up to no more than the step.
  for (std::size_t i = 0; i < 12; ++i) {
    double sum = 0;
    for (const char* name : {"data", "communication", "forward"})
      sum += out.scalarsOf("step_part_ns", 0, std::string("{\"part\":\"") + name + "\"}").value[i];
    EXPECT_LE(sum, steps.value[i]);
  }
  EXPECT_GE(part("step_part_wait_ns", "communication"), 1e6);
  EXPECT_EQ(part("step_part_wait_ns", "forward"), -1) << "nobody measured what a forward pass waits";
  EXPECT_EQ(part("step_part_ns", "other"), 5);
  EXPECT_EQ(out.scalarsOf("data_range_first", 0, "{\"source\":\"books\"}").value[4], 40);
  EXPECT_EQ(out.scalarsOf("loss", std::nullopt, "{\"canonical\":\"loss\"}").value, std::vector<double>(12, 2.5));
  EXPECT_EQ(out.scalarsOf("my metric", std::nullopt, "").size(), 12u);
  EXPECT_EQ(out.scalarsOf("tokens_per_s", 0, "{\"canonical\":\"tokens_per_s\"}").size(), 12u);
  EXPECT_EQ(out.issueCount("client.no_step"), 1);
  for (const auto& [id, key] : out.series_keys) {
    if (key.metric.starts_with("step_") || key.metric.starts_with("run_")) {
      EXPECT_NE(findMetric(key.metric), nullptr) << key.metric;
    }
  }
}

TEST(ClientSource, PutsSpansOnTracksWithAllTheyCarry) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    initIn(dir);
    rg_step_begin(41);
    rg_span_begin("forward", RG_COMPUTE, RG_PART_FORWARD, 2, RG_NONE, RG_NONE, RG_NONE);
    rg_span_begin("all_reduce", RG_COMM, RG_PART_COMMUNICATION, RG_NONE, 7, 99, 1 << 20);
    rg_span_end();
    rg_span_end();
    rg_span(rg_track("gpu_stream", "stream 7"), "kernel", RG_COMPUTE, rg_now() - 1000, 500, RG_NONE, RG_NONE, RG_NONE, RG_NONE);
    rg_step_end();
  });
  Agent agent(dir);
  agent.pollUntilEnd();
  std::map<std::string, SpanColumns> by_track;
  for (const auto& [id, key] : agent.out.track_keys)
    for (const SpanColumns& batch : agent.out.span_batches[id]) by_track[key.kind + "/" + key.name] = batch;
  const SpanColumns& main = by_track["thread/main"];
  ASSERT_EQ(main.size(), 2u);  // in the order they ended
  EXPECT_EQ(main.names[main.name[0]], "all_reduce");
  EXPECT_EQ(main.category[0], SpanCategory::kComm);
  EXPECT_EQ(main.depth[0], 1);
  EXPECT_EQ(main.step[0], 41);
  EXPECT_EQ(main.microbatch[0], 2) << "nested work belongs to the micro-batch around it";
  EXPECT_EQ(main.group[0], 7);
  EXPECT_EQ(main.seq[0], 99);
  EXPECT_EQ(main.bytes[0], 1 << 20);
  EXPECT_EQ(main.names[main.name[1]], "forward");
  EXPECT_EQ(main.group[1], kAbsent);
  EXPECT_LE(main.start[1], main.start[0]);
  EXPECT_GE(main.start[1] + main.dur[1], main.start[0] + main.dur[0]);
  const SpanColumns& stream = by_track["gpu_stream/stream 7"];
  ASSERT_EQ(stream.size(), 1u);
  EXPECT_EQ(stream.dur[0], 500);
}

TEST(ClientSource, ShowsWhatAKilledRankWasDoing) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    initIn(dir, "gpt", 3, 8);
    rg_phase(RG_PHASE_STEADY);
    rg_step_begin(17);
    rg_span_begin("all_reduce", RG_COMM, RG_PART_COMMUNICATION, 1, 5, 1234, 64);
    raise(SIGKILL);
  });
  trainer.wait();
  Agent agent(dir);  // starts after the trainer's death
  agent.pollUntilEnd();
  ASSERT_FALSE(agent.out.progresses.empty());
  const Progress& last = agent.out.progresses.back();
  EXPECT_EQ(last.rank, 3);
  EXPECT_EQ(last.step, 17);
  EXPECT_EQ(last.microbatch, 1);
  EXPECT_EQ(last.group, 5);
  EXPECT_EQ(last.seq, 1234);
  EXPECT_EQ(last.op, "all_reduce");
  EXPECT_EQ(last.phase, "steady");
  EXPECT_TRUE(last.since.has_value());
  EXPECT_EQ(agent.out.events.back().kind, "process_exit");
  EXPECT_EQ(agent.out.events.back().severity, Severity::kError);
  EXPECT_EQ(agent.out.runs[0].state, RunState::kFailed);
}

TEST(ClientSource, TellsAnOrderlyEndFromAnExit) {
  for (const bool orderly : {true, false}) {
    RingDirectory dir;
    TrainerProcess trainer([&] {
      initIn(dir);
      if (orderly) rg_shutdown("out of steps");
    });
    trainer.wait();
    Agent agent(dir);
    agent.pollUntilEnd();
    EXPECT_EQ(agent.out.runs[0].state, RunState::kFinished);
    EXPECT_EQ(agent.out.attempts[0].end_cause, orderly ? "out of steps" : "exited");
    EXPECT_EQ(agent.out.events.back().severity, Severity::kInfo);
  }
}

TEST(ClientSource, BlamesTheRankThatVanishedNotThoseThatFellOverIt) {
  RingDirectory dir;
  std::vector<std::unique_ptr<TrainerProcess>> trainers;
  for (const int rank : {0, 1, 2, 3}) {
    trainers.push_back(std::make_unique<TrainerProcess>([&] {
      initIn(dir, "gpt", rank, 4);
      while (!std::filesystem::exists(dir.path() + "/go")) usleep(1000);
      if (rank == 2) raise(SIGKILL);
      rg_shutdown(rank == 3 ? "terminated" : "exception: RuntimeError: connection closed by peer");
    }));
  }
  Agent agent(dir);
  agent.pollUntil([&] { return agent.out.ranks.size() == 4; });
  EXPECT_EQ(agent.out.runs[0].state, RunState::kRunning);
  std::ofstream(dir.path() + "/go") << "go";
  agent.pollUntilEnd(4);
  ASSERT_EQ(agent.out.attempts.size(), 1u);
  EXPECT_EQ(agent.out.attempts[0].end_cause, "rank 2 is gone without a word (killed or crashed)");
  EXPECT_EQ(agent.out.runs[0].state, RunState::kFailed);
}

TEST(ClientSource, KeepsReportingThatALiveRankStillDoesTheSame) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    initIn(dir);
    rg_step_begin(1);
    rg_span_begin("recv", RG_COMM, RG_PART_COMMUNICATION, RG_NONE, RG_NONE, RG_NONE, RG_NONE);
    pause();
  });
  Agent agent(dir);
  agent.pollUntil([&] { return agent.out.progresses.size() >= 3; });
  EXPECT_EQ(agent.out.progresses.back().op, "recv");
  EXPECT_GT(agent.out.progresses.back().time, agent.out.progresses.front().time);
}

TEST(ClientSource, ARankOutsideOfAllSpansIsThereSinceItsStepBegan) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    initIn(dir);
    rg_step_begin(1);
    pause();
  });
  Agent agent(dir);
  agent.pollUntil([&] { return agent.out.progresses.size() >= 3; });
  const Progress &first = agent.out.progresses.front(), &last = agent.out.progresses.back();
  ASSERT_TRUE(last.since);
  EXPECT_EQ(first.since, last.since) << "it has not moved";
  EXPECT_GE(*last.since, *agent.out.attempts[0].start);
  EXPECT_LE(*last.since, first.time);
}

TEST(ClientSource, RecordsCheckpointsLogsAndFactsWithoutSecrets) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    setenv("NCCL_DEBUG", "INFO", 1);
    setenv("TORCH_TOKEN", "hunter2", 1);
    initIn(dir);
    rg_fact("config_hash", "abc");
    rg_fact("wandb_api_key", "hunter2");
    rg_fact("resumed_from_step", "120");
    rg_checkpoint_begin(200, "/ckpt/200");
    rg_checkpoint_durable(200, "/ckpt/200", 1 << 20);
    rg_log(RG_WARNING, "stdout", std::string(9000, 'x').c_str());
    rg_log(RG_ERROR, nullptr, "boom");
  });
  Agent agent(dir);
  agent.pollUntilEnd();
  const MemoryRecorder& out = agent.out;
  EXPECT_EQ(fact(out, "config_hash"), "abc");
  EXPECT_EQ(fact(out, "NCCL_DEBUG"), "INFO");
  EXPECT_EQ(fact(out, "wandb_api_key"), "(none)");
  EXPECT_EQ(fact(out, "TORCH_TOKEN"), "(none)");
  EXPECT_NE(fact(out, "argv").find("client_test"), std::string::npos);
  EXPECT_NE(fact(out, "cwd"), "(none)");
  EXPECT_EQ(out.attempts[0].resumed_from_step, 120);
  ASSERT_EQ(out.checkpoints.size(), 2u);
  EXPECT_TRUE(out.checkpoints[0].begin.has_value());
  EXPECT_FALSE(out.checkpoints[0].durable.has_value());
  EXPECT_TRUE(out.checkpoints[1].durable.has_value());
  EXPECT_EQ(out.checkpoints[1].bytes, 1 << 20);
  EXPECT_EQ(out.checkpoints[1].path, "/ckpt/200");
  ASSERT_EQ(out.logs.size(), 2u);
  EXPECT_EQ(out.logs[0].text, std::string(8000, 'x') + " [cut]");
  EXPECT_EQ(out.logs[0].severity, Severity::kWarning);
  EXPECT_EQ(out.logs[1].stream, "client");
}

TEST(ClientSource, ReadsNothingTwiceWhenTheAgentIsRestarted) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    initIn(dir);
    for (int i = 0; i < 3000; ++i) {
      rg_scalar("x", i, i);
      if (i % 100 == 0) usleep(1000);
    }
  });
  std::vector<std::int64_t> steps;
  bool ended = false;
  std::size_t starts = 0;
  for (int round = 0; round < 200 && !ended; ++round) {
    Agent agent(dir);
    // The first source stays until there is something to read, however long the trainer takes to start: only records that were read are not
    // returned again.
    agent.pollUntil([&, polls = 0]() mutable { return ++polls > 3 && (round > 0 || agent.out.scalarsOf("x", std::nullopt).size() > 0); });
    const ScalarColumns columns = agent.out.scalarsOf("x", std::nullopt);
    steps.insert(steps.end(), columns.step.begin(), columns.step.end());
    ended = agent.out.hasEvent("process_exit");
    starts += agent.out.hasEvent("start");
  }
  ASSERT_TRUE(ended);
  ASSERT_EQ(steps.size(), 3000u);
  for (std::size_t i = 0; i < steps.size(); ++i) ASSERT_EQ(steps[i], static_cast<std::int64_t>(i));
  EXPECT_EQ(starts, 1u);
}

TEST(ClientSource, ReleasesNothingTheRecorderDidNotTake) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    initIn(dir);
    rg_scalar("x", 1, 1);
  });
  trainer.wait();
  {
    Agent agent(dir);
    agent.out.fail_flush = Status(Code::kResourceExhausted, "disk full");
    agent.pollUntil([&, polls = 0]() mutable { return ++polls > 5; });
    EXPECT_FALSE(agent.out.hasEvent("process_exit"));
  }
  Agent agent(dir);
  agent.pollUntilEnd();
  EXPECT_EQ(agent.out.scalarsOf("x", std::nullopt).size(), 1u);
}

TEST(ClientSource, TurnsLossAndDamageIntoIssues) {
  RingDirectory dir;
  std::ofstream(dir.path() + "/9-9.ring") << "not a ring";
  TrainerProcess trainer([&] {
    setenv("RUNGLASS_RING_BYTES", "1", 1);
    initIn(dir);
    for (int i = 0; i < 3000; ++i) rg_scalar("x", i, 0);
  });
  trainer.wait();
  Agent agent(dir);
  agent.pollUntilEnd();
  EXPECT_GT(agent.out.issueCount("client.ring_full"), 1000);
  EXPECT_EQ(agent.out.issueCount("client.bad_ring"), 1);
  EXPECT_EQ(agent.out.issueCount("client.ring_full") + static_cast<std::int64_t>(agent.out.scalarsOf("x", std::nullopt).size()), 3000);
}

TEST(ClientSource, SkipsRecordsThatMakeNoSense) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    initIn(dir);
    for (int i = 0; i < 10; ++i) rg_scalar("x", i, 0);
  });
  trainer.wait();
  const int fd = open(dir.ring().c_str(), O_RDWR);
  std::size_t changed = 0;
  for (std::uint64_t slot = 0; slot < 1000 && changed < 3; ++slot) {
    const auto at = static_cast<off_t>(RGR_SLOTS_AT + slot * RGR_SLOT_BYTES + offsetof(rgr_commit, type));
    std::uint8_t type = 0;
    ASSERT_EQ(pread(fd, &type, 1, at), 1);
    if (type != RGR_SCALAR) continue;
    type = std::array<std::uint8_t, 3>{200, RGR_GPU_SPAN, RGR_COUNT}.at(changed);
    ASSERT_EQ(pwrite(fd, &type, 1, at), 1);
    ++changed;
  }
  close(fd);
  Agent agent(dir);
  agent.pollUntilEnd();
  EXPECT_EQ(agent.out.scalarsOf("x", std::nullopt).size(), 7u);
  EXPECT_EQ(agent.out.issueCount("client.unknown_record"), 2) << "the GPU span is too short to be one; a count nobody knows is not data";
}

TEST(ClientSource, SamplesHowLongALiveRankWaitsForACpu) {
  if (!std::filesystem::exists("/proc/self/schedstat")) GTEST_SKIP() << "this kernel has no schedstat";
  RingDirectory dir;
  TrainerProcess trainer([&] {
    initIn(dir);
    for (;;) rg_now();
  });
  Agent agent(dir);
  agent.pollUntil([&] { return agent.out.samplesOf("run_delay_ns").size() >= 2; });
  EXPECT_GT(agent.out.samplesOf("run_cpu_ns").value.back(), 0);
}

TEST(ClientSource, CapturesWhereARankIsAndTakesStackFilesAwayWithTheirRings) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    initIn(dir, "train", 3, 8);
    rg_step_begin(7);
    rg_span_begin("all_reduce", RG_COMM, RG_PART_COMMUNICATION, RG_NONE, 5, 41, RG_NONE);
    pause();
  });
  Agent agent(dir);
  agent.pollUntil([&] { return !agent.out.progresses.empty() && agent.out.progresses.back().op == "all_reduce"; });
  const auto write = [&](const std::string& name) { std::ofstream(dir.path() + "/" + name) << "runglass stacks 1 pid 1 signal 23\n"; };
  const std::string stack = std::filesystem::path(dir.ring()).stem().string() + ".stack";
  write(stack), write("1-2.stack");
  agent.orders.ask({.id = 9, .order = {.kind = OrderKind::kCapture, .run = "train"}});
  std::vector<OrderQueue::Answer> answers;
  agent.pollUntil([&] {
    for (OrderQueue::Answer& answer : agent.orders.answers()) answers.push_back(std::move(answer));
    return !answers.empty() && !std::filesystem::exists(dir.path() + "/1-2.stack");
  });
  EXPECT_EQ(answers.at(0).note, "progress 1");
  ASSERT_EQ(agent.out.captures.size(), 1u);
  const Capture& capture = agent.out.captures[0];
  EXPECT_EQ(capture.kind, "progress");
  EXPECT_EQ(capture.reason, "by hand");
  EXPECT_EQ(capture.rank, 3);
  EXPECT_NE(capture.text.find("step 7"), std::string::npos) << capture.text;
  EXPECT_NE(capture.text.find("in all_reduce, group 5, seq 41, for "), std::string::npos) << capture.text;
  EXPECT_TRUE(std::filesystem::exists(dir.path() + "/" + stack)) << "its ring is there";
  trainer.kill();
  agent.pollUntilEnd();
  EXPECT_FALSE(std::filesystem::exists(dir.path() + "/" + stack));
}

TEST(ClientSource, TakesAwayNoStackFileThroughALinkOrThatIsNone) {
  const RingDirectory dir, others;
  const auto write = [](const std::string& path, const char* text) { std::ofstream(path) << text; };
  const char* const stack = "runglass stacks 1 pid 1 signal 23\n";
  write(others.path() + "/1.stack", stack);
  write(dir.path() + "/1.stack", stack);
  write(dir.path() + "/2.stack", "the only copy of something\n");
  write(dir.path() + "/3.stack", "");
  std::filesystem::create_symlink(others.path() + "/1.stack", dir.path() + "/4.stack");
  write(dir.path() + "/5.stack", stack), write(dir.path() + "/5.ring", "");
  const std::string link = dir.path() + "/link";
  std::filesystem::create_directory_symlink(others.path(), link);
  dropStrayStacks(link);
  dropStrayStacks(dir.path());
  const auto there = [](const std::string& path) { return std::filesystem::exists(std::filesystem::symlink_status(path)); };
  EXPECT_TRUE(there(others.path() + "/1.stack"));
  EXPECT_FALSE(there(dir.path() + "/1.stack")) << "a stray one";
  for (const char* left : {"2", "3", "4", "5"}) EXPECT_TRUE(there(dir.path() + "/" + left + ".stack")) << left;
}

TEST(ClientSource, PlacesRanksByOrderAndLeavesThemOutWhereSizesDoNotFit) {
  const auto place = [](Layout layout, int number, const char* order = "tp-cp-ep-dp-pp") {
    Rank rank;
    rank.rank = number;
    placeRank(layout, order, rank);
    return std::vector<int>{rank.tp.value_or(-1), rank.pp.value_or(-1), rank.dp.value_or(-1), rank.cp.value_or(-1), rank.ep.value_or(-1)};
  };
  EXPECT_EQ(place({.world = 16, .tp = 2, .pp = 2, .dp = 2, .cp = 2}, 13), (std::vector<int>{1, 1, 1, 0, 0}));
  EXPECT_EQ(place({.world = 8, .tp = 2, .pp = 2, .dp = 2}, 2, "tp-pp-dp"), (std::vector<int>{0, 1, 0, -1, -1}));
  // Megatron's expert parallelism divides dp; elsewhere it multiplies the world.
  EXPECT_EQ(place({.world = 8, .tp = 2, .dp = 4, .ep = 2}, 7), (std::vector<int>{1, 0, 3, 0, 1}));
  EXPECT_EQ(place({.world = 8, .tp = 2, .dp = 2, .ep = 2}, 7), (std::vector<int>{1, 0, 1, 0, 1}));
  EXPECT_EQ(place({.world = 7, .tp = 2, .pp = 2, .dp = 2}, 3), (std::vector<int>{-1, -1, -1, -1, -1}));
}

}  // namespace
}  // namespace runglass::test
