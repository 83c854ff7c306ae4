// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/client/recent_ring_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "tests/collectors/client/local_agent.h"
#include "tests/collectors/client/recent_writer.h"

namespace runglass::test {
namespace {

class RecentRings : public testing::Test {
 protected:
  RecentRings() {
    m_context.node.uuid = "node-uuid";
    m_context.now = [] { return wallNow(); };
    m_context.config = &m_config;
  }
  std::string path() const { return dir.path() + "/t.ring.recent"; }
  std::unique_ptr<RecentRing> open() const {
    EXPECT_TRUE(waitUntil([&] { return std::filesystem::exists(path()); }));
    auto ring = RecentRing::open(path());
    EXPECT_TRUE(ring.ok()) << ring.status().message();
    return ring.ok() ? std::move(ring).value() : nullptr;
  }
  RecentRing::Shipped ship(RecentRing& ring, DurNs last) {
    const auto shipped = ring.ship(out, m_context, last);
    EXPECT_TRUE(shipped.ok()) << shipped.status().message();
    return shipped.ok() ? *shipped : RecentRing::Shipped{};
  }
  // Checks that every span read is exactly one that was written; returns their numbers.
  std::vector<std::int64_t> numbers() {
    std::vector<std::int64_t> all;
    for (const auto& [track, batches] : out.span_batches) {
      EXPECT_EQ(out.track_keys.at(track).name, "GPU 0 stream 1");
      EXPECT_EQ(out.track_keys.at(track).rank, 3);
      for (const SpanColumns& batch : batches)
        for (std::size_t i = 0; i < batch.size(); ++i) {
          const std::int64_t n = batch.step[i];
          EXPECT_EQ(batch.names[batch.name[i]], "kernel_" + std::to_string(n % 7));
          EXPECT_EQ(batch.seq[i], n * 3);
          EXPECT_EQ(batch.bytes[i], n * 5);
          EXPECT_EQ(batch.group[i], n * 7);
          EXPECT_EQ(batch.microbatch[i], n % 1000);
          EXPECT_EQ(batch.correlation[i], n * 11);
          EXPECT_EQ(nlohmann::json::parse(batch.args[i])["number"], n);
          all.push_back(n);
        }
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  // Writes spans in a process that ends at once.
  void write(std::uint64_t slots, std::int64_t count, const std::function<void(recent_writer*)>& then = {}) const {
    TrainerProcess trainer([&] {
      recent_writer* writer = recentOpen(dir.path().c_str(), slots, 60);
      if (writer == nullptr) _exit(1);
      const std::int64_t now = monotonicNow();
      for (std::int64_t i = 0; i < count; ++i) recentSpan(writer, i, now - (count - i) * kNsPerMs, kNsPerMs / 2, 0);
      recentBeat(writer, now);
      if (then) then(writer);
    });
    EXPECT_EQ(trainer.wait(), 0);
  }
  template <class T>
  void overwrite(std::size_t offset, T value) const {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset));
    file.write(reinterpret_cast<const char*>(&value), sizeof(value));
  }

  RingDirectory dir;
  MemoryRecorder out;
  toml::table m_config;
  SourceContext m_context;
};

std::vector<std::int64_t> range(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = from; i < to; ++i) all.push_back(i);
  return all;
}

TEST_F(RecentRings, TellTheLastSecondsOfADeadTrainerAndWhoItWas) {
  write(65536, 5000);
  const auto ring = open();
  EXPECT_FALSE(ring->alive());
  const RecentRing::Shipped shipped = ship(*ring, 2 * kNsPerSecond);
  const std::vector<std::int64_t> got = numbers();
  EXPECT_EQ(got, range(5000 - static_cast<std::int64_t>(got.size()), 5000)) << "the newest, without a gap";
  EXPECT_NEAR(static_cast<double>(got.size()), 2000, 2);
  EXPECT_EQ(shipped.spans, static_cast<std::int64_t>(got.size()));
  EXPECT_EQ(shipped.damaged, 0);
  EXPECT_NEAR(static_cast<double>(shipped.last - shipped.first), 2e9, 3e6);
  EXPECT_LT(wallNow() - shipped.last, 60 * kNsPerSecond);
  ASSERT_EQ(out.runs.size(), 1u);
  EXPECT_EQ(out.runs[0].name, "gpt");
  EXPECT_EQ(out.runs[0].state, RunState::kUnknown) << "it says nothing of how the run goes";
  EXPECT_EQ(out.attempts[0].key, "a");
  EXPECT_EQ(out.ranks.back().rank, 3);
}

TEST_F(RecentRings, KeepTheNewestOfManyLaps) {
  write(RGR_MIN_SLOTS, 20'000);
  const auto ring = open();
  const RecentRing::Shipped shipped = ship(*ring, 0);
  const std::vector<std::int64_t> got = numbers();
  ASSERT_GT(got.size(), 1024u / 5);
  EXPECT_EQ(got, range(20'000 - static_cast<std::int64_t>(got.size()), 20'000));
  EXPECT_EQ(shipped.damaged, 0) << "the oldest record lost its beginning; that is how it ends";
}

TEST_F(RecentRings, LeaveOutWhatTheMainRingHasAndWhatTheyReportedBefore) {
  write(65536, 1000, [](recent_writer* writer) {
    const std::int64_t now = monotonicNow();
    for (std::int64_t i = 1000; i < 1100; ++i) recentSpan(writer, i, now, 1, i % 2 == 0);
  });
  const auto ring = open();
  EXPECT_EQ(ship(*ring, 500 * kNsPerMs).known, 50);
  const std::size_t first = numbers().size();
  EXPECT_NEAR(static_cast<double>(first), 500 + 50, 3);
  EXPECT_EQ(ship(*ring, 500 * kNsPerMs).spans, 0) << "nothing twice";
  ship(*ring, kNsPerSecond * 60);
  const std::vector<std::int64_t> all = numbers();
  EXPECT_EQ(all.size(), 1050u) << "a longer time tells the rest";
  EXPECT_EQ(std::set<std::int64_t>(all.begin(), all.end()).size(), 1050u);
}

TEST_F(RecentRings, AreReadWholeWhileTheyAreWrittenOver) {
  TrainerProcess trainer([&] {
    recent_writer* writer = recentOpen(dir.path().c_str(), RGR_MIN_SLOTS * 4, 60);
    for (std::int64_t i = 0;; ++i) recentSpan(writer, i, monotonicNow(), 1, 0);
  });
  const auto ring = open();
  EXPECT_TRUE(ring->alive());
  std::int64_t spans = 0;
  // At least this often; on a busy machine, until the trainer was scheduled.
  for (int i = 0; i < 50 || (spans <= 100 && i < 10'000); ++i) {
    spans += ship(*ring, 60 * kNsPerSecond).spans;
    usleep(2000);
  }
  EXPECT_GT(spans, 100);
  const std::vector<std::int64_t> all = numbers();
  EXPECT_EQ(std::set<std::int64_t>(all.begin(), all.end()).size(), all.size());
  trainer.kill();  // often in the middle of a record
  ship(*ring, 60 * kNsPerSecond);
  EXPECT_FALSE(ring->alive());
  const std::vector<std::int64_t> rest = numbers();
  EXPECT_EQ(std::set<std::int64_t>(rest.begin(), rest.end()).size(), rest.size());
}

// A writer that continues between two reads of the file: it has claimed slots and written half of them, without their commit words.
class WriterBetweenLooks : public MemoryRecorder {
 public:
  std::function<void()> at_flush;
  Status flush() override {
    if (at_flush) std::exchange(at_flush, nullptr)();
    return MemoryRecorder::flush();
  }
};

TEST_F(RecentRings, AreNotBelievedWhereTheHeadHasGoneOverThem) {
  constexpr std::uint64_t kSlots = 65536, kFirstLook = 16384, kClaimed = 30'000;
  write(kSlots, 40'000);
  const auto ring = open();
  const std::uint64_t head = ring->header().head;
  ASSERT_GT(head, 2 * kSlots);
  WriterBetweenLooks between;
  between.at_flush = [&] {
    overwrite(offsetof(rgr_header, head), head + kClaimed);
    for (std::uint64_t i = kFirstLook; i < kClaimed; ++i)
      overwrite(RGR_SLOTS_AT + ((head - kSlots + i) % kSlots) * RGR_SLOT_BYTES + 16, std::uint64_t{0xdeadbeef});
  };
  const auto shipped = ring->ship(between, m_context, 0);
  ASSERT_TRUE(shipped.ok()) << shipped.status().message();
  EXPECT_EQ(shipped->damaged, 1);
  out.span_batches = between.span_batches;
  out.track_keys = between.track_keys;
  const std::vector<std::int64_t> got = numbers();
  EXPECT_LT(got.size(), 40'000u * (kSlots - kClaimed + kFirstLook) / head + 200);
  EXPECT_EQ(got.back(), 39'999);
}

TEST_F(RecentRings, SurviveTheKillOfTheirWriter) {
  for (int i = 0; i < 10; ++i) {
    std::filesystem::remove(path());
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    TrainerProcess trainer([&] {
      recent_writer* writer = recentOpen(dir.path().c_str(), RGR_MIN_SLOTS, 60);
      for (std::int64_t n = 0;; ++n) {
        const std::int64_t now = monotonicNow();
        recentSpan(writer, n, now, 1, 0);
        if (n % 64 == 0) recentBeat(writer, now);
        if (n == 1'000 && ::write(ready[1], "x", 1) != 1) return;
      }
    });
    const auto ring = open();
    // On a busy machine, the trainer may not have been scheduled yet.
    char turn = 0;
    ASSERT_EQ(::read(ready[0], &turn, 1), 1);
    usleep(3000);
    trainer.kill();
    ::close(ready[0]), ::close(ready[1]);
    out.span_batches.clear();
    const RecentRing::Shipped shipped = ship(*ring, 60 * kNsPerSecond);
    const std::vector<std::int64_t> got = numbers();
    ASSERT_GT(got.size(), 100u);
    EXPECT_EQ(got, range(got.front(), got.front() + static_cast<std::int64_t>(got.size()))) << "without a gap";
    EXPECT_LE(shipped.damaged, 1) << "the record it died in";
  }
}

TEST_F(RecentRings, SkipSlotsThatWereTornOrMadeUp) {
  write(65536, 1000, [](recent_writer* writer) { recentTear(writer, 3); });
  {
    const auto ring = open();
    EXPECT_EQ(ship(*ring, 0).damaged, 1);
    EXPECT_EQ(numbers(), range(0, 1000));
  }
  for (const std::uint64_t commit : {0ull, ~0ull, 0x00'ff'09'01'0000'0001ull})  // a record of 255 slots, a wrong stamp
    for (const std::size_t slot : {5u, 6u, 900u}) overwrite(RGR_SLOTS_AT + slot * RGR_SLOT_BYTES, commit);
  out.span_batches.clear();
  const auto ring = open();
  const RecentRing::Shipped shipped = ship(*ring, 0);
  EXPECT_GE(shipped.damaged, 2);
  EXPECT_GE(numbers().size(), 990u) << "what stands beside them is whole";
}

TEST_F(RecentRings, AreRefusedWhereTheyAreNotWhatTheySay) {
  write(RGR_MIN_SLOTS, 10);
  const auto refused = [&](std::size_t offset, auto value, Code code) {
    std::filesystem::copy_file(path(), dir.path() + "/good", std::filesystem::copy_options::overwrite_existing);
    overwrite(offset, value);
    const auto ring = RecentRing::open(path());
    EXPECT_FALSE(ring.ok()) << "at " << offset;
    EXPECT_EQ(ring.status().code(), code) << ring.status().message();
    std::filesystem::copy_file(dir.path() + "/good", path(), std::filesystem::copy_options::overwrite_existing);
  };
  refused(offsetof(rgr_header, magic), std::uint64_t{RGR_MAGIC}, Code::kInvalidArgument);
  refused(offsetof(rgr_header, version), 99u, Code::kInvalidArgument);
  refused(offsetof(rgr_header, slots), 2 * RGR_MIN_SLOTS, Code::kInvalidArgument);
  refused(offsetof(rgr_header, slots), RGR_MIN_SLOTS - 1, Code::kInvalidArgument);
  refused(offsetof(rgr_header, string_bytes), 1u, Code::kInvalidArgument);
  EXPECT_EQ(RecentRing::open(dir.path() + "/none").status().code(), Code::kNotFound);
  EXPECT_EQ(RecentRing::open(dir.path()).status().code(), Code::kInvalidArgument);
  std::ofstream(dir.path() + "/short") << "RRGRECN1";
  EXPECT_EQ(RecentRing::open(dir.path() + "/short").status().code(), Code::kInvalidArgument);
  ASSERT_EQ(symlink(path().c_str(), (dir.path() + "/link").c_str()), 0);
  EXPECT_EQ(RecentRing::open(dir.path() + "/link").status().code(), Code::kPermissionDenied);
}

TEST_F(RecentRings, WithAHostileHeaderNeitherCrashTheAgentNorRunForEver) {
  write(RGR_MIN_SLOTS, 100);
  for (const std::uint64_t head : {0ull, 1ull, 1ull << 40, ~0ull, ~0ull - 1000}) {
    overwrite(offsetof(rgr_header, head), head);
    const auto ring = open();
    (void)ring->ship(out, m_context, 60 * kNsPerSecond);
  }
  numbers();
  overwrite(offsetof(rgr_header, head), std::uint64_t{300});
  for (const std::int64_t time : {INT64_MIN, INT64_MAX, std::int64_t{0}, std::int64_t{-5}}) {
    overwrite(offsetof(rgr_header, progress), time);
    overwrite(offsetof(rgr_header, progress) + sizeof(rgr_progress), time);
    const auto ring = open();
    (void)ring->ship(out, m_context, time);
    EXPECT_GE(ring->age(), 0);
  }
  numbers();
  // Missing names, and spans with impossible times.
  overwrite(offsetof(rgr_header, string_count), ~std::uint64_t{0});
  overwrite(RGR_STRINGS_AT + 8, std::uint64_t{0xffffffff'ffffffff});
  overwrite(RGR_SLOTS_AT + 8, INT64_MAX);
  overwrite(RGR_SLOTS_AT + 16, INT64_MAX);
  MemoryRecorder other;
  const auto ring = open();
  EXPECT_TRUE(ring->ship(other, m_context, INT64_MAX).ok());
  // The header moves back, or the file is removed, while it is open.
  const auto shrinking = open();
  (void)shrinking->ship(out, m_context, 0);
  overwrite(offsetof(rgr_header, head), std::uint64_t{1});
  EXPECT_EQ(shrinking->ship(out, m_context, 0).status().code(), Code::kDataLoss);
  std::filesystem::resize_file(path(), 5000);
  EXPECT_EQ(ring->ship(other, m_context, 0).status().code(), Code::kDataLoss);
}

TEST_F(RecentRings, WaitUntilTheTrainerHasSaidWhoItIs) {
  int opened[2];
  ASSERT_EQ(::pipe(opened), 0);
  TrainerProcess trainer([&] {
    recentOpen(dir.path().c_str(), RGR_MIN_SLOTS, 60);
    if (::write(opened[1], "x", 1) == 1) pause();
  });
  char done = 0;
  ASSERT_EQ(::read(opened[0], &done, 1), 1);
  ::close(opened[0]), ::close(opened[1]);
  const auto ring = open();
  overwrite(offsetof(rgr_header, identity_version), std::uint64_t{0});
  EXPECT_EQ(ring->ship(out, m_context, 0).status().code(), Code::kUnavailable);
  EXPECT_TRUE(out.runs.empty());
  overwrite(offsetof(rgr_header, identity_version), std::uint64_t{7});
  EXPECT_EQ(ring->ship(out, m_context, 0).status().code(), Code::kUnavailable);
  overwrite(offsetof(rgr_header, identity_version), std::uint64_t{8});
  EXPECT_TRUE(ring->ship(out, m_context, 0).ok());
}

TEST_F(RecentRings, ComeAgainWhereTheRecorderRefused) {
  write(65536, 1000);
  const auto ring = open();
  out.fail_flush = Status(Code::kUnavailable, "full");
  EXPECT_FALSE(ring->ship(out, m_context, 0).ok());
  out.fail_flush = {};
  out.span_batches.clear();
  EXPECT_EQ(ship(*ring, 0).spans, 1000);
}

TEST_F(RecentRings, AreRemovedSomeTimeAfterTheirProcessIsGone) {
  const auto sweep = [&](std::int64_t minutes) {
    toml::table config{{"dirs", toml::array{dir.path()}}, {"recent_keep_minutes", minutes}};
    SourceContext context = m_context;
    context.config = &config;
    const auto source = makeClientSource();
    EXPECT_TRUE(source->start(out, context).ok());
    source->poll(out, wallNow());
    return std::filesystem::exists(path());
  };
  {
    TrainerProcess trainer([&] {
      recentOpen(dir.path().c_str(), RGR_MIN_SLOTS, 60);
      pause();
    });
    open();
    EXPECT_TRUE(sweep(0)) << "its process lives";
  }
  EXPECT_TRUE(sweep(30)) << "somebody may still ask for it";
  EXPECT_FALSE(sweep(0));
  EXPECT_TRUE(out.issues.empty());
  std::ofstream(path()) << "not a ring";
  EXPECT_TRUE(sweep(0)) << "not ours to remove";
  ASSERT_EQ(out.issues.size(), 1u);
  EXPECT_EQ(out.issues[0].code, "client.bad_recent_ring");
}

TEST_F(RecentRings, AnOrderShipsThoseOfItsRunAlsoAfterTheTrainersDeathAndNothingTwice) {
  write(4096, 200);
  LocalAgent agent(dir);
  const auto order = [&](const char* run, std::vector<std::int32_t> ranks) {
    agent.orders.ask({.id = 5, .order = {.kind = OrderKind::kShipRecent, .run = run, .ranks = std::move(ranks)}, .first_step = {}});
    std::vector<OrderQueue::Answer> answers;
    agent.pollUntil([&] {
      for (OrderQueue::Answer& answer : agent.orders.answers()) answers.push_back(std::move(answer));
      return !answers.empty();
    });
    return answers.empty() ? OrderQueue::Answer() : answers[0];
  };
  const auto spans = [&] {
    std::size_t count = 0;
    for (const auto& [track, batches] : agent.out.span_batches)
      for (const SpanColumns& batch : batches) count += batch.size();
    return count;
  };
  EXPECT_EQ(order("other", {}).status.code(), Code::kNotFound);
  EXPECT_EQ(order("gpt", {0}).status.code(), Code::kNotFound);
  EXPECT_EQ(spans(), 0U);
  const OrderQueue::Answer first = order("gpt", {3});
  EXPECT_TRUE(first.status.ok()) << first.status.message();
  EXPECT_THAT(first.ranks, testing::ElementsAre(3));
  EXPECT_EQ(spans(), 200U);
  EXPECT_TRUE(order("gpt", {}).status.ok());
  EXPECT_EQ(spans(), 200U);
}

TEST_F(RecentRings, AreNotShippedAgainByTheNextAgentButOneOfTheSameNameIs) {
  const RingDirectory state;
  toml::table config{{"dirs", toml::array{dir.path()}}};
  SourceContext context = m_context;
  context.config = &config;
  context.state_dir = state.path();
  const auto runAnAgent = [&] {
    const auto source = makeClientSource();
    EXPECT_TRUE(source->start(out, context).ok());
    source->poll(out, wallNow());
    source->stop(out);
    return numbers().size();
  };
  write(4096, 200);
  EXPECT_EQ(runAnAgent(), 200u);
  EXPECT_EQ(runAnAgent(), 200u);
  std::filesystem::remove(path());
  write(4096, 250);
  EXPECT_EQ(runAnAgent(), 450u);
  EXPECT_EQ(runAnAgent(), 450u);
  std::filesystem::remove(path());
  runAnAgent();
  EXPECT_EQ(std::filesystem::file_size(state.path() + "/client.recent"), 0u) << "of a ring that is gone nothing is kept";
}

}  // namespace
}  // namespace runglass::test
