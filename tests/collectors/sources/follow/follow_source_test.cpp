// SPDX-License-Identifier: Apache-2.0
// The sources train_log and tfevents as the agent runs them: polled repeatedly while files change.
#include <gmock/gmock.h>

#include <sys/stat.h>

#include <bit>
#include <cstring>

#include "collectors/hub/server/lease_table.h"
#include "collectors/sources/tfevents/tfevents_source.h"
#include "collectors/sources/train_log/train_log_source.h"
#include "model/crc32c.h"
#include "tests/collectors/sources/follow/scratch_folder.h"
#include "tests/support/memory_recorder.h"

namespace runglass::test {
namespace {
using testing::ElementsAre;
using testing::IsEmpty;

std::string iteration(int step, const char* loss) { return " iteration " + std::to_string(step) + "/ 1000 | lm loss: " + loss + " |\n"; }

// A source from start to stop, driven like by an agent.
class Life {
 public:
  Life(std::unique_ptr<Source> source, const ScratchFolder& folder, const std::string& config, LeaseClaims* leases = nullptr)
      : m_source(std::move(source)) {
    m_config = toml::parse(config);
    const SourceContext context{.node = {.uuid = "n1", .name = "node1"},
                                .now = [this] { return m_now; },
                                .config = &m_config,
                                .state_dir = leases == nullptr ? folder.path() : std::string(),
                                .leases = leases};
    status = m_source->start(out, context);
  }
  void poll(int times = 1) {
    for (int i = 0; i < times; ++i) {
      m_source->poll(out, m_now);
      m_now += 200 * kNsPerMs;
    }
  }
  void stop() { m_source->stop(out); }
  TimeNs now() const { return m_now; }

  MemoryRecorder out;
  Status status;

 private:
  std::unique_ptr<Source> m_source;
  toml::table m_config;
  TimeNs m_now = 1'000'000 * kNsPerSecond;
};

std::string logConfig(const ScratchFolder& folder) { return "paths = ['" + folder.file("*.log") + "']\nrun = 'live'\n"; }

TEST(TrainLogSource, SaysThatItHasNothingToFollow) {
  const ScratchFolder folder;
  EXPECT_EQ(Life(makeTrainLogSource(), folder, "").status.code(), Code::kUnavailable);
}

TEST(TrainLogSource, FollowsAGrowingFileWithHalfLinesAndStampsWhatHasNoTime) {
  const ScratchFolder folder;
  Life life(makeTrainLogSource(), folder, logConfig(folder));
  ASSERT_TRUE(life.status.ok()) << life.status.message();
  life.poll();
  EXPECT_THAT(life.out.runs, IsEmpty());
  folder.write("train.log", iteration(1, "5.0"));  // found later: it existed before it was seen, so its time is unknown
  life.poll(11);
  const std::string second = iteration(2, "4.0");
  folder.append("train.log", second.substr(0, 25));
  life.poll();
  EXPECT_THAT(life.out.scalarsOf("lm loss").value, ElementsAre(5.0));
  folder.append("train.log", second.substr(25));
  const TimeNs seen = life.now();
  life.poll();
  EXPECT_THAT(life.out.scalarsOf("lm loss").value, ElementsAre(5.0, 4.0));
  EXPECT_THAT(life.out.scalarsOf("lm loss").time, ElementsAre(seen));
  EXPECT_EQ(life.out.runs.at(0).name, "live");
  EXPECT_EQ(life.out.runs.at(0).state, RunState::kRunning);
}

TEST(TrainLogSource, AFolderIsReadWithTheFoldersInItAndOnlyItsLogs) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.file("node-1/attempt-0"));
  folder.write("node-1/attempt-0/train.log", iteration(1, "5.0"));
  folder.write("config.yaml", iteration(9, "9.0"));
  Life life(makeTrainLogSource(), folder, "paths = ['" + folder.path() + "']\nrun = 'live'\n");
  ASSERT_TRUE(life.status.ok()) << life.status.message();
  life.poll();
  EXPECT_THAT(life.out.scalarsOf("lm loss").value, ElementsAre(5.0));
  EXPECT_THAT(life.out.issues, IsEmpty());
  folder.append("node-1/attempt-0/train.log", iteration(2, "4.0"));
  folder.write("later.out", iteration(3, "3.0"));
  life.poll(52);  // folders are listed every 10 s
  std::vector<double> values;
  for (const auto& [id, points] : life.out.scalar_points) values.insert(values.end(), points.value.begin(), points.value.end());
  EXPECT_THAT(values, testing::UnorderedElementsAre(5.0, 4.0, 3.0));
}

TEST(TrainLogSource, APathWithoutAFileIsReportedOnceAndReadWhenItComes) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder.file("empty"));
  folder.write("empty/notes.md", "nothing\n");
  Life life(makeTrainLogSource(), folder, "paths = ['" + folder.file("empty") + "', '" + folder.file("none.log") + "']\n");
  life.poll(60);
  ASSERT_EQ(life.out.issueCount("follow.no_files"), 2);
  EXPECT_THAT(life.out.issues.at(0).detail, testing::HasSubstr("no file named *.log, *.out, *.err, *.txt in this folder"));
  EXPECT_THAT(life.out.issues.at(1).detail, testing::HasSubstr("no such file or folder"));
  folder.write("empty/train.log", iteration(1, "5.0"));
  life.poll(52);
  EXPECT_THAT(life.out.scalarsOf("lm loss").value, ElementsAre(5.0));
}

TEST(TrainLogSource, WhatIsNoPlainFileIsReported) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("pipe.log").c_str(), 0600), 0);
  Life life(makeTrainLogSource(), folder, logConfig(folder));
  life.poll(3);
  ASSERT_EQ(life.out.issueCount("follow.unreadable"), 1);
  EXPECT_THAT(life.out.issues.at(0).detail, testing::HasSubstr("not a plain file"));
}

TEST(TrainLogSource, ARotatedOrTruncatedLogGoesOnInTheSameAttempt) {
  const ScratchFolder folder;
  Life life(makeTrainLogSource(), folder, logConfig(folder));
  folder.write("train.log", iteration(1, "5.0"));
  life.poll();
  folder.rename("train.log", "train.log.1");
  folder.write("train.log", iteration(2, "4.0"));
  life.poll();
  folder.write("train.log", iteration(3, "3.0") + iteration(4, "2.0"));
  life.poll();
  EXPECT_THAT(life.out.scalarsOf("lm loss").step, ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(life.out.attempts.size(), 1U);
  EXPECT_EQ(life.out.issueCount("follow.replaced"), 1);
  EXPECT_EQ(life.out.issueCount("follow.truncated"), 1);
}

TEST(TrainLogSource, AfterARestartOfTheAgentNothingIsLostOrRecordedTwice) {
  const ScratchFolder folder;
  folder.write("train.log", iteration(1, "5.0") + iteration(2, "4.0") + " iteration 3/ 1000 | lm");
  {
    Life life(makeTrainLogSource(), folder, logConfig(folder));
    life.poll();
    EXPECT_THAT(life.out.scalarsOf("lm loss").step, ElementsAre(1, 2));
    life.stop();
  }
  folder.append("train.log", " loss: 3.0 |\n" + iteration(1, "6.0"));
  Life life(makeTrainLogSource(), folder, logConfig(folder));
  life.poll();
  std::vector<std::vector<std::int64_t>> steps;
  for (const auto& [id, points] : life.out.scalar_points) steps.push_back(points.step);
  EXPECT_THAT(steps, ElementsAre(ElementsAre(3), ElementsAre(1)))
      << "the restart is seen although the first steps were read by the agent before";
  EXPECT_EQ(life.out.attempts.size(), 2U);
}

// A heartbeat of each agent and the hub's answers.
void beat(std::initializer_list<std::pair<const char*, LeaseClaims*>> agents, LeaseTable& hub) {
  for (const auto& [name, book] : agents)
    for (const LeaseClaims::Claim& claim : book->claims(monotonicNow())) {
      const LeaseTable::Answer answer = hub.claim(name, claim.file, claim.offset, monotonicNow());
      book->answered(claim.file, answer.held, answer.offset, monotonicNow());
    }
}

TEST(TrainLogSource, OfTwoAgentsThatSeeAFileOneFollowsAndTheOtherGoesOnAfterIt) {
  const ScratchFolder folder;
  folder.write("train.log", iteration(1, "5.0") + iteration(2, "4.0"));
  LeaseClaims book_a, book_b;
  LeaseTable hub(monotonicNow() - LeaseTable::kExpiry);
  const std::string config = logConfig(folder) + "lease = 'always'\n";
  Life a(makeTrainLogSource(), folder, config, &book_a), b(makeTrainLogSource(), folder, config, &book_b);
  a.poll(), b.poll();
  EXPECT_THAT(a.out.runs, IsEmpty()) << "nobody reads before the hub has chosen";
  beat({{"a", &book_a}, {"b", &book_b}}, hub);
  a.poll(), b.poll();
  EXPECT_THAT(a.out.scalarsOf("lm loss").step, ElementsAre(1, 2));
  EXPECT_THAT(b.out.runs, IsEmpty());
  folder.append("train.log", iteration(3, "3.0"));
  a.poll(30), b.poll(30);
  a.stop();
  beat({{"a", &book_a}}, hub);
  hub.release("a");
  folder.append("train.log", iteration(4, "2.0"));
  b.poll();
  beat({{"b", &book_b}}, hub);
  b.poll();
  EXPECT_THAT(a.out.scalarsOf("lm loss").step, ElementsAre(1, 2, 3));
  EXPECT_THAT(b.out.scalarsOf("lm loss").step, ElementsAre(4)) << "no line twice, none left out";
}

TEST(TrainLogSource, WhoLostALeaseStopsAndGoesOnWhereTheOtherWas) {
  const ScratchFolder folder;
  folder.write("train.log", iteration(1, "5.0"));
  LeaseClaims book;
  Life a(makeTrainLogSource(), folder, logConfig(folder) + "lease = 'always'\n", &book);
  a.poll();
  const std::string file = book.claims(monotonicNow()).at(0).file;
  book.answered(file, true, 0, monotonicNow());
  a.poll();
  book.answered(file, false, 0, monotonicNow());
  folder.append("train.log", iteration(2, "4.0"));
  a.poll();
  EXPECT_THAT(a.out.scalarsOf("lm loss").step, ElementsAre(1));
  const std::string all = iteration(1, "5.0") + iteration(2, "4.0");
  folder.append("train.log", iteration(3, "3.0"));
  book.answered(file, true, all.size(), monotonicNow());
  a.poll();
  EXPECT_THAT(a.out.scalarsOf("lm loss").step, ElementsAre(1, 3)) << "step 2 is the other's";
}

// An offset reported by another agent is a hint: data beyond the file's end is not skipped, and the next agent gets the corrected offset.
TEST(TrainLogSource, AnOffsetBeyondTheFileSkipsNothing) {
  const ScratchFolder folder;
  folder.write("train.log", iteration(1, "5.0"));
  LeaseClaims book;
  LeaseTable hub(monotonicNow() - LeaseTable::kExpiry);
  Life a(makeTrainLogSource(), folder, logConfig(folder) + "lease = 'always'\n", &book);
  a.poll();
  hub.claim("liar", book.claims(monotonicNow()).at(0).file, std::uint64_t{1} << 62, monotonicNow());
  hub.release("liar");
  for (int step = 2; step < 5; ++step) {
    beat({{"a", &book}}, hub);
    a.poll(30);
    folder.append("train.log", iteration(step, "4.0"));
  }
  beat({{"a", &book}}, hub);
  a.poll(30);
  EXPECT_THAT(a.out.scalarsOf("lm loss").step, ElementsAre(1, 2, 3, 4));
  EXPECT_LT(hub.claim("b", book.claims(monotonicNow()).at(0).file, 0, monotonicNow()).offset, 100'000U);
}

TEST(TrainLogSource, AFileOfThisNodeAloneNeedsNoLease) {
  const ScratchFolder folder;
  folder.write("train.log", iteration(1, "5.0"));
  LeaseClaims book;
  Life life(makeTrainLogSource(), folder, logConfig(folder), &book);
  life.poll();
  EXPECT_THAT(life.out.scalarsOf("lm loss").step, ElementsAre(1));
  EXPECT_THAT(book.claims(monotonicNow()), IsEmpty());
}

TEST(TrainLogSource, AnotherFileOfTheSameNameIsReadFromItsStartAfterARestart) {
  const ScratchFolder folder;
  folder.write("train.log", iteration(1, "5.0"));
  {
    Life life(makeTrainLogSource(), folder, logConfig(folder));
    life.poll();
    life.stop();
  }
  folder.rename("train.log", "kept.old");
  folder.write("train.log", iteration(1, "9.0") + iteration(2, "8.0"));
  Life life(makeTrainLogSource(), folder, logConfig(folder));
  life.poll();
  EXPECT_THAT(life.out.scalarsOf("lm loss").value, ElementsAre(9.0, 8.0));
}

TEST(TrainLogSource, ADamagedStateFileOnlyCostsReadingAgain) {
  const ScratchFolder folder;
  folder.write("train_log.follow", "12 banana\n\x01\x02\n");
  folder.write("train.log", iteration(1, "5.0"));
  Life life(makeTrainLogSource(), folder, logConfig(folder));
  life.poll();
  EXPECT_THAT(life.out.scalarsOf("lm loss").value, ElementsAre(5.0));
}

// --- tfevents -------------------------------------------------------------------------------------------------------------

std::string bytesOf(const auto& value) {
  std::string out(sizeof(value), '\0');
  std::memcpy(out.data(), &value, sizeof(value));
  return out;
}
std::uint32_t masked(std::string_view data) {
  const std::uint32_t crc = crc32c(data);
  return std::rotr(crc, 15) + 0xa282ead8U;
}
std::string record(const std::string& data) {
  const std::string length = bytesOf(static_cast<std::uint64_t>(data.size()));
  return length + bytesOf(masked(length)) + data + bytesOf(masked(data));
}
// tensorflow.Event with one simple_value: wall_time (1, double), step (2, varint < 128), summary (5) of value (1) of tag (1) and float (2).
std::string scalarRecord(const std::string& tag, int step, float value) {
  const std::string item = "\x0a" + std::string(1, static_cast<char>(tag.size())) + tag + "\x15" + bytesOf(value);
  const std::string summary = "\x0a" + std::string(1, static_cast<char>(item.size())) + item;
  return record("\x09" + bytesOf(1000.5) + "\x10" + std::string(1, static_cast<char>(step)) + "\x2a" +
                std::string(1, static_cast<char>(summary.size())) + summary);
}

TEST(TfeventsSource, FollowsHalfRecordsAndResumes) {
  const ScratchFolder folder;
  const std::string config = "paths = '" + folder.file("events.out.tfevents*") + "'\nrun = 'board'\n";
  const std::string name = "events.out.tfevents.1.host", second = scalarRecord("train/loss", 2, 1.5F);
  folder.write(name, record("\x09" + bytesOf(1000.0) +
                            "\x1a\x0d"
                            "brain.Event:2") +
                         scalarRecord("train/loss", 1, 2.5F) + second.substr(0, 10));
  {
    Life life(makeTfeventsSource(), folder, config);
    life.poll();
    EXPECT_THAT(life.out.scalarsOf("train/loss").value, ElementsAre(2.5));
    EXPECT_THAT(life.out.scalarsOf("train/loss").time, ElementsAre(1'000'500'000'000));
    folder.append(name, second.substr(10));
    life.poll();
    EXPECT_THAT(life.out.scalarsOf("train/loss").value, ElementsAre(2.5, 1.5));
    EXPECT_THAT(life.out.issues, IsEmpty());
    life.stop();
  }
  folder.append(name, scalarRecord("train/loss", 3, 0.5F));
  Life life(makeTfeventsSource(), folder, config);
  life.poll();
  EXPECT_THAT(life.out.scalarsOf("train/loss").step, ElementsAre(3));
  EXPECT_EQ(life.out.runs.at(0).name, "board");
}

TEST(TfeventsSource, AFolderOfRunsIsRead) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder.file("runs/a"));
  folder.write("runs/a/events.out.tfevents.1.host", scalarRecord("train/loss", 1, 2.5F));
  folder.write("runs/a/train.log", "not events\n");
  Life life(makeTfeventsSource(), folder, "paths = ['" + folder.file("runs") + "']\n");
  life.poll();
  EXPECT_THAT(life.out.scalarsOf("train/loss").value, ElementsAre(2.5));
  EXPECT_THAT(life.out.issues, IsEmpty());
}

TEST(TfeventsSource, AFileThatCannotBeOpenedAtOnceIsReadLater) {
  const ScratchFolder folder;
  const std::string name = "events.out.tfevents.1.host";
  ASSERT_EQ(::mkfifo(folder.file(name).c_str(), 0600), 0);
  Life life(makeTfeventsSource(), folder, "paths = '" + folder.file("events.out.tfevents*") + "'\nrun = 'board'\n");
  life.poll(2);
  EXPECT_EQ(life.out.issueCount("follow.unreadable"), 1);
  std::filesystem::remove(folder.file(name));
  folder.write(name, scalarRecord("train/loss", 1, 2.5F));
  life.poll(2);
  EXPECT_THAT(life.out.scalarsOf("train/loss").value, ElementsAre(2.5));
}

TEST(TrainLogSource, AFileThatCannotBeOpenedAtOnceIsReadLater) {
  const ScratchFolder folder;
  ASSERT_EQ(::mkfifo(folder.file("a.log").c_str(), 0600), 0);
  Life life(makeTrainLogSource(), folder, logConfig(folder));
  life.poll(2);
  EXPECT_EQ(life.out.issueCount("follow.unreadable"), 1);
  std::filesystem::remove(folder.file("a.log"));
  folder.write("a.log", iteration(1, "5.0"));
  life.poll(2);
  EXPECT_THAT(life.out.scalarsOf("lm loss").value, ElementsAre(5.0));
  folder.rename("a.log", "a.old");
  ASSERT_EQ(::mkfifo(folder.file("a.log").c_str(), 0600), 0);
  life.poll(2);
  std::filesystem::remove(folder.file("a.log"));
  folder.write("a.log", iteration(2, "4.0"));
  life.poll(2);
  EXPECT_THAT(life.out.scalarsOf("lm loss").value, ElementsAre(5.0, 4.0));
  EXPECT_EQ(life.out.issueCount("follow.replaced"), 1);
}

TEST(TrainLogSource, ALargeFileDoesNotKeepTheOthersWaiting) {
  const ScratchFolder folder;
  std::string line(1024, 'x');
  line.back() = '\n';
  std::string text;
  for (int i = 0; i < 40 << 10; ++i) text += line;
  folder.write("a.log", text);
  folder.write("b.log", iteration(1, "5.0"));
  Life life(makeTrainLogSource(), folder, logConfig(folder));
  life.poll(1);
  EXPECT_THAT(life.out.scalarsOf("lm loss").value, ElementsAre(5.0));
}

}  // namespace
}  // namespace runglass::test
