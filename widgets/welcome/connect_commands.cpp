// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/connect_commands.h"

#include <arpa/inet.h>

#include <QObject>

#include "widgets/core/shell_word.h"

namespace runglass {
namespace {

const QString kToken = QStringLiteral("hub.token"), kCertificate = QStringLiteral("hub.pem"), kKey = QStringLiteral("hub.key");

const QString kLoopback = QStringLiteral("127.0.0.1");

QString inFolder(const ConnectQuestion& question, const QString& name) { return question.folder + QLatin1Char('/') + name; }

QString hostPort(const QString& host, int port) {
  const bool v6 = host.contains(QLatin1Char(':'));
  return (v6 ? QLatin1Char('[') + host + QLatin1Char(']') : host) + QStringLiteral(":%1").arg(port);
}

// What a certificate says of whom it is for.
QString alternativeName(const QString& host) {
  in6_addr address{};
  const QByteArray text = host.toUtf8();
  const bool number = inet_pton(AF_INET, text.constData(), &address) == 1 || inet_pton(AF_INET6, text.constData(), &address) == 1;
  return (number ? QStringLiteral("IP:") : QStringLiteral("DNS:")) + host;
}

CommandBlock trainerBlock() {
  return {QObject::tr("In the training script"),
          QStringLiteral("import runglass as rg\n"
                         "rg.init()                   # run, attempt and rank come from the launcher\n"
                         "with rg.step(n):            # around each step\n"
                         "    ...\n"
                         "rg.scalar(\"loss\", loss, step=n)"),
          QObject::tr("Without it the agent still sees GPUs, hosts, kernel messages and logs. Everything else: docs/client.md")};
}

CommandBlock agentBlock(const ConnectQuestion& question, const QString& title, const QString& options, const QString& host) {
  return {title, QStringLiteral("runglass-agent --hub %1%2").arg(shellWord(hostPort(host, question.port)), options),
          QObject::tr("One on each node, beside the trainers; as a service: packages and /etc/runglass/agent.toml (docs/install.md).")};
}

CommandBlock hubBlock(const ConnectQuestion& question) {
  const ListenOptions hub = listenOptions(question);
  QString text = QStringLiteral("runglass %1 --listen %2").arg(shellWord(hub.store), shellWord(hub.listen));
  if (!hub.token_file.isEmpty())
    text += QStringLiteral(" \\\n    --token-file %1 --tls-cert %2 --tls-key %3")
                .arg(shellWord(hub.token_file), shellWord(hub.tls_cert), shellWord(hub.tls_key));
  return {QObject::tr("On this machine: the hub that receives and stores"), text,
          QObject::tr("Without a window: runglassctl serve --store … with the same options.")};
}

}  // namespace

ListenOptions listenOptions(const ConnectQuestion& question) {
  if (question.where != TrainersWhere::kNodes) return {question.store, hostPort(kLoopback, question.port), {}, {}, {}};
  const QString everywhere = question.host.contains(QLatin1Char(':')) ? QStringLiteral("::") : QStringLiteral("0.0.0.0");
  return {question.store, hostPort(everywhere, question.port), inFolder(question, kToken), inFolder(question, kCertificate),
          inFolder(question, kKey)};
}

std::vector<CommandBlock> connectCommands(const ConnectQuestion& question) {
  if (question.where == TrainersWhere::kHere)
    return {hubBlock(question), agentBlock(question, QObject::tr("In a second terminal: the agent"), {}, kLoopback), trainerBlock()};
  if (question.where == TrainersWhere::kTunnel)
    return {
        hubBlock(question),
        {QObject::tr("In a second terminal, for each node"), QStringLiteral("ssh -N -R %1:%2:%1 NODE").arg(question.port).arg(kLoopback),
         QObject::tr("Through a bastion: ssh -J BASTION -N -R … NODE. Every user of the node can reach that port.")},
        agentBlock(question, QObject::tr("On each node"), {}, kLoopback),
        trainerBlock()};
  const ListenOptions hub = listenOptions(question);
  const CommandBlock secrets{
      QObject::tr("Once, on this machine: a token and a certificate"),
      QStringLiteral("install -d -m 700 %1\n"
                     "(umask 077; openssl rand -base64 32 > %2)\n"
                     "(umask 077; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 \\\n"
                     "    -subj %3 -addext %4 -keyout %5 -out %6)")
          .arg(shellWord(question.folder), shellWord(hub.token_file), QStringLiteral("/CN=runglass-hub"),
               shellWord(QStringLiteral("subjectAltName=") + alternativeName(question.host)), shellWord(hub.tls_key),
               shellWord(hub.tls_cert)),
      QObject::tr("Copy %1 and %2 to the nodes (mode 600); the key stays here.").arg(kToken, kCertificate)};
  return {secrets, hubBlock(question),
          agentBlock(question, QObject::tr("On each node"),
                     QStringLiteral(" \\\n    --token-file %1 --tls-ca %2").arg(kToken, kCertificate), question.host),
          trainerBlock()};
}

}  // namespace runglass
