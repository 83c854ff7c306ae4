// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ranking/rank_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "widgets/core/sentence_text.h"
#include "widgets/core/units.h"
#include "widgets/ranking/ranking_data.h"

namespace runglass {
namespace {

struct Reading {
  const char *metric, *unit, *name;
  double differs;    // minimum difference
  bool is_relative;  // `differs` is a share
  bool high;         // higher is worse; else lower is worse
};
constexpr std::array<Reading, 3> kReadings = {
    {{"sm_clock_hertz", "hertz", QT_TRANSLATE_NOOP("Ranking", "SM clock"), kClockOff, true, false},
     {"temperature_celsius", "celsius", QT_TRANSLATE_NOOP("Ranking", "temperature"), kHotter, false, true},
     {"power_watts", "watts", QT_TRANSLATE_NOOP("Ranking", "power"), kPowerOff, true, false}}};

const MachineValue* find(const RankEvidence& evidence, const char* metric) {
  const auto found = std::ranges::find(evidence.machine.values, metric, &MachineValue::metric);
  return found == evidence.machine.values.end() ? nullptr : &*found;
}

}  // namespace

Result<RankEvidence> readRankEvidence(Reader& reader, RankEvidenceQuestion question, std::stop_token stop) {
  RankEvidence out;
  RG_ASSIGN(out.machine, machineEvidence(reader, question.run, {question.place}, question.peers, question.range, stop));
  if (question.place.node) {
    std::set<NodeId> nodes{question.place.node};
    for (const Rank& peer : question.peers)
      if (peer.node && nodes.size() < kNodesAsked) nodes.insert(peer.node);
    RG_ASSIGN(out.ports, portEvidence(reader, {nodes.begin(), nodes.end()}, question.range, stop));
    out.own_port = out.ports.odd && out.ports.odd->node == question.place.node;
    RowQuery query;
    query.range = question.range, query.run = question.run, query.node = question.place.node;
    query.at_least = Severity::kWarning, query.limit = kLines;
    RG_ASSIGN(auto events, reader.searchEvents(query, stop));
    out.events = std::move(events.events);
    RG_ASSIGN(auto logs, reader.searchLogs(query, stop));
    out.logs = std::move(logs.hits);
  }
  out.question = std::move(question);
  return out;
}

std::vector<EvidenceLine> evidenceLines(const RankEvidence& evidence) {
  std::vector<EvidenceLine> lines;
  for (const Reading& reading : kReadings) {
    const MachineValue* value = find(evidence, reading.metric);
    if (value == nullptr) continue;
    const double off = (value->own - value->peers) * (reading.high ? 1 : -1);
    const bool differs = off > reading.differs * (reading.is_relative ? std::fabs(value->peers) : 1);
    lines.push_back(
        {(differs ? RankingText::tr("%1 %2 against %3") : RankingText::tr("%1 %2 as its peers, %3"))
             .arg(RankingText::tr(reading.name), formatValue(value->own, reading.unit), formatValue(value->peers, reading.unit)),
         differs});
  }
  if (evidence.own_port)
    lines.push_back({RankingText::tr("network port %1").arg(sentenceText(portSentence(*evidence.ports.odd, {}), 200)), true});
  else if (evidence.ports.ports > 0)
    lines.push_back(
        {RankingText::tr("no network port of its node deviates among %1").arg(formatCount(static_cast<std::int64_t>(evidence.ports.ports))),
         false});
  if (evidence.events.empty() && evidence.question.place.node)
    lines.push_back({RankingText::tr("no warning or error event of its node"), false});
  return lines;
}

QString notRecorded(const RankEvidence& evidence) {
  QStringList missing;
  for (const Reading& reading : kReadings)
    if (find(evidence, reading.metric) == nullptr) missing << RankingText::tr(reading.name);
  if (evidence.ports.ports == 0) missing << RankingText::tr("network ports");
  return missing.join(QStringLiteral(", "));
}

}  // namespace runglass
