// SPDX-License-Identifier: GPL-3.0-or-later
// A disk that becomes full at any point of a report: one line reports it, and no part of the report is left.
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/support/small_disk.h"
#include "tests/widgets/demo_store.h"

namespace runglass {
namespace {

TEST(ReportDisk, AReportIsWrittenWholeOrNotAtAll) {
  if (!test::SmallDisk::possible()) GTEST_SKIP() << "no mount namespace for this user";
  const test::TempFolder folder;
  const std::string store = folder.file("s.rgl");
  {
    auto writer = openStore(store).writer();
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    recordDemo(**writer, 1'760'000'000'000'000'000);
    ASSERT_TRUE((*writer)->close().ok());
  }
  const test::SmallDisk disk;
  disk.expectAllOrNothing(
      {RG_BIN_DIR "/runglass", "report", "--store", store, "--format", "html,md,json,csv", "--out", disk.path() + "/report"});
}

}  // namespace
}  // namespace runglass
