// SPDX-License-Identifier: GPL-3.0-or-later
// The promises of the start page: its commands work unchanged, the example and an import become stores with findings, and a stopped or
// failed task leaves nothing behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>

#include "app/console/console_store_maker.h"
#include "collectors/hub/server/hub.h"
#include "storage/open_store.h"
#include "storage/reader.h"
#include "tests/widgets/offscreen.h"
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

// A folder, first in the search path, with commands of this name that print a fixed text.
QString playedCommands(const QTemporaryDir& dir, const QString& name, const QByteArray& script) {
  const QString folder = dir.filePath("played");
  QDir().mkpath(folder);
  QFile file(folder + '/' + name);
  EXPECT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("#!/bin/bash\n" + script + '\n');
  file.close();
  file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
  return folder;
}

// Runs the commands shown on the page; the programs are those of this build.
int shell(const QString& text, const QString& folder = {}, const QString& first = {}) {
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("PATH", (first.isEmpty() ? QString() : first + ':') + QStringLiteral(RG_BIN_DIR ":") + environment.value("PATH"));
  process.setProcessEnvironment(environment);
  if (!folder.isEmpty()) process.setWorkingDirectory(folder);
  process.start("/bin/bash", {"-ec", text});
  EXPECT_TRUE(process.waitForFinished());
  EXPECT_EQ(process.exitCode(), 0) << process.readAllStandardError().toStdString();
  return process.exitCode();
}

std::unique_ptr<Hub> hubOf(const ConnectQuestion& question) {
  const std::string trust = listenOptions(question).trust.toStdString();
  auto hub = Hub::start(question.store.toStdString(), {.listen = "127.0.0.1:0",
                                                       .token_file = trust + "/access",
                                                       .tls_cert = trust + "/hub.pem",
                                                       .tls_key = trust + "/hub.key",
                                                       .tls_client_ca = trust + "/ca.pem"});
  EXPECT_TRUE(hub.ok()) << hub.status().message();
  return hub.ok() ? std::move(hub).value() : nullptr;
}

bool knowsNode(const QString& store, const std::string& name) {
  const auto reader = openStore(store.toStdString()).reader();
  const auto nodes = reader.ok() ? (*reader)->nodes() : Result<std::vector<Node>>(reader.status());
  return nodes.ok() && std::ranges::any_of(*nodes, [&](const Node& node) { return node.name == name; });
}

// Runs the agent's command unchanged, except for its state folder and placeholders for the node's paths. True once the hub knows the node.
bool bringsNode(const ConnectQuestion& question, const QString& agent, const std::string& node_name,
                const QProcessEnvironment& environment) {
  QProcess node;
  node.setProcessEnvironment(environment);
  node.start("/bin/bash", {"-ec", agent});
  EXPECT_TRUE(node.waitForStarted());
  const bool heard = waitFor([&] { return knowsNode(question.store, node_name); }, 60'000);
  node.terminate();
  node.waitForFinished();
  EXPECT_TRUE(heard) << node.readAllStandardError().toStdString();
  return heard;
}

TEST_F(StartPageTest, TheCommandsForOtherMachinesBringAnAgentToTheHubWithCertificatesOfItsOwn) {
  // Loopback replaces the address by which nodes reach this host.
  ConnectQuestion question{
      .where = TrainersWhere::kNodes, .store = dir.filePath("live.rgl"), .host = "127.0.0.1", .folder = dir.filePath("a folder")};
  ASSERT_EQ(shell(connectCommands(question).front().text), 0);
  const auto hub = hubOf(question);
  ASSERT_TRUE(hub);
  QString agent = connectCommands(question).at(2).text;
  ASSERT_TRUE(agent.startsWith("runglass-agent ")) << agent.toStdString();
  // The content of a node's /etc/runglass is in this folder; the hub's port is a free one.
  const QString copied = dir.filePath("etc");
  ASSERT_EQ(shell("cp -r '" + listenOptions(question).trust + "/agents/NODE-A' '" + copied + "'"), 0);
  agent.replace("runglass-agent ",
                "exec runglass-agent --state-dir '" + dir.filePath("state") + "' --hub " + QString::fromStdString(hub->address()) + ' ');
  agent.replace("/etc/runglass", copied);
  ASSERT_EQ(shell("sed -i 's|/etc/runglass|" + copied + "|' '" + copied + "/agent.toml'"), 0);
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("PATH", QStringLiteral(RG_BIN_DIR ":") + environment.value("PATH"));
  EXPECT_TRUE(bringsNode(question, agent, "NODE-A", environment));
}

TEST_F(StartPageTest, AgentsAreGivenAnAddressOfIpVersionSixInBrackets) {
  const ConnectQuestion question{
      .where = TrainersWhere::kNodes, .store = dir.filePath("live.rgl"), .host = "fd00::1", .folder = dir.filePath("v6")};
  ASSERT_EQ(shell(connectCommands(question).front().text), 0);
  EXPECT_EQ(shell("grep -qxF 'hub = \"[fd00::1]:7070\"' '" + listenOptions(question).trust + "/agents/NODE-A/agent.toml'"), 0);
}

TEST_F(StartPageTest, TheCommandsForSlurmMakeFilesForEachOfItsNodesAndTheStepUsesThem) {
  ConnectQuestion question{
      .where = TrainersWhere::kSlurm, .store = dir.filePath("live.rgl"), .host = "127.0.0.1", .folder = dir.filePath("shared")};
  const QString slurm = playedCommands(dir, "sinfo", "printf -- '--agent=gpu-a\\n--agent=gpu-b\\n--agent=gpu-a\\n'");
  ASSERT_EQ(shell(connectCommands(question).front().text, {}, slurm), 0);
  const auto hub = hubOf(question);
  ASSERT_TRUE(hub);
  question.port = QString::fromStdString(hub->address()).section(':', -1).toInt();
  // srun starts the agent's step with Slurm's variables; only that line of the job script is run, in the foreground.
  playedCommands(dir, "srun",
                 "for word; do shift; [[ $word == *agent_step.sh ]] && exec " RG_SOURCE_DIR
                 "/packaging/slurm/agent_step.sh \"$@\" 127.0.0.1:" +
                     QByteArray::number(question.port) + "; done");
  QString job = connectCommands(question).at(2).text;
  job.truncate(job.indexOf(" &\n"));
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("PATH", slurm + QStringLiteral(":" RG_BIN_DIR ":") + environment.value("PATH"));
  environment.insert("SLURMD_NODENAME", "gpu-b");
  environment.insert("SLURM_NNODES", "2");
  environment.insert("SLURM_JOB_ID", "7");
  environment.insert("RUNGLASS_STATE", dir.filePath("state"));
  EXPECT_TRUE(bringsNode(question, "exec " + job, "gpu-b", environment));
}

TEST_F(StartPageTest, TheCommandsForKubernetesMakeSecretsThatTheManifestsMount) {
  const ConnectQuestion question{.where = TrainersWhere::kKubernetes, .store = "x", .host = "x", .folder = "x"};
  const QString played = playedCommands(dir, "kubectl",
                                        "[ \"$1\" = get ] && { echo node/gpu-a; exit; }\n"
                                        "for word; do\n"
                                        "  [[ $word != --from-file=* ]] || test -s \"${word##*=}\" || exit 1\n"
                                        "  echo \"$word\" >> asked\n"
                                        "done");
  const std::vector<CommandBlock> blocks = connectCommands(question);
  ASSERT_EQ(shell("export USER=ada; " + blocks.at(0).text, dir.path(), played), 0);
  ASSERT_EQ(shell(blocks.at(1).text, dir.path(), played), 0);
  QFile asked(dir.filePath("asked"));
  ASSERT_TRUE(asked.open(QIODevice::ReadOnly));
  const QByteArray words = asked.readAll();
  for (const char* file : {"gpu-a.agent.toml", "gpu-a.agent.pem", "gpu-a.agent.key", "gpu-a.ca.pem"})
    EXPECT_TRUE(words.contains(QByteArray("--from-file=") + file + "=trust/agents/gpu-a/")) << words.toStdString();
  EXPECT_FALSE(words.contains("ca.key"));
}

TEST_F(StartPageTest, TheExampleIsASimulatedRunWhoseFaultsAreFound) {
  maker.example(
      dir.filePath("new/example.rgl"), &context, [this](const MakeProgress&) { ++progress; }, keep());
  const Result<MadeStore> made = answered();
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_GT(progress, 0);
  const auto reader = openStore(made->path.toStdString()).reader();
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
  EXPECT_EQ((*openStore(made->path.toStdString()).reader())->runs()->size(), 1U);
}

TEST_F(StartPageTest, AnImportOfNothingFailsAndLeavesNoStore) {
  maker.import(
      {write("picture.bin", QByteArray("\x89\x00\x01\x02", 4))}, dir.filePath("s.rgl"), &context, [](const MakeProgress&) {}, keep());
  EXPECT_EQ(answered().status().code(), Code::kInvalidArgument);
  EXPECT_EQ(QDir(dir.path()).entryList({"s.rgl*"}, QDir::Files), QStringList());
}

TEST_F(StartPageTest, WhatIsStoppedLeavesNoStoreAndIsNotReported) {
  {
    BackgroundStoreMaker stopped;
    stopped.example(
        dir.filePath("example.rgl"), &context, [](const MakeProgress&) {}, keep());
    stopped.cancel();
  }
  // Events of a thread are delivered in the order in which they were posted.
  bool delivered = false;
  QMetaObject::invokeMethod(
      &context, [&] { delivered = true; }, Qt::QueuedConnection);
  ASSERT_TRUE(waitFor([&] { return delivered; }));
  EXPECT_FALSE(result.has_value());
  EXPECT_EQ(QDir(dir.path()).entryList({"example.rgl*"}, QDir::Files), QStringList());
}

}  // namespace
}  // namespace runglass
