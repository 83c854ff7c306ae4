// SPDX-License-Identifier: Apache-2.0
// A replica whose disk is full for a while: it reports this, loses no stored data, and continues by itself when there is space.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>

#include "collectors/hub/replica/mirror.h"
#include "collectors/hub/server/hub.h"
#include "storage/open_store.h"
#include "tests/collectors/hub/feed/store_text.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

constexpr TimeNs kBegin = 1'760'000'000'000'000'000;

class ReplicaOnAFullDisk : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(disk);
    if (::mount("none", disk.c_str(), "tmpfs", 0, "size=4m") != 0) GTEST_SKIP() << "mount: " << std::strerror(errno);
    mounted = true;
    auto started = Hub::start(there, {});
    ASSERT_TRUE(started.ok()) << started.status().message();
    hub = std::move(*started);
  }
  void TearDown() override {
    if (mounted) ::umount2(disk.c_str(), MNT_DETACH);
  }
  // Adds this many events and points on the hub's writer thread.
  void grow(int count) {
    std::promise<Status> done;
    hub->post([&](Writer& writer) {
      const AttemptId attempt = writer.attempt({.run = writer.run({.uuid = "u", .name = "job"}), .key = "0", .start = kBegin});
      const SeriesId loss = writer.series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
      for (int i = 0; i < count; ++i) {
        const TimeNs now = kBegin + ++step * kNsPerSecond;
        writer.scalar(loss, step, now, 1.0 / static_cast<double>(step));
        writer.event({.time = now, .attempt = attempt, .kind = "e", .message = std::to_string(step) + std::string(500, 'e')});
      }
      done.set_value(writer.flush());
    });
    const Status flushed = done.get_future().get();
    EXPECT_TRUE(flushed.ok()) << flushed.message();
  }
  std::unique_ptr<Mirror> follow() const {
    auto mirror =
        Mirror::start({.store = here, .hub = {.hub = hub->address()}, .first_pause = 20 * kNsPerMs, .longest_pause = 200 * kNsPerMs});
    EXPECT_TRUE(mirror.ok()) << mirror.status().message();
    return mirror.ok() ? std::move(*mirror) : nullptr;
  }
  // Fills the disk up to this many free KiB.
  void fill(int kib) const {
    std::ofstream file(disk + "/fill", std::ios::binary);
    while (static_cast<int>(std::filesystem::space(disk).available >> 10) > kib &&
           file.write(std::string(4'096, 'x').data(), 4'096).flush()) {
    }
  }
  void makeRoom() const { std::filesystem::remove(disk + "/fill"); }

  const test::TempFolder dir;
  const std::string disk = dir.file("disk"), there = dir.file("there.rgl"), here = disk + "/here.rgl";
  std::unique_ptr<Hub> hub;
  bool mounted = false;
  std::int64_t step = 0;
};

INSTANTIATE_TEST_SUITE_P(LeftKib, ReplicaOnAFullDisk, testing::Values(0, 4, 16, 64, 200));

TEST_P(ReplicaOnAFullDisk, GoesOnByItselfWhenThereIsRoom) {
  grow(20);
  const auto mirror = follow();
  ASSERT_NE(mirror, nullptr);
  ASSERT_TRUE(mirror->waitComplete(60 * kNsPerSecond));
  fill(GetParam());
  grow(1'500);
  ASSERT_TRUE(test::waitUntil([&] { return !mirror->status().problem.empty(); })) << "a disk that is full is reported";
  const std::string problem = mirror->status().problem;
  EXPECT_EQ(problem.find('\n'), std::string::npos) << problem;
  EXPECT_FALSE(mirror->status().refused) << problem;
  const auto stored = mustRead(openStore(here).reader(mirror->readerOptions()))->events({});
  EXPECT_TRUE(stored.ok() && stored->size() >= 20) << "what was stored is there";
  makeRoom();
  const auto same = [&] {
    const auto copied = mustRead(openStore(here).reader(mirror->readerOptions()))->events({.limit = 10'000});
    return copied.ok() && copied->size() >= static_cast<std::size_t>(step);
  };
  ASSERT_TRUE(test::waitUntil(same)) << mirror->status().problem;
  EXPECT_TRUE(test::waitUntil([&] { return mirror->status().problem.empty(); })) << mirror->status().problem;
  EXPECT_TRUE(mirror->waitComplete(60 * kNsPerSecond));
  EXPECT_TRUE(mirror->stop().ok());
  EXPECT_TRUE(hub->stop().ok());
  EXPECT_EQ(storeText(*mustRead(openStore(here).reader())), storeText(*mustRead(openStore(there).reader())));
  EXPECT_THAT(mustRead(mustRead(openStore(here).reader())->verify()), testing::IsEmpty());
}

TEST_P(ReplicaOnAFullDisk, BeginsOnlyWhereThereIsRoomAndLeavesNothing) {
  fill(GetParam());
  auto mirror = Mirror::start({.store = here, .hub = {.hub = hub->address()}});
  if (mirror.ok()) {
    EXPECT_GT(GetParam(), 0);
    return;
  }
  EXPECT_EQ(mirror.status().message().find('\n'), std::string::npos) << mirror.status().message();
  EXPECT_FALSE(std::filesystem::exists(here)) << mirror.status().message();
  makeRoom();
  mirror = Mirror::start({.store = here, .hub = {.hub = hub->address()}});
  EXPECT_TRUE(mirror.ok()) << mirror.status().message();
}

}  // namespace
}  // namespace runglass
