// SPDX-License-Identifier: Apache-2.0
// Whole imports into a store: files of ranks parsed in parallel, stopped imports, and files named twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "collectors/importers/session/import_session.h"
#include "collectors/importers/session/recorded_calls.h"
#include "storage/open_store.h"
#include "tests/support/memory_recorder.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SessionTest : public testing::Test {
 protected:
  // A rank's trace: longer for higher ranks, so that they end at different times.
  void writeRank(int rank, int spans) {
    std::ofstream file(m_dir.file("traces/rank" + std::to_string(rank) + ".json"));
    file << R"({"schemaVersion": 1, "baseTimeNanoseconds": 1759300074000000000, "distributedInfo": {"rank": )" << rank
         << R"(, "world_size": 8}, "traceEvents": [)";
    for (int i = 0; i < spans; ++i) {
      file << (i > 0 ? ",\n" : "") << R"({"ph": "X", "cat": "kernel", "name": "kernel )" << i % 7 << R"(", "pid": 0, "tid": )" << i % 3
           << R"(, "ts": )" << i * 10 << R"(, "dur": 5, "args": {"correlation": )" << i << R"(, "filler": ")" << std::string(300, 'x')
           << R"("}})";
    }
    file << "]}";
  }
  void writeRanks(int ranks) {
    std::filesystem::create_directories(m_dir.file("traces"));
    for (int rank = 0; rank < ranks; ++rank) writeRank(rank, 15'000 + 4'000 * rank);
  }
  // The same with another beginning.
  void replaceRank(int rank, int spans) {
    writeRank(rank, spans);
    const std::filesystem::path path = m_dir.file("traces/rank" + std::to_string(rank) + ".json");
    std::ifstream old(path);
    const std::string text{std::istreambuf_iterator<char>(old), {}};
    std::ofstream(path) << "{\"traceName\": \"" << spans << "\"," << text.substr(1);
  }
  // The rank and attempt of every track.
  std::set<std::string> ranksOf(const std::string& store) {
    std::set<std::string> all;
    for (const std::string& span : spansOf(store, Show::kContent)) all.insert(span.substr(0, span.find(" GPU")));
    return all;
  }
  Result<std::vector<FileResult>> import(const std::string& store, ImportOptions options) {
    auto writer = openStore(m_dir.file(store)).writer();
    RG_TRY(writer.status());
    auto results = ImportSession(**writer, std::move(options)).import({m_dir.file("traces")});
    RG_TRY((*writer)->close());
    return results;
  }
  enum class Show { kContent, kIds };
  // The spans of a store, one per line: sorted by content, or in the store's order with their ids.
  std::vector<std::string> spansOf(const std::string& store, Show show) {
    std::vector<std::string> all;
    auto reader = openStore(m_dir.file(store)).reader();
    EXPECT_TRUE(reader.ok());
    if (!reader.ok()) return all;
    const auto runs = (*reader)->runs();
    for (const auto& run : *runs) {
      const auto attempts = (*reader)->attempts(run.id);
      for (const Attempt& attempt : *attempts) {
        const auto tracks = (*reader)->tracks(attempt.id);
        for (const Track& track : *tracks) {
          const auto spans = (*reader)->spans(track.id, {});
          const std::string row =
              run.name + " " + attempt.key + " rank " + std::to_string(track.key.rank.value_or(-1)) + " " + track.key.name;
          for (std::size_t i = 0; i < spans->size(); ++i)
            all.push_back(row + " " + (show == Show::kIds ? std::to_string(spans->id[i]) + " " : "") + spans->names[spans->name[i]] + " " +
                          std::to_string(spans->start[i]) + " " + std::to_string(spans->dur[i]) + " " +
                          std::to_string(spans->correlation.empty() ? kAbsent : spans->correlation[i]));
        }
      }
    }
    if (show == Show::kContent) std::ranges::sort(all);
    return all;
  }
  const test::TempFolder m_dir;
};

TEST_F(SessionTest, RanksThatAreParsedAtOnceGiveWhatTheyGiveOneByOne) {
  writeRanks(5);
  for (const auto& [store, threads] : {std::pair("one.rgl", 1U), {"three.rgl", 3U}, {"again.rgl", 3U}}) {
    const auto results = import(store, {.threads = threads});
    ASSERT_TRUE(results.ok()) << results.status().message();
    ASSERT_EQ(results->size(), 5U);
    for (int rank = 0; rank < 5; ++rank) {
      const FileResult& result = (*results)[static_cast<std::size_t>(rank)];
      EXPECT_THAT(result.path, HasSubstr("rank" + std::to_string(rank)));
      EXPECT_EQ(result.spans, 15'000 + 4'000 * rank);
      EXPECT_EQ(result.run, results->front().run) << "all are one run";
      EXPECT_EQ(result.status, ImportStatus::kOk);
    }
  }
  EXPECT_EQ(spansOf("one.rgl", Show::kContent), spansOf("three.rgl", Show::kContent));
  EXPECT_EQ(spansOf("three.rgl", Show::kIds), spansOf("again.rgl", Show::kIds)) << "not even ids depend on who was faster";
}

TEST_F(SessionTest, RanksAgainAddNothing) {
  writeRanks(3);
  ASSERT_TRUE(import("s.rgl", {.threads = 3}).ok());
  const auto before = spansOf("s.rgl", Show::kIds);
  const auto again = import("s.rgl", {.threads = 3});
  ASSERT_TRUE(again.ok());
  for (const FileResult& result : *again) {
    EXPECT_EQ(result.spans, 0);
    EXPECT_THAT(result.reason, HasSubstr("nothing new"));
  }
  EXPECT_EQ(spansOf("s.rgl", Show::kIds), before);
}

TEST_F(SessionTest, RanksThatAreReplacedTogetherAreOneAttemptOrOneOtherRun) {
  writeRanks(3);
  for (const std::string name : {"r", ""}) {
    const std::string store = "s" + name + ".rgl";
    writeRanks(3);
    ASSERT_TRUE(import(store, {.run_name = name, .threads = 2}).ok());
    for (int rank = 0; rank < 3; ++rank) replaceRank(rank, 100);
    ASSERT_TRUE(import(store, {.run_name = name, .threads = 2}).ok());
    const std::string was = name.empty() ? "traces 0 rank " : "r 0 rank ", now = name.empty() ? "traces/traces 0 rank " : "r 1 rank ";
    EXPECT_THAT(ranksOf(store), ElementsAre(was + "0", was + "1", was + "2", now + "0", now + "1", now + "2"));
    const auto before = spansOf(store, Show::kIds);
    ASSERT_TRUE(import(store, {.run_name = name, .threads = 2}).ok());
    EXPECT_EQ(spansOf(store, Show::kIds), before);
  }
}

TEST_F(SessionTest, ARankThatIsReplacedAgainIsYetAnotherAttempt) {
  writeRanks(2);
  const ImportOptions into_one{.run_name = "r", .threads = 2};
  ASSERT_TRUE(import("s.rgl", into_one).ok());
  for (const int spans : {50, 60}) {
    replaceRank(0, spans);
    ASSERT_TRUE(import("s.rgl", into_one).ok());
    ASSERT_TRUE(import("s.rgl", into_one).ok()) << "rank 1, still of attempt 0, does not make that the newest";
  }
  EXPECT_THAT(ranksOf("s.rgl"), ElementsAre("r 0 rank 0", "r 0 rank 1", "r 1 rank 0", "r 2 rank 0"));
}

TEST_F(SessionTest, AFileThatIsNamedTwiceIsImportedOnce) {
  writeRanks(2);
  auto writer = openStore(m_dir.file("s.rgl")).writer();
  ASSERT_TRUE(writer.ok());
  const std::string file = m_dir.file("traces/rank0.json");
  const auto results = ImportSession(**writer, {.threads = 3}).import({file, file});
  ASSERT_TRUE(results.ok());
  EXPECT_THAT(*results, ElementsAre(testing::Field(&FileResult::spans, 15'000), testing::Field(&FileResult::spans, 0)));
}

TEST_F(SessionTest, WhatIsStoppedWhileRanksAreParsedCanBeFinishedLater) {
  writeRanks(4);
  std::stop_source stop;
  int files = 0;
  const auto stopped = import("s.rgl", {.on_file =
                                            [&](const std::string&) {
                                              if (++files == 3) stop.request_stop();
                                            },
                                        .stop = stop.get_token(),
                                        .threads = 2});
  EXPECT_EQ(stopped.status().code(), Code::kCancelled);
  ASSERT_TRUE(import("s.rgl", {.threads = 2}).ok());
  ASSERT_TRUE(import("whole.rgl", {.threads = 2}).ok());
  EXPECT_EQ(spansOf("s.rgl", Show::kContent), spansOf("whole.rgl", Show::kContent));
}

// File names of veScale's ndtimeline; in the order of names the tenth step precedes the ninth.
TEST_F(SessionTest, TheStepFilesOfOneTimelineAreOneRunInTheOrderOfTheirSteps) {
  std::filesystem::create_directories(m_dir.file("traces"));
  for (int step = 0; step < 12; ++step) {
    std::ofstream file(m_dir.file("traces/trace_step" + std::to_string(step) + "_" + std::to_string(step)));
    file << R"([{"name":"forward-compute","cat":"forward-compute","ph":"X","pid":0,"tid":30,"ts":)" << 1759300074000000 + step * 100
         << R"(,"dur":50,"args":{"rank":3,"step":)" << step << R"(,"tp":0,"pp":0}},)"
         << R"({"name":"thread_name","ph":"M","pid":0,"tid":30,"args":{"name":"rank[3] main"}}])";
  }
  const auto results = import("s.rgl", {.threads = 3});
  ASSERT_TRUE(results.ok());
  for (const FileResult& result : *results) {
    EXPECT_EQ(result.run, results->front().run);
    EXPECT_TRUE(result.issues.empty());
  }
  const auto spans = spansOf("s.rgl", Show::kIds);
  ASSERT_EQ(spans.size(), 12U);
  EXPECT_THAT(spans.front(), HasSubstr("traces 0 rank 3 rank[3] main"));
  auto reader = openStore(m_dir.file("s.rgl")).reader();
  EXPECT_THAT(*(*reader)->issues(), testing::IsEmpty()) << "no step overlaps another";
}

// File names of TensorBoard's trace handler: one worker, two windows.
TEST_F(SessionTest, WindowsOfOneWorkerFollowEachOtherOnItsTracks) {
  std::filesystem::create_directories(m_dir.file("traces"));
  for (int window = 0; window < 3; ++window) {
    std::ofstream file(m_dir.file("traces/host_77.169895766216876939" + std::to_string(window) + ".pt.trace.json"));
    file << R"({"schemaVersion": 1, "distributedInfo": {"rank": 1}, "traceEvents": [)";
    for (int i = 0; i < 30'000; ++i)
      file << (i > 0 ? ",\n" : "") << R"({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": )"
           << 1759300074000000 + window * 1'000'000 + i * 10 << R"(, "dur": 5, "args": {"correlation": )" << i << R"(, "filler": ")"
           << std::string(300, 'x') << R"("}})";
    file << "]}";
  }
  ASSERT_TRUE(import("s.rgl", {.threads = 3}).ok());
  EXPECT_EQ(spansOf("s.rgl", Show::kIds).size(), 90'000U);
  auto reader = openStore(m_dir.file("s.rgl")).reader();
  EXPECT_THAT(*(*reader)->issues(), testing::IsEmpty());
}

TEST(RecordedCalls, ArriveAsTheyWereMadeWithTheIdsOfTheOther) {
  test::MemoryRecorder to;
  to.run({.name = "somebody else's"});
  to.track({.name = "somebody else's"});
  CallPlayer player(to);
  std::size_t batches = 0;
  CallRecorder from([&](RecordedCalls calls) {
    ++batches;
    player.play(std::move(calls));
  });
  const RunId run = from.run({.name = "mine"});
  EXPECT_EQ(from.run({.name = "mine", .framework = "pytorch"}), run);
  const AttemptId attempt = from.attempt({.run = run, .key = "0"});
  const NodeId node = from.node({.uuid = "n"});
  const DeviceId gpu = from.device({.uuid = "g", .node = node});
  const TrackId track = from.track({.attempt = attempt, .name = "stream 7"});
  EXPECT_EQ(from.track({.attempt = attempt, .name = "stream 7"}), track);
  EXPECT_NE(from.track({.attempt = attempt, .rank = 1, .name = "stream 7"}), track);
  const SeriesId series = from.series({.attempt = attempt, .metric = "m"});
  EXPECT_EQ(from.series({.attempt = attempt, .metric = "m"}), series);
  from.sample(series, 1, 0.5);
  from.sample(series, 2, 1.5);
  from.event({.attempt = attempt, .node = node, .device = gpu, .kind = "instant"});
  SpanColumns spans;
  spans.start = {5};
  spans.dur = {6};
  spans.name = {0};
  spans.names = {"gemm"};
  spans.category = {SpanCategory::kCompute};
  spans.args = {std::string(CallRecorder::kBatchBytes, 'x')};
  from.spans(track, spans);
  EXPECT_EQ(batches, 1U) << "a batch that is full goes its way";
  from.issue({.code = "c", .count = 3});
  ASSERT_TRUE(from.flush().ok());
  EXPECT_EQ(batches, 2U);

  EXPECT_EQ(player.run(run), RunId{2});
  EXPECT_EQ(player.run({}), RunId{});
  EXPECT_EQ(to.runs.at(1).framework, "pytorch");
  EXPECT_EQ(to.attempts.at(0).run, RunId{2});
  EXPECT_EQ(to.devices.at(0).node, NodeId{1});
  EXPECT_EQ(to.track_keys.at(2).attempt, AttemptId{1});
  EXPECT_EQ(to.span_batches.at(2).at(0).names, spans.names);
  EXPECT_THAT(to.samplesOf("m").value, ElementsAre(0.5, 1.5));
  EXPECT_EQ(to.events.at(0).device, DeviceId{1});
  EXPECT_EQ(to.issueCount("c"), 3);
}

// Scripts give the folders of all runs the same names.
TEST_F(SessionTest, FilesOfOneNodeNameInTheFoldersOfTwoRunsAreOfTwoNodes) {
  const auto write = [&](const std::string& path) {
    std::filesystem::create_directories(std::filesystem::path(m_dir.file(path)).parent_path());
    std::ofstream(m_dir.file(path))
        << "timestamp, index, power.draw [W]\n2026/07/03 22:10:46.000, 0, 70 W\n2026/07/03 22:10:47.000, 0, 71 W\n";
  };
  for (const char* run : {"traces/runA", "traces/runB"})
    for (const char* file : {"/logs/node0/gpu.csv", "/logs/node0/power.csv", "/node1/node1_gpu.csv", "/node1/node1_power.csv"})
      write(run + std::string(file));
  ASSERT_TRUE(import("s.rgl", {}).ok());
  auto reader = openStore(m_dir.file("s.rgl")).reader();
  ASSERT_TRUE(reader.ok());
  std::map<std::string, int> nodes;
  for (const Node& node : *(*reader)->nodes()) ++nodes[node.name];
  EXPECT_EQ(nodes, (std::map<std::string, int>{{"node0", 2}, {"node1", 2}})) << "the two files of a run's node are of one";
}

}  // namespace
}  // namespace runglass
