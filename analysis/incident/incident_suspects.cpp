// SPDX-License-Identifier: Apache-2.0
#include "analysis/incident/incident_suspects.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/incident/incident_words.h"
#include "analysis/text/evidence_json.h"
#include "analysis/text/record_sql.h"
#include "model/metric_catalog.h"
#include "model/number_text.h"

namespace runglass {
namespace {

using words::Arg;
using words::Message;

using Json = nlohmann::json;

constexpr double kAsPeers = 0.03;      // a clock this close to the peers' is normal (Greyhound, ATC '25: noise of healthy GPUs)
constexpr double kAsPeersCelsius = 5;  // the same for a temperature
constexpr std::size_t kMaxRuledOut = 40;

// Empty: not stored.
std::string findingSql(const Finding& finding, const RunPlaces& places, const std::string& columns) {
  return finding.id == 0 ? std::string() : "SELECT " + columns + " FROM finding WHERE " + findingIs(finding, places.run_uuid);
}

void scoreOf(const Finding& finding, const RunPlaces& places, const Json& evidence, IncidentSuspect& out) {
  const auto take = [&](std::optional<double> value, const char* kind, const std::string& sql) {
    if (!value || out.score) return;
    out.score = value, out.score_kind = kind, out.sql = sql;
  };
  take(numberIn(evidence, "slower_ratio"), "slower_ratio",
       findingSql(finding, places, "json_extract(evidence, '$.slower_ratio') AS slower_ratio"));
  take(numberIn(evidence, "explained_ratio"), "explained_ratio",
       findingSql(finding, places, "json_extract(evidence, '$.explained_ratio') AS explained_ratio"));
  const auto world = numberIn(evidence, "world"), blocked = numberIn(evidence, "blocked");
  if (world && blocked && *world > 0)
    take(*blocked / *world, "blocked_ratio",
         findingSql(finding, places, "json_extract(evidence, '$.blocked') * 1.0 / json_extract(evidence, '$.world') AS blocked_ratio"));
  if (finding.confidence && std::isfinite(*finding.confidence))
    take(finding.confidence, "confidence", findingSql(finding, places, "confidence"));
}

std::string machineWords(const std::string& metric) {
  constexpr std::array<std::pair<const char*, const char*>, 3> kWords = {
      {{"sm_clock_hertz", "SM clock"}, {"temperature_celsius", "temperature"}, {"power_watts", "power"}}};
  const auto found = std::ranges::find_if(kWords, [&](const auto& one) { return metric == one.first; });
  return found != kWords.end() ? found->second : metric;
}

class RulingOut {
 public:
  explicit RulingOut(const RuledOutSource& source) : m_source(source) {}

  std::vector<RuledOut> rule() {
    for (const Finding* one : m_source.findings) {
      if (m_out.size() >= kMaxRuledOut) break;
      const Json evidence = evidenceOf(*one);
      const FindingPlace place = placeOf(*one, m_source.places);
      machine(*one, evidence);
      events(*one, place);
      waiting(*one, evidence);
    }
    others();
    loss();
    return std::move(m_out);
  }

 private:
  void add(Message what, Message why, std::string sql) { m_out.push_back({std::move(what), std::move(why), std::move(sql)}); }

  // Metrics of its machine that match the peers'.
  void machine(const Finding& finding, const Json& evidence) {
    const auto machine = evidence.find("machine");
    if (machine == evidence.end() || !machine->is_object()) return;
    for (const auto& [metric, values] : machine->items()) {
      if (!values.is_object()) continue;
      const auto own = numberIn(values, "own"), peers = numberIn(values, "peers");
      if (!own || !peers || *peers == 0) continue;
      const bool close = metric.ends_with("_celsius") ? std::fabs(*own - *peers) <= kAsPeersCelsius
                                                      : std::fabs(*own - *peers) <= kAsPeers * std::fabs(*peers);
      if (!close) continue;
      const bool plain = metric.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == std::string::npos;
      const Arg place = placeArg(finding, m_source.places);
      add(Message{"ruled_out_metric", {{"metric", words::Term{machineWords(metric)}}, {"place", place.present() ? place : Arg("")}}},
          Message{"ruled_out_as_peers",
                  {{"own", valueText(*own, unitOfMetric(metric))}, {"peers", valueText(*peers, unitOfMetric(metric))}}},
          plain ? findingSql(finding, m_source.places,
                             "json_extract(evidence, '$.machine." + metric + ".own') AS own, json_extract(evidence, '$.machine." + metric +
                                 ".peers') AS peers")
                : "");
    }
  }

  // A node with data and without hardware events.
  void events(const Finding& finding, const FindingPlace& place) {
    if (finding.kind == "hardware_fault" || !m_source.range || place.link > ChainLink::kRank) return;
    for (const NodeId node : place.nodes) {
      const auto count = m_source.hardware_events.find(node);
      const std::string name = m_source.places.nodeName(node);
      if (count == m_source.hardware_events.end() || count->second != 0 || name.empty() || !m_said.insert(name).second) continue;
      add(Message{"ruled_out_fault", {{"node", name}}}, Message{"ruled_out_no_warnings", {}},
          "SELECT count(*) AS events FROM event WHERE node = " + sqlText(name) +
              " AND severity IN ('warning', 'error', 'critical') AND time_ns >= " + std::to_string(m_source.range->t0) + " AND time_ns < " +
              std::to_string(m_source.range->t1));
    }
  }

  void waiting(const Finding& finding, const Json& evidence) {
    const auto world = numberIn(evidence, "world"), blocked = numberIn(evidence, "blocked");
    if (finding.kind != "hang" || !world || !blocked || *blocked < 1) return;
    add(Message{"ruled_out_blocked", {}},
        Message{"ruled_out_blocked_ranks", {{"blocked", numberText(*blocked)}, {"world", numberText(*world)}}},
        findingSql(finding, m_source.places, "json_extract(evidence, '$.blocked') AS blocked, json_extract(evidence, '$.world') AS world"));
  }

  // Only steps in the window: the speed of a rank before or after it does not matter.
  void others() {
    const Ranking* ranking = m_source.ranking;
    if (ranking == nullptr || !ranking->kind || !m_source.range || ranking->relative.steps.empty()) return;
    std::size_t inside = 0;
    for (const auto& when : ranking->when) inside += when && when->t0 < m_source.range->t1 && when->t1 > m_source.range->t0 ? 1 : 0;
    if (inside == 0 || inside * 2 < ranking->relative.steps.size()) return;
    std::set<std::int32_t> named;
    for (const Finding* one : m_source.findings)
      for (const std::int32_t rank : placeOf(*one, m_source.places).ranks) named.insert(rank);
    std::size_t reported = 0, out = 0;
    for (const RankedRow& row : ranking->rows) {
      if (!row.score || named.contains(row.place.rank)) continue;
      ++reported;
      out += row.stands_out ? 1 : 0;
    }
    if (reported > out)
      add(Message{"ruled_out_others", {}},
          Message{"ruled_out_as_fast",
                  {{"count", reported - out},
                   {"reported", reported},
                   {"first", ranking->relative.steps.front()},
                   {"last", ranking->relative.steps.back()}}},
          "");
  }

  void loss() {
    if (!m_source.loss_reported || !m_source.range) return;
    for (const Finding& one : m_source.of_run) {
      const FindingPlace place = placeOf(one, m_source.places);
      if (place.link == ChainLink::kLoss && place.start && *place.start < m_source.range->t1 && *place.until >= m_source.range->t0) return;
    }
    add(Message{"ruled_out_loss", {}}, Message{"ruled_out_no_loss_finding", {}},
        "SELECT count(*) AS findings FROM finding WHERE " + runIs(m_source.places.run_uuid) +
            " AND kind IN ('loss_spike', 'loss_divergence', 'non_finite') AND start_ns < " + std::to_string(m_source.range->t1) +
            " AND coalesce(end_ns, start_ns) >= " + std::to_string(m_source.range->t0));
  }

  const RuledOutSource& m_source;
  std::set<std::string> m_said;
  std::vector<RuledOut> m_out;
};

}  // namespace

std::vector<IncidentSuspect> incidentSuspects(std::span<const Finding* const> findings, const RunPlaces& places, const Ranking* ranking) {
  std::vector<std::pair<ChainLink, IncidentSuspect>> all;
  std::set<std::int32_t> named;
  for (const Finding* one : findings) {
    const FindingPlace place = placeOf(*one, places);
    // A finding that affects all ranks accuses none, unless it is the root.
    if (place.link >= ChainLink::kRun && findings.size() > 1 && one != findings.front()) continue;
    IncidentSuspect suspect{.what = placeWords(*one, places), .rank = one->rank, .node = places.nodeName(one->node)};
    if (suspect.what.empty()) suspect.what = place.link == ChainLink::kLoss ? "training itself" : "the run as a whole";
    suspect.why = Message{"verbatim", {{"text", words::messageOf(*one)}}};
    suspect.why.english = oneLineOf(suspect.why.english, kMaxSummary);
    suspect.finding = one->id;
    scoreOf(*one, places, evidenceOf(*one), suspect);
    named.insert(place.ranks.begin(), place.ranks.end());
    // The same suspect again: its other reasons.
    const auto known = std::ranges::find_if(all, [&](const auto& other) { return other.second.what == suspect.what; });
    if (known != all.end()) {
      words::Sentence& why = known->second.why;
      if (why.english.size() >= kMaxSummary) continue;
      const std::string both = why.english + "; " + suspect.why.english;
      why = Message{"suspect_reasons", {{"first", why.message}, {"second", suspect.why.message}}};
      why.english = both;
      continue;
    }
    all.emplace_back(place.link, std::move(suspect));
  }
  // The root stays first.
  if (all.size() > 1)
    std::stable_sort(all.begin() + 1, all.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.first, -a.second.score.value_or(-1)) < std::tuple(b.first, -b.second.score.value_or(-1));
    });
  std::vector<IncidentSuspect> out;
  for (auto& [link, suspect] : all) out.push_back(std::move(suspect));
  if (ranking != nullptr && ranking->kind)
    for (const RankedRow& row : ranking->rows) {
      if (!row.stands_out || !row.score || named.contains(row.place.rank)) continue;
      const auto node = ranking->nodes.find(row.place.node);
      IncidentSuspect suspect{.what = "rank " + std::to_string(row.place.rank), .rank = row.place.rank, .node = {}, .score = row.score};
      if (node != ranking->nodes.end()) suspect.node = node->second.name, suspect.what += " on " + node->second.name;
      suspect.score_kind = scoreKindName(row.kind);
      suspect.why = row.slower ? Message{"suspect_slower", {{"share", words::ratio(*row.slower)}}} : Message{"suspect_outlier", {}};
      out.push_back(std::move(suspect));
    }
  if (out.size() > kMaxSuspects) out.resize(kMaxSuspects);
  return out;
}

std::vector<RuledOut> ruledOut(const RuledOutSource& source) { return RulingOut(source).rule(); }

}  // namespace runglass
