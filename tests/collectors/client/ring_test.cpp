// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <map>
#include <thread>

#include "model/pair_group.h"
#include "tests/collectors/client/trainer_process.h"

namespace runglass::test {
namespace {

rgr_scalar scalarOf(const RingReader::Record& record) {
  rgr_scalar scalar;
  std::memcpy(&scalar, record.payload.data(), sizeof(scalar));
  return scalar;
}

// Reads until the owner has ended and the ring is empty.
void readAll(RingReader& reader, const std::function<void(const RingReader::Record&)>& take) {
  const auto deadline = std::chrono::steady_clock::now() + 2 * kDeadline;
  while (!reader.exhausted()) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << "the owner does not end";
    const auto more = reader.drain(take);
    ASSERT_TRUE(more.ok()) << more.status().message();
    reader.release();
    if (!*more) usleep(500);
  }
}

TEST(ClientRing, KeepsEveryRecordInOrderAcrossManyLaps) {
  RingDirectory dir;
  constexpr std::int64_t kCount = 50'000;  // 50 laps of the smallest ring
  TrainerProcess trainer([&] {
    setenv("RUNGLASS_RING_BYTES", "1", 1);
    initIn(dir);
    for (std::int64_t i = 0; i < kCount; ++i) {
      const std::uint64_t dropped = rg_dropped();
      rg_scalar("x", i, static_cast<double>(i));
      if (rg_dropped() != dropped) {  // full: the test needs all of them; a trainer would not wait
        usleep(100);
        --i;
      }
    }
  });
  auto reader = RingReader::open(dir.ring());
  ASSERT_TRUE(reader.ok()) << reader.status().message();
  EXPECT_EQ((*reader)->header().slots, RGR_MIN_SLOTS);
  std::int64_t next = 0;
  readAll(**reader, [&](const RingReader::Record& record) {
    if (record.head.type != RGR_SCALAR) return;
    const rgr_scalar scalar = scalarOf(record);
    ASSERT_EQ(scalar.step, next);
    ASSERT_EQ(scalar.value, static_cast<double>(next));
    ASSERT_EQ((*reader)->string(scalar.name), "x");
    ++next;
  });
  EXPECT_EQ(next, kCount);
  EXPECT_EQ((*reader)->tornRecords(), 0u);
}

TEST(ClientRing, CountsWhatAFullRingRefusesAndKeepsTheOldest) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    setenv("RUNGLASS_RING_BYTES", "1", 1);
    initIn(dir);
    for (int i = 0; i < 5000; ++i) rg_scalar("x", i, 0);
  });
  EXPECT_EQ(trainer.wait(), 0);
  auto reader = RingReader::open(dir.ring());
  ASSERT_TRUE(reader.ok());
  std::int64_t scalars = 0;
  readAll(**reader, [&](const RingReader::Record& record) {
    if (record.head.type != RGR_SCALAR) return;
    EXPECT_EQ(scalarOf(record).step, scalars);
    ++scalars;
  });
  EXPECT_GT(scalars, 0);
  EXPECT_LE(scalars, static_cast<std::int64_t>(RGR_MIN_SLOTS));
  EXPECT_EQ((*reader)->header().dropped, 5000u - static_cast<std::uint64_t>(scalars));
}

TEST(ClientRing, TakesRecordsOfManyThreadsAtOnceWithoutMixingThem) {
  RingDirectory dir;
  constexpr int kThreads = 4, kEach = 20'000;
  TrainerProcess trainer([&] {
    initIn(dir);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([t] {
        const std::string text(static_cast<std::size_t>(100 + t * 37), static_cast<char>('a' + t));
        for (int i = 0; i < kEach;) {
          const std::uint64_t dropped = rg_dropped();
          if (i % 4 == 0)
            rg_log(RG_INFO, text.c_str(), (std::to_string(i) + ":" + text).c_str());
          else
            rg_rank_scalar(text.c_str(), i, t);
          if (rg_dropped() == dropped)
            ++i;
          else
            usleep(200);  // may repeat one because of another thread's drop
        }
      });
    for (auto& thread : threads) thread.join();
  });
  auto reader = RingReader::open(dir.ring());
  ASSERT_TRUE(reader.ok());
  std::map<char, std::int64_t> last;
  std::map<char, std::int64_t> distinct;
  readAll(**reader, [&](const RingReader::Record& record) {
    std::string text;
    std::int64_t i = 0;
    if (record.head.type == RGR_SCALAR) {
      const rgr_scalar scalar = scalarOf(record);
      text = (*reader)->string(scalar.name);
      i = scalar.step;
      ASSERT_EQ(scalar.value, text[0] - 'a');
    } else if (record.head.type == RGR_LOG) {
      rgr_text log;
      std::memcpy(&log, record.payload.data(), sizeof(log));
      const std::string whole(record.payload.substr(sizeof(log), log.first_bytes));
      const std::size_t cut = whole.find(':');
      ASSERT_NE(cut, std::string::npos);
      i = std::stoll(whole);
      text = whole.substr(cut + 1);
    } else {
      return;
    }
    const std::size_t bytes = 100 + static_cast<std::size_t>(text[0] - 'a') * 37;
    ASSERT_EQ(text, std::string(bytes, text[0]));
    auto [it, fresh] = last.try_emplace(text[0], -1);
    ASSERT_TRUE(i == it->second + 1 || i == it->second) << "thread " << text[0] << " jumped from " << it->second << " to " << i;
    if (i != it->second) ++distinct[text[0]];
    it->second = i;
  });
  for (int t = 0; t < kThreads; ++t) EXPECT_EQ(distinct[static_cast<char>('a' + t)], kEach);
}

TEST(ClientRing, SkipsARecordItsWriterDiedInAndReadsOn) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    initIn(dir);
    rg_scalar("before", 1, 1);
    // A thread that claimed three slots and was killed before it could fill them.
    const int fd = open(dir.ring().c_str(), O_RDWR);
    auto* header = static_cast<rgr_header*>(mmap(nullptr, RGR_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    __atomic_fetch_add(&header->head, 3, __ATOMIC_SEQ_CST);
    rg_scalar("after", 2, 2);
    raise(SIGKILL);
  });
  trainer.wait();
  auto reader = RingReader::open(dir.ring());
  ASSERT_TRUE(reader.ok());
  std::vector<std::string> names;
  readAll(**reader, [&](const RingReader::Record& record) {
    if (record.head.type == RGR_SCALAR) names.emplace_back((*reader)->string(scalarOf(record).name));
  });
  EXPECT_EQ(names, (std::vector<std::string>{"before", "after"}));
  EXPECT_EQ((*reader)->tornRecords(), 1u);
  EXPECT_EQ((*reader)->header().end_state, static_cast<std::uint32_t>(RGR_END_RUNNING));
}

TEST(ClientRing, WaitsForAWriterThatLivesButHasNotFinished) {
  RingDirectory dir;
  int written[2];
  ASSERT_EQ(pipe(written), 0);
  TrainerProcess trainer([&] {
    initIn(dir);
    const int fd = open(dir.ring().c_str(), O_RDWR);
    auto* header = static_cast<rgr_header*>(mmap(nullptr, RGR_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
    rg_scalar("before", 1, 1);
    __atomic_fetch_add(&header->head, 1, __ATOMIC_SEQ_CST);
    rg_scalar("after", 2, 2);
    if (write(written[1], "x", 1) == 1) pause();
  });
  char all = 0;
  ASSERT_EQ(read(written[0], &all, 1), 1);
  close(written[0]), close(written[1]);
  auto reader = RingReader::open(dir.ring());
  ASSERT_TRUE(reader.ok());
  int scalars = 0;
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE((*reader)->drain([&](const RingReader::Record& record) { scalars += record.head.type == RGR_SCALAR; }).ok());
    (*reader)->release();
  }
  EXPECT_EQ(scalars, 1);
  EXPECT_EQ((*reader)->tornRecords(), 0u);
  EXPECT_TRUE((*reader)->alive());
}

TEST(ClientRing, SurvivesSigkillAtAnyMomentWithoutASingleWrongRecord) {
  for (int round = 0; round < 20; ++round) {
    RingDirectory dir;
    TrainerProcess trainer([&] {
      initIn(dir);
      for (std::int64_t i = 0;; ++i) {
        const std::string text = std::to_string(i) + std::string(static_cast<std::size_t>(i % 300), 'x');
        rg_log(RG_INFO, "s", text.c_str());
      }
    });
    auto reader = RingReader::open(dir.ring());
    ASSERT_TRUE(reader.ok());
    ASSERT_TRUE(waitUntil([&] { return !(*reader)->look().ok() || (*reader)->header().head >= 100; }));
    usleep(static_cast<useconds_t>(round * 331));
    trainer.kill();
    std::int64_t last = -1;
    readAll(**reader, [&](const RingReader::Record& record) {
      if (record.head.type != RGR_LOG) return;
      rgr_text log;
      std::memcpy(&log, record.payload.data(), sizeof(log));
      const std::string text(record.payload.substr(sizeof(log), log.first_bytes));
      const std::int64_t i = std::stoll(text);
      ASSERT_EQ(text, std::to_string(i) + std::string(static_cast<std::size_t>(i % 300), 'x'));
      ASSERT_GT(i, last);
      last = i;
    });
    EXPECT_GE(last, 0);
    EXPECT_LE((*reader)->tornRecords(), 1u);
  }
}

TEST(ClientRing, GivesAReaderThatComesBackWhatTheFirstDidNotRelease) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    initIn(dir);
    for (int i = 0; i < 100; ++i) rg_scalar("x", i, 0);
  });
  trainer.wait();
  std::vector<std::int64_t> released, unreleased, rest;
  const auto into = [](std::vector<std::int64_t>& to) {
    return [&to](const RingReader::Record& record) {
      if (record.head.type == RGR_SCALAR) to.push_back(scalarOf(record).step);
    };
  };
  const std::string path = dir.ring();
  {
    auto reader = RingReader::open(path);
    ASSERT_TRUE(reader.ok());
    EXPECT_TRUE((*reader)->neverRead());
    ASSERT_TRUE((*reader)->drain(into(unreleased)).ok());  // ends before release(): nothing is lost
  }
  {
    auto reader = RingReader::open(path);
    ASSERT_TRUE(reader.ok());
    ASSERT_TRUE((*reader)->drain(into(released)).ok());
    (*reader)->release();
  }
  auto reader = RingReader::open(path);
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE((*reader)->neverRead());
  readAll(**reader, into(rest));
  EXPECT_EQ(released.size(), 100u);
  EXPECT_EQ(unreleased, released);
  EXPECT_TRUE(rest.empty());
}

TEST(ClientRing, RefusesASecondReader) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    initIn(dir);
    pause();
  });
  auto first = RingReader::open(dir.ring());
  ASSERT_TRUE(first.ok());
  const auto second = RingReader::open(dir.ring());
  EXPECT_EQ(second.status().code(), Code::kUnavailable);
}

TEST(ClientRing, TheGroupOfATransferIsTheSameInBothLanguages) {
  EXPECT_EQ(rg_pair(0, 4), pairGroup({0, 4}));
  EXPECT_EQ(rg_pair(INT32_MAX, 16'383), pairGroup({INT32_MAX, 16'383}));
  const auto pair = pairOf(rg_pair(16'383, 7));
  ASSERT_TRUE(pair);
  EXPECT_EQ(pair->from, 16'383);
  EXPECT_EQ(pair->to, 7);
  for (const std::int64_t group :
       {rg_pair(-1, 4), rg_pair(RG_NONE, 4), rg_pair(3, RG_NONE), std::int64_t{7}, RG_NONE, (std::int64_t{1} << 48) - 1})
    EXPECT_FALSE(pairOf(group)) << group;
}

TEST(ClientRing, DetachesAForkedChildWhichMayAttachItself) {
  RingDirectory dir, child_dir;
  TrainerProcess trainer([&] {
    initIn(dir);
    rg_scalar("parent", 1, 1);
    if (fork() == 0) {
      if (rg_enabled()) _exit(1);
      rg_scalar("lost", 1, 1);
      rg_span_begin("lost", RG_COMPUTE, 0, RG_NONE, RG_NONE, RG_NONE, RG_NONE);
      rg_span_end();
      initIn(child_dir);
      rg_scalar("child", 2, 2);
      _exit(0);
    }
    int status = 0;
    ::wait(&status);
    if (!rg_enabled() || status != 0) _exit(1);
    rg_scalar("parent", 2, 2);
  });
  EXPECT_EQ(trainer.wait(), 0);
  const auto names = [](const RingDirectory& from) {
    std::vector<std::string> all;
    auto reader = RingReader::open(from.ring());
    EXPECT_TRUE(reader.ok());
    readAll(**reader, [&](const RingReader::Record& record) {
      if (record.head.type == RGR_SCALAR) all.emplace_back((*reader)->string(scalarOf(record).name));
      EXPECT_NE(record.head.type, RGR_SPAN);
    });
    return all;
  };
  EXPECT_EQ(names(dir), (std::vector<std::string>{"parent", "parent"}));
  EXPECT_EQ(names(child_dir), std::vector<std::string>{"child"});
}

TEST(ClientRing, RefusesFilesThatAreNotRings) {
  RingDirectory dir;
  const std::string path = dir.path() + "/1.ring";
  for (const std::string& content : {std::string(), std::string("RRGRING1"), std::string(300'000, '\xff')}) {
    std::ofstream(path, std::ios::trunc) << content;
    EXPECT_EQ(RingReader::open(path).status().code(), Code::kInvalidArgument);
  }
}

TEST(ClientRing, OfTheEarlierVersionIsStillRead) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    initIn(dir);
    rg_scalar("x", 7, 2.5);
  });
  trainer.wait();
  const std::string path = dir.ring();
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  // Its string table was shorter; everything else was at the current position.
  bytes.erase(RGR_SLOTS_AT_V1, RGR_SLOTS_AT - RGR_SLOTS_AT_V1);
  const std::uint32_t version = 1, string_bytes = RGR_STRING_BYTES_V1;
  std::memcpy(bytes.data() + offsetof(rgr_header, version), &version, sizeof(version));
  std::memcpy(bytes.data() + offsetof(rgr_header, string_bytes), &string_bytes, sizeof(string_bytes));
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  auto reader = RingReader::open(path);
  ASSERT_TRUE(reader.ok()) << reader.status().message();
  int scalars = 0;
  readAll(**reader, [&](const RingReader::Record& record) {
    if (record.head.type != RGR_SCALAR) return;
    ++scalars;
    EXPECT_EQ(scalarOf(record).step, 7);
    EXPECT_EQ((*reader)->string(scalarOf(record).name), "x");
  });
  EXPECT_EQ(scalars, 1);
}

TEST(ClientRing, TellsAFileCutUnderItAsDataLoss) {
  RingDirectory dir;
  TrainerProcess trainer([&] {
    initIn(dir);
    for (int i = 0; i < 100; ++i) rg_scalar("x", i, 0);
  });
  trainer.wait();
  auto reader = RingReader::open(dir.ring());
  ASSERT_TRUE(reader.ok());
  ASSERT_EQ(truncate(dir.ring().c_str(), RGR_SLOTS_AT + 64), 0);
  EXPECT_EQ((*reader)->drain([](const RingReader::Record&) {}).status().code(), Code::kDataLoss);
}

TEST(ClientRing, OfADayOldDeadTrainerGivesWayToTheNextOne) {
  RingDirectory dir;
  const auto leaveRing = [&](std::int64_t age_ns) {
    TrainerProcess trainer([&] { initIn(dir); });
    trainer.wait();
    for (const auto& entry : std::filesystem::directory_iterator(dir.path())) {
      const int fd = open(entry.path().c_str(), O_RDWR);
      const std::int64_t anchor = rg_now() - age_ns;
      EXPECT_EQ(pwrite(fd, &anchor, sizeof(anchor), offsetof(rgr_header, anchor_mono)), static_cast<ssize_t>(sizeof(anchor)));
      close(fd);
    }
  };
  const auto count = [&] { return std::distance(std::filesystem::directory_iterator(dir.path()), {}); };
  constexpr std::int64_t kHour = 3600LL * 1'000'000'000;
  leaveRing(23 * kHour);
  leaveRing(25 * kHour);  // makes both older
  EXPECT_EQ(count(), 2);
  leaveRing(0);
  EXPECT_EQ(count(), 1);
}

TEST(ClientRing, IsReadableByItsOwnerOnly) {
  RingDirectory dir;
  TrainerProcess trainer([&] { initIn(dir); });
  trainer.wait();
  struct stat info {};
  ASSERT_EQ(stat(dir.ring().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST(ClientRing, StaysOffInADirectoryOthersCanWriteTo) {
  RingDirectory dir;
  ASSERT_EQ(chmod(dir.path().c_str(), 0777), 0);
  TrainerProcess trainer([&] {
    rg_options options = RG_OPTIONS_INIT;
    options.dir = dir.path().c_str();
    if (freopen("/dev/null", "w", stderr) == nullptr) _exit(2);
    if (rg_init(&options) != -1 || rg_enabled()) _exit(1);
    rg_scalar("x", 1, 1);  // has no effect
    rg_step_begin(1);
    rg_step_end();
  });
  EXPECT_EQ(trainer.wait(), 0);
}

}  // namespace
}  // namespace runglass::test
