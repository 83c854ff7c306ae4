// SPDX-License-Identifier: Apache-2.0
// Data covered by a pin stays, whichever tier would delete or thin it.
#include <gmock/gmock.h>

#include "storage/reader.h"
#include "storage/writer.h"
#include "tests/support/sql_rows.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr TimeNs kPinsStart = 1'790'000'000'000'000'000;
constexpr DurNs kDay = Retention::kDay;
constexpr std::int64_t kSteps = 10'000;

class RetentionPins : public testing::Test {
 protected:
  // An ended attempt with a step per second; steps 8,000 to 8,100 are pinned.
  void makeStore() {
    WriterOptions options;
    options.idle = 0;
    m_writer = m_store.writer(std::move(options)).value();
    const RunId run = m_writer->run({.uuid = "r", .name = "r"});
    const AttemptId attempt = m_writer->attempt({.run = run, .key = "0", .start = kPinsStart, .end = kPinsStart + kSteps * kNsPerSecond});
    // The next one began, so the first has ended.
    static_cast<void>(m_writer->attempt({.run = run, .key = "1", .start = kPinsStart + kSteps * kNsPerSecond}));
    const SeriesId id = m_writer->series({.attempt = attempt, .rank = 3, .metric = "step_time_ns", .kind = SeriesKind::kScalar});
    for (std::int64_t step = 0; step < kSteps; ++step) m_writer->scalar(id, step, kPinsStart + step * kNsPerSecond, 1e9);
    m_writer->progress({.attempt = attempt, .rank = 3, .time = kPinsStart + 8'050 * kNsPerSecond, .step = 8'050});
    m_writer->finding({.run = run,
                       .attempt = attempt,
                       .kind = "slow_rank",
                       .subject = "rank 3",
                       .severity = Severity::kInfo,
                       .start = kPinsStart + 8'010 * kNsPerSecond,
                       .end = kPinsStart + 8'020 * kNsPerSecond,
                       .summary = "s",
                       .evidence = "{}"});
    m_writer->event({.time = kPinsStart + 8'010 * kNsPerSecond, .kind = "note"});
    m_writer->pin({kPinsStart + 8'000 * kNsPerSecond, kPinsStart + 8'100 * kNsPerSecond}, "incident");
    for (int i = 0; i < 3; ++i) commit();
  }
  void commit() {
    m_writer->event({.time = kPinsStart, .kind = "tick", .severity = Severity::kWarning});
    ASSERT_TRUE(m_writer->flush().ok());
  }
  void retain(TimeNs now, Retention policy = {}) {
    const auto applied = m_writer->applyRetention(policy, now);
    ASSERT_TRUE(applied.ok()) << applied.status().message();
  }
  void expectPinned() {
    ASSERT_TRUE(m_writer->close().ok());
    const auto reader = m_store.reader().value();
    EXPECT_THAT(*reader->verify(), IsEmpty());
    EXPECT_THAT(sqlRows(*reader, "SELECT count(*) FROM step WHERE step BETWEEN 8000 AND 8099"), ElementsAre("100"));
    EXPECT_THAT(sqlRows(*reader, "SELECT count(*) FROM step WHERE step < 2000"), ElementsAre("0"));
    EXPECT_THAT(sqlRows(*reader, "SELECT count(*) FROM rg_progress"), ElementsAre("1"));
    EXPECT_THAT(sqlRows(*reader, "SELECT count(*) FROM rg_finding"), ElementsAre("1"));
    EXPECT_THAT(sqlRows(*reader, "SELECT count(*) FROM event WHERE kind = 'note'"), ElementsAre("1"));
    EXPECT_THAT(sqlRows(*reader, "SELECT count(*) > 0 FROM rg_pyramid"), ElementsAre("1"));
  }

  const TempStore m_store;
  std::unique_ptr<Writer> m_writer;
};

TEST_F(RetentionPins, HoldInAnEndedAttemptByAge) {
  makeStore();
  retain(kPinsStart + kDay), retain(kPinsStart + 31 * kDay), retain(kPinsStart + 62 * kDay), retain(kPinsStart + 500 * kDay),
      retain(kPinsStart + 900 * kDay);
  expectPinned();
}

TEST_F(RetentionPins, HoldForRoom) {
  makeStore();
  const TimeNs now = kPinsStart + kDay;
  for (int i = 0; i < 4; ++i) retain(now, {.max_bytes = 1});
  expectPinned();
}

// Thinned before the incident was created.
TEST_F(RetentionPins, HoldWhatIsThinnedAlready) {
  makeStore();
  ASSERT_TRUE(m_writer->close().ok());
  m_writer = m_store.writer(WriterOptions{.idle = 0}).value();
  retain(kPinsStart + kDay), retain(kPinsStart + 31 * kDay), retain(kPinsStart + 62 * kDay);
  m_writer->pin({kPinsStart, kPinsStart + 100 * kNsPerSecond}, "another incident");
  for (int i = 0; i < 3; ++i) retain(kPinsStart + 63 * kDay, {.max_bytes = 1});
  retain(kPinsStart + 900 * kDay);
  ASSERT_TRUE(m_writer->close().ok());
  const auto reader = m_store.reader().value();
  EXPECT_THAT(*reader->verify(), IsEmpty());
  EXPECT_THAT(sqlRows(*reader, "SELECT count(*) FROM step WHERE step < 100"), ElementsAre("7"));
}

}  // namespace
}  // namespace runglass
