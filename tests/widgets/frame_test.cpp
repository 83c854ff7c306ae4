// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

#include "tests/widgets/fake_store_maker.h"
#include "tests/widgets/offscreen.h"
#include "tests/widgets/sample_data.h"
#include "widgets/frame/capture_dialog.h"
#include "widgets/frame/fuzzy.h"
#include "widgets/frame/guide.h"
#include "widgets/frame/main_window.h"
#include "widgets/frame/navigation.h"
#include "widgets/frame/palette.h"
#include "widgets/frame/trace_dialog.h"
#include "widgets/frame/view_registry.h"
#include "widgets/frame/waiting_page.h"

namespace runglass {
namespace {

class FixedStatus : public StatusSource {
 public:
  SourceStatus status() override { return value; }
  SourceStatus value;
};

class HeldOrders : public OrderPort {
 public:
  void place(Order order, QObject*, std::function<void(const Result<OrderOutcome>&)> done) override {
    placed.push_back(std::move(order));
    answer = std::move(done);
  }
  std::vector<Order> placed;
  std::function<void(const Result<OrderOutcome>&)> answer;
};

class MainWindowTest : public testing::Test {
 protected:
  void open(std::shared_ptr<FakeData> store, QSettings* settings = nullptr) {
    data = std::move(store);
    queries = std::make_unique<QueryService>(openerOf(data), 2);
    WindowOptions options;
    options.queries = queries.get();
    options.orders = &orders;
    options.status = &status;
    options.settings = settings;
    options.clock = [this] { return clock; };
    window = std::make_unique<MainWindow>(options);
    window->resize(1280, 800);
    window->show();
    window->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(window.get()));
  }
  void TearDown() override { window.reset(); }

  TimeNs clock = kSampleNow;
  std::shared_ptr<FakeData> data;
  std::unique_ptr<QueryService> queries;
  FixedStatus status;
  HeldOrders orders;
  std::unique_ptr<MainWindow> window;
};

QString stripText(const MainWindow& window) { return window.findChild<RunStrip*>()->accessibleDescription(); }

TEST_F(MainWindowTest, ShowsTheNewestRunInTheStrip) {
  open(sampleData());
  ASSERT_TRUE(window->showPlace("runs"));
  ASSERT_TRUE(waitFor([&] { return window->isFinal(); }));
  const QString strip = stripText(*window);
  EXPECT_TRUE(strip.contains("running")) << strip.toStdString();
  EXPECT_TRUE(strip.contains("gpt-8b-fineweb / 1"));
  EXPECT_TRUE(strip.contains(formatCount(48'210)));
  EXPECT_TRUE(strip.contains("7 / 8"));
  EXPECT_TRUE(strip.contains(formatSignedPercent(-0.0512))) << strip.toStdString();
}

TEST_F(MainWindowTest, InACopyOfYesterdayNobodyIsSilentForTimeStandsInIt) {
  for (const bool copy : {false, true}) {
    auto store = sampleData();
    if (copy) store->info.mirror = {.source_uuid = "u", .from = "login1:9400", .complete = kSampleNow};
    clock = kSampleNow + 24 * 3600 * kNsPerSecond;
    open(store);
    ASSERT_TRUE(window->showPlace("runs"));
    ASSERT_TRUE(waitFor([&] { return window->isFinal() && stripText(*window).contains(copy ? "as of" : "silent"); }))
        << stripText(*window).toStdString();
    EXPECT_EQ(stripText(*window).contains("silent"), !copy) << stripText(*window).toStdString();
    window.reset();
  }
}

TEST_F(MainWindowTest, TheTimeOfAFileThatNoProcessWritesIsThatOfItsNewestData) {
  auto store = sampleData();
  store->info.last = kSampleNow;
  clock = kSampleNow + 24 * 3600 * kNsPerSecond;
  status.value.stored = true;
  open(store);
  ASSERT_TRUE(window->showPlace("runs"));
  ASSERT_TRUE(waitFor([&] { return window->isFinal() && stripText(*window).contains("as of"); })) << stripText(*window).toStdString();
  EXPECT_FALSE(stripText(*window).contains("silent")) << stripText(*window).toStdString();
  for (const auto* button : window->findChildren<QAbstractButton*>())
    if (button->isVisible()) EXPECT_NE(button->text(), "Live") << "nothing arrives";
}

TEST_F(MainWindowTest, ThePaletteAsksTheTracersOfTheRunOnScreenAndShowsWhatEachNodeSaid) {
  open(sampleData());
  ASSERT_TRUE(window->showPlace("runs"));
  ASSERT_TRUE(waitFor([&] { return window->isFinal(); }));
  const auto& all = window->commands().all();
  const auto command = std::ranges::find_if(all, [](const QAction* action) { return action->text().startsWith("Trace kernels"); });
  ASSERT_NE(command, all.end());
  (*command)->trigger();
  const auto* dialog = window->findChild<TraceDialog*>();
  ASSERT_NE(dialog, nullptr);
  auto* ask = dialog->findChild<QPushButton*>();
  dialog->findChild<QSpinBox*>()->setValue(7);
  ask->click();
  ASSERT_EQ(orders.placed.size(), 1u);
  EXPECT_EQ(orders.placed[0].kind, OrderKind::kTraceSteps);
  EXPECT_EQ(orders.placed[0].number, 7);
  EXPECT_FALSE(orders.placed[0].run.empty());
  EXPECT_TRUE(checkOrder(orders.placed[0]).ok());
  EXPECT_FALSE(ask->isEnabled());
  orders.answer(
      OrderOutcome{.first_step = 4711,
                   .answers = {{.node = "n0", .ranks = {0, 1}, .status = {}, .note = {}},
                               {.node = "n1", .ranks = {}, .status = {Code::kUnavailable, "its agent is not connected"}, .note = {}}}});
  EXPECT_TRUE(ask->isEnabled());
  const auto labels = dialog->findChildren<QLabel*>();
  EXPECT_TRUE(std::ranges::any_of(labels, [](const QLabel* label) {
    return label->text() == "From step 4711 on\nn0: done, ranks 0, 1\nn1: its agent is not connected";
  })) << labels.back()->text().toStdString();
  auto* what = dialog->findChild<QComboBox*>();
  for (int i = 0; i < what->count(); ++i) {
    what->setCurrentIndex(i);
    EXPECT_TRUE(checkOrder(dialog->order()).ok()) << what->currentText().toStdString();
  }
}

TEST_F(MainWindowTest, ThePaletteCapturesTheRunOnScreenAtOnceAndShowsWhatEachNodeSaid) {
  open(sampleData());
  ASSERT_TRUE(window->showPlace("runs"));
  ASSERT_TRUE(waitFor([&] { return window->isFinal(); }));
  const auto& all = window->commands().all();
  const auto command = std::ranges::find_if(all, [](const QAction* action) { return action->text() == "Capture now"; });
  ASSERT_NE(command, all.end());
  (*command)->trigger();
  ASSERT_EQ(orders.placed.size(), 1u) << "nothing more has to be pressed";
  EXPECT_EQ(orders.placed[0].kind, OrderKind::kCapture);
  EXPECT_FALSE(orders.placed[0].run.empty());
  EXPECT_TRUE(checkOrder(orders.placed[0]).ok());
  const auto* dialog = window->findChild<CaptureDialog*>();
  ASSERT_NE(dialog, nullptr);
  EXPECT_FALSE(dialog->findChild<QPushButton*>()->isEnabled());
  orders.answer(
      OrderOutcome{.first_step = {},
                   .answers = {{.node = "n0", .ranks = {0, 1}, .status = {}, .note = "stack 1, process 2"},
                               {.node = "n1", .ranks = {}, .status = {Code::kUnavailable, "its agent is not connected"}, .note = {}}}});
  EXPECT_EQ(dialog->findChild<QPlainTextEdit*>()->toPlainText(),
            "n0: done, ranks 0, 1; stack 1, process 2\nn1: its agent is not connected");
  EXPECT_TRUE(dialog->findChild<QPushButton*>()->isEnabled());
}

TEST_F(MainWindowTest, EveryRegisteredViewAndLayoutBecomesFinal) {
  open(sampleData());
  for (const ViewInfo& view : viewRegistry()) {
    ASSERT_TRUE(window->showPlace(view.id)) << view.id;
    ASSERT_TRUE(waitFor([&] { return window->isFinal(); })) << view.id;
    EXPECT_EQ(window->docks().visibleViews().size(), 1u) << view.id;
  }
  ASSERT_TRUE(window->showPlace("watch"));
  ASSERT_TRUE(waitFor([&] { return window->isFinal(); }));
}

TEST_F(MainWindowTest, EveryViewBecomesFinalOnAnEmptyStore) {
  open(std::make_shared<FakeData>());
  for (const ViewInfo& view : viewRegistry()) {
    ASSERT_TRUE(window->showPlace(view.id));
    EXPECT_TRUE(waitFor([&] { return window->isFinal(); })) << view.id;
  }
}

TEST_F(MainWindowTest, EveryViewBecomesFinalWhenTheStoreFails) {
  auto broken = sampleData();
  broken->failure = Status(Code::kDataLoss, "read: /data/x.rgl: file is damaged");
  open(broken);
  for (const ViewInfo& view : viewRegistry()) {
    ASSERT_TRUE(window->showPlace(view.id));
    EXPECT_TRUE(waitFor([&] { return window->isFinal(); })) << view.id;
  }
  EXPECT_TRUE(stripText(*window).contains("file is damaged"));
}

TEST_F(MainWindowTest, EveryTabThatTheRegistryNamesIsShownAndBecomesFinalWithDataAndWithout) {
  for (const bool empty : {false, true}) {
    open(empty ? std::make_shared<FakeData>() : sampleData());
    std::size_t tabs = 0;
    for (const ViewInfo& view : viewRegistry())
      for (const std::string_view tab : tabsOf(view)) {
        ++tabs;
        const QString name = QString::fromUtf8(tab.data(), static_cast<qsizetype>(tab.size()));
        ASSERT_TRUE(window->showPlace(view.id));
        window->showTab(name);
        EXPECT_TRUE(window->docks().visibleViews().front()->showTab(name)) << tab;
        EXPECT_FALSE(window->docks().visibleViews().front()->showTab(QStringLiteral("no-such-tab"))) << view.id;
        EXPECT_TRUE(waitFor([&] { return window->isFinal(); })) << view.id << " " << tab;
      }
    EXPECT_GE(tabs, 8u);
  }
}

TEST_F(MainWindowTest, AViewThatIsNotBuiltIsRefused) {
  open(sampleData());
  EXPECT_FALSE(window->showPlace("no-such-view"));
}

TEST_F(MainWindowTest, ChoosingARunMovesTheStripToIt) {
  open(sampleData());
  ASSERT_TRUE(waitFor([&] { return stripText(*window).contains("gpt-8b-fineweb"); }));
  Selection selection;
  selection.run = RunId{3};
  window->state().select(selection);
  EXPECT_TRUE(waitFor([&] { return stripText(*window).contains("tfevents-import"); }));
  window->state().back();
  EXPECT_TRUE(waitFor([&] { return stripText(*window).contains("gpt-8b-fineweb"); }));
}

TEST_F(MainWindowTest, PausedViewsStandStillAndTheButtonCountsWhatIsNew) {
  open(sampleData());
  ASSERT_TRUE(window->showPlace("runs"));
  ASSERT_TRUE(waitFor([&] { return window->isFinal(); }));
  const TimeRange before = window->state().state().window.range;
  QTest::keyClick(window.get(), Qt::Key_Space);
  ASSERT_TRUE(window->state().state().paused);
  data->info.sample_count += 12'345;
  data->generation.fetch_add(1);
  const auto paused = [&] {
    for (const NavButton* button : window->findChildren<NavButton*>())
      if (button->text().contains("new")) return button->text();
    return QString();
  };
  ASSERT_TRUE(waitFor([&] {
    data->generation.fetch_add(1);
    return !paused().isEmpty();
  }));
  EXPECT_TRUE(paused().contains(formatShortCount(12'345))) << paused().toStdString();
  EXPECT_EQ(window->state().state().window.range, before);
}

TEST_F(MainWindowTest, TheKeyboardSwitchesViewsAndWalksBack) {
  open(sampleData());
  ASSERT_TRUE(window->showPlace("health"));
  QTest::keyClick(window.get(), Qt::Key_2, Qt::ControlModifier);
  EXPECT_EQ(window->docks().current(), "single:runs");
  window->state().setWindow({100, 200});
  QTest::keyClick(window.get(), Qt::Key_W);
  EXPECT_EQ(window->state().state().window.range, (TimeRange{125, 175}));
  QTest::keyClick(window.get(), Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(window->state().state().window.range, (TimeRange{100, 200}));
}

TEST_F(MainWindowTest, AWindowThatListensShowsItsAddressTheAgentsCommandAndACount) {
  auto data = std::make_shared<FakeData>();
  status.value = {.role = "hub on 127.0.0.1:45001", .agents = 0, .listens = "127.0.0.1:45001"};
  open(data);
  ASSERT_TRUE(waitFor([&] { return window->findChild<WaitingPage*>() != nullptr; }));
  const auto* page = window->findChild<WaitingPage*>();
  EXPECT_TRUE(page->isVisible());
  const auto shows = [&](const QString& words) {
    return std::ranges::any_of(page->findChildren<QLabel*>(), [&](const QLabel* label) { return label->text().contains(words); });
  };
  EXPECT_TRUE(shows("Waiting for agents on 127.0.0.1:45001"));
  for (QPushButton* copy : page->findChildren<QPushButton*>()) QTest::mouseClick(copy, Qt::LeftButton);
  EXPECT_EQ(QApplication::clipboard()->text(), "runglass-agent --hub 127.0.0.1:45001\n");
  status.value.agents = 2;
  ASSERT_TRUE(waitFor([&] { return shows("Agents connected: 2"); })) << "an agent that has sent nothing yet changes no store";
  status.value.received = 10;
  ASSERT_TRUE(waitFor([&] { return window->findChild<WaitingPage*>() == nullptr; }));
  EXPECT_TRUE(window->docks().isVisible());
}

TEST_F(MainWindowTest, ThePaletteRunsWhatIsTyped) {
  open(sampleData());
  ASSERT_TRUE(window->showPlace("runs"));
  QTest::keyClick(window.get(), Qt::Key_F1);
  auto* palette = window->findChild<Palette*>();
  ASSERT_NE(palette, nullptr);
  auto* edit = palette->findChild<QLineEdit*>();
  QTest::keyClicks(edit, "godataq");
  QTest::keyClick(edit, Qt::Key_Return);
  EXPECT_TRUE(waitFor([&] { return window->docks().current() == "single:data_quality"; }));
}

TEST_F(MainWindowTest, CommandsHaveWordsAndNoHotkeyMeansTwoThings) {
  open(sampleData());
  QStringList keys;
  for (const QAction* action : window->commands().all()) {
    EXPECT_FALSE(action->text().isEmpty());
    EXPECT_FALSE(Commands::groupOf(action).isEmpty());
    for (const QKeySequence& key : action->shortcuts()) keys += key.toString();
  }
  EXPECT_EQ(keys.removeDuplicates(), 0);
}

TEST_F(MainWindowTest, ALayoutIsRememberedAsItWasLeft) {
  const QTemporaryDir dir;
  QSettings settings(dir.filePath("settings.ini"), QSettings::IniFormat);
  open(sampleData(), &settings);
  ASSERT_TRUE(window->showPlace("watch"));
  ASSERT_TRUE(window->docks().addView("data_quality"));
  const auto visible = [&](std::size_t count) { return waitFor([&] { return window->docks().visibleViews().size() == count; }); };
  const auto has = [&](const char* id) { return window->docks().findChild<QDockWidget*>(id)->isVisible(); };
  std::size_t views = 1;  // the added one
  for (const LayoutPlace& place : defaultLayouts()[0].places) views += findView(place.view) != nullptr ? 1 : 0;
  ASSERT_TRUE(visible(views));
  window->close();
  window.reset();
  open(sampleData(), &settings);
  ASSERT_TRUE(window->showPlace("watch"));
  EXPECT_TRUE(visible(views));
  EXPECT_TRUE(has("data_quality"));
  ASSERT_TRUE(window->docks().resetLayout("watch"));
  EXPECT_TRUE(visible(views - 1));
  EXPECT_FALSE(has("data_quality"));
}

TEST_F(MainWindowTest, AProblemOfTheSourceIsABanner) {
  status.value.problem = "The store is held by process 4711: this window only reads.";
  open(sampleData());
  bool shown = false;
  for (const QLabel* label : window->findChildren<QLabel*>())
    shown = shown || (label->isVisible() && label->text().contains("held by process 4711"));
  EXPECT_TRUE(shown);
}

TEST_F(MainWindowTest, HostileNamesAreShownAsPlainText) {
  open(sampleData());
  Selection selection;
  selection.run = RunId{2};
  window->state().select(selection);
  ASSERT_TRUE(waitFor([&] { return stripText(*window).contains("retry"); }));
  EXPECT_TRUE(stripText(*window).contains("<b>bold</b>"));
  EXPECT_FALSE(stripText(*window).contains(QChar(0x202E)));
  for (const QLabel* label : window->findChildren<QLabel*>()) EXPECT_EQ(label->textFormat(), Qt::PlainText) << label->text().toStdString();
}

TEST_F(MainWindowTest, WithoutAStoreTheWindowSaysHowToOpenOne) {
  test::FakeStoreMaker maker;
  WindowOptions options;
  options.welcome = {.maker = &maker, .problem = "open: /data/x.rgl: no such file"};
  window = std::make_unique<MainWindow>(options);
  window->show();
  EXPECT_TRUE(window->isFinal());
  bool reported = false;
  for (const QLabel* label : window->findChildren<QLabel*>()) reported = reported || label->text().contains("no such file");
  EXPECT_TRUE(reported);
  EXPECT_FALSE(window->showPlace("runs"));
}

TEST(Guide, EveryViewHasASectionAndEverySectionItsPicturesOnDiskOnly) {
  for (const ViewInfo& view : viewRegistry()) EXPECT_GT(guideSection(QString::fromUtf8(view.title)).size(), 60) << view.id;
  for (const char* heading : {"The first hour", "What is the same everywhere", "Watch", "Keys"})
    EXPECT_GT(guideSection(heading).size(), 60) << heading;
  EXPECT_FALSE(guideSection("Overview").contains("!["));
  EXPECT_TRUE(guideSection("No such view").isEmpty());
}

TEST_F(MainWindowTest, AboutThisViewIsOfTheViewInFront) {
  open(sampleData());
  ASSERT_TRUE(window->showPlace("gpus"));
  for (QAction* command : window->commands().all())
    if (command->text() == "About this view") command->trigger();
  const auto* dialog = window->findChild<GuideDialog*>();
  ASSERT_NE(dialog, nullptr);
  EXPECT_TRUE(dialog->windowTitle().endsWith("GPUs"));
  EXPECT_TRUE(dialog->findChild<QTextBrowser*>()->toPlainText().contains("Every GPU is a cell"));
}

TEST(Strip, ARunThatIsSilentSaysSoAndWarns) {
  RunSummary run;
  run.run.name = "r";
  run.run.time_domain = TimeDomain::kUtc;
  run.run.state = RunState::kRunning;
  run.last_data = kSampleNow - 60 * kNsPerSecond;
  const auto items = stripItems(run, kSampleNow, TimeStyle::kUtc);
  EXPECT_TRUE(items[0].value.startsWith("silent"));
  EXPECT_EQ(items[0].severity, Severity::kWarning);
}

TEST(Strip, WhatIsNotKnownIsADashNeverZero) {
  RunSummary run;
  run.run.name = "r";
  for (const StripItem& item : stripItems(run, kSampleNow, TimeStyle::kUtc)) EXPECT_NE(item.value, "0") << item.caption.toStdString();
}

TEST(Strip, ALossThatIsNotANumberIsAnError) {
  RunSummary run;
  run.run.name = "r";
  run.loss = std::nan("");
  for (const StripItem& item : stripItems(run, kSampleNow, TimeStyle::kUtc)) {
    if (item.caption == "loss") {
      EXPECT_EQ(item.severity, Severity::kError);
    }
  }
}

TEST(Strip, CountsTheFindingsThatAreOpenAndNamesAllOfThemInItsTooltip) {
  RunSummary run;
  run.run.name = "r";
  const auto strip = [&] {
    for (const StripItem& item : stripItems(run, kSampleNow, TimeStyle::kUtc))
      if (item.caption == "findings") return item;
    return StripItem{};
  };
  EXPECT_EQ(strip().value, "none");
  run.findings = {0, 2, 1, 3, 0};
  EXPECT_EQ(strip().value, "none open");
  EXPECT_EQ(strip().severity, Severity::kInfo);
  run.open_findings = {0, 1, 0, 2, 0};
  EXPECT_EQ(strip().value, "2 error") << "one of severity info is no deviation";
  EXPECT_EQ(strip().severity, Severity::kError);
  EXPECT_TRUE(strip().tip.endsWith(": 6.")) << strip().tip.toStdString();
  EXPECT_EQ(strip().view, "findings");
}

TEST(StatusLine, UnknownValuesAreDashes) {
  QStringList texts;
  for (const StatusItem& item : statusItems({})) texts += item.text;
  EXPECT_TRUE(texts.contains("lag –")) << texts.join('|').toStdString();
  EXPECT_TRUE(texts.contains("drops –"));
}

FollowedSource followed(bool connected, std::optional<DurNs> age, std::optional<DurNs> silent) {
  return {.hub = "login1:9400", .connected = connected, .age = age, .silent = silent, .since_start = 3600 * kNsPerSecond, .bytes = 4096};
}

std::string plain(QString text) { return text.replace(QChar(kThinSpace), u' ').toStdString(); }

TEST(FollowedHub, WhatComesSaysHowFarBehindItIs) {
  const SourceWords words = sourceWords(followed(true, 400 * kNsPerMs, 100 * kNsPerMs));
  EXPECT_EQ(plain(words.text), "hub login1:9400 · 0.4 s behind");
  EXPECT_EQ(words.severity, Severity::kInfo);
  EXPECT_EQ(plain(sourceWords(followed(true, std::nullopt, 0)).text), "hub login1:9400 · copying, 4.00 KiB so far");
  EXPECT_EQ(sourceWords(followed(true, 6 * kNsPerSecond, 0)).severity, Severity::kWarning);
}

TEST(FollowedHub, ACutLineSaysSinceWhenAndWarnsPastFiveSeconds) {
  const SourceWords words = sourceWords(followed(false, 15 * kNsPerSecond, 14 * kNsPerSecond));
  EXPECT_EQ(plain(words.text), "hub login1:9400 · line cut 14 s ago · data 15 s old, trying again");
  EXPECT_EQ(words.severity, Severity::kWarning);
  EXPECT_EQ(sourceWords(followed(false, 3 * kNsPerSecond, 2 * kNsPerSecond)).severity, Severity::kInfo) << "the next try is on its way";
  const SourceWords never = sourceWords(followed(false, std::nullopt, std::nullopt));
  EXPECT_EQ(plain(never.text), "hub login1:9400 · no connection yet · nothing is here yet, trying");
  EXPECT_EQ(never.severity, Severity::kWarning);
}

TEST(FollowedHub, InTheStripAWarningComesFirstAndTheAgeStandsForThatOfTheNewestSample) {
  RunSummary run;
  run.run.name = "r";
  run.run.time_domain = TimeDomain::kUtc;
  const std::vector<StripItem> items = stripItems(run, kSampleNow, TimeStyle::kUtc);
  const auto well = followedItems(items, sourceWords(followed(true, 400 * kNsPerMs, 0)));
  ASSERT_EQ(well.size(), items.size());
  EXPECT_EQ(plain(well.back().value), "0.4 s behind");
  const auto cut = followedItems(items, sourceWords(followed(false, 15 * kNsPerSecond, 14 * kNsPerSecond)));
  ASSERT_EQ(cut.size(), items.size());
  EXPECT_EQ(plain(cut.front().value), "line cut 14 s ago · data 15 s old, trying again");
  EXPECT_NE(cut.back().caption, "data");
}

TEST(FollowedHub, ACopyThatNobodyFollowsIntoIsOldAndNotLate) {
  const StoreInfo::Mirror mirror{.source_uuid = "u", .from = "login1:9400", .complete = kSampleNow - 3600 * kNsPerSecond};
  const SourceWords stored = copyWords(mirror, false, kSampleNow, TimeStyle::kUtc);
  EXPECT_EQ(stored.severity, Severity::kInfo);
  EXPECT_TRUE(stored.text.startsWith("copy of hub login1:9400 · as of ")) << stored.text.toStdString();
  EXPECT_EQ(copyWords(mirror, true, kSampleNow, TimeStyle::kUtc).severity, Severity::kWarning);
}

TEST(FollowedHub, TheStatusBarShowsTheLineInPlaceOfTheHubsOwnCounts) {
  StatusFacts facts;
  facts.source.followed = followed(true, 0, 0);
  facts.source.followed->bytes_per_s = 67'000.0;
  facts.words = sourceWords(*facts.source.followed);
  const std::vector<StatusItem> items = statusItems(facts);
  EXPECT_EQ(plain(items.front().text), "hub login1:9400 · 0.0 s behind");
  EXPECT_TRUE(std::ranges::any_of(items, [](const StatusItem& item) { return item.text.startsWith("line "); }));
  EXPECT_TRUE(std::ranges::none_of(items, [](const StatusItem& item) { return item.text.startsWith("drops"); }));
}

TEST(Fuzzy, LettersMustComeInOrder) {
  EXPECT_TRUE(fuzzyScore("swr", "Show Runs").has_value());
  EXPECT_FALSE(fuzzyScore("rws", "Show Runs").has_value());
  EXPECT_TRUE(fuzzyScore("", "anything").has_value());
  EXPECT_FALSE(fuzzyScore("x", "").has_value());
}

TEST(Fuzzy, WordStartsAndNeighboursScoreMore) {
  EXPECT_GT(*fuzzyScore("sr", "Show Runs"), *fuzzyScore("sr", "Answer"));
  EXPECT_GT(*fuzzyScore("run", "Show Runs"), *fuzzyScore("run", "recurring"));
}

}  // namespace
}  // namespace runglass
