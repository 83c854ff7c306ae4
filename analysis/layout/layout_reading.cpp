// SPDX-License-Identifier: Apache-2.0
#include "analysis/layout/layout_reading.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "model/rank_order.h"

namespace runglass {
namespace {

// Frameworks that number ranks in kDefaultRankOrder by default; see there.
bool numbersAsUsual(std::string_view framework) {
  static constexpr std::array<std::string_view, 4> kNames = {"Megatron", "DeepSpeed", "GPT-NeoX", "torchtitan"};
  return std::ranges::any_of(kNames, [&](std::string_view name) { return framework.find(name) != std::string_view::npos; });
}

// All of the question except the ranks.
Status readOrders(Reader& reader, const Run& run, const Attempt& attempt, LayoutQuestion& question) {
  question.sizes = attempt.layout;
  RG_ASSIGN(question.groups, reader.groups(attempt.id));
  RG_ASSIGN(const auto facts, reader.facts(attempt.id));
  for (const Fact& fact : facts) {
    if (fact.key == kRankOrderFact) question.chosen_order = fact.value;
    // Megatron-LM: the groups' order is "tp-cp-ep-pp-dp" with --use-tp-pp-dp-mapping (megatron/training/initialize.py).
    if (fact.key == "use_tp_pp_dp_mapping") question.said_order = fact.value == "True" ? "tp-cp-ep-pp-dp" : kDefaultRankOrder;
  }
  if (numbersAsUsual(run.framework)) question.usual_order = kDefaultRankOrder;
  return {};
}

bool hasAllCoordinates(const Rank& rank) { return rank.tp && rank.pp && rank.dp && rank.cp && rank.ep; }

}  // namespace

Result<LayoutQuestion> readLayoutQuestion(Reader& reader, const Run& run, const Attempt& attempt) {
  LayoutQuestion question;
  RG_ASSIGN(question.ranks, reader.ranks(attempt.id));
  RG_TRY(readOrders(reader, run, attempt, question));
  return question;
}

Result<std::vector<Rank>> placedRanks(Reader& reader, AttemptId attempt, std::span<const std::int32_t> also) {
  const auto own = reader.attempt(attempt);
  if (own.status().code() == Code::kNotFound) return std::vector<Rank>();
  RG_TRY(own.status());
  LayoutQuestion question;
  RG_ASSIGN(question.ranks, reader.ranks(attempt));
  std::set<std::int32_t> known;
  for (const Rank& rank : question.ranks) known.insert(rank.rank);
  for (const std::int32_t rank : also)
    if (known.insert(rank).second) question.ranks.push_back({.attempt = attempt, .rank = rank, .node = {}, .device = {}});
  std::ranges::sort(question.ranks, {}, &Rank::rank);
  // placeLayout() changes no coordinate that a rank has, and reading facts is expensive: there are some for each node.
  if (std::ranges::all_of(question.ranks, hasAllCoordinates)) return std::move(question.ranks);
  RG_ASSIGN(const Run run, reader.run(own->run));
  RG_TRY(readOrders(reader, run, *own, question));
  return placeLayout(question).ranks;
}

}  // namespace runglass
