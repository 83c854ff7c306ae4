// SPDX-License-Identifier: GPL-3.0-or-later
// A store with a damaged page in the console: no view shows less than the whole store without a sign, and a repaired copy replaces it.
#include <gmock/gmock.h>
#include <sys/file.h>

#include <QLabel>
#include <QPushButton>
#include <QTest>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>

#include "app/console/console.h"
#include "storage/sqlite/connection.h"
#include "storage/store_files.h"
#include "tests/storage/flip_store.h"
#include "tests/support/seed.h"
#include "tests/support/temp_folder.h"
#include "tests/widgets/offscreen.h"
#include "widgets/frame/damage_banner.h"
#include "widgets/frame/run_strip.h"
#include "widgets/frame/view_registry.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;

// Of the tables and indexes in one run, by the seed: all of them take two minutes.
constexpr std::size_t kPart = 6;

class ConsoleDamage : public testing::Test {
 protected:
  void SetUp() override {
    makeFlipStore(m_good);
    m_content = fileContent(m_good);
    std::filesystem::create_directory(m_temp);
    ::setenv("TMPDIR", m_temp.c_str(), 1);
  }
  void TearDown() override {
    m_console.reset();
    ::unsetenv("TMPDIR");
  }
  std::map<std::string, std::vector<std::size_t>> pages() const {
    auto db = sqlite::Connection::open(m_good, sqlite::OpenMode::kReadOnly).value();
    auto rows = db.prepare("SELECT name, pageno FROM dbstat ORDER BY pageno").value();
    std::map<std::string, std::vector<std::size_t>> all;
    while (rows.step().value()) all[std::string(rows.text(0))].push_back(static_cast<std::size_t>(rows.int64(1)));
    return all;
  }
  void flip(std::size_t page, std::size_t byte) {
    writeFlipped(m_store, m_content, ((page - 1) * kFlipPage + byte) * 8);
    m_damaged = fileContent(m_store);
  }
  void open(const std::string& view) {
    Place place;
    place.view = view;
    m_console = std::make_unique<Console>(SessionOptions{.store = m_store}, place, nullptr);
    m_console->window().resize(1'280, 800);
    m_console->window().show();
  }
  DamageBanner* banner() { return m_console->window().findChild<DamageBanner*>(); }
  std::string line() { return banner()->isVisible() ? banner()->findChild<QLabel*>()->text().toStdString() : ""; }
  void press(const QString& text) {
    for (QPushButton* button : banner()->findChildren<QPushButton*>())
      if (button->text() == text && button->isVisible()) return QTest::mouseClick(button, Qt::LeftButton);
    FAIL() << "no button " << text.toStdString();
  }
  bool saysSo() {
    const auto& items = m_console->window().findChild<RunStrip*>()->items();
    return banner()->isVisible() || std::ranges::any_of(items, [](const StripItem& item) { return item.caption == "damaged"; });
  }
  // The picture of a view alone, once it shows its answers.
  QImage picture(const char* view) {
    MainWindow& window = m_console->window();
    EXPECT_TRUE(window.showPlace(QString::fromLatin1(view))) << view;
    EXPECT_TRUE(waitFor([&] { return window.isFinal(); })) << view;
    QCoreApplication::processEvents();
    return window.docks().grab().toImage();
  }

  test::TempFolder m_folder;
  std::string m_good = m_folder.file("good.rgl"), m_store = m_folder.file("s.rgl"), m_temp = m_folder.file("temp"), m_content, m_damaged;
  std::unique_ptr<Console> m_console;
};

TEST_F(ConsoleDamage, ARepairedCopyReplacesTheStoreAndIsRemovedWithTheWindow) {
  flip(pages().at("rg_event").back(), 1'000);
  open("events");
  ASSERT_TRUE(waitFor([&] { return !line().empty(); }));
  EXPECT_THAT(line(), HasSubstr("This store is damaged: rows of rg_event"));
  press("Open a repaired copy");
  ASSERT_TRUE(waitFor([&] { return line().find("Repaired copy of s.rgl: missing rows: at most ") != std::string::npos; })) << line();
  EXPECT_THAT(line(), HasSubstr(" of rg_event"));
  ASSERT_FALSE(std::filesystem::is_empty(m_temp));
  for (const auto& folder : std::filesystem::directory_iterator(m_temp))
    EXPECT_EQ(folder.status().permissions(), std::filesystem::perms::owner_all);
  bool gap = false, answered = false;
  QuerySlot slot;
  m_console->queries()->submit<std::vector<Issue>>(
      slot, QueryService::Supersede::kCancelOlder, [](Reader& reader, std::stop_token) { return reader.issues(); },
      [&](const Result<std::shared_ptr<const std::vector<Issue>>>& issues) {
        answered = true;
        gap = issues.ok() &&
              std::ranges::any_of(**issues, [](const Issue& issue) { return issue.code == "store.lost_in_repair" && issue.count > 0; });
      });
  ASSERT_TRUE(waitFor([&] { return answered; }));
  EXPECT_TRUE(gap) << "reports and exports of the copy show the gap";
  m_console.reset();
  EXPECT_EQ(fileContent(m_store), m_damaged) << "the damaged store was written";
  EXPECT_TRUE(std::filesystem::is_empty(m_temp)) << "a copy was left behind";
}

TEST_F(ConsoleDamage, WhereAProcessWritesTheStoreTheActionSaysWhyItCannot) {
  flip(pages().at("rg_event").back(), 1'000);
  open("events");
  ASSERT_TRUE(waitFor([&] { return !line().empty(); }));
  const int lock = ::open(lockPath(m_store).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  press("Open a repaired copy");
  EXPECT_TRUE(waitFor([&] { return line().find("writes it; stop that first") != std::string::npos; })) << line();
  EXPECT_TRUE(std::filesystem::is_empty(m_temp));
  ::close(lock);
}

TEST_F(ConsoleDamage, AViewThatLacksDataSaysSoWhateverPageIsDamaged) {
  std::mt19937_64 random(test::seed());
  std::filesystem::copy_file(m_good, m_store);
  std::map<std::string, QImage> whole;
  open("overview");
  ASSERT_TRUE(waitFor([&] { return m_console->placed().has_value(); }));
  for (const ViewInfo& view : viewRegistry()) whole[view.id] = picture(view.id);
  EXPECT_FALSE(saysSo());
  int lacking = 0;
  std::size_t turn = random();
  for (const auto& [owner, all] : pages()) {
    if (owner.starts_with("sqlite_") || !owner.starts_with("rg_")) continue;  // the schema: the store cannot be opened
    if (turn++ % kPart != 0) continue;
    SCOPED_TRACE(owner);
    m_console.reset();
    flip(all[random() % all.size()], random() % kFlipPage);
    open("overview");
    ASSERT_TRUE(waitFor([&] { return m_console->placed().has_value(); }));
    for (const ViewInfo& view : viewRegistry()) {
      if (picture(view.id) == whole[view.id]) continue;
      ++lacking;
      EXPECT_TRUE(waitFor([&] { return saysSo(); })) << view.id;
    }
  }
  EXPECT_GT(lacking, 0);
}

}  // namespace
}  // namespace runglass
