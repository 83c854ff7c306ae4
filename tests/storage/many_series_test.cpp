// SPDX-License-Identifier: Apache-2.0
// A store with very many series at once: their open chunks are short, without an effect on the series.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "storage/writer.h"
#include "tests/support/sql_rows.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::Each;
using testing::IsEmpty;
using testing::Le;

constexpr std::size_t kMany = 33'000;
constexpr std::size_t kShort = 768;  // points per chunk with so many series
constexpr std::size_t kSome[] = {0, 1, 2, 3, 20'000, kMany - 1};

void expectOk(const Status& status) { EXPECT_TRUE(status.ok()) << status.message(); }
double valueOf(std::size_t series, std::int64_t k) { return static_cast<double>(series % 100) + 0.25 * static_cast<double>(k % 40); }

class ManySeries : public testing::Test {
 protected:
  ManySeries() : m_writer(m_store.writer().value()) {
    const NodeId node = m_writer->node({.uuid = "n", .name = "n"});
    for (std::size_t s = 0; s < kMany; ++s) m_ids.push_back(m_writer->series({.node = node, .metric = "m" + std::to_string(s)}));
    m_next.resize(kMany);
  }
  // The next `n` points of a series, one by one.
  void record(std::size_t series, std::int64_t n) {
    for (; n > 0; --n) {
      const std::int64_t k = m_next[series]++;
      m_writer->sample(m_ids[series], (k + 1) * kNsPerSecond, valueOf(series, k));
    }
  }
  void expectWhole(Reader& reader, std::size_t series) const {
    const auto samples = reader.samples(m_ids[series], {});
    ASSERT_TRUE(samples.ok()) << samples.status().message();
    ASSERT_EQ(samples->size(), static_cast<std::size_t>(m_next[series])) << "series " << series;
    for (std::size_t i = 0; i < samples->size(); ++i) {
      ASSERT_EQ(samples->time[i], static_cast<TimeNs>(i + 1) * kNsPerSecond);
      ASSERT_EQ(samples->value[i], valueOf(series, static_cast<std::int64_t>(i)));
    }
  }
  std::unique_ptr<Reader> live() const { return m_store.reader({m_writer->liveTail()}).value(); }
  // Points of each chunk, the longest first.
  std::vector<int> chunks(const std::string& where) const {
    std::vector<int> points;
    for (const std::string& row : sqlRows(*m_store.reader().value(), "SELECT n FROM rg_chunk WHERE " + where + " ORDER BY n DESC"))
      points.push_back(std::stoi(row));
    return points;
  }

  const TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  std::vector<SeriesId> m_ids;
  std::vector<std::int64_t> m_next;
};

TEST_F(ManySeries, HaveShortChunksEvenIfTheyBeganWhileTheyWereFew) {
  record(0, 1'000);
  record(1, 100);
  record(2, 1);
  expectOk(m_writer->flush());
  for (std::size_t s = 3; s < kMany; ++s) record(s, 1);
  for (const std::size_t s : kSome) record(s, 1'600);
  for (const std::size_t s : kSome) expectWhole(*live(), s);
  expectOk(m_writer->flush());
  // The first one has, as one chunk, the points it held when the others arrived.
  EXPECT_EQ(chunks("series_id = " + std::to_string(m_ids[0].value)).front(), 1'000);
  EXPECT_THAT(chunks("series_id > " + std::to_string(m_ids[0].value)), Each(Le(static_cast<int>(kShort))));
  EXPECT_THAT(chunks("sealed = 0"), Each(Le(static_cast<int>(kShort) - 1)));
  for (const std::size_t s : kSome) expectWhole(*live(), s);
  expectOk(m_writer->close());
  const auto reader = m_store.reader().value();
  for (const std::size_t s : kSome) expectWhole(*reader, s);
  EXPECT_THAT(*reader->verify(), IsEmpty());
}

TEST_F(ManySeries, GoOnWithTheirOpenChunksAfterARestart) {
  for (std::size_t s = 0; s < kMany; ++s) record(s, s < 4 ? 300 : 1);
  expectOk(m_writer->close());
  m_writer = m_store.writer().value();
  for (std::size_t s = 0; s < 4; ++s) record(s, 50);
  for (std::size_t s = 4; s < kMany; ++s) record(s, 1);
  for (std::size_t s = 0; s < 4; ++s) record(s, 700);
  for (const std::size_t s : kSome) expectWhole(*live(), s);
  expectOk(m_writer->close());
  const auto reader = m_store.reader().value();
  for (const std::size_t s : kSome) expectWhole(*reader, s);
  EXPECT_THAT(*reader->verify(), IsEmpty());
}

TEST_F(ManySeries, DoNotAllSealAtOnce) {
  for (std::size_t s = 0; s < kMany; ++s) record(s, 1);
  // With so many series, equally many are sealed in each eighth of a chunk's length.
  constexpr std::size_t kThese = 800;
  std::size_t before = 0;
  for (int eighth = 0; eighth < 8; ++eighth) {
    for (std::size_t s = 0; s < kThese; ++s) record(s, kShort / 8);
    expectOk(m_writer->flush());
    const std::size_t sealed = chunks("sealed = 1").size();
    EXPECT_GE(sealed - before, kThese / 8 / 3) << eighth;
    EXPECT_LE(sealed - before, kThese / 8 * 2) << eighth;
    before = sealed;
  }
}

TEST_F(ManySeries, SealWhatComesOutOfOrderBeforeItIsMuch) {
  for (std::size_t s = 0; s < kMany; ++s) record(s, 1);
  record(7, 20);
  // Data spooled at an agent arrives after newer data.
  const TimeNs gone = 1'000;
  m_writer->sample(m_ids[7], gone * kNsPerSecond, 1);
  for (std::int64_t i = 0; i < 900; ++i) record(7, 1);
  expectOk(m_writer->flush());
  const auto samples = live()->samples(m_ids[7], {});
  ASSERT_TRUE(samples.ok());
  EXPECT_EQ(samples->size(), 922U);
  EXPECT_TRUE(std::ranges::is_sorted(samples->time));
  EXPECT_THAT(*live()->verify(), IsEmpty());
  const std::string of_it = " AND series_id = " + std::to_string(m_ids[7].value);
  EXPECT_LE(chunks("late = 0" + of_it).front(), static_cast<int>(kShort / 8));
  EXPECT_GE(chunks("late = 1" + of_it).front(), 100);
}

}  // namespace
}  // namespace runglass
