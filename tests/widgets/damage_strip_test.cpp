// SPDX-License-Identifier: GPL-3.0-or-later
// A store with a damaged chunk in the console: the run strip reports it in every view, and leads to Data quality, which names the chunk.
#include "storage/open_store.h"
#include "storage/read/damage_log.h"
#include "tests/storage/sample_store.h"
#include "tests/support/sqlite_store.h"
#include "tests/widgets/console_fixture.h"
#include "widgets/frame/run_strip.h"

namespace runglass {
namespace {

class DamageStripTest : public ConsoleTest {
 protected:
  void openDatabase(bool damaged) {
    {
      auto writer = openStore(m_path).writer();
      ASSERT_TRUE(writer.ok()) << writer.status().message();
      fillSampleStore(**writer);
      ASSERT_TRUE((*writer)->close().ok());
    }
    if (damaged) {
      sqlite3* db = nullptr;
      ASSERT_EQ(test::openDatabase(m_path, &db), SQLITE_OK);
      const char* sql = "UPDATE rg_chunk SET data = CAST(substr(data, 1, 50) || x'ff' || substr(data, 52) AS BLOB)";
      EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
      sqlite3_close(db);
    }
    m_queries = std::make_unique<QueryService>([path = m_path] { return openStore(path).reader(); }, 2);
    WindowOptions options;
    options.queries = m_queries.get();
    options.damage_notes = DamageLog::notes;
    options.clock = [] { return kStoreStart + 3'600 * kNsPerSecond; };
    m_window = std::make_unique<MainWindow>(options);
    m_window->resize(1'400, 900);
    m_window->show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(m_window.get()));
  }
  RunStrip* strip() { return m_window->findChild<RunStrip*>(); }
  bool stripHas(const QString& caption) {
    return std::ranges::any_of(strip()->items(), [&](const StripItem& item) { return item.caption == caption; });
  }

  test::TempFolder m_folder;
  std::string m_path = m_folder.file("s.rgl");
};

TEST_F(DamageStripTest, EveryViewSaysThatSomethingIsMissingAndAClickLeadsToDataQuality) {
  openDatabase(true);
  go("curves");
  ASSERT_TRUE(waitFor([&] { return stripHas("damaged"); })) << strip()->accessibleDescription().toStdString();
  navigate("Events");
  EXPECT_TRUE(stripHas("damaged"));
  const QRect place = strip()->placeOf("damaged");
  ASSERT_FALSE(place.isEmpty());
  QTest::mouseClick(strip(), Qt::LeftButton, {}, place.center());
  settle();
  EXPECT_EQ(docks().current(), "single:data_quality");
}

TEST_F(DamageStripTest, AWholeStoreHasNoSuchItem) {
  openDatabase(false);
  go("curves");
  navigate("Events");
  EXPECT_FALSE(stripHas("damaged"));
}

}  // namespace
}  // namespace runglass
