// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/store_faults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>

#include "tests/faults/points.h"
#include "tests/faults/store_workload.h"
#include "tests/support/temp_folder.h"

namespace runglass::test {
namespace {

constexpr int kSteps = 60;
constexpr int kTicks = 600;  // 30 s

}  // namespace

void crashPoints(const StoreFaults& what, std::size_t points) {
  FaultTally tally;
  for (std::uint64_t seed = firstSeed(); tally.points() < points; ++seed) {
    const TempFolder folder, left;
    FaultDisk disk(folder.path());
    StoreWorkload workload(disk, folder.file("s.rgl"), what.power_safe, seed);
    workload.run(kSteps);
    ASSERT_EQ(workload.failures(), 0U) << "the disk works";
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < kPointsOfASeed && tally.points() < points; ++i) {
      const std::size_t at = random() % (disk.operations() + 1);
      const FaultDisk::Crash crash = what.crashes[random() % what.crashes.size()];
      const std::uint64_t choice = random();
      const std::string image = emptied(left.file("image"));
      disk.crash(at, crash, choice, image);
      const std::string wrong = StoreWorkload::check(image + "/s.rgl", what.power_safe, workload.acknowledgedAt(at), what.may_lose);
      tally.add(seed,
                std::string(FaultDisk::name(crash)) + " at operation " + std::to_string(at) + " of " + std::to_string(disk.operations()),
                wrong);
    }
    if (replaysOneSeed()) break;
  }
}

void crashPointsInTime(const StoreFaults& what, DurNs at_most, std::size_t points) {
  FaultTally tally;
  for (std::uint64_t seed = firstSeed(); tally.points() < points; ++seed) {
    const TempFolder folder, left;
    FaultClock clock;
    FaultDisk disk(folder.path());
    StoreWorkload workload(disk, folder.file("s.rgl"), what.power_safe, seed);
    workload.runInTime(clock, kTicks);
    ASSERT_EQ(workload.failures(), 0U) << "the disk works";
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < kPointsOfASeed && tally.points() < points; ++i) {
      const std::size_t at = random() % (disk.operations() + 1);
      const FaultDisk::Crash crash = what.crashes[random() % what.crashes.size()];
      const std::string image = emptied(left.file("image"));
      disk.crash(at, crash, random(), image);
      std::string wrong = StoreWorkload::checkDurable(image + "/s.rgl", what.power_safe, workload.acknowledgedBefore(at, at_most));
      wrong += StoreWorkload::check(image + "/s.rgl", what.power_safe, workload.acknowledgedAt(at), what.may_lose);
      tally.add(seed,
                std::string(FaultDisk::name(crash)) + " at operation " + std::to_string(at) + " of " + std::to_string(disk.operations()),
                wrong);
    }
    if (replaysOneSeed()) break;
  }
}

void failingCalls(const StoreFaults& what, int error, std::size_t points, std::uint64_t first) {
  FaultTally tally;
  for (std::uint64_t seed = first; tally.points() < points; ++seed) {
    const TempFolder folder;
    FaultDisk disk(folder.path());
    StoreWorkload workload(disk, folder.file("s.rgl"), what.power_safe, seed);
    std::mt19937_64 random(seed);
    workload.run(5);
    disk.failAt(random() % 400, random() % 2 == 0 ? 1 : 1 + random() % 60, error);
    workload.run(kSteps);
    disk.failAt(0, 0, 0);
    std::string wrong;
    if (const Status finished = workload.finish(); !finished.ok()) wrong = "it does not recover: " + finished.message() + "\n";
    wrong += StoreWorkload::check(folder.file("s.rgl"), what.power_safe, workload.acknowledgedAt(disk.operations()), what.may_lose);
    tally.add(seed, error == EIO ? "EIO" : "ENOSPC", wrong);
    if (replaysOneSeed()) break;
  }
}

void failingSyncs(const StoreFaults& what, std::size_t points) {
  FaultTally tally;
  for (std::uint64_t seed = firstSeed(); tally.points() < points; ++seed) {
    const TempFolder folder, left;
    FaultDisk disk(folder.path());
    StoreWorkload workload(disk, folder.file("s.rgl"), what.power_safe, seed);
    std::mt19937_64 random(seed);
    workload.run(5);
    disk.failAt(random() % 60, 1, EIO, FaultDisk::Failing::kSyncs);
    workload.run(kSteps);
    const std::size_t at = random() % (disk.operations() + 1);
    const std::string image = emptied(left.file("image"));
    disk.crash(at, what.crashes[random() % what.crashes.size()], random(), image);
    const std::string wrong = StoreWorkload::check(image + "/s.rgl", what.power_safe, workload.acknowledgedAt(at), what.may_lose);
    tally.add(seed, "fsync failed, power loss at operation " + std::to_string(at), wrong);
    if (replaysOneSeed()) break;
  }
}

}  // namespace runglass::test
