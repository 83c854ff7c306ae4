// SPDX-License-Identifier: GPL-3.0-or-later
// `runglassctl logbook`: the Markdown of a stored run, printed or written to a new file.
#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class LogbookTest : public CtlFixture {
 protected:
  void SetUp() override { makeSampleStore(m_store); }
};

TEST_F(LogbookTest, ARunsLogbookIsPrintedOrWritten) {
  const Outcome printed = ctl({"logbook", "--store", m_store});
  EXPECT_EQ(printed.exit, 0) << printed.err;
  EXPECT_THAT(printed.out, StartsWith("# Run log of pretrain\n"));
  EXPECT_THAT(printed.out, HasSubstr("## 2023-11-14\n"));
  const std::string file = m_folder.file("book.md");
  const Outcome written = ctl({"logbook", "--store", m_store, "--run", "pretrain", "--out", file});
  EXPECT_EQ(written.exit, 0) << written.err;
  EXPECT_EQ(written.out, "");
  EXPECT_EQ(contentOf(file), printed.out);
  expectFails(ctl({"logbook", "--store", m_store, "--out", file}), "book.md");
}
TEST_F(LogbookTest, ARunThatIsNotThereIsOneClearLine) {
  expectFails(ctl({"logbook", "--store", m_store, "--run", "nobody"}), "no run nobody");
  EXPECT_EQ(ctl({"logbook"}).exit, 2);
}

}  // namespace
}  // namespace runglass
