// SPDX-License-Identifier: GPL-3.0-or-later
// A past job is opened from nothing: the start page and the command line make a store from the metrics of Debian's Prometheus.
#include <gtest/gtest.h>

#include <QAbstractButton>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "app/console/console.h"
#include "app/console/followed_hubs.h"
#include "storage/open_store.h"
#include "tests/support/debian_program.h"
#include "tests/support/fake_dcgm_exporter.h"
#include "tests/support/program.h"
#include "tests/support/reserved_port.h"
#include "tests/widgets/offscreen.h"
#include "widgets/welcome/making_line.h"
#include "widgets/welcome/prometheus_panel.h"

namespace runglass {
namespace {

class PrometheusConsole : public testing::Test {
 protected:
  void SetUp() override {
    QStandardPaths::setTestModeEnabled(false);
    ::setenv("XDG_DATA_HOME", dir.filePath("data").toLocal8Bit().constData(), 1);
  }
  ~PrometheusConsole() override { ::setenv("PATH", path.c_str(), 1); }
  bool startPrometheus() {
    if (test::debianProgram("prometheus").empty()) return false;
    const std::string config = file("scrape.yml");
    std::ofstream(config) << "global:\n  scrape_interval: 200ms\n  scrape_timeout: 200ms\nscrape_configs:\n  - job_name: dcgm\n"
                             "    static_configs: [{targets: ['"
                          << exporter.address() << "']}]\n";
    server =
        std::make_unique<Program>(std::vector<std::string>{test::debianProgram("prometheus"), "--config.file=" + config,
                                                           "--storage.tsdb.path=" + file("tsdb"), "--web.listen-address=" + port.address()},
                                  "/dev/null");
    return waitFor([&] { return exporter.scrapes() >= 10; });
  }
  // GPU 1 of gpu-01, for the last seconds.
  void slurmJob(const std::string& id) {
    const auto utc = [](TimeNs time) {
      const std::time_t seconds = time / kNsPerSecond;
      std::array<char, 32> text{};
      std::tm broken{};
      std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", gmtime_r(&seconds, &broken));
      return std::string(text.data());
    };
    const TimeNs now = wallNow();
    std::ofstream(file("scontrol")) << "#!/bin/sh\ncat <<END\nJobId=" << id << " JobName=train\n   JobState=COMPLETED Reason=None\n"
                                    << "   ExitCode=0:0\n   SubmitTime=" << utc(now - 90 * kNsPerSecond)
                                    << "\n   StartTime=" << utc(now - 60 * kNsPerSecond) << " EndTime=" << utc(now)
                                    << "\n   NodeList=gpu-01\n     Nodes=gpu-01 CPU_IDs=0 Mem=0 GRES=gpu:1(IDX:1)\nEND\n";
    std::ofstream(file("sacct")) << "#!/bin/sh\necho 'Slurm accounting storage is disabled' >&2\nexit 1\n";
    for (const char* script : {"scontrol", "sacct"}) std::filesystem::permissions(file(script), std::filesystem::perms::owner_all);
    ::setenv("PATH", (dir.path().toStdString() + ":" + path).c_str(), 1);
  }
  std::string file(const char* name) const { return dir.filePath(QString::fromLatin1(name)).toStdString(); }
  QString url() const { return "http://" + QString::fromStdString(port.address()); }
  void open(const SessionOptions& session, const Place& place = {}) {
    console = std::make_unique<Console>(session, place, settings.get());
    console->window().resize(1'280, 800);
    console->window().show();
  }
  PrometheusPanel* panel() const { return console->window().findChild<PrometheusPanel*>(); }
  QAbstractButton* button(const QString& words) const {
    for (auto* one : console->window().findChildren<QAbstractButton*>())
      if (one->isVisible() && one->text().startsWith(words)) return one;
    return nullptr;
  }
  void click(const QString& words) const {
    QAbstractButton* const one = button(words);
    ASSERT_TRUE(one != nullptr && one->isEnabled()) << words.toStdString();
    QTest::mouseClick(one, Qt::LeftButton);
  }
  void type(const QString& placeholder, const QString& text) const {
    for (auto* line : panel()->findChildren<QLineEdit*>())
      if (line->placeholderText().startsWith(placeholder)) {
        line->clear();
        return QTest::keyClicks(line, text);
      }
    FAIL() << placeholder.toStdString();
  }
  bool says(const QString& words) const {
    for (const auto* label : console->window().findChildren<QLabel*>())
      if (label->isVisible() && label->text().contains(words)) return true;
    return false;
  }
  bool opened() const {
    return waitFor([&] { return console->placed().has_value() && console->window().isFinal(); });
  }
  QStringList stores() const { return QDir(storesFolder()).entryList({"*.rgl*"}, QDir::Files); }
  std::string stored(const QString& name) const { return storesFolder().toStdString() + '/' + name.toStdString(); }

  QTemporaryDir dir;
  const std::string path = std::getenv("PATH");
  test::FakeDcgmExporter exporter;
  const test::ReservedPort port;
  std::unique_ptr<Program> server;
  std::unique_ptr<QSettings> settings = std::make_unique<QSettings>(dir.filePath("settings.ini"), QSettings::IniFormat);
  std::unique_ptr<Console> console;
};

TEST_F(PrometheusConsole, TheStartPageShowsWhatAServerHasAndOpensItAsAStore) {
  if (!startPrometheus()) GTEST_SKIP() << "no prometheus; ./dev test fetches it";
  open({});
  click("Connect to Prometheus");
  const test::ReservedPort closed;
  type("http://", "http://" + QString::fromStdString(closed.address()));
  EXPECT_TRUE(waitFor([&] { return says("prometheus: GET http://"); })) << "an error in words";
  EXPECT_FALSE(button("Import and open")->isEnabled());
  type("http://", url());
  ASSERT_TRUE(waitFor([&] { return says("Nodes: 1 · GPUs: 2 · known metrics: 2"); }));
  if (const char* picture = std::getenv("RG_PICTURE")) console->window().grab().save(picture);
  type("gpu-[", "gpu-77");
  EXPECT_TRUE(waitFor([&] { return says("has no metrics of GPUs"); }));
  type("gpu-[", "gpu-01");
  ASSERT_TRUE(waitFor([&] { return says("GPUs: 2"); }));
  click("Import and open");
  ASSERT_TRUE(opened());
  ASSERT_TRUE(console->placed()->ok()) << console->placed()->message();
  ASSERT_EQ(stores().size(), 1);
  EXPECT_TRUE(stores().front().startsWith("127.0.0.1-" + url().section(':', -1) + "-2")) << stores().front().toStdString();
  const auto reader = openStore(stored(stores().front())).reader();
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->devices()->size(), 2U);
  EXPECT_EQ((*reader)->runs()->size(), 1U);
}

TEST_F(PrometheusConsole, TheCommandLineOpensASlurmJobAtTheRequestedView) {
  if (!startPrometheus()) GTEST_SKIP() << "no prometheus; ./dev test fetches it";
  slurmJob("4711");
  open({.metrics = MetricsQuestion{.url = url(), .job = "4711"}}, {.view = "gpus"});
  ASSERT_TRUE(opened());
  ASSERT_TRUE(console->placed()->ok()) << console->placed()->message();
  EXPECT_EQ(console->window().place(), "gpus");
  ASSERT_EQ(stores().size(), 1);
  EXPECT_TRUE(stores().front().endsWith("-slurm-4711.rgl")) << stores().front().toStdString();
  const auto reader = openStore(stored(stores().front())).reader();
  ASSERT_TRUE(reader.ok());
  ASSERT_EQ((*reader)->runs()->size(), 1U);
  EXPECT_EQ((*reader)->runs()->front().name, "train-4711");
  EXPECT_EQ((*reader)->devices()->size(), 1U) << "the other GPU is not of the job";
}

// The program itself: what records is made of its command line.
TEST_F(PrometheusConsole, ALiveWindowRecordsWhatTheServerScrapes) {
  if (!startPrometheus()) GTEST_SKIP() << "no prometheus; ./dev test fetches it";
  const std::string store = file("live.rgl");
  Program window({RG_BIN_DIR "/runglass", store, "--live", "--prometheus", url().toStdString(), "--prometheus-interval", "0.3"},
                 file("log"),
                 {{"QT_QPA_PLATFORM", "offscreen"}, {"HOME", dir.path().toStdString()}, {"XDG_CONFIG_HOME", dir.path().toStdString()}});
  const auto recorded = [&](std::int64_t scrape) {
    const auto reader = openStore(store).reader();
    if (!reader.ok()) return false;
    const auto memory = (*reader)->series({.metric = "gpu_memory_used_bytes"});
    if (!memory.ok() || memory->size() != 2) return false;
    const auto samples = (*reader)->samples(memory->front().id, {});
    return samples.ok() && !samples->value.empty() && samples->value.back() >= static_cast<double>(scrape << 20U);
  };
  EXPECT_TRUE(waitFor([&] { return recorded(1); }));
  const std::int64_t later = exporter.scrapes() + 5;
  EXPECT_TRUE(waitFor([&] { return recorded(later); })) << "it goes on";
  window.signal(SIGTERM);
  EXPECT_EQ(window.wait(), 0);
  const auto reader = openStore(store).reader();
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->devices()->size(), 2U);
  EXPECT_TRUE((*reader)->issues()->empty());
}

TEST_F(PrometheusConsole, AServerThatDoesNotAnswerShowsProgressAndCanBeStopped) {
  const test::HttpServer hanging([](const std::string&, const test::HttpServer::Connection& to) {
    to.hang();
    return false;
  });
  open({.metrics = MetricsQuestion{.url = QString::fromStdString(hanging.url(""))}});
  EXPECT_TRUE(waitFor([&] { return says("looking for metrics at"); }));
  click("Stop");
  EXPECT_FALSE(panel()->isBusy());
  EXPECT_TRUE(button("Import and open")->isEnabled()) << "it can be tried again";
  console.reset();  // waits for the work
  EXPECT_EQ(stores(), QStringList());
}

}  // namespace
}  // namespace runglass
