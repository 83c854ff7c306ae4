// SPDX-License-Identifier: Apache-2.0
// A store with one flipped bit goes on being written: what the bit does not hit is complete, and the damage is reported.
#include <gmock/gmock.h>

#include <optional>
#include <set>

#include "storage/reader.h"
#include "storage/sqlite/connection.h"
#include "tests/storage/flip_store.h"
#include "tests/support/seed.h"

namespace runglass {
namespace {

using testing::IsEmpty;
using testing::Not;

constexpr int kNewPoints = 100;

// The points of series `number` are those up to `last`.
bool complete(Reader& reader, int number, int last) {
  const auto known = reader.series({.metric = "flip_" + std::to_string(number)});
  if (!known.ok() || known->size() != 1) return false;
  const auto samples = reader.samples(known->front().id, {});
  if (!samples.ok() || samples->size() != static_cast<std::size_t>(last)) return false;
  for (int i = 0; i < last; ++i)
    if (samples->time[static_cast<std::size_t>(i)] != kStoreStart + i * kNsPerSecond) return false;
  return true;
}

class PageFlip : public testing::Test {
 protected:
  void SetUp() override {
    makeFlipStore(m_good);
    m_content = fileContent(m_good);
  }
  // The series that the flipped bit leaves readable, by number; absent where nothing is.
  std::optional<std::vector<int>> undamaged() const {
    auto reader = Reader::open(m_path);
    if (!reader.ok()) return std::nullopt;
    std::vector<int> all;
    for (int number = 0; number < kFlipSeries; ++number)
      if (complete(**reader, number, kFlipPoints)) all.push_back(number);
    return all;
  }
  // Pages without which a hub may refuse to start: the header, the schema and the high-water marks.
  std::set<std::int64_t> needed() const {
    std::set<std::int64_t> pages = {1};
    auto db = sqlite::Connection::open(m_good, sqlite::OpenMode::kReadOnly).value();
    auto rows = db.prepare("SELECT pageno FROM dbstat WHERE name IN ('sqlite_schema', 'rg_meta', 'rg_stream')").value();
    while (rows.step().value()) pages.insert(rows.int64(0));
    return pages;
  }
  static void ingest(Writer& writer) {
    for (int round = 0; round < 4; ++round) {
      const int first = kFlipPoints + round * kNewPoints / 4;
      for (int number = 0; number < kFlipSeries; ++number) flipPoints(writer, number, first, first + kNewPoints / 4);
      // A hub goes on after a commit that failed.
      static_cast<void>(writer.flush());
    }
    static_cast<void>(writer.close());
  }

  test::TempFolder m_folder;
  std::string m_good = m_folder.file("good.rgl"), m_path = m_folder.file("s.rgl"), m_content;
};

TEST_F(PageFlip, DISABLED_CostsNoOtherSeriesAnything) {
  std::mt19937_64 random(test::seed());
  const std::set<std::int64_t> needed = this->needed();
  ASSERT_GT(needed.size(), 3U);
  int checked = 0;
  for (std::size_t page = 0; page < m_content.size() / kFlipPage; ++page) {
    const std::size_t bit = (page * kFlipPage * 8) + random() % (kFlipPage * 8);
    SCOPED_TRACE("bit " + std::to_string(bit) + " of page " + std::to_string(page + 1));
    writeFlipped(m_path, m_content, bit);
    const auto whole = undamaged();
    auto writer = Writer::open(m_path);
    if (!writer.ok()) {
      EXPECT_TRUE(needed.contains(static_cast<std::int64_t>(page) + 1)) << "refused: " << writer.status().message();
      continue;
    }
    ASSERT_TRUE(whole) << "it was refused for reading";
    ingest(**writer);
    auto reader = Reader::open(m_path);
    ASSERT_TRUE(reader.ok()) << reader.status().message();
    std::vector<int> incomplete;
    for (const int number : *whole)
      if (!complete(**reader, number, kFlipPoints + kNewPoints)) incomplete.push_back(number);
    EXPECT_THAT(incomplete, IsEmpty()) << "of " << whole->size() << " undamaged series";
    if (whole->size() < kFlipSeries) EXPECT_THAT(*(*reader)->verify(), Not(IsEmpty())) << "damage is still there to see";
    checked += static_cast<int>(whole->size());
  }
  EXPECT_GT(checked, 1'000);
}

}  // namespace
}  // namespace runglass
