// SPDX-License-Identifier: Apache-2.0
// Data that an agent spooled through an outage arrives after newer data: in separate chunks, which are evicted from memory when nothing
// further arrives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "storage/read/live_tail.h"
#include "storage/writer.h"
#include "tests/support/sql_rows.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kNew = 100'000;  // first second of the newer data

double lateValue(std::int64_t second) { return 0.5 * static_cast<double>(second % 1'000); }

class LateChunks : public testing::Test {
 protected:
  void SetUp() override {
    for (SeriesId& id : m_ids) id = m_writer->series({.metric = "m" + std::to_string(&id - m_ids)});
  }
  void record(std::size_t series, std::int64_t from, std::int64_t n) {
    for (std::int64_t second = from; second < from + n; ++second) m_writer->sample(m_ids[series], second * kNsPerSecond, lateValue(second));
  }
  // Each chunk is checked twice: the first check notes arrivals, the second one finds none.
  void lookTwice() {
    for (int look = 0; look < 2; ++look) EXPECT_TRUE(m_writer->flushIfDue().ok());
  }
  bool lateInMemory(std::size_t series) const {
    return m_writer->liveTail()->series(m_ids[series], std::numeric_limits<std::uint64_t>::max())->open_late.has_value();
  }
  void expectWhole(Reader& reader, std::size_t series, std::int64_t late) const {
    const auto samples = reader.samples(m_ids[series], {});
    ASSERT_TRUE(samples.ok()) << samples.status().message();
    ASSERT_EQ(samples->size(), static_cast<std::size_t>(late + 600)) << "series " << series;
    for (std::size_t i = 0; i < samples->size(); ++i) {
      const auto k = static_cast<std::int64_t>(i);
      const std::int64_t second = k < late ? k : kNew + k - late;
      ASSERT_EQ(samples->time[i], second * kNsPerSecond);
      ASSERT_EQ(samples->value[i], lateValue(second));
    }
  }
  std::unique_ptr<Reader> live() const { return m_store.reader({m_writer->liveTail()}).value(); }

  const TempStore m_store;
  const WriterOptions m_options{.late_idle = 0};
  std::unique_ptr<Writer> m_writer = m_store.writer(m_options).value();
  SeriesId m_ids[3];
};

TEST_F(LateChunks, LeaveMemoryOnceNothingMoreComes) {
  for (const std::size_t series : {0, 1, 2}) record(series, kNew, 600);
  record(0, 0, 3'000);
  record(1, 0, 5'000);  // more than a chunk
  record(2, 0, 5);
  for (const std::size_t series : {0, 1, 2}) EXPECT_TRUE(lateInMemory(series));
  EXPECT_TRUE(m_writer->flushIfDue().ok());
  record(0, 3'000, 10);
  EXPECT_TRUE(m_writer->flushIfDue().ok());
  EXPECT_TRUE(lateInMemory(0)) << "something came in between";
  EXPECT_FALSE(lateInMemory(1));
  expectWhole(*live(), 1, 5'000);  // before the next commit
  lookTwice();
  EXPECT_FALSE(lateInMemory(0));
  EXPECT_TRUE(lateInMemory(2)) << "a few points would make a small chunk each time";
  ASSERT_TRUE(m_writer->flush().ok());
  EXPECT_THAT(sqlRows(*live(), "SELECT n, sealed FROM rg_chunk WHERE late = 1 ORDER BY series_id, chunk_id"),
              ElementsAre("3010|1", "4096|1", "904|1", "5|0"));

  record(0, 3'010, 1'000);
  record(1, 5'000, 1'000);
  record(2, 5, 1'000);
  const std::int64_t late[] = {4'010, 6'000, 1'005};
  for (const std::size_t series : {0, 1, 2}) expectWhole(*live(), series, late[series]);
  ASSERT_TRUE(m_writer->flush().ok());
  m_writer.reset();
  m_writer = m_store.writer(m_options).value();
  for (const std::size_t series : {0, 1, 2}) record(series, late[series], 500);
  lookTwice();
  for (const std::size_t series : {0, 1, 2}) EXPECT_FALSE(lateInMemory(series));
  for (const std::size_t series : {0, 1, 2}) expectWhole(*live(), series, late[series] + 500);
  ASSERT_TRUE(m_writer->close().ok());
  const auto reader = m_store.reader().value();
  for (const std::size_t series : {0, 1, 2}) expectWhole(*reader, series, late[series] + 500);
  EXPECT_THAT(*reader->verify(), IsEmpty());
}

// Otherwise the data of an outage would need as much memory again as all newer data.
TEST_F(LateChunks, CountWhereChunksAreShortBecauseTheyAreMany) {
  constexpr std::size_t kMany = 9'000;
  std::vector<SeriesId> ids;
  for (std::size_t i = 0; i < kMany; ++i) ids.push_back(m_writer->series({.metric = "n" + std::to_string(i)}));
  const auto fill = [&](std::int64_t from, std::int64_t n) {
    std::vector<TimeNs> times;
    std::vector<double> values;
    for (std::int64_t second = from; second < from + n; ++second) {
      times.push_back(second * kNsPerSecond);
      values.push_back(lateValue(second));
    }
    for (const SeriesId id : ids) m_writer->samples(id, times, values);
  };
  fill(kNew, 500);
  fill(0, 1'900);
  fill(1'900, 1'900);
  ASSERT_TRUE(m_writer->flush().ok());
  for (const std::string& row : sqlRows(*live(), "SELECT max(n) FROM rg_chunk WHERE late = 1")) EXPECT_LE(std::stoi(row), 1'900);
  EXPECT_THAT(sqlRows(*live(), "SELECT DISTINCT sample_count FROM rg_series WHERE sample_count > 0"), ElementsAre("4300"));
}

}  // namespace
}  // namespace runglass
