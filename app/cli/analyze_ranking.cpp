// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/analyze_parts.h"

#include <algorithm>

#include "analysis/ranking/ranking.h"
#include "app/cli/json_value.h"

namespace runglass::ctl {
namespace {

Json voteJson(const std::optional<WaitVote>& vote) {
  if (!vote) return {};
  return {{"compared", vote->compared}, {"waited_least", vote->shorter}, {"ratio", vote->ratio()}, {"abnormal", vote->abnormal()}};
}

Json rowJson(const Ranking& ranking, const RankedRow& row) {
  const auto node = ranking.nodes.find(row.place.node);
  const Suspect* suspect = ranking.suspectOf(row);
  Json json = {{"rank", row.place.rank},
               {"node", node == ranking.nodes.end() ? Json() : Json(node->second.name)},
               {"dp", orNull(row.place.dp)},
               {"pp", orNull(row.place.pp)},
               {"tp", orNull(row.place.tp)},
               {"score", orNull(row.score)},
               {"score_kind", scoreKindName(row.kind)},
               {"slower_ratio", orNull(row.slower)},
               {"stands_out", row.stands_out},
               {"since_step", orNull(row.since_step)},
               {"since_ns", orNull(row.since)},
               {"since_before", row.since_before},
               {"persistence", orNull(row.persistence)},
               {"confidence", orNull(row.confidence)},
               {"coverage", orNull(row.coverage)},
               {"change", orNull(row.change)},
               {"new_node", orNull(row.new_node)},
               {"gpu_hours_per_day", orNull(row.gpu_hours_per_day)},
               {"cause", row.cause.empty() ? Json() : Json(row.cause)},
               {"nvrx_relative_score", orNull(row.nvrx_relative)},
               {"nvrx_individual_score", orNull(row.nvrx_individual)},
               {"wait_vote", voteJson(row.vote)}};
  json["finding"] = suspect == nullptr ? Json()
                                       : Json{{"kind", suspect->kind},
                                              {"subject", suspect->subject},
                                              {"first_step", orNull(suspect->first_step)},
                                              {"last_step", orNull(suspect->last_step)},
                                              {"holds", suspect->holds}};
  return json;
}

}  // namespace

Result<AnalyzePart> rankingPart(Reader& reader, const Run& run, std::span<const Finding> findings) {
  RankingFeed feed(run.id, {});
  const std::vector<Finding> known(findings.begin(), findings.end());
  RG_ASSIGN(const Ranking ranking, feed.read(reader, &known, {}));
  Json rows = Json::array();
  // By weight, worst first: here nodes are a column, not groups.
  std::vector<const RankedRow*> order;
  for (const RankedRow& row : ranking.rows)
    if (row.score) order.push_back(&row);
  std::ranges::stable_sort(order, std::greater(), [&](const RankedRow* row) { return rowWeight(*row, &ranking.suspects); });
  for (const RankedRow* row : order) rows.push_back(rowJson(ranking, *row));
  Json json = {{"ranking", std::move(rows)}, {"ranking_status", ranking.kind ? "ok" : "insufficient"}};
  if (!ranking.kind) json["ranking_reason"] = ranking.reason;
  Json info = {{"attempt", ranking.attempt.number}, {"ranks", ranking.places.size()}};
  if (!ranking.relative.steps.empty())
    info["first_step"] = ranking.relative.steps.front(), info["last_step"] = ranking.relative.steps.back();
  info["collectives"] = ranking.votes.collectives;
  info["earlier_attempt"] = ranking.earlier ? Json(ranking.earlier->number) : Json();
  info["restart_ns"] = orNull(ranking.restart.median);
  info["pattern"] = Json();
  if (const Suspect* worst = ranking.suspects.worst(); worst != nullptr && !worst->pattern.empty()) info["pattern"] = worst->pattern;
  json["ranking_info"] = std::move(info);
  return AnalyzePart{std::move(json), {}};
}

}  // namespace runglass::ctl
