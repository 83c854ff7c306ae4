// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/palette_names.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <map>
#include <utility>

#include "analysis/run_summary/run_summary.h"
#include "analysis/views/finding_order.h"
#include "widgets/core/finding_jump.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr int kWhole = 8, kBegins = 4, kInFirstLine = 4, kFirst = 2, kComplete = 16;

struct Words {
  Q_DECLARE_TR_FUNCTIONS(runglass::PaletteNames)
};

QString placeText(const Rank& rank) {
  QStringList parts;
  const auto add = [&parts](const char* name, std::optional<std::int32_t> value) {
    if (value) parts << QStringLiteral("%1 %2").arg(QLatin1String(name)).arg(*value);
  };
  add("dp", rank.dp);
  add("pp", rank.pp);
  add("tp", rank.tp);
  return parts.join(u' ');
}

QString joined(QStringList parts) {
  parts.removeAll(QString());
  return parts.join(QStringLiteral(" · "));
}

Selection machine(RunId run, NodeId node = {}, DeviceId device = {}) {
  Selection selection;
  selection.run = run;
  selection.node = node;
  selection.device = device;
  return selection;
}

struct Machines {
  std::map<std::uint64_t, QString> nodes, gpus;
};

Result<Machines> addMachines(Reader& reader, RunId run, PaletteNames& names) {
  Machines machines;
  std::map<std::uint64_t, std::string> keys;
  RG_ASSIGN(const std::vector<Node> nodes, reader.nodes());
  for (const Node& node : nodes) {
    const QString name = screenText(node.name, 80);
    machines.nodes[node.id.value] = name;
    keys[node.id.value] = node.name;
    names.add({.kind = ObjectKind::kNode,
               .name = name,
               .detail = screenText(node.rack, 40),
               .selection = machine(run, node.id),
               .key = node.name,
               .id = static_cast<std::int64_t>(node.id.value)});
  }
  RG_ASSIGN(const std::vector<Device> devices, reader.devices());
  for (const Device& device : devices) {
    if (device.kind != "gpu" && device.kind != "npu") continue;
    const QString name = device.index ? QStringLiteral("GPU %1").arg(*device.index) : screenText(device.uuid, 60);
    machines.gpus[device.id.value] = name;
    names.add({.kind = ObjectKind::kGpu,
               .name = name,
               .detail = joined({machines.nodes[device.node.value], screenText(device.model, 40)}),
               .selection = machine(run, device.node, device.id),
               .key = keys[device.node.value],
               .id = device.index.value_or(0)});
  }
  return machines;
}

Status addRanks(Reader& reader, const Run& run, Machines& machines, PaletteNames& names) {
  RG_ASSIGN(const std::vector<Attempt> attempts, reader.attempts(run.id));
  if (attempts.empty()) return {};
  RG_ASSIGN(const std::vector<Rank> ranks, reader.ranks(attempts.back().id));
  for (const Rank& rank : ranks) {
    Selection selection = machine(run.id, rank.node, rank.device);
    selection.attempt = rank.attempt;
    selection.rank = rank.rank;
    names.add({.kind = ObjectKind::kRank,
               .name = Words::tr("Rank %1").arg(rank.rank),
               .detail = joined({rank.node ? machines.nodes[rank.node.value] : QString(),
                                 rank.device ? machines.gpus[rank.device.value] : QString(), placeText(rank)}),
               .value = QString::number(rank.rank),
               .selection = std::move(selection),
               .id = rank.rank},
              QStringLiteral("Rank %1").arg(rank.rank));
  }
  return {};
}

Status addCurves(Reader& reader, RunId run, PaletteNames& names, const std::stop_token& stop) {
  RG_ASSIGN(const std::vector<Series> series, reader.series({}));
  std::map<std::string, std::pair<const Series*, std::int64_t>> metrics;  // one series of each metric, and the count
  for (const Series& one : series) {
    if (stop.stop_requested()) return {Code::kCancelled, "names for the palette"};
    if (one.sample_count == 0) continue;
    if (one.key.kind == SeriesKind::kScalar && one.run == run) names.last_step = std::max(names.last_step.value_or(0), one.last_x);
    auto& [first, count] = metrics[one.key.metric];
    if (first == nullptr) first = &one;
    ++count;
  }
  for (const auto& [metric, entry] : metrics)
    names.add({.kind = ObjectKind::kCurve,
               .name = screenText(metric, 120),
               .detail = entry.second == 1 ? screenText(entry.first->key.unit, 20) : Words::tr("%1 series").arg(formatCount(entry.second)),
               .selection = machine(run),
               .key = metric,
               .id = static_cast<std::int64_t>(entry.first->id.value),
               .scalar = entry.first->key.kind == SeriesKind::kScalar},
              screenText(metric, 120));
  return {};
}

}  // namespace

void PaletteNames::add(Object object, const QString& english) {
  const QString shown = (object.name + u'\n' + object.detail).toLower(), source = english.toLower();
  folded.push_back(source.isEmpty() || shown.startsWith(source + u'\n') ? shown : shown + u'\n' + source);
  keys.push_back(source.isEmpty() ? shown : source);
  objects.push_back(std::move(object));
}

Result<PaletteNames> readPaletteNames(Reader& reader, RunId wanted, const std::stop_token& stop) {
  PaletteNames names;
  const auto held = reader.hold();
  RG_ASSIGN(const std::vector<Run> runs, reader.runs());
  const Result<Run> run = chooseRun(reader, wanted);
  if (!run.ok() && run.status().code() != Code::kNotFound) return run.status();
  for (const Run& one : runs)
    names.add({.kind = ObjectKind::kRun,
               .name = screenText(one.name, 120),
               .detail = screenText(one.framework, 40),
               .selection = machine(one.id),
               .id = static_cast<std::int64_t>(one.id.value)});
  const RunId of = run.ok() ? run->id : RunId{};
  if (run.ok()) {
    RG_ASSIGN(std::vector<Finding> findings, reader.findings(of));
    sortByUrgency(findings);
    for (const Finding& finding : findings) names.add(objectOf(finding), screenText(finding.summary, 300));
  }
  RG_ASSIGN(Machines machines, addMachines(reader, of, names));
  if (run.ok()) RG_TRY(addRanks(reader, *run, machines, names));
  RG_TRY(addCurves(reader, of, names, stop));
  return names;
}

QStringList paletteWords(const QString& pattern) {
  static const QRegularExpression kJoined(QStringLiteral(R"(^(rank|gpu|step)(\d))"));
  static const QRegularExpression kShortRank(QStringLiteral(R"(^r ?(\d+)$)"));
  QString folded = pattern.trimmed().toLower();
  folded.replace(kJoined, QStringLiteral("\\1 \\2"));
  folded.replace(kShortRank, QStringLiteral("rank \\1"));
  return folded.split(u' ', Qt::SkipEmptyParts);
}

std::optional<int> paletteScore(const QString& folded, const QStringList& words) {
  qsizetype line = folded.indexOf(u'\n');
  if (line < 0) line = folded.size();
  int score = 0;
  qsizetype covered = 0;
  for (const QString& word : words) {
    int best = -1;
    for (qsizetype at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + 1)) {
      const qsizetype end = at + word.size();
      const bool begins = at == 0 || !folded[at - 1].isLetterOrNumber();
      const bool whole = begins && (end == folded.size() || !folded[end].isLetterOrNumber());
      best = std::max(best, (whole ? kWhole : begins ? kBegins : 0) + (at < line ? kInFirstLine : 0) + (at == 0 ? kFirst : 0));
      if (whole) break;
    }
    if (best < 0) return std::nullopt;
    score += best;
    covered += word.size();
  }
  if (!words.isEmpty() && covered + words.size() - 1 == line) score += kComplete;
  return score;
}

}  // namespace runglass
