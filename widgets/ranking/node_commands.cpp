// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ranking/node_commands.h"

#include "model/number_text.h"
#include "widgets/core/shell_word.h"

namespace runglass {

QString hostList(const QStringList& nodes) { return nodes.join(u','); }

QString slurmDrain(const QStringList& nodes, const QString& reason) {
  if (nodes.isEmpty()) return {};
  // Within double quotes a shell still interprets $, `, \ and ".
  QString kept;
  for (const QChar c : reason)
    if (c.isPrint() && !QStringLiteral("\"$`\\!").contains(c)) kept += c;
  return QStringLiteral("scontrol update nodename=%1 state=drain reason=\"%2\"").arg(shellWord(hostList(nodes)), kept);
}

QString drainReason(std::int32_t rank, std::optional<double> slower, std::optional<std::int64_t> since_step) {
  QString reason = QStringLiteral("runglass: rank %1").arg(rank);
  if (slower) reason += QStringLiteral(" %1 slower than its peers").arg(QString::fromStdString(percentText(*slower, 1)));
  if (since_step) reason += QStringLiteral(" since step %1").arg(*since_step);
  return reason;
}

QString kubernetesCordon(const QStringList& nodes) {
  QStringList lines;
  for (const QString& node : nodes) lines << QStringLiteral("kubectl cordon ") + shellWord(node);
  return lines.join(u'\n');
}

QString pairTest(const QString& suspect, const QString& healthy, const QString& other, int gpus_per_node) {
  if (suspect.isEmpty() || healthy.isEmpty()) return {};
  const auto run = [&](const QString& a, const QString& b) {
    return QStringLiteral("srun --nodes=2 --ntasks-per-node=%1 --gpus-per-node=%1 --nodelist=%2 all_reduce_perf -b 8M -e 1G -f 2 -g 1")
        .arg(gpus_per_node)
        .arg(shellWord(hostList({a, b})));
  };
  QString text = QStringLiteral("# the suspect with a healthy node\n") + run(suspect, healthy);
  if (!other.isEmpty() && other != healthy)
    text += QStringLiteral("\n# two healthy nodes: slower in the first run alone is the suspect\n") + run(healthy, other);
  return text;
}

}  // namespace runglass
