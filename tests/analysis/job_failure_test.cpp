// SPDX-License-Identifier: Apache-2.0
// The first rank to fail, from the events of a log.
#include "analysis/job_failure/job_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/travel/forwarding_reader.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class JobFailureTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = m_file.writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    m_writer = std::move(*opened);
    end("exception: ValueError");
    m_node = m_writer->node({.uuid = "b", .name = "node-b"});
  }
  void end(const char* cause, RunState state = RunState::kFailed) {
    m_run = m_writer->run({.name = "r", .time_domain = TimeDomain::kNone, .state = state});
    m_attempt = m_writer->attempt({.run = m_run, .key = "0", .end_cause = cause});
  }
  void event(const char* kind, std::optional<std::int32_t> rank, const char* code = "", const char* message = "") {
    m_writer->event({.attempt = m_attempt,
                     .node = rank == 3 ? m_node : NodeId(),
                     .rank = rank,
                     .kind = kind,
                     .severity = Severity::kError,
                     .code = code,
                     .message = message});
  }
  void log(std::int32_t rank, const char* text) {
    m_writer->log({.attempt = m_attempt, .rank = rank, .stream = "train.log", .severity = Severity::kError, .text = text});
  }
  std::vector<Finding> look() {
    EXPECT_TRUE(m_writer->flush().ok());
    const auto reader = m_file.reader();
    const auto found = makeJobFailure()->look({.reader = **reader, .run = m_run, .now = {}, .stop = {}});
    EXPECT_TRUE(found.ok()) << found.status().message();
    return *found;
  }
  TempStore m_file;
  std::unique_ptr<Writer> m_writer;
  RunId m_run;
  AttemptId m_attempt;
  NodeId m_node;
};

TEST_F(JobFailureTest, TheFirstRankInTheOrderOfTheLogIsNamedWithItsTraceback) {
  log(0, "[rank0]: Traceback (most recent call last):");
  log(3, "[rank3]: Traceback (most recent call last):");
  log(3, "[rank3]:   File \"train.py\", line 7, in <module>");
  log(3, "[rank3]: ValueError: batch of size 0");
  event("traceback", 3, "ValueError", "ValueError: batch of size 0");
  event("traceback", 0, "torch.distributed.DistBackendError", "torch.distributed.DistBackendError: NCCL error");
  event("killed", 1, "15", "Sending process 12 closing signal SIGTERM");
  event("process_failed", 3, "1", "  exitcode  : 1 (pid: 4711)");
  const auto found = look();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].kind, "job_failed");
  EXPECT_EQ(found[0].summary, "Rank 3 (node-b) failed first: ValueError: batch of size 0; 2 other ranks failed after it");
  EXPECT_EQ(found[0].rank, 3);
  EXPECT_FALSE(found[0].start) << "the log has no clock";
  EXPECT_THAT(found[0].evidence, HasSubstr("line 7, in <module>"));
  EXPECT_THAT(found[0].evidence, Not(HasSubstr("[rank0]"))) << "of that rank only";
}

TEST_F(JobFailureTest, WhatTheLauncherEndedIsNeverFirst) {
  event("killed", 1, "15", "SIGTERM");
  event("process_failed", 1, "1", "exitcode : 1");
  event("out_of_memory", 2, "", "CUDA out of memory. Tried to allocate 2 GiB");
  const auto found = look();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].rank, 2);
}

TEST_F(JobFailureTest, AHangOrABrokenGpuThatCameBeforeIsTheFindingOfOthers) {
  event("collective_timeout", 0, "7");
  event("killed", 0, "6", "rank 0 died from signal 6");
  EXPECT_THAT(look(), IsEmpty());
}

TEST_F(JobFailureTest, TheRankThatTheLauncherNamesIsTheFirst) {
  event("killed", 2, "11", "exitcode : -11 (pid: 1)");
  event("killed", 3, "11", "exitcode : -11 (pid: 2)");
  event("first_failure", 3);
  auto found = look();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].summary, "Rank 3 (node-b) failed first: a process crashed (SIGSEGV); 1 other rank failed after it");
  event("traceback", 3, "ValueError", "ValueError: batch of size 0");
  found = look();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].summary, "Rank 3 (node-b) failed first: ValueError: batch of size 0; 1 other rank failed after it");
}

TEST_F(JobFailureTest, AConnectionThatAPeerClosedIsNeverFirst) {
  event("traceback", 0, "RuntimeError", "RuntimeError: [pair.cc:534] Connection closed by peer [10.0.0.3]:29411");
  event("traceback", 2, "FileNotFoundError", "FileNotFoundError: shard_00017.bin");
  event("process_failed", 3, "1", "  exitcode  : 1 (pid: 4711)");
  ASSERT_THAT(look(), SizeIs(1));
  EXPECT_EQ(look()[0].rank, 2);
}

TEST_F(JobFailureTest, AnExitCodeIsOneAndTheLoggersHeadIsNoPartOfTheMessage) {
  event("process_failed", 3, "1", "  exitcode  : 1 (pid: 4711)");
  EXPECT_EQ(look()[0].summary, "Rank 3 (node-b) failed first: exit code 1");
  event("cuda_error", 1, "",
        "[rank1]:[E304 10:00:51.5 ProcessGroupNCCL.cpp:1895] [PG ID 0 Rank 1] terminated with exception: CUDA error: misaligned");
  EXPECT_EQ(look()[0].summary, "Rank 1 failed first: terminated with exception: CUDA error: misaligned; 1 other rank failed after it");
}

TEST_F(JobFailureTest, WhatAFaultOfTheMachineExplainsIsNotReportedTwice) {
  event("traceback", 3, "RuntimeError", "RuntimeError: unexpected pos 64 vs 0");
  event("no_space", 3, "", "OSError: [Errno 28] No space left on device");
  EXPECT_THAT(look(), IsEmpty()) << "a file system is full: of hardware_faults";
}

TEST_F(JobFailureTest, AnErrorThatARunSurvivedIsNoEnd) {
  end("", RunState::kRunning);
  event("traceback", 3, "ValueError", "ValueError: batch of size 0");
  EXPECT_THAT(look(), IsEmpty());
}

// Counts the events that an analysis reads.
class CountingReader : public ForwardingReader {
 public:
  explicit CountingReader(Reader& reader) : ForwardingReader(reader) {}
  Result<std::vector<Event>> events(const EventFilter& filter) override {
    auto found = ForwardingReader::events(filter);
    if (found.ok()) read += found->size();
    return found;
  }
  std::size_t read = 0;
};

TEST_F(JobFailureTest, ALiveRunReadsTheEventsOfItsOldAttemptsOnce) {
  constexpr TimeNs kStart = 1'772'700'000 * kNsPerSecond, kHour = 3'600 * kNsPerSecond;
  const RunId run =
      m_writer->run({.uuid = "live", .name = "live", .time_domain = TimeDomain::kUtc, .state = RunState::kRunning, .start = kStart});
  const AttemptId old =
      m_writer->attempt({.run = run, .key = "0", .start = kStart, .end = kStart + kHour, .end_cause = "exception: ValueError"});
  m_writer->attempt({.run = run, .key = "1", .start = kStart + kHour});
  for (int i = 0; i < 100; ++i)
    m_writer->event({.time = kStart + kHour,
                     .attempt = old,
                     .rank = 3,
                     .kind = "traceback",
                     .severity = Severity::kError,
                     .code = "ValueError",
                     .message = "ValueError: batch of size 0"});
  ASSERT_TRUE(m_writer->flush().ok());
  const auto reader = m_file.reader();
  CountingReader counting(**reader);
  const auto analysis = makeJobFailure();
  const auto readAt = [&](TimeNs now) {
    counting.read = 0;
    const auto found = analysis->look({.reader = counting, .run = run, .now = now, .stop = {}});
    EXPECT_TRUE(found.ok());
    EXPECT_THAT(*found, SizeIs(1));
    return counting.read;
  };
  EXPECT_GE(readAt(kStart + kHour + kNsPerSecond), 100U);
  EXPECT_GE(readAt(kStart + 3 * kHour), 100U) << "the events of a spool may have arrived late";
  EXPECT_EQ(readAt(kStart + 3 * kHour + kNsPerSecond), 0U);
}

}  // namespace
}  // namespace runglass
