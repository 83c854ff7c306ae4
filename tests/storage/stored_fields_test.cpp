// SPDX-License-Identifier: Apache-2.0
// Every described field of every record (model/fields.h) is in the rows of a store, and in those of an exported run.
#include <gtest/gtest.h>

#include "storage/open_store.h"
#include "storage/read/change_reader.h"
#include "tests/support/filled_store.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

// The incident names the finding by its id in that store, which an export renumbers.
template <class Record>
Record expected(const test::Names& names, std::int64_t finding) {
  Record record = test::storedRecord<Record>(names);
  if constexpr (std::same_as<Record, Incident>) record.findings = {finding};
  return record;
}
template <>
Series expected(const test::Names& names, std::int64_t) {
  Series series;
  series.key = test::storedRecord<SeriesKey>(names);
  return series;
}
template <>
Track expected(const test::Names& names, std::int64_t) {
  Track track;
  track.key = test::storedRecord<TrackKey>(names);
  return track;
}

void expectAll(const std::string& path, bool all) {
  const auto corrected = openStore(path).reader();
  ASSERT_TRUE(corrected.ok()) << corrected.status().message();
  const auto reader = (*corrected)->unaligned();
  ASSERT_TRUE(reader.ok());
  const test::Names names = test::namesIn(**reader);
  ASSERT_TRUE(names.node && names.device && names.run && names.attempt);
  const auto findings = (*reader)->findings(names.run);
  ASSERT_TRUE(findings.ok() && findings->size() == 1);
  const auto compare = [&]<class Record>(const Record& record) {
    EXPECT_EQ(test::valuesOf(record), test::valuesOf(expected<Record>(names, findings->at(0).id)));
  };
  test::eachRecordOf(**reader, names, all, compare);
  const auto alignment = (*corrected)->alignment(names.attempt);
  ASSERT_TRUE(alignment.ok() && *alignment);
  compare(**alignment);
}

class StoredFields : public ::testing::Test {
 protected:
  void SetUp() override {
    auto writer = openStore(m_store).writer();
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    const test::Names names = test::fillStore(**writer);
    // Once more with the ids of the store.
    auto reader = openStore(m_store).reader();
    ASSERT_TRUE(reader.ok());
    Incident incident = (*reader)->incidents(names.run)->at(0);
    incident.findings = {(*reader)->findings(names.run)->at(0).id};
    ASSERT_TRUE((*writer)->incident(incident).ok());
    ASSERT_TRUE((*writer)->flush().ok());
  }
  test::TempFolder m_folder;
  std::string m_store = m_folder.file("from.rgl");
};

TEST_F(StoredFields, AreReadAsTheyWereWritten) {
  expectAll(m_store, true);
  const auto changes = openStore(m_store).changes();
  ASSERT_TRUE(changes.ok());
  std::int64_t after = 0;
  const auto clocks = (*changes)->clocks(after);
  ASSERT_TRUE(clocks.ok() && clocks->size() == 1);
  EXPECT_EQ(test::valuesOf(clocks->at(0)), test::valuesOf(test::filled<ClockReading>({.node = {1}})));
  const auto progress = (*changes)->progress(true);
  ASSERT_TRUE(progress.ok() && progress->size() == 1);
}

TEST_F(StoredFields, AreInAnExportWithTheIdsOfTheOtherStore) {
  const std::string copy = m_folder.file("to.rgl");
  const auto reader = openStore(m_store).reader();
  ASSERT_TRUE(reader.ok());
  const test::Names names = test::namesIn(**reader);
  const Status exported = exportRun(m_store, names.run, {}, copy);
  ASSERT_TRUE(exported.ok()) << exported.message();
  const auto copied = openStore(copy).reader();
  ASSERT_TRUE(copied.ok());
  EXPECT_NE(test::namesIn(**copied).node, names.node) << "the ids say nothing of their translation";
  expectAll(copy, false);
}

}  // namespace
}  // namespace runglass
