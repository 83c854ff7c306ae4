// SPDX-License-Identifier: Apache-2.0
// A replica, crashed at any operation on its files: after it has continued, it has the data of its source, once.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "collectors/hub/replica/feed.h"
#include "storage/open_store.h"
#include "storage/read/change_reader.h"
#include "storage/writer.h"
#include "tests/collectors/hub/feed/store_text.h"
#include "tests/faults/fault_disk.h"
#include "tests/faults/points.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

using test::FaultDisk;
using Crash = FaultDisk::Crash;

constexpr TimeNs kBegin = 1'760'000'000'000'000'000;

// A store that grows at random.
class Source {
 public:
  Source(std::string path, std::uint64_t seed) : m_path(std::move(path)), m_random(seed), m_writer(openStore(m_path).writer().value()) {}
  const std::string& path() const { return m_path; }
  ReaderOptions reader() const { return {.live = m_writer->liveTail()}; }

  void grow() {
    const NodeId node = m_writer->node({.uuid = "node", .name = "node"});
    const AttemptId attempt = m_writer->attempt({.run = m_writer->run({.uuid = "run", .name = "run"}), .key = "0", .start = kBegin});
    const std::string number = std::to_string(m_random() % 20);
    const TimeNs now = kBegin + ++m_step * kNsPerSecond;
    m_writer->scalar(m_writer->series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar}), m_step, now, 1.0 / m_step);
    m_writer->event({.time = now, .attempt = attempt, .node = node, .kind = "e", .message = std::string(m_random() % 2'000, 'e') + number});
    m_writer->log({.time = now, .attempt = attempt, .stream = "stdout", .text = "line " + std::to_string(m_step)});
    if (m_random() % 3 == 0) m_writer->fact({.attempt = attempt, .node = node, .rank = 0, .key = "k" + number, .value = number});
    if (m_random() % 4 == 0) m_writer->issue({.code = "wire.gap", .source = "s" + number, .count = 1, .first = now, .last = now});
    if (m_random() % 4 == 0) ASSERT_TRUE(m_writer->flush().ok());
  }
  std::vector<std::string> text() {
    EXPECT_TRUE(m_writer->flush().ok());
    return storeText(*mustRead(openStore(m_path).reader(reader())));
  }

 private:
  const std::string m_path;
  std::mt19937_64 m_random;
  std::unique_ptr<Writer> m_writer;
  std::int64_t m_step = 0;
};

class Replica {
 public:
  Replica(std::string path, const Source& source) : m_path(std::move(path)), m_source(source) {}

  Status open() {
    RG_ASSIGN(m_writer, openStore(m_path).writer());
    RG_ASSIGN(m_feed, Feed::open(m_source.path(), m_source.reader(), *m_writer, [this] { return --m_left <= 0; },
                                 {.from = "test", .clocks = 0, .summaries = 0, .old_attempts = 0}));
    if (m_writer->mirror()) m_feed->resume(*m_writer->mirror());
    return {};
  }
  bool isOpen() const { return m_writer != nullptr; }
  // True: more is left.
  bool step(int sayings) {
    m_left = sayings;
    m_now += kNsPerSecond;
    const Result<bool> more = m_feed->step(m_now, m_now);
    EXPECT_TRUE(more.ok()) << more.status().message();
    const bool waits = m_feed->waitsForAnswer();
    if (waits) answer();
    return (more.ok() && *more) || waits;
  }
  Status flush() { return m_writer->flush(); }
  void close() {
    m_feed.reset();
    static_cast<void>(m_writer->close());
    m_writer.reset();
  }
  std::vector<std::string> caughtUp() {
    while (step(1'000)) {
    }
    step(1'000);
    EXPECT_TRUE(m_writer->flush().ok());
    return storeText(*mustRead(openStore(m_path).reader({.live = m_writer->liveTail()})));
  }

 private:
  void answer() {
    EXPECT_TRUE(m_writer->flush().ok());
    const auto reader = mustRead(openStore(m_path).reader({.live = m_writer->liveTail()}));
    std::vector<Feed::Have> have;
    for (const Series& one : mustRead(reader->series({.kind = SeriesKind::kScalar})))
      if (one.sample_count > 0) have.push_back({one.id, one.sample_count, one.last_x, {}});
    const auto changes = mustRead(openStore(m_path).changes());
    for (const auto& [id, position] : mustRead(changes->copied())) have.push_back({.series = id, .summaries = position});
    m_feed->answer(have, SeriesId{~std::uint64_t{0}});
  }

  const std::string m_path;
  const Source& m_source;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<Feed> m_feed;
  int m_left = 0;
  TimeNs m_now = kBegin;
};

// Empty if the replica at `path` ends in the state of its source; else the differences.
std::string check(const std::string& path, const Source& source, const std::vector<std::string>& wanted) {
  std::vector<std::string> found;
  {
    Replica replica(path, source);
    if (const Status opened = replica.open(); !opened.ok()) return "the replica cannot be opened: " + opened.message();
    found = replica.caughtUp();
    std::ranges::sort(found);
    replica.close();
  }
  std::string wrong;
  std::vector<std::string> missing, extra;
  std::ranges::set_difference(wanted, found, std::back_inserter(missing));
  std::ranges::set_difference(found, wanted, std::back_inserter(extra));
  if (!missing.empty()) wrong += std::to_string(missing.size()) + " missing, the first: " + missing.front() + "\n";
  if (!extra.empty()) wrong += std::to_string(extra.size()) + " too many, the first: " + extra.front() + "\n";
  const auto damaged = mustRead(mustRead(openStore(path).reader())->verify());
  if (!damaged.empty()) wrong += "verify: " + damaged.front() + "\n";
  return wrong;
}

void crashPoints(const std::vector<Crash>& crashes, std::size_t points) {
  test::FaultTally tally;
  for (std::uint64_t seed = test::firstSeed(); tally.points() < points; ++seed) {
    const test::TempFolder there, folder, left;
    Source source(there.file("source.rgl"), seed);
    FaultDisk disk(folder.path());
    std::mt19937_64 random(seed);
    {
      Replica replica(folder.file("s.rgl"), source);
      for (int step = 0; step < 60; ++step) {
        source.grow();
        if (!replica.isOpen()) ASSERT_TRUE(replica.open().ok());
        replica.step(5 + static_cast<int>(random() % 60));
        if (random() % 2 == 0) ASSERT_TRUE(replica.flush().ok());
        if (random() % 15 == 0) replica.close();
      }
      if (replica.isOpen()) replica.close();
    }
    std::vector<std::string> wanted = source.text();
    std::ranges::sort(wanted);
    for (std::size_t i = 0; i < test::kPointsOfASeed && tally.points() < points; ++i) {
      const std::size_t at = random() % (disk.operations() + 1);
      const Crash crash = crashes[random() % crashes.size()];
      const std::string image = test::emptied(left.file("image"));
      disk.crash(at, crash, random(), image);
      tally.add(seed, std::string(FaultDisk::name(crash)) + " at operation " + std::to_string(at), check(image + "/s.rgl", source, wanted));
    }
    if (test::replaysOneSeed()) break;
  }
}

TEST(ReplicaFaults, AKillAtAnyPointLosesAndDoublesNothing) { crashPoints({Crash::kKill}, test::pointsOf(5, 100)); }

TEST(ReplicaFaults, APowerLossLosesAndDoublesNothing) {
  crashPoints({Crash::kPowerLossOfAll, Crash::kPowerLossInOrder, Crash::kPowerLossAnyOrder}, test::pointsOf(5, 100));
}

}  // namespace
}  // namespace runglass
