// SPDX-License-Identifier: GPL-3.0-or-later
// What the start page promises: the commands work as they are, the example and an import become stores with findings, and what was stopped
// or failed leaves nothing behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>

#include "app/console/store_maker.h"
#include "collectors/hub/hub.h"
#include "storage/reader.h"
#include "tests/widgets/gui_test.h"
#include "widgets/welcome/connect_commands.h"

namespace runglass {
namespace {

class StartPageTest : public testing::Test {
 protected:
  Result<MadeStore> answered() {
    EXPECT_TRUE(waitFor([&] { return result.has_value(); }, 120'000));
    return result.value_or(Result<MadeStore>(Status(Code::kCancelled, "no answer")));
  }
  StoreMaker::Made keep() {
    return [this](const Result<MadeStore>& made) { result = made; };
  }
  QString write(const QString& name, const QByteArray& text) {
    QFile file(dir.filePath(name));
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(text);
    return file.fileName();
  }

  QTemporaryDir dir;
  QObject context;
  std::optional<Result<MadeStore>> result;
  int progress = 0;
  BackgroundStoreMaker maker;
};

TEST_F(StartPageTest, TheCommandsForOtherMachinesBringAnAgentToTheHubWithTokenAndTls) {
  // Loopback stands for the address by which nodes reach this host.
  ConnectQuestion question{
      .where = TrainersWhere::kNodes, .store = dir.filePath("live.rgl"), .host = "127.0.0.1", .folder = dir.filePath("a folder")};
  question.port = 0;
  const ListenOptions options = listenOptions(question);
  QProcess shell;
  shell.start("/bin/bash", {"-ec", connectCommands(question).front().text});
  ASSERT_TRUE(shell.waitForFinished());
  ASSERT_EQ(shell.exitCode(), 0) << shell.readAllStandardError().toStdString();
  auto hub = Hub::start(question.store.toStdString(), {.listen = "127.0.0.1:0",
                                                       .token_file = options.token_file.toStdString(),
                                                       .tls_cert = options.tls_cert.toStdString(),
                                                       .tls_key = options.tls_key.toStdString()});
  ASSERT_TRUE(hub.ok()) << hub.status().message();
  question.port = QString::fromStdString((*hub)->address()).section(':', -1).toInt();
  QString agent = connectCommands(question).at(2).text;
  ASSERT_TRUE(agent.startsWith("runglass-agent "));
  agent.replace("runglass-agent ", QStringLiteral("exec " RG_BIN_DIR "/runglass-agent --state-dir state "));
  QProcess node;
  node.setWorkingDirectory(question.folder);  // where token and certificate were copied to
  node.start("/bin/bash", {"-ec", agent});
  ASSERT_TRUE(node.waitForStarted());
  const bool heard = waitFor(
      [&] {
        const auto reader = Reader::open(question.store.toStdString());
        const auto nodes = reader.ok() ? (*reader)->nodes() : Result<std::vector<Node>>(reader.status());
        return nodes.ok() && !nodes->empty();
      },
      60'000);
  node.terminate();
  node.waitForFinished();
  EXPECT_TRUE(heard) << node.readAllStandardError().toStdString();
}

TEST_F(StartPageTest, TheExampleIsASimulatedRunWhoseFaultsAreFound) {
  maker.example(
      dir.filePath("new/example.rgl"), &context, [this](const MakeProgress&) { ++progress; }, keep());
  const Result<MadeStore> made = answered();
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_GT(progress, 0);
  const auto reader = Reader::open(made->path.toStdString());
  ASSERT_TRUE(reader.ok());
  const auto runs = (*reader)->runs();
  ASSERT_EQ(runs->size(), 1U);
  EXPECT_TRUE(runs->front().simulated);
  const auto findings = (*reader)->findings(runs->front().id);
  const auto has = [&](std::string_view kind) {
    return std::ranges::any_of(*findings, [&](const Finding& finding) { return finding.kind == kind; });
  };
  EXPECT_TRUE(has("slow_rank"));
  EXPECT_TRUE(has("hardware_fault"));
  EXPECT_EQ(made->findings, findings->size());
}

TEST_F(StartPageTest, FilesAreListedByKindAndBecomeAStore) {
  const QString log = write("train.log",
                            " [2026-01-01 00:00:00] iteration        1/     100 | consumed samples:           64 | elapsed time per "
                            "iteration (ms): 900.0 | learning rate: 1.0E-04 | global batch size:    64 | lm loss: 1.0E+01 | loss scale: "
                            "1.0 | grad norm: 1.0 | number of skipped iterations:   0 | number of nan iterations:   0 |\n");
  const QString other = write("picture.bin", QByteArray("\x89\x00\x01\x02", 4));
  std::optional<Result<ImportListing>> listing;
  maker.list({log, other, dir.filePath("missing")}, &context, [&](const Result<ImportListing>& answer) { listing = answer; });
  ASSERT_TRUE(waitFor([&] { return listing.has_value(); }));
  ASSERT_TRUE(listing->ok());
  ASSERT_EQ((*listing)->rows.size(), 3U);
  EXPECT_EQ((*listing)->rows[0].kind, "train_log");
  EXPECT_GT((*listing)->rows[0].bytes.value_or(0), 100);
  EXPECT_EQ((*listing)->rows[1].kind, "");
  EXPECT_FALSE((*listing)->rows[1].reason.isEmpty());
  EXPECT_FALSE((*listing)->rows[2].reason.isEmpty());
  maker.import(
      {log, other}, dir.filePath("s.rgl"), &context, [](const MakeProgress&) {}, keep());
  const Result<MadeStore> made = answered();
  ASSERT_TRUE(made.ok()) << made.status().message();
  ASSERT_EQ(made->rows.size(), 2U);
  EXPECT_EQ((*Reader::open(made->path.toStdString()))->runs()->size(), 1U);
}

TEST_F(StartPageTest, AnImportOfNothingFailsAndLeavesNoStore) {
  maker.import(
      {write("picture.bin", QByteArray("\x89\x00\x01\x02", 4))}, dir.filePath("s.rgl"), &context, [](const MakeProgress&) {}, keep());
  EXPECT_EQ(answered().status().code(), Code::kInvalidArgument);
  EXPECT_EQ(QDir(dir.path()).entryList({"s.rgl*"}, QDir::Files), QStringList());
}

TEST_F(StartPageTest, WhatIsStoppedLeavesNoStoreAndIsNotTold) {
  {
    BackgroundStoreMaker stopped;
    stopped.example(
        dir.filePath("example.rgl"), &context, [](const MakeProgress&) {}, keep());
    stopped.cancel();
  }
  EXPECT_FALSE(waitFor([this] { return result.has_value(); }, 50));
  EXPECT_EQ(QDir(dir.path()).entryList({"example.rgl*"}, QDir::Files), QStringList());
}

}  // namespace
}  // namespace runglass
