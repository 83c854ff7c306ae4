// SPDX-License-Identifier: GPL-3.0-or-later
// The start page: its choices, its questions, its messages on a failure; and the commands that it generates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QDropEvent>
#include <QFile>
#include <QLabel>
#include <QMimeData>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>
#include <set>

#include "tests/widgets/fake_store_maker.h"
#include "tests/widgets/offscreen.h"
#include "widgets/core/units.h"
#include "widgets/welcome/connect_panel.h"
#include "widgets/welcome/hub_panel.h"
#include "widgets/welcome/import_panel.h"
#include "widgets/welcome/prometheus_panel.h"
#include "widgets/welcome/start_card.h"
#include "widgets/welcome/welcome_page.h"

namespace runglass {
namespace {

using testing::HasSubstr;

QPushButton* button(const QWidget& in, const QString& words) {
  for (QPushButton* one : in.findChildren<QPushButton*>())
    if (one->text().startsWith(words)) return one;
  return nullptr;
}

bool says(const QWidget& in, const QString& words) {
  for (const QLabel* label : in.findChildren<QLabel*>())
    if (label->isVisibleTo(&in) && label->text().contains(words)) return true;
  return false;
}

class WelcomeTest : public testing::Test {
 protected:
  WelcomePage& show(WelcomeOptions options = {}) {
    options.maker = &maker;
    if (options.folder.isEmpty()) options.folder = dir.path();
    options.secrets = dir.path() + QStringLiteral("/secrets");
    page = std::make_unique<WelcomePage>(options);
    page->resize(1100, 700);
    page->show();
    return *page;
  }
  void drop(const QStringList& paths) {
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& path : paths) urls << QUrl::fromLocalFile(path);
    data.setUrls(urls);
    QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(page.get(), &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(page.get(), &event);
  }

  QTemporaryDir dir;
  test::FakeStoreMaker maker;
  std::unique_ptr<WelcomePage> page;
};

TEST_F(WelcomeTest, ThreeCardsWithPicturesLeadToWhatTheyShow) {
  const WelcomePage& shown = show();
  const auto cards = shown.findChildren<StartCard*>();
  ASSERT_EQ(cards.size(), 3);
  for (const StartCard* card : cards) {
    EXPECT_EQ(card->y(), cards[0]->y());
    EXPECT_EQ(card->height(), cards[0]->height());
  }
  for (StartCard* card : cards) {
    EXPECT_FALSE(card->accessibleDescription().isEmpty());
    const QImage picture = card->grab().toImage();
    std::set<QRgb> colours;
    for (int x = 0; x < picture.width(); x += 2) colours.insert(picture.pixel(x, picture.height() / 4));
    EXPECT_GT(colours.size(), 2U) << card->text().toStdString();
  }
  EXPECT_TRUE(cards[0]->accessibleDescription().contains("A simulated run of 64 GPUs."));
  QTest::mouseClick(cards[0], Qt::LeftButton);
  EXPECT_TRUE(says(shown, "Every view marks it as simulated"));
  QTest::mouseClick(button(shown, "Start"), Qt::LeftButton);
  QTest::mouseClick(cards[1], Qt::LeftButton);
  EXPECT_TRUE(shown.findChild<ImportPanel*>()->isVisible());
  QTest::mouseClick(button(shown, "Start"), Qt::LeftButton);
  QTest::mouseClick(cards[2], Qt::LeftButton);
  EXPECT_TRUE(shown.findChild<ConnectPanel*>()->isVisible());
}

TEST_F(WelcomeTest, ARecentStoreHasItsStateAndItsOpenFindings) {
  const QStringList stores = {dir.filePath("a.rgl"), dir.filePath("b.rgl"), dir.filePath("c.rgl"), dir.filePath("d.rgl")};
  for (const QString& store : stores) EXPECT_TRUE(QFile(store).open(QIODevice::WriteOnly));
  const WelcomePage& shown = show({.recent = stores});
  const QSignalSpy opened(&shown, &WelcomePage::openRequested);
  maker.glances[stores[0]](StoreGlance{.run = "gpt", .state = "finished", .findings = 3});
  maker.glances[stores[1]](StoreGlance{.run = "gpt", .state = "running", .findings = 1});
  maker.glances[stores[2]](StoreGlance{});
  maker.glances[stores[3]](Status(Code::kDataLoss, "damaged"));
  EXPECT_TRUE(button(shown, stores[0])->text().endsWith("gpt: finished, 3 open findings"))
      << button(shown, stores[0])->text().toStdString();
  EXPECT_TRUE(button(shown, stores[1])->text().endsWith("gpt: running, 1 open finding"));
  EXPECT_TRUE(button(shown, stores[2])->text().endsWith("no run yet"));
  EXPECT_TRUE(button(shown, stores[3])->text().endsWith("cannot be read"));
  button(shown, stores[1])->click();
  ASSERT_EQ(opened.count(), 1);
  EXPECT_EQ(opened[0][0].toString(), stores[1]);
}

TEST_F(WelcomeTest, APrometheusIsCheckedOnceTheFormRestsAndAJobHasItsOwnWindow) {
  WelcomePage& shown = show();
  button(shown, "Connect to Prometheus")->click();
  auto* const panel = shown.findChild<PrometheusPanel*>();
  panel->fill({.url = "prom", .nodes = "gpu-01"});
  EXPECT_TRUE(shown.isFinal()) << "that is no address of a server";
  panel->fill({.url = "http://prom:9090", .nodes = "gpu-01"});
  EXPECT_FALSE(shown.isFinal());
  ASSERT_TRUE(waitFor([&] { return maker.on_found != nullptr; }));
  EXPECT_EQ(maker.question_found->nodes, "gpu-01");
  QPushButton* const start = button(*panel, "Import and open");
  EXPECT_FALSE(start->isEnabled());
  maker.on_found(MetricsFound{.metrics = 97, .other_metrics = 1'200, .nodes = 128, .devices = 1'024});
  EXPECT_TRUE(says(shown, QStringLiteral("GPUs: 1") + QChar(kThinSpace) + QStringLiteral("024")));
  EXPECT_TRUE(start->isEnabled());
  panel->fill({.url = "http://prom:9090", .nodes = "gpu-01", .job = "4711"});
  EXPECT_FALSE(start->isEnabled()) << "what was found was of another question";
  EXPECT_EQ(panel->question().nodes, QString());
  EXPECT_EQ(panel->question().job, "4711");
  ASSERT_TRUE(waitFor([&] { return maker.question_found->job == "4711"; }));
  maker.on_found(Status(Code::kNotFound, "slurm: no such job"));
  EXPECT_TRUE(says(shown, "slurm: no such job"));
  panel->start();
  maker.on_progress({"metric 3 of 97", 0.02});
  EXPECT_TRUE(says(shown, "metric 3 of 97"));
  const QSignalSpy opened(&shown, &WelcomePage::openRequested);
  maker.on_made(MadeStore{.path = "/s.rgl", .rows = {}});
  ASSERT_EQ(opened.count(), 1);
  EXPECT_EQ(opened[0][0].toString(), "/s.rgl");
}

TEST_F(WelcomeTest, TheExampleIsMadeOnceAndOpenedFromThenOn) {
  WelcomePage& shown = show();
  const QSignalSpy opened(&shown, &WelcomePage::openRequested);
  QPushButton* start = nullptr;
  for (QPushButton* one : shown.findChildren<QPushButton*>())
    if (!one->isCheckable() && one->text() == "Try the example") start = one;
  ASSERT_NE(start, nullptr);
  shown.findChildren<StartCard*>()[0]->click();
  start->click();
  EXPECT_EQ(maker.into, dir.path() + "/example.rgl");
  EXPECT_FALSE(shown.isFinal());
  maker.on_progress({QStringLiteral("step 7 of 400"), 0.1});
  EXPECT_TRUE(says(shown, "step 7 of 400"));
  maker.on_made(MadeStore{.path = maker.into, .rows = {}});
  ASSERT_EQ(opened.count(), 1);
  EXPECT_EQ(opened[0][0].toString(), maker.into);
  QFile(maker.into).open(QIODevice::WriteOnly);
  maker.into.clear();
  start->click();
  EXPECT_EQ(opened.count(), 2);
  EXPECT_TRUE(maker.into.isEmpty()) << "it was played again over the one that is there";
}

TEST_F(WelcomeTest, AnExampleThatFailsSaysWhyAndCanBeTriedAgain) {
  WelcomePage& shown = show();
  shown.findChildren<StartCard*>()[0]->click();
  for (QPushButton* one : shown.findChildren<QPushButton*>())
    if (!one->isCheckable() && one->text() == "Try the example") one->click();
  maker.on_made(Status(Code::kResourceExhausted, "disk full"));
  EXPECT_TRUE(says(shown, "disk full"));
  EXPECT_TRUE(shown.isFinal());
}

TEST_F(WelcomeTest, DroppedFilesAreListedBeforeAnythingIsWrittenAndThenImported) {
  WelcomePage& shown = show();
  const QSignalSpy opened(&shown, &WelcomePage::openRequested);
  drop({"/data/runs/lm.log", "/data/notes.txt"});
  EXPECT_THAT(maker.listed, testing::ElementsAre("/data/runs/lm.log", "/data/notes.txt"));
  EXPECT_TRUE(maker.imported.isEmpty());
  maker.on_listed(ImportListing{
      .rows = {{"/data/runs/lm.log", "train_log", "", 1024}, {"/data/notes.txt", "", "no importer knows this kind of file", 12}}});
  EXPECT_TRUE(says(shown, "1 of 2 files can be imported"));
  for (QPushButton* one : shown.findChildren<QPushButton*>())
    if (!one->isCheckable() && one->text() == "Import") one->click();
  EXPECT_THAT(maker.imported, testing::ElementsAre("/data/runs/lm.log", "/data/notes.txt"));
  EXPECT_EQ(maker.into, dir.path() + "/lm.rgl");
  maker.on_made(MadeStore{.path = maker.into, .rows = {}});
  EXPECT_EQ(opened.count(), 1);
}

TEST_F(WelcomeTest, AnImportCanBeStoppedAndOneThatFailsSaysWhy) {
  WelcomePage& shown = show({.to_list = {"/data/a.log"}});
  maker.on_listed(ImportListing{.rows = {{"/data/a.log", "train_log", "", 1}}});
  const auto start = [&] {
    for (QPushButton* one : shown.findChildren<QPushButton*>())
      if (!one->isCheckable() && one->text() == "Import") one->click();
  };
  start();
  EXPECT_FALSE(shown.isFinal());
  for (QPushButton* one : shown.findChildren<QPushButton*>())
    if (one->text() == "Stop" && one->isVisible()) one->click();
  EXPECT_EQ(maker.cancelled, 1);
  EXPECT_TRUE(shown.isFinal());
  start();
  maker.on_made(Status(Code::kInvalidArgument, "a.log: offset 7: not a number"));
  EXPECT_TRUE(says(shown, "offset 7"));
}

TEST_F(WelcomeTest, ADroppedStoreIsOpened) {
  WelcomePage& shown = show();
  const QSignalSpy opened(&shown, &WelcomePage::openRequested);
  const QString store = dir.filePath("x.rgl");
  QFile(store).open(QIODevice::WriteOnly);
  drop({store});
  ASSERT_EQ(opened.count(), 1);
  EXPECT_EQ(opened[0][0].toString(), store);
  EXPECT_TRUE(maker.listed.isEmpty());
}

TEST_F(WelcomeTest, HostileNamesOfFilesStayText) {
  WelcomePage& shown = show({.to_list = {"/x"}});
  maker.on_listed(ImportListing{.rows = {{"/x/<b>bold</b>\u202e", "", "<img src=x>", 1}}});
  maker.on_listed(Status(Code::kInvalidArgument, "<b>bold</b>: cannot be read"));
  for (const QLabel* label : shown.findChildren<QLabel*>())
    EXPECT_TRUE(!label->text().contains(u'<') || label->textFormat() == Qt::PlainText);
  EXPECT_TRUE(says(shown, "<b>bold</b>"));
  const auto* table = shown.findChild<QTableView*>();
  EXPECT_FALSE(table->model()->index(0, 0).data().toString().contains(QChar(0x202E)));
}

TEST_F(WelcomeTest, WhyAStoreIsNotOpenIsSaidWithAWayOn) {
  const WelcomePage& shown = show({.problem = "open: /data/x.rgl: no such file"});
  EXPECT_TRUE(says(shown, "no such file"));
  EXPECT_NE(button(shown, "Open a store …"), nullptr);
}

// ---- commands

QString allText(const ConnectQuestion& question) {
  QString text;
  for (const CommandBlock& block : connectCommands(question)) text += block.text + '\n';
  return text;
}

TEST(ConnectCommands, OnThisMachineNeedNeitherTokenNorTls) {
  const QString text = allText({.where = TrainersWhere::kHere, .store = "/data/a.rgl", .host = "head", .folder = "/cfg"});
  EXPECT_THAT(text.toStdString(), HasSubstr("runglass /data/a.rgl --listen 127.0.0.1:7070\n"));
  EXPECT_THAT(text.toStdString(), HasSubstr("runglass-agent --hub 127.0.0.1:7070\n"));
  EXPECT_FALSE(text.contains("token"));
}

TEST(ConnectCommands, ToOtherMachinesCarryCertificatesAndTheHubListensAsTheyWillAsk) {
  const ConnectQuestion question{
      .where = TrainersWhere::kNodes, .store = "/data/a.rgl", .host = "10.1.2.3", .folder = "/cfg", .port = 7443};
  const QString text = allText(question);
  EXPECT_THAT(text.toStdString(), HasSubstr("pair --out /cfg/trust"));
  EXPECT_THAT(text.toStdString(), HasSubstr("--hub 10.1.2.3 --port 7443 "));
  EXPECT_THAT(text.toStdString(), HasSubstr("--listen 0.0.0.0:7443 --trust /cfg/trust"));
  EXPECT_EQ(listenOptions(question).trust, "/cfg/trust");
  EXPECT_THAT(allText({.where = TrainersWhere::kNodes, .store = "a", .host = "fd00::1", .folder = "c"}).toStdString(),
              HasSubstr("--listen '[::]:7070'"));
}

TEST(ConnectCommands, OfAHubElsewhereNeverSpeakOfAHubHere) {
  for (const TrainersWhere where : {TrainersWhere::kKubernetes, TrainersWhere::kBehind}) {
    const QString text = allText({.where = where, .store = "/data/a.rgl", .host = "head", .folder = "/cfg"});
    EXPECT_FALSE(hubIsHere(where));
    EXPECT_FALSE(text.contains("/data/a.rgl") || text.contains("/cfg")) << text.toStdString();
  }
}

TEST(HubPanelTest, AsksForAHubOnlyByAnAddressThatIsOne) {
  for (const char* good : {"login1:7070", "127.0.0.1:1", "[::1]:7070", "unix:/home/me/hub.sock"}) EXPECT_TRUE(isHubAddress(good)) << good;
  for (const char* bad : {"", "login1", "login1:", ":7070", "login1:0", "login1:70700", "::1:7070", "unix:", "a b:1"})
    EXPECT_FALSE(isHubAddress(bad)) << bad;
  HubPanel panel({.hubs = {}, .folder = "/data/hubs"});
  panel.show();
  const QSignalSpy asked(&panel, &HubPanel::connectRequested);
  EXPECT_FALSE(button(panel, "Connect")->isEnabled());
  panel.fill({.address = " login1:7070 ", .token_file = "/t", .tls_ca = "/ca.pem"});
  button(panel, "Connect")->click();
  ASSERT_EQ(asked.count(), 1);
  EXPECT_EQ(asked.at(0).at(0).value<HubAddress>(), (HubAddress{"login1:7070", "/t", "/ca.pem", "", ""}));
  EXPECT_TRUE(says(panel, "/data/hubs"));
}

TEST_F(WelcomeTest, AHubOfBeforeIsOneClickAway) {
  const HubAddress known{"login1:7070", "/t", "/ca.pem", "", ""};
  const WelcomePage& shown = show({.hubs = {.hubs = {known, {.address = "unix:/s"}}, .folder = "/d"}});
  const QSignalSpy asked(&shown, &WelcomePage::connectRequested);
  button(shown, "Connect to a hub")->click();
  button(shown, "unix:/s")->click();
  button(shown, "login1:7070   with a token and a CA")->click();
  ASSERT_EQ(asked.count(), 2);
  EXPECT_EQ(asked.at(0).at(0).value<HubAddress>().address, "unix:/s");
  EXPECT_EQ(asked.at(1).at(0).value<HubAddress>(), known);
}

TEST(ConnectPanelTest, OffersToReceiveOnlyWhereTheHubIsHere) {
  ConnectPanel panel("/data/a.rgl", "/cfg", {"head"});
  panel.show();
  panel.setWhere(TrainersWhere::kSlurm);
  EXPECT_TRUE(button(panel, "Receive in this window")->isVisibleTo(&panel));
  panel.setWhere(TrainersWhere::kBehind);
  EXPECT_FALSE(button(panel, "Receive in this window")->isVisibleTo(&panel));
  EXPECT_TRUE(waitFor([&] { return says(panel, "-L $HOME/hub.sock:/local/USER/hub.sock"); }));
}

TEST(ConnectPanelTest, CopiesABlockAsItStands) {
  ConnectPanel panel("/data/a.rgl", "/cfg", {"head", "10.1.2.3"});
  panel.show();
  panel.setWhere(TrainersWhere::kTunnel);
  button(panel, "Copy")->click();
  EXPECT_EQ(QGuiApplication::clipboard()->text(), "runglass /data/a.rgl --listen 127.0.0.1:7070\n");
  const QSignalSpy listen(&panel, &ConnectPanel::listenRequested);
  button(panel, "Receive in this window")->click();
  ASSERT_EQ(listen.count(), 1);
}

}  // namespace
}  // namespace runglass
