// SPDX-License-Identifier: Apache-2.0
// The source trainer_output with real processes: sleeping ones that have a file open, into which the test writes.
#include <gmock/gmock.h>

#include <sys/stat.h>
#include <unistd.h>

#include <list>

#include "collectors/sources/train_log/train_log_source.h"
#include "collectors/sources/trainer_output/trainer_output_source.h"
#include "tests/collectors/sources/follow/scratch_folder.h"
#include "tests/support/memory_recorder.h"
#include "tests/support/program.h"
#include "tests/support/wait_until.h"

namespace runglass::test {
namespace {
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uid_t kNobody = 65534;

std::string iteration(int step, const char* loss) { return " iteration " + std::to_string(step) + "/ 1000 | lm loss: " + loss + " |\n"; }

class TrainerOutput : public testing::Test {
 protected:
  void SetUp() override { ::setenv("RUNGLASS_DIR", m_folder.path().c_str(), 1); }  // only trainers of this test
  void TearDown() override { ::unsetenv("RUNGLASS_DIR"); }

  void start(const std::string& config = "") {
    m_config = toml::parse(config);
    m_source = makeTrainerOutputSource();
    ASSERT_TRUE(m_source->start(out, context(&m_config)).ok());
  }
  const SourceContext& context(const toml::table* config) {  // a source keeps it
    return m_contexts.emplace_back(SourceContext{.node = {.uuid = "n1", .name = "node1"},
                                                 .now = [this] { return m_now; },
                                                 .config = config,
                                                 .state_dir = m_folder.path(),
                                                 .ranks = &m_ranks,
                                                 .tailed = &m_tailed});
  }
  // Passes `seconds` of the source's time.
  void pass(int seconds = 3) {
    for (int i = 0; i < seconds * 5; ++i) {
      m_source->poll(out, m_now);
      m_now += 200 * kNsPerMs;
    }
  }
  // With its standard output in `file`.
  Program& trainer(const std::string& file, int rank, int world, std::vector<std::string> command = {"sleep", "600"},
                   const std::string& attempt = "a") {
    Program& program = m_trainers.emplace_back(
        command, m_folder.file(file),
        std::vector<std::pair<std::string, std::string>>{
            {"RANK", std::to_string(rank)}, {"WORLD_SIZE", std::to_string(world)}, {"RUNGLASS_RUN", m_run}, {"RUNGLASS_ATTEMPT", attempt}});
    EXPECT_TRUE(waitUntil([&] {
      std::ifstream comm("/proc/" + std::to_string(program.pid()) + "/comm");
      std::string name;
      return comm >> name && name == "sleep";
    }));
    return program;
  }
  // Values of "lm loss" of the whole run, or of a rank.
  std::vector<double> losses(std::optional<std::int32_t> rank = {}) const {
    std::vector<double> values;
    for (const auto& [id, key] : out.series_keys)
      if (key.metric == "lm loss" && key.rank == rank && out.scalar_points.contains(id))
        values.insert(values.end(), out.scalar_points.at(id).value.begin(), out.scalar_points.at(id).value.end());
    return values;
  }

  const ScratchFolder m_folder;
  std::string m_run = "gpt";
  MemoryRecorder out;
  RankTable m_ranks;
  TailedFiles m_tailed;
  toml::table m_config;
  std::list<SourceContext> m_contexts;
  std::unique_ptr<Source> m_source;
  std::list<Program> m_trainers;
  TimeNs m_now = 1'000'000 * kNsPerSecond;
};

TEST_F(TrainerOutput, IsFoundWithoutConfiguration) {
  trainer("stdout", 0, 1);
  m_folder.append("stdout", iteration(1, "5.0"));
  start();
  pass();
  m_folder.append("stdout", iteration(2, "4.0"));
  pass(1);
  EXPECT_THAT(losses(), ElementsAre(5.0, 4.0));
  ASSERT_THAT(out.runs, SizeIs(1));
  EXPECT_EQ(out.runs[0].name, "gpt");
  EXPECT_EQ(out.runs[0].state, RunState::kRunning);
  EXPECT_EQ(out.attempts.at(0).key, "a");
  ASSERT_THAT(out.events, SizeIs(1));
  EXPECT_EQ(out.events[0].message, "tailing " + m_folder.file("stdout") + ": rank 0 of run 'gpt'");
}

TEST_F(TrainerOutput, ALogThatTheTrainerHasOpenIsFoundAndOtherFilesAreNot) {
  for (const char* name : {"train.log", "config.yaml"}) m_folder.write(name, iteration(1, "5.0"));
  trainer("stdout", 0, 1, {"sh", "-c", "exec sleep 600 3>>'" + m_folder.file("train.log") + "' 4>>'" + m_folder.file("config.yaml") + "'"});
  start();
  pass();
  EXPECT_THAT(losses(), ElementsAre(5.0));
}

TEST_F(TrainerOutput, WhatGoesThroughTeeIsFoundInItsFile) {
  trainer("stdout", 0, 1, {"bash", "-c", "exec sleep 600 > >(exec env -i tee -a '" + m_folder.file("copy") + "')"});
  m_folder.append("copy", iteration(1, "5.0"));
  start();
  ASSERT_TRUE(waitUntil([&] { return pass(), losses().size() == 1; }));
  EXPECT_EQ(out.runs.at(0).name, "gpt");
}

TEST_F(TrainerOutput, AWorkerOfADataLoaderIsNoSecondRankAndALaunchersRankIsNotItsTrainers) {
  // As in a pod: the launcher has the rank of the pod, its child that of the process.
  trainer("stdout", 0, 2,
          {"bash", "-c", "RANK=0 WORLD_SIZE=16 LOCAL_WORLD_SIZE=8 RUNGLASS_ATTEMPT=b setpriv --pdeathsig KILL sleep 600 & exec sleep 600"});
  m_folder.append("stdout", iteration(1, "5.0"));
  start();
  ASSERT_TRUE(waitUntil([&] { return pass(), losses().size() == 1; }));
  EXPECT_EQ(out.attempts.back().key, "b");
}

TEST_F(TrainerOutput, AFileThatIsOnlyReadIsNoOutput) {
  m_folder.write("old.log", iteration(1, "5.0"));
  trainer("stdout", 0, 1, {"sh", "-c", "exec sleep 600 3<'" + m_folder.file("old.log") + "'"});
  start();
  pass();
  EXPECT_THAT(out.runs, IsEmpty());
}

TEST_F(TrainerOutput, WithoutARankAProcessIsNoTrainer) {
  m_trainers.emplace_back(std::vector<std::string>{"sleep", "600"}, m_folder.file("stdout"));
  m_folder.append("stdout", iteration(1, "5.0"));
  start();
  pass();
  EXPECT_THAT(out.runs, IsEmpty());
}

TEST_F(TrainerOutput, ARunThatSwitchedRunglassOffOrBelongsToAnotherAgentIsLeftAlone) {
  ::setenv("RUNGLASS", "off", 1);
  trainer("stdout", 0, 1);
  ::unsetenv("RUNGLASS");
  m_folder.append("stdout", iteration(1, "5.0"));
  start();
  ::setenv("RUNGLASS_DIR", "/elsewhere", 1);
  trainer("other", 0, 1);
  m_folder.append("other", iteration(1, "5.0"));
  pass();
  EXPECT_THAT(out.runs, IsEmpty());
}

TEST_F(TrainerOutput, WhatIsNotAFileOfTheTrainersUserIsLeftAlone) {
  const std::string pipe = m_folder.file("pipe.log");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const char* name : {"deleted.log", "swapped.log", "root.log", "unreadable.log"}) m_folder.write(name, iteration(1, "5.0"));
  m_folder.write("secret", iteration(2, "6.0"));
  std::string command = "exec sleep 600";
  int fd = 2;
  for (const char* name : {"pipe.log", "deleted.log", "swapped.log", "root.log", "unreadable.log"}) {
    ++fd;  // a pipe without a reader is opened for both
    command += " " + std::to_string(fd) + (fd == 3 ? "<>'" : ">>'") + m_folder.file(name) + "'";
  }
  trainer("stdout", 0, 1, {"bash", "-c", command});
  ::unlink(m_folder.file("deleted.log").c_str());
  ::unlink(m_folder.file("swapped.log").c_str());
  ASSERT_EQ(::symlink(m_folder.file("secret").c_str(), m_folder.file("swapped.log").c_str()), 0);
  ::chmod(m_folder.file("unreadable.log").c_str(), 0200);
  if (::geteuid() == 0) ASSERT_EQ(::chown(m_folder.file("root.log").c_str(), kNobody, kNobody), 0);
  if (::geteuid() != 0) ::unlink(m_folder.file("root.log").c_str());
  m_folder.append("stdout", iteration(1, "1.0"));
  start();
  pass();
  EXPECT_THAT(losses(), ElementsAre(1.0));
}

TEST_F(TrainerOutput, AnotherFileThatTakesTheNameIsNotRead) {
  trainer("stdout", 0, 1);
  m_folder.append("stdout", iteration(1, "5.0"));
  start();
  pass();
  m_folder.rename("stdout", "stdout.1");
  m_folder.write("stdout", iteration(2, "4.0"));
  ::chmod(m_folder.file("stdout").c_str(), 0600);
  pass();
  EXPECT_THAT(losses(), ElementsAre(5.0));
}

TEST_F(TrainerOutput, RanksWithFilesOfTheirOwnAreOneRunAndEachValueIsItsRanks) {
  for (int rank = 0; rank < 3; ++rank) {
    const std::string file = "rank" + std::to_string(rank);
    trainer(file, rank, 3);
    m_folder.append(file, iteration(1, rank == 1 ? "5.5" : "5.0") + (rank == 1 ? "Traceback (most recent call last):\n"
                                                                                 "  File \"t.py\", line 1, in <module>\n"
                                                                                 "ValueError: bad\n\nnext\n"
                                                                               : ""));
  }
  start();
  pass();
  EXPECT_THAT(out.runs, SizeIs(1));
  EXPECT_THAT(out.attempts, SizeIs(1));
  EXPECT_THAT(losses(), ElementsAre(5.0)) << "of rank 0 or rank 2, once";
  EXPECT_THAT(losses(1), ElementsAre(5.5));
  EXPECT_EQ(out.runs[0].state, RunState::kRunning);
  const auto traceback = std::ranges::find(out.events, "traceback", &Event::kind);
  ASSERT_NE(traceback, out.events.end());
  EXPECT_EQ(traceback->rank, 1);
}

TEST_F(TrainerOutput, OneFileOfSeveralRanksIsOfNoSingleRank) {
  for (int rank = 0; rank < 2; ++rank) trainer("stdout", rank, 2);
  m_folder.append("stdout", iteration(1, "5.0") + "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n");
  start();
  pass();
  EXPECT_THAT(losses(), ElementsAre(5.0));
  for (const Event& event : out.events) EXPECT_FALSE(event.rank) << event.message;
}

TEST_F(TrainerOutput, LinesOfATrainerWithARingBelongToItsRunWhoseStateTheRingReports) {
  const Program& process = trainer("stdout", 0, 1);
  const RunId run = out.run({.name = "named", .state = RunState::kFinished});
  Rank rank{.attempt = out.attempt({.run = run, .key = "k"}), .rank = 0};
  m_ranks.put({.pid = process.pid(), .rank = rank, .run = "named", .attempt_key = "k", .ring = "r"});
  m_folder.append("stdout", iteration(1, "5.0") + iteration(2, "4.0") + iteration(1, "4.5"));
  start();
  pass();
  EXPECT_THAT(losses(), ElementsAre(5.0, 4.0, 4.5));
  ASSERT_THAT(out.runs, SizeIs(1));
  ASSERT_THAT(out.attempts, SizeIs(1)) << "the ring's attempts are those of the run";
  EXPECT_FALSE(out.attempts[0].end);
}

TEST_F(TrainerOutput, ARunEndsWithItsProcesses) {
  Program& first = trainer("a", 0, 2);
  Program& second = trainer("b", 1, 2);
  m_folder.append("a", "[2026-01-02 03:04:05] " + iteration(1, "5.0"));
  start();
  pass();
  first.signal(SIGKILL), first.wait();
  pass(10);
  EXPECT_EQ(out.runs.at(0).state, RunState::kRunning) << "rank 1 lives";
  m_folder.append("b", "ValueError: the last words\n");
  second.signal(SIGKILL), second.wait();
  pass(10);
  EXPECT_NE(out.runs.at(0).state, RunState::kRunning);
  EXPECT_TRUE(out.attempts.at(0).end);
}

TEST_F(TrainerOutput, TheNextAttemptInTheSameFileIsAnAttemptOfItsOwn) {
  Program& first = trainer("stdout", 0, 1);
  m_folder.append("stdout", iteration(1, "5.0"));
  start();
  pass();
  first.signal(SIGKILL), first.wait();
  pass(10);
  trainer("stdout", 0, 1, {"sleep", "600"}, "b");
  m_folder.append("stdout", iteration(1, "4.0"));
  pass(5);
  ASSERT_THAT(out.attempts, SizeIs(2));
  EXPECT_EQ(out.attempts[1].key, "b");
  EXPECT_THAT(losses(), ElementsAre(5.0, 4.0)) << "the first attempt's lines are not read again";
  EXPECT_EQ(out.runs.at(0).state, RunState::kRunning);
}

TEST_F(TrainerOutput, AFileThatTheConfigurationNamesIsTailedOnce) {
  trainer("stdout.log", 0, 1);
  m_folder.append("stdout.log", iteration(1, "5.0"));
  const toml::table named = toml::parse("paths = '" + m_folder.file("*.log") + "'\nrun = 'named'\n");
  const auto source = makeTrainLogSource();
  ASSERT_TRUE(source->start(out, context(&named)).ok());
  source->poll(out, m_now);
  start();
  pass();
  EXPECT_THAT(losses(), ElementsAre(5.0));
  ASSERT_THAT(out.runs, SizeIs(1));
  EXPECT_EQ(out.runs[0].name, "named");
}

TEST_F(TrainerOutput, AfterARestartOfTheAgentNoLineIsRecordedTwice) {
  trainer("stdout", 0, 1);
  m_folder.append("stdout", iteration(1, "5.0") + iteration(2, "4.0"));
  start();
  pass();
  m_source->stop(out);
  m_folder.append("stdout", iteration(3, "3.0"));
  start();
  pass();
  EXPECT_THAT(losses(), ElementsAre(5.0, 4.0, 3.0));
  EXPECT_THAT(out.attempts, SizeIs(1));
}

TEST_F(TrainerOutput, FilesBeyondTheLimitAreReported) {
  constexpr int kTrainers = 34;  // of eight files each at most
  for (int rank = 0; rank < kTrainers; ++rank) {
    std::string command = "exec sleep 600";
    for (int fd = 3; fd < 10; ++fd)
      command += " " + std::to_string(fd) + ">>'" + m_folder.file(std::to_string(rank * 10 + fd) + ".log") + "'";
    trainer("stdout" + std::to_string(rank), rank, kTrainers, {"bash", "-c", command});
  }
  start();
  pass(2);
  EXPECT_EQ(out.issueCount("trainer_output.too_many_files"), kTrainers * 8 - 256);
}

TEST_F(TrainerOutput, RootTakesTrainersOfOthersOnlyIfAskedTo) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  m_run += std::to_string(::getpid());  // trainers of other tests on this machine are of other runs
  trainer("stdout", 0, 1, {"setpriv", "--reuid", std::to_string(kNobody), "--clear-groups", "sleep", "600"});
  ASSERT_EQ(::chown(m_folder.file("stdout").c_str(), kNobody, kNobody), 0);
  m_folder.append("stdout", iteration(1, "6.5"));
  start();
  pass();
  EXPECT_THAT(out.runs, IsEmpty());
  m_source->stop(out);
  start("users = 'all'\n");
  pass();
  EXPECT_THAT(losses(), testing::Contains(6.5)) << "other trainers of this machine may have been found as well";
}

TEST_F(TrainerOutput, RootReadsNoFileThatTheTrainersUserDoesNotOwn) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  m_run += std::to_string(::getpid());  // trainers of other tests on this machine are of other runs
  trainer("stdout", 0, 1, {"setpriv", "--reuid", std::to_string(kNobody), "--clear-groups", "sleep", "600"});
  m_folder.append("stdout", iteration(1, "6.5"));
  start("users = 'all'\n");
  pass();
  EXPECT_THAT(losses(), testing::Not(testing::Contains(6.5)));
}

TEST_F(TrainerOutput, ALogThatIsRenamedIsRecordedOnce) {
  trainer("stdout", 1, 3);  // values of a rank
  m_folder.append("stdout", iteration(1, "5.0"));
  start();
  pass();
  m_folder.rename("stdout", "stdout.1");
  pass();
  m_folder.append("stdout.1", iteration(2, "4.0"));
  pass();
  EXPECT_THAT(losses(1), ElementsAre(5.0, 4.0));
  m_source->stop(out);
  m_folder.rename("stdout.1", "stdout.2");
  m_folder.append("stdout.2", iteration(3, "3.0"));
  start();
  pass();
  EXPECT_THAT(losses(1), ElementsAre(5.0, 4.0, 3.0)) << "renamed while the agent was down";
}

TEST_F(TrainerOutput, FilesWithTwoNamesAreRecordedOnce) {
  m_folder.write("a.log", "");
  ASSERT_EQ(::link(m_folder.file("a.log").c_str(), m_folder.file("b.log").c_str()), 0);
  trainer("stdout", 1, 3, {"bash", "-c", "exec sleep 600 3>>'" + m_folder.file("a.log") + "' 4>>'" + m_folder.file("b.log") + "'"});
  m_folder.append("a.log", iteration(1, "5.0"));
  start();
  pass();
  EXPECT_THAT(losses(1), ElementsAre(5.0));
}

TEST_F(TrainerOutput, AFileThatTheConfigurationNamesIsLeftToASourceThatStartsLater) {
  trainer("stdout.log", 0, 1);
  m_folder.append("stdout.log", iteration(1, "5.0"));
  const toml::table named = toml::parse("paths = '" + m_folder.path() + "'\nrun = 'named'\n");
  const auto source = makeTrainLogSource();
  const SourceContext& of = context(&named);
  source->claim(of);
  start();
  pass();
  EXPECT_THAT(out.runs, IsEmpty());
  ASSERT_TRUE(source->start(out, of).ok());
  source->poll(out, m_now);
  pass();
  ASSERT_THAT(out.runs, SizeIs(1));
  EXPECT_EQ(out.runs[0].name, "named");
}

TEST_F(TrainerOutput, ARunWhoseFileAnotherSourceTailsNowIsOver) {
  trainer("stdout", 0, 1);
  m_folder.append("stdout", iteration(1, "5.0"));
  start();
  pass();
  struct stat info {};
  ASSERT_EQ(::stat(m_folder.file("stdout").c_str(), &info), 0);
  m_tailed.add(info.st_dev, info.st_ino);
  pass();
  ASSERT_THAT(out.runs, SizeIs(1));
  EXPECT_NE(out.runs[0].state, RunState::kRunning);
}

TEST(TailedFilesTest, NamesWhatPatternsAndFoldersMatch) {
  TailedFiles files;
  const auto logs = [](std::string_view name) { return name.ends_with(".log"); };
  files.claim("/l/*/a?.out", logs);
  files.claim("/runs/", logs);
  for (const char* path : {"/l/x/a1.out", "/runs/a.log", "/runs/1/2/3/4/a.log"}) EXPECT_TRUE(files.names(path)) << path;
  for (const char* path : {"/l/x/y/a1.out", "/l/x/b1.out", "/runs/a.txt", "/runs/1/2/3/4/5/a.log", "/other/a.log"})
    EXPECT_FALSE(files.names(path)) << path;
}

TEST(TailedFilesTest, ARenamedFileStaysTailedWhileItIsAskedFor) {
  TailedFiles files;
  files.add(1, 2);
  files.retire(1, 2, 0);
  EXPECT_TRUE(files.contains(1, 2, 50 * kNsPerSecond));
  EXPECT_TRUE(files.contains(1, 2, 100 * kNsPerSecond));
  EXPECT_FALSE(files.contains(1, 2, 200 * kNsPerSecond));
}

TEST_F(TrainerOutput, AWrapperWithTheSameRankDoesNotHideItsTrainer) {
  trainer("wrapper", 0, 1, {"bash", "-c", "setpriv --pdeathsig KILL sleep 600 > '" + m_folder.file("trainer") + "' & exec sleep 601"});
  ASSERT_TRUE(waitUntil([&] { return std::filesystem::exists(m_folder.file("trainer")); }));
  m_folder.append("trainer", iteration(1, "5.0"));
  start();
  pass(10);
  EXPECT_THAT(losses(), ElementsAre(5.0));
}

TEST_F(TrainerOutput, AWorkerWithItsTrainersCommandHasNoOutputOfItsOwn) {
  trainer("stdout", 0, 1, {"bash", "-c", "setpriv --pdeathsig KILL sleep 600 > '" + m_folder.file("worker") + "' & exec sleep 600"});
  ASSERT_TRUE(waitUntil([&] { return std::filesystem::exists(m_folder.file("worker")); }));
  m_folder.append("worker", iteration(1, "5.0"));
  start();
  pass(10);
  EXPECT_THAT(losses(), IsEmpty());
}

TEST_F(TrainerOutput, AProcessThatExecutesATrainerLateIsFound) {
  Program& program = m_trainers.emplace_back(
      std::vector<std::string>{"bash", "-c",
                               "until [ -e '" + m_folder.file("go") +
                                   "' ]; do read -t 0.05 < /dev/zero; done; RANK=0 WORLD_SIZE=1 RUNGLASS_RUN=gpt exec sleep 600"},
      m_folder.file("stdout"));
  start();
  pass(10);
  m_folder.write("go", "");
  ASSERT_TRUE(waitUntil([&] {
    // The environment is there a moment after the name.
    std::ifstream environment("/proc/" + std::to_string(program.pid()) + "/environ");
    return std::string(std::istreambuf_iterator<char>(environment), {}).find("RANK=0") != std::string::npos;
  }));
  m_folder.append("stdout", iteration(1, "5.0"));
  pass(20);
  EXPECT_THAT(losses(), ElementsAre(5.0));
}

TEST_F(TrainerOutput, AWrappersOutputIsOfTheRunOfItsTrainersRing) {
  const Program& wrapper = trainer("stdout", 0, 1, {"bash", "-c", "setpriv --pdeathsig KILL sleep 600 > /dev/null & exec sleep 601"});
  std::int32_t child = 0;
  ASSERT_TRUE(waitUntil([&] {
    const std::string pid = std::to_string(wrapper.pid());
    std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
    return bool(children >> child);
  }));
  const RunId run = out.run({.name = "named", .state = RunState::kFinished});
  m_ranks.put({.pid = child, .rank = {.attempt = out.attempt({.run = run, .key = "k"})}, .run = "named", .attempt_key = "k", .ring = "r"});
  m_folder.append("stdout", iteration(1, "5.0"));
  start();
  pass(10);
  EXPECT_THAT(out.runs, SizeIs(1));
  EXPECT_THAT(losses(), ElementsAre(5.0));
  EXPECT_NE(out.runs[0].state, RunState::kRunning) << "of the ring alone";
}

TEST_F(TrainerOutput, ANewAttemptInTheSameFileEndsTheOneBefore) {
  Program& first = trainer("stdout", 0, 1);
  m_folder.append("stdout", iteration(1, "5.0"));
  start();
  pass();
  first.signal(SIGKILL), first.wait();
  trainer("stdout", 0, 1, {"sleep", "600"}, "b");
  pass();
  m_folder.append("stdout", iteration(1, "4.0"));
  pass();
  ASSERT_THAT(out.attempts, SizeIs(2));
  EXPECT_TRUE(out.attempts[0].end);
  EXPECT_FALSE(out.attempts[1].end);
  EXPECT_EQ(out.runs.at(0).state, RunState::kRunning);
}

TEST_F(TrainerOutput, ALogDoesNotReportTheStateOfARunWhereAnotherRankHasARing) {
  const Program& first = trainer("a", 0, 2);
  trainer("b", 1, 2);
  const RunId run = out.run({.name = "gpt", .state = RunState::kFinished});
  m_ranks.put(
      {.pid = first.pid(), .rank = {.attempt = out.attempt({.run = run, .key = "a"})}, .run = "gpt", .attempt_key = "a", .ring = "r"});
  m_folder.append("b", iteration(1, "5.0"));
  start();
  pass();
  EXPECT_THAT(losses(), ElementsAre(5.0));
  EXPECT_NE(out.runs.at(0).state, RunState::kRunning) << "of the ring alone";
}

TEST_F(TrainerOutput, ALogDoesNotReportTheStateOfARunWhoseRingHasEnded) {
  const Program& first = trainer("a", 0, 2);
  trainer("b", 1, 2);
  const RunId run = out.run({.name = "gpt", .state = RunState::kFinished});
  m_ranks.put(
      {.pid = first.pid(), .rank = {.attempt = out.attempt({.run = run, .key = "a"})}, .run = "gpt", .attempt_key = "a", .ring = "r"});
  m_folder.append("b", iteration(1, "5.0"));
  start();
  pass();
  m_ranks.drop(first.pid());
  pass();
  m_folder.append("b", iteration(2, "4.0") + "Traceback (most recent call last):\n  File \"t.py\", line 1\nValueError: x\n\nnext\n");
  pass();
  EXPECT_NE(out.runs.at(0).state, RunState::kRunning);
  EXPECT_NE(out.runs.at(0).state, RunState::kFailed);
}

TEST_F(TrainerOutput, ARunEndsAlthoughItsFirstRankEndedLongBefore) {
  Program& first = trainer("a", 0, 3);
  Program& second = trainer("b", 1, 3);
  m_folder.append("a", iteration(1, "5.0"));
  start();
  pass();
  first.signal(SIGKILL), first.wait();
  pass(70);
  EXPECT_EQ(out.runs.at(0).state, RunState::kRunning);
  second.signal(SIGKILL), second.wait();
  pass(10);
  EXPECT_EQ(out.runs.at(0).state, RunState::kUnknown);
}

TEST_F(TrainerOutput, AnotherUsersProcessDoesNotWriteForARun) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  m_run += std::to_string(::getpid());  // trainers of other tests on this machine are of other runs
  trainer("a", 0, 2);
  ::usleep(50'000);  // jiffies
  trainer("b", 1, 2, {"setpriv", "--reuid", std::to_string(kNobody), "--clear-groups", "sleep", "600"});
  ASSERT_EQ(::chown(m_folder.file("b").c_str(), kNobody, kNobody), 0);
  m_folder.append("a", iteration(1, "5.5"));
  m_folder.append("b", iteration(1, "6.5"));
  start("users = 'all'\n");
  pass();
  EXPECT_THAT(losses(), testing::Contains(5.5));
  EXPECT_THAT(losses(), testing::Not(testing::Contains(6.5)));
  EXPECT_THAT(losses(1), testing::Not(testing::Contains(6.5)));
}

TEST_F(TrainerOutput, AnotherUsersTeeIsLeftAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  m_run += std::to_string(::getpid());  // trainers of other tests on this machine are of other runs
  trainer(
      "stdout", 0, 1,
      {"bash", "-c",
       "exec sleep 600 > >(exec setpriv --reuid " + std::to_string(kNobody) + " --clear-groups tee -a '" + m_folder.file("copy") + "')"});
  m_folder.append("copy", iteration(1, "6.5"));
  start("users = 'all'\n");
  pass(10);
  EXPECT_THAT(losses(), testing::Not(testing::Contains(6.5)));
}

TEST_F(TrainerOutput, TheValuesOfARankThatHasEndedGoOnWithTheOtherFile) {
  Program& first = trainer("a", 0, 2);
  trainer("b", 1, 2);
  m_folder.append("a", iteration(1, "5.0"));
  m_folder.append("b", iteration(1, "5.0"));
  start();
  pass();
  first.signal(SIGKILL), first.wait();
  pass(10);
  m_folder.append("b", iteration(2, "4.0"));
  pass();
  EXPECT_THAT(losses(), ElementsAre(5.0, 4.0));
  const auto isOpen = [&](const std::string& path) {
    return std::ranges::any_of(std::filesystem::directory_iterator("/proc/self/fd"), [&](const auto& entry) {
      std::error_code error;
      return std::filesystem::read_symlink(entry.path(), error) == path;
    });
  };
  EXPECT_TRUE(isOpen(m_folder.file("a")));
  pass(70);
  EXPECT_FALSE(isOpen(m_folder.file("a"))) << "no process has had it open for a minute";
  EXPECT_TRUE(isOpen(m_folder.file("b")));
  EXPECT_EQ(out.runs.at(0).state, RunState::kRunning);
}

TEST_F(TrainerOutput, OfAnOldFileOnlyTheLastPartIsRead) {
  std::string text = iteration(1, "9.0");
  for (int i = 0; i < 17 << 10; ++i) text += std::string(1023, 'x') + "\n";
  m_folder.write("stdout", text + iteration(2, "5.0"));
  ::usleep(1'500'000);
  trainer("stdout", 0, 1);
  start();
  pass();
  m_folder.append("stdout", iteration(3, "4.0"));
  pass();
  EXPECT_THAT(losses(), ElementsAre(5.0, 4.0));
}

}  // namespace
}  // namespace runglass::test
