// SPDX-License-Identifier: Apache-2.0
// The data shared by the parts of a Reader: states of the file, and the list of its series.
#include "storage/read/reader_file.h"

#include <gtest/gtest.h>

#include "storage/read/series_list.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

class ReaderFileTest : public testing::Test {
 protected:
  ReaderFileTest() : m_writer(m_store.writer().value()) {
    record("first_watts");
    EXPECT_TRUE(m_file.start().ok());
  }
  SeriesId record(const char* metric) {
    const SeriesId id = m_writer->series({.node = m_writer->node({.uuid = "n", .name = "n"}), .metric = metric, .unit = "watts"});
    m_writer->sample(id, 5, 1);
    EXPECT_TRUE(m_writer->flush().ok());
    return id;
  }
  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  ReaderFile m_file{m_store.path(), nullptr, true};
};

TEST_F(ReaderFileTest, CallsUnderAHoldShareOneState) {
  std::uint64_t before = 0;
  {
    const std::shared_ptr<void> hold = m_file.hold();
    ASSERT_TRUE(m_file.snapshot(false).ok());
    EXPECT_TRUE(m_file.db().inTransaction());  // it outlives the call
    before = m_file.generation().value();
    record("second_watts");
    EXPECT_EQ(m_file.generation().value(), before);
  }
  EXPECT_FALSE(m_file.db().inTransaction());
  EXPECT_GT(m_file.generation().value(), before);
}

TEST_F(ReaderFileTest, WithoutAHoldAStateEndsWithItsCall) {
  m_file.snapshot(false).value();
  EXPECT_FALSE(m_file.db().inTransaction());
}

TEST_F(ReaderFileTest, TheSeriesAreThoseOfTheNewestCommit) {
  SeriesList series(m_file);
  ASSERT_TRUE(series.refresh().ok());
  ASSERT_EQ(series.all().size(), 1U);
  const SeriesId second = record("second_watts");
  EXPECT_EQ(series.find(second), nullptr);
  ASSERT_TRUE(series.refresh().ok());
  ASSERT_NE(series.find(second), nullptr);
  EXPECT_EQ(series.find(second)->key.metric, "second_watts");
  EXPECT_EQ(series.find({second.value + 1}), nullptr);
}

}  // namespace
}  // namespace runglass
