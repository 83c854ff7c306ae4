// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <random>

#include "storage/clock_map.h"
#include "storage/reader.h"
#include "storage/sqlite/connection.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000'000'000'000;
constexpr DurNs kMinute = 60 * kNsPerSecond, kHour = 60 * kMinute;

// Clock offsets as observed in clusters: most follow NTP and wander by fractions of a millisecond, some run free and drift with the
// temperature of the room, some are stepped.
struct SimulatedClock {
  double drift = 0, wander_ns = 0, phase = 0;
  TimeNs step_at = 0;
  DurNs step = 0;
  DurNs offsetAt(TimeNs raw) const {
    const double t = static_cast<double>(raw - kStart) / 1e9;
    const double day = 2 * std::numbers::pi / 86'400;
    return static_cast<DurNs>(drift * t * 1e9 + wander_ns * std::sin(day * 24 * t + phase) + 20e6 * std::sin(day * t + phase) +
                              (step != 0 && raw >= step_at ? static_cast<double>(step) : 0)) +
           30 * kNsPerMs;
  }
};

SimulatedClock clockOf(std::uint64_t node) {
  std::mt19937_64 random(node);
  const auto share = [&] { return static_cast<double>(random() % 1000) / 1000; };
  SimulatedClock clock{.wander_ns = 100e3 * share(), .phase = 6 * share()};
  if (node % 10 == 0) clock.drift = 20e-6 * share();
  if (node % 50 == 0) clock.step_at = kStart + static_cast<DurNs>(share() * 20) * kHour, clock.step = 300 * kNsPerMs;
  return clock;
}

struct Reading {
  TimeNs raw;
  DurNs offset, error;
};

class ClockReadings : public ::testing::Test {
 protected:
  void open() {
    auto writer = m_store.writer();
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    m_writer = std::move(*writer);
  }
  void record(NodeId node, const Reading& one, const std::string& session = "s") {
    m_writer->clock({.node = node, .session = session, .raw = one.raw, .offset = one.offset, .error = one.error, .source = "session"});
  }
  sqlite::Connection connect() {
    auto db = sqlite::Connection::open(m_store.path(), sqlite::OpenMode::kReadOnly);
    EXPECT_TRUE(db.ok()) << db.status().message();
    return std::move(*db);
  }
  std::int64_t stored() {
    auto db = connect();
    return db.queryInt64("SELECT count(*) FROM rg_clock_map").value().value_or(-1);
  }
  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
};

TEST_F(ClockReadings, ADayOfDriftingClocksIsSmallAndCorrectsWithinTheStatedError) {
  constexpr std::uint64_t kNodes = 125;  // a tenth of a cluster
  open();
  const auto empty = static_cast<std::int64_t>(std::filesystem::file_size(m_store.path()));
  std::mt19937_64 random(3);
  std::vector<NodeId> nodes;
  for (std::uint64_t i = 0; i < kNodes; ++i) nodes.push_back(m_writer->node({.uuid = "n" + std::to_string(i)}));
  std::vector<std::vector<Reading>> readings(kNodes);
  for (TimeNs raw = kStart; raw < kStart + 24 * kHour; raw += kMinute) {
    for (std::uint64_t i = 0; i < kNodes; ++i) {
      const DurNs error = 150'000 + static_cast<DurNs>(random() % 150'000);
      const DurNs noise = static_cast<DurNs>(random() % 80'000) - 40'000;
      const TimeNs at = raw + static_cast<DurNs>(random() % 1'000'000'000);
      readings[i].push_back({at, clockOf(i).offsetAt(at) + noise, error});
      record(nodes[i], readings[i].back());
    }
    if ((raw - kStart) % kHour == 0) ASSERT_TRUE(m_writer->flush().ok());
  }
  ASSERT_TRUE(m_writer->close().ok());

  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(m_store.path())) - empty;
  RecordProperty("bytes_per_node_and_day", std::to_string(bytes / static_cast<std::int64_t>(kNodes)));
  EXPECT_LE(bytes, 200'000) << stored() << " readings";  // 2 MB for 1,250 nodes

  auto db = connect();
  ClockMaps maps;
  ASSERT_TRUE(maps.load(db, false).ok());
  for (std::uint64_t i = 0; i < kNodes; ++i) {
    const ClockMap* const map = maps.of(nodes[i]);
    ASSERT_NE(map, nullptr);
    for (const Reading& one : readings[i])
      ASSERT_LE(std::abs(map->corrected(one.raw) - one.raw - one.offset), one.error) << "node " << i << " at " << one.raw - kStart;
  }
}

TEST_F(ClockReadings, ASteadyClockNeedsTwoReadingsHoweverLongItRuns) {
  open();
  const NodeId node = m_writer->node({.uuid = "n"});
  for (int i = 0; i < 5'000; ++i) {
    record(node, {kStart + i * kMinute, 5 * kNsPerSecond + i * 1'000, 100'000});
    if (i % 500 == 0) ASSERT_TRUE(m_writer->flush().ok());
  }
  ASSERT_TRUE(m_writer->close().ok());
  EXPECT_LE(stored(), 2);
}

TEST_F(ClockReadings, AStepKeepsTheTimesOnBothOfItsSides) {
  open();
  const NodeId node = m_writer->node({.uuid = "n"});
  for (int i = 0; i < 100; ++i) record(node, {kStart + i * kMinute, i < 50 ? 2 * kNsPerSecond : 9 * kNsPerSecond, kNsPerMs});
  ASSERT_TRUE(m_writer->close().ok());
  auto db = connect();
  ClockMaps maps;
  ASSERT_TRUE(maps.load(db, false).ok());
  EXPECT_EQ(maps.of(node)->corrected(kStart + 49 * kMinute), kStart + 49 * kMinute + 2 * kNsPerSecond);
  EXPECT_EQ(maps.of(node)->corrected(kStart + 50 * kMinute), kStart + 50 * kMinute + 9 * kNsPerSecond);
}

// The readings that a Reader adds from commit to commit are those that a newly opened one finds.
TEST_F(ClockReadings, AReaderThatFollowsTheCommitsCorrectsAsANewOneDoes) {
  open();
  std::vector<NodeId> nodes;
  for (int i = 0; i < 4; ++i) nodes.push_back(m_writer->node({.uuid = "n" + std::to_string(i)}));
  auto db = connect();
  ClockMaps follows;
  std::mt19937_64 random(7);
  TimeNs now = kStart;
  for (int round = 0; round < 60; ++round) {
    for (int i = 0; i < 20; ++i) {
      now += kMinute;
      const std::size_t at = random() % nodes.size();
      const auto jump = static_cast<DurNs>(random() % 5) * kNsPerMs;
      const bool late = random() % 20 == 0;
      record(nodes[at], {late ? now - kHour : now, kNsPerSecond + jump, 100'000}, "s" + std::to_string(round / 20));
    }
    ASSERT_TRUE(m_writer->flush().ok());
    ASSERT_TRUE(follows.load(db, false).ok());
    ClockMaps fresh;
    ASSERT_TRUE(fresh.load(db, false).ok());
    for (const NodeId node : nodes) {
      for (TimeNs t = kStart - kHour; t < now + kHour; t += 7 * kMinute) {
        const ClockMap *const have = follows.of(node), *const want = fresh.of(node);
        ASSERT_EQ(have == nullptr ? t : have->corrected(t), want == nullptr ? t : want->corrected(t)) << "round " << round;
      }
    }
  }
}

// Some clocks are minutes off, and one starts at the default time of a board without a battery.
TEST_F(ClockReadings, MoveTheExtentOfTheStore) {
  open();
  const RunId run = m_writer->run({.uuid = "r", .name = "r"});
  const AttemptId attempt = m_writer->attempt({.run = run, .key = "0"});
  std::mt19937_64 random(7);
  for (std::int32_t i = 0; i < 40; ++i) {
    const NodeId node = m_writer->node({.uuid = std::to_string(i)});
    const DurNs offset = i == 13 ? kStart : static_cast<DurNs>(random() % 40) * kMinute - 20 * kMinute;
    const TimeNs raw = kStart + static_cast<DurNs>(random() % 60) * kMinute - offset;
    record(node, {raw, offset, kNsPerMs});
    m_writer->rank({.attempt = attempt, .rank = i, .node = node, .device = {}});
    m_writer->sample(m_writer->series({.node = node, .metric = "power_watts"}), raw, 1);
    const SeriesId steps = m_writer->series({.attempt = attempt, .rank = i, .metric = "step_time_ns", .kind = SeriesKind::kScalar});
    m_writer->scalar(steps, 1, raw + kMinute, 1e9);
    ASSERT_TRUE(m_writer->flush().ok());
    const auto reader = m_store.reader({.live = i % 2 == 0 ? m_writer->liveTail() : nullptr}).value();
    std::optional<TimeNs> first, last;
    const auto all = reader->series({});
    for (const Series& one : *all) {
      first = std::min(first.value_or(*one.first_time), *one.first_time);
      last = std::max(last.value_or(*one.last_time), *one.last_time);
    }
    const auto info = reader->info();
    ASSERT_TRUE(info.ok());
    EXPECT_EQ(info->first, first) << i;
    EXPECT_EQ(info->last, last) << i;
    EXPECT_EQ(info->series_count, 2 * (i + 1));
    EXPECT_EQ(info->sample_count, 2 * (i + 1));
  }
}

TEST_F(ClockReadings, OfAnEarlierLifeStay) {
  std::vector<Reading> all;
  for (int life = 0; life < 3; ++life) {
    open();
    const NodeId node = m_writer->node({.uuid = "n"});
    // A replica receives data again that it already has.
    for (const Reading& one : all) record(node, one);
    for (int i = 0; i < 10; ++i) {
      all.push_back({kStart + (life * 10 + i) * kHour, (life * 10 + i % 3) * kNsPerSecond, kNsPerMs});
      record(node, all.back());
    }
    ASSERT_TRUE(m_writer->close().ok());
  }
  auto db = connect();
  ClockMaps maps;
  ASSERT_TRUE(maps.load(db, false).ok());
  auto ids = db.queryInt64("SELECT node_id FROM rg_node");
  const ClockMap* const map = maps.of(NodeId{static_cast<std::uint64_t>(ids.value().value_or(0))});
  ASSERT_NE(map, nullptr);
  for (const Reading& one : all) EXPECT_LE(std::abs(map->corrected(one.raw) - one.raw - one.offset), one.error);
}

}  // namespace
}  // namespace runglass
