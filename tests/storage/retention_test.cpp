// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <filesystem>

#include "storage/open_store.h"
#include "storage/reader.h"
#include "tests/storage/sample_store.h"

namespace runglass {
namespace {

using ::testing::IsEmpty;

constexpr TimeNs kEnd = kStoreStart + kStoreSamples * kNsPerMs;
constexpr DurNs kHour = 3600 * kNsPerSecond;

class RetentionTest : public ::testing::Test {
 protected:
  // The sample store, after `policy` was applied at `now`.
  void apply(const Retention& policy, TimeNs now, std::optional<TimeRange> pinned = {}) {
    makeSampleStore(m_path);
    auto writer = openStore(m_path).writer();
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    if (pinned) (*writer)->pin(*pinned, "incident 1");
    const auto applied = (*writer)->applyRetention(policy, now);
    ASSERT_TRUE(applied.ok()) << applied.status().message();
    EXPECT_TRUE(*applied);
    const Status closed = (*writer)->close();
    ASSERT_TRUE(closed.ok()) << closed.message();
    auto reader = openStore(m_path).reader();
    ASSERT_TRUE(reader.ok()) << reader.status().message();
    m_reader = std::move(*reader);
    auto damage = m_reader->verify();
    ASSERT_TRUE(damage.ok());
    EXPECT_THAT(*damage, IsEmpty());
  }
  std::string one(std::string_view sql) {
    std::string found;
    Reader::SqlSink sink;
    sink.row = [&](const std::vector<SqlValue>& row) {
      if (const auto* number = std::get_if<std::int64_t>(&row[0])) found = std::to_string(*number);
      return true;
    };
    const Status status = m_reader->query(sql, sink);
    return status.ok() ? found : status.message();
  }
  std::int64_t number(std::string_view sql) { return std::strtoll(one(sql).c_str(), nullptr, 10); }
  std::int64_t rawSamples() { return number("SELECT count(*) FROM series s, sample(s.series_id) WHERE s.metric = 'power_watts'"); }

  test::TempFolder m_folder;
  std::string m_path = m_folder.file("s.rgl");
  std::unique_ptr<Reader> m_reader;
};

TEST_F(RetentionTest, KeepsEverythingThatIsYoungEnough) {
  apply({}, kEnd + kHour);
  EXPECT_EQ(rawSamples(), kStoreSamples);
  EXPECT_EQ(number("SELECT count(*) FROM span"), 20);
}

TEST_F(RetentionTest, DropsKernelSpansAfterADayAndKeepsCoarseOnes) {
  apply({}, kEnd + 25 * kHour);
  EXPECT_EQ(number("SELECT count(*) FROM span JOIN track USING(track_id) WHERE kind = 'thread'"), 10);
  EXPECT_EQ(rawSamples(), kStoreSamples);
}

TEST_F(RetentionTest, DropsRawSamplesButTheirPyramidStillAnswers) {
  apply({}, kEnd + 49 * kHour);
  const auto left = rawSamples();
  EXPECT_LT(left, kStoreSamples);
  EXPECT_EQ(
      number(
          "SELECT sum(count) FROM series s, bin(s.series_id, 1700000000000000000, 1700000020000000000, 10) WHERE s.metric = 'power_watts'"),
      kStoreSamples);
  EXPECT_EQ(number("SELECT count(*) FROM scalar_all WHERE tag = 'loss'"), 160);
  EXPECT_EQ(number("SELECT count(*) FROM event"), 1);
}

TEST_F(RetentionTest, DropsPyramidsAfterTheirTime) {
  apply({}, kEnd + 91 * 24 * kHour);
  EXPECT_EQ(number("SELECT count(*) FROM rg_pyramid JOIN rg_series USING(series_id) WHERE kind <> 2"), 0);
  EXPECT_EQ(number("SELECT count(*) FROM scalar_all WHERE tag = 'loss'"), 160);
}

TEST_F(RetentionTest, PinnedRangesAreExempt) {
  apply({}, kEnd + 91 * 24 * kHour, TimeRange{kStoreStart - 1, kEnd + 1});
  EXPECT_EQ(rawSamples(), kStoreSamples);
  EXPECT_EQ(number("SELECT count(*) FROM span"), 20);
}

TEST_F(RetentionTest, ASizeCapTakesTheOldestFirstAndNeverLosses) {
  apply({.max_bytes = 1}, kEnd);
  EXPECT_LT(rawSamples(), kStoreSamples);
  EXPECT_EQ(number("SELECT count(*) FROM scalar_all WHERE tag = 'loss'"), 160);
  EXPECT_EQ(number("SELECT count(*) FROM finding"), 1);
  EXPECT_EQ(number("SELECT count(*) FROM ingest_issue WHERE code = 'store.over_cap'"), 1);
}

}  // namespace
}  // namespace runglass
