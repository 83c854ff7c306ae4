// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/spool_faults.h"

#include <cerrno>
#include <random>

#include "tests/faults/points.h"
#include "tests/faults/spool_workload.h"
#include "tests/support/temp_folder.h"

namespace runglass::test {

void spoolCrashPoints(const std::vector<FaultDisk::Crash>& crashes, std::size_t points) {
  FaultTally tally;
  for (std::uint64_t seed = firstSeed(); tally.points() < points; ++seed) {
    const TempFolder folder, left;
    FaultDisk disk(folder.path());
    SpoolWorkload workload(disk, folder.path(), seed);
    workload.run(120);
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < kPointsOfASeed && tally.points() < points; ++i) {
      const std::size_t at = random() % (disk.operations() + 1);
      const FaultDisk::Crash crash = crashes[random() % crashes.size()];
      const std::string image = emptied(left.file("image"));
      disk.crash(at, crash, random(), image);
      tally.add(seed, std::string(FaultDisk::name(crash)) + " at operation " + std::to_string(at),
                SpoolWorkload::check(image, workload.heldAt(at, crash != FaultDisk::Crash::kKill), workload.appended()));
    }
    if (replaysOneSeed()) break;
  }
}

void spoolFailures(int error, FaultDisk::Failing what, FaultDisk::Crash crash, std::size_t points) {
  FaultTally tally;
  for (std::uint64_t seed = firstSeed(); tally.points() < points; ++seed) {
    const TempFolder folder, left;
    FaultDisk disk(folder.path());
    SpoolWorkload workload(disk, folder.path(), seed);
    std::mt19937_64 random(seed);
    workload.run(5);
    disk.failAt(random() % 60, random() % 2 == 0 ? 1 : 1 + random() % 20, error, what);
    workload.run(60);
    disk.failAt(0, 0, 0);
    workload.sync();
    const std::string image = emptied(left.file("image"));
    const std::size_t end = disk.operations();
    disk.crash(end, crash, seed, image);
    tally.add(seed, std::string(error == EIO ? "EIO" : "ENOSPC") + ", then " + FaultDisk::name(crash),
              SpoolWorkload::check(image, workload.heldAt(end, crash != FaultDisk::Crash::kKill), workload.appended()));
    if (replaysOneSeed()) break;
  }
}

}  // namespace runglass::test
