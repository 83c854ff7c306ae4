// SPDX-License-Identifier: GPL-3.0-or-later
// A disk that becomes full at any point of an export: one line reports it, no part of the export is left, and the store is unchanged.
#include "storage/open_store.h"
#include "tests/app/ctl_fixture.h"
#include "tests/support/small_disk.h"

namespace runglass {
namespace {

class FullDiskTest : public CtlFixture {
 protected:
  void SetUp() override {
    if (!test::SmallDisk::possible()) GTEST_SKIP() << "no mount namespace for this user";
    const SampleStoreIds ids = makeSampleStore(m_store);
    auto writer = openStore(m_store).writer();
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    SpanColumns spans;
    spans.names = {"gemm"};
    for (int i = 0; i < 2'000; ++i) {
      spans.start.push_back(kStoreStart + i * 1'000);
      spans.dur.push_back(700);
      spans.name.push_back(0);
      spans.category.push_back(SpanCategory::kCompute);
      spans.step.push_back(0);
      spans.bytes.push_back(kAbsent);
      spans.args.emplace_back();
    }
    (*writer)->spans((*writer)->track({.attempt = ids.first, .rank = 1, .kind = "gpu_stream", .name = "8"}), spans);
    ASSERT_TRUE((*writer)->close().ok());
    m_before = contentOf(m_store);
  }
  void TearDown() override {
    if (IsSkipped()) return;
    EXPECT_EQ(contentOf(m_store), m_before) << "the store was written";
    EXPECT_EQ(ctl({"verify", "--store", m_store}).exit, 0);
  }
  void expectAllOrNothing(const char* option, const std::string& target) const {
    m_disk.expectAllOrNothing(
        {RG_BIN_DIR "/runglassctl", "export", "--store", m_store, "--run", "1", option, m_disk.path() + "/" + target});
  }
  test::SmallDisk m_disk;
  std::string m_before;
};

TEST_F(FullDiskTest, AStoreIsExportedWholeOrNotAtAll) { expectAllOrNothing("--to", "run.rgl"); }
TEST_F(FullDiskTest, ATraceIsExportedWholeOrNotAtAll) { expectAllOrNothing("--chrome-trace", "trace.json"); }
TEST_F(FullDiskTest, TablesAreExportedAllOrNone) { expectAllOrNothing("--csv", "tables"); }

TEST_F(FullDiskTest, AFileThatIsThereIsNeverTouched) {
  const std::string trace = m_folder.file("trace.json"), tables = m_folder.file("tables");
  for (const std::string& path : {trace, tables + "/step.csv"}) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << "mine";
  }
  expectFails(ctl({"export", "--store", m_store, "--run", "1", "--chrome-trace", trace}), "File exists");
  expectFails(ctl({"export", "--store", m_store, "--run", "1", "--csv", tables}), "File exists");
  EXPECT_EQ(contentOf(trace), "mine");
  EXPECT_EQ(contentOf(tables + "/step.csv"), "mine");
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(tables)) names.push_back(entry.path().filename());
  EXPECT_THAT(names, testing::ElementsAre("step.csv")) << "the other tables are taken back";
}

}  // namespace
}  // namespace runglass
