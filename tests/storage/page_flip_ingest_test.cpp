// SPDX-License-Identifier: Apache-2.0
// A store with one flipped bit goes on being written, or says that it cannot: what the bit does not hit is complete, with what was
// acknowledged since, in the store itself or in what repair makes of it; and the damage is reported.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "storage/reader.h"
#include "storage/repair_store.h"
#include "tests/storage/flip_store.h"
#include "tests/support/seed.h"

namespace runglass {
namespace {

using testing::IsEmpty;
using testing::Not;

constexpr int kNewPoints = 100;
const StreamKey kStream{"agent", "session", 4};

// The points of series `number` are those up to `last`, in it and in the one that goes on for it after damage.
bool complete(Reader& reader, int number, int last) {
  const auto known = reader.series({.metric = "flip_" + std::to_string(number)});
  if (!known.ok()) return false;
  std::vector<TimeNs> times;
  for (const Series& one : *known) {
    const auto samples = reader.samples(one.id, {});
    if (!samples.ok()) return false;
    times.insert(times.end(), samples->time.begin(), samples->time.end());
  }
  std::ranges::sort(times);
  if (times.size() != static_cast<std::size_t>(last)) return false;
  for (int i = 0; i < last; ++i)
    if (times[static_cast<std::size_t>(i)] != kStoreStart + i * kNsPerSecond) return false;
  return true;
}

class PageFlip : public testing::Test {
 protected:
  void SetUp() override {
    makeFlipStore(m_good);
    m_content = fileContent(m_good);
  }
  // The series that the flipped bit leaves readable, by number.
  std::vector<int> undamaged() const {
    std::vector<int> all;
    auto reader = Reader::open(m_path);
    if (!reader.ok()) return all;
    for (int number = 0; number < kFlipSeries; ++number)
      if (complete(**reader, number, kFlipPoints)) all.push_back(number);
    return all;
  }
  static WriterOptions replaying() {
    WriterOptions options;
    options.replay = [](const StreamKey&, std::uint64_t, std::string_view payload, Writer& writer) -> Status {
      const int first = std::stoi(std::string(payload));
      for (int number = 0; number < kFlipSeries; ++number) flipPoints(writer, number, first, first + kNewPoints / kRounds);
      return {};
    };
    return options;
  }
  // As a hub does: a batch is acknowledged once it is in the journal, and none is taken after a commit that failed. Returns how many points
  // of each series were acknowledged, and whether all of them are stored.
  static std::pair<int, bool> ingest(Writer& writer) {
    const WriterOptions options = replaying();
    bool stored = true;
    int points = 0;
    for (int round = 0; round < kRounds && stored; ++round) {
      const std::string payload = std::to_string(kFlipPoints + points);
      const auto seq = static_cast<std::uint64_t>(round);
      stored = writer.journal(kStream, seq, payload).ok();
      if (!stored) break;
      points += kNewPoints / kRounds;
      EXPECT_TRUE(options.replay(kStream, seq, payload, writer).ok());
      stored = writer.flush().ok();
    }
    return {points, writer.close().ok() && stored};
  }
  // What a user does with a store that cannot be opened for writing, or takes no commit. Absent: nothing can be read.
  std::unique_ptr<Reader> repaired() {
    std::filesystem::remove(m_repaired);
    const auto repair = repairStore(m_path, m_repaired);
    if (!repair.ok()) return nullptr;
    auto writer = Writer::open(m_repaired, replaying());
    EXPECT_TRUE(writer.ok()) << writer.status().message();
    if (writer.ok()) EXPECT_TRUE((*writer)->close().ok());
    return Reader::open(m_repaired).value();
  }
  void removeStores() const {
    for (const auto& entry : std::filesystem::directory_iterator(m_folder.path()))
      if (entry.path().string() != m_good) std::filesystem::remove(entry.path());
  }

  static constexpr int kRounds = 4;
  test::TempFolder m_folder;
  std::string m_good = m_folder.file("good.rgl"), m_path = m_folder.file("s.rgl"), m_repaired = m_folder.file("new.rgl"), m_content;
};

TEST_F(PageFlip, CostsNoOtherSeriesAnything) {
  std::mt19937_64 random(test::seed());
  int went_on = 0, refused = 0, stuck = 0, unreadable = 0;
  for (std::size_t page = 0; page < m_content.size() / kFlipPage; ++page) {
    removeStores();
    const std::size_t bit = (page * kFlipPage * 8) + random() % (kFlipPage * 8);
    SCOPED_TRACE("bit " + std::to_string(bit) + " of page " + std::to_string(page + 1));
    writeFlipped(m_path, m_content, bit);
    const std::vector<int> whole = undamaged();
    int points = 0;
    bool stored = false;
    if (auto writer = Writer::open(m_path, replaying()); writer.ok()) {
      std::tie(points, stored) = ingest(**writer);
      stuck += stored ? 0 : 1;
    } else {
      EXPECT_EQ(writer.status().code(), Code::kDataLoss) << writer.status().message();
      EXPECT_THAT(writer.status().message(), testing::HasSubstr("runglassctl repair"));
      ++refused;
    }
    const std::unique_ptr<Reader> reader = stored ? Reader::open(m_path).value() : repaired();
    if (!reader) {
      EXPECT_THAT(whole, IsEmpty());
      ++unreadable;
      continue;
    }
    if (stored) EXPECT_EQ(points, kNewPoints);
    std::vector<int> incomplete;
    for (const int number : whole)
      if (!complete(*reader, number, kFlipPoints + points)) incomplete.push_back(number);
    EXPECT_THAT(incomplete, IsEmpty()) << "of " << whole.size() << " undamaged series; " << (stored ? "stored" : "repaired");
    if (stored && whole.size() < kFlipSeries) EXPECT_THAT(*reader->verify(), Not(IsEmpty())) << "damage is still there to see";
    went_on += stored ? 1 : 0;
  }
  RecordProperty("went_on", went_on);
  RecordProperty("refused", refused);
  RecordProperty("stuck", stuck);
  RecordProperty("unreadable", unreadable);
  // Of a table that fits a page, as most do here, that page is its first and its last.
  EXPECT_GT(went_on, refused);
  EXPECT_LE(stuck, 8);
  EXPECT_LE(unreadable, 8) << "the header and the schema";
}

}  // namespace
}  // namespace runglass
