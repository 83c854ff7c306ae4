// SPDX-License-Identifier: Apache-2.0
// The time of steps by part, as printed by `runglassctl analyze`.
#include "analysis/gpu_idle/idle_answer.h"
#include "analysis/report/report_builder.h"
#include "model/number_text.h"

namespace runglass::report {

Status addStepBreakdown(Builder& build, const Attempt& attempt, std::stop_token stop) {
  Section& section = build.section("What steps are made of", build.link("overview", std::nullopt));
  RG_ASSIGN(const IdleAnswer answer, readIdleAnswer(build.reader(), attempt, {}, std::move(stop)));
  if (!answer.ok) {
    section.blocks.push_back(Paragraph{"Not known: " + answer.reason.english + ".", true});
    return {};
  }
  Table table{.name = "step-breakdown",
              .caption = "Shares of the time of " +
                         (answer.steps > 0 ? countText(static_cast<std::int64_t>(answer.steps)) + " steps" : "the trace") + " of attempt " +
                         std::to_string(attempt.number) + ", from " + answer.basis_words.english,
              .columns = {{"Spent on", "part", false, 1.5}, {"Share", "ratio", true}, {"How it is known", "evidence", false, 4}},
              .rows = {},
              .left_out = {}};
  BarChart chart{.caption = "Share of step time by part", .unit = "ratio", .labels = {}, .parts = {{"share", {}}}};
  const auto add = [&](std::string part, std::optional<double> share, std::string evidence) {
    if (share) chart.labels.push_back(part), chart.parts[0].values.emplace_back(*share);
    table.rows.push_back({textCell(std::move(part)), ratioCell(share), textCell(std::move(evidence))});
  };
  const BusyShares& busy = answer.busy;
  for (const auto& [part, share] : {std::pair{"Computing", busy.compute}, std::pair{"Communicating alone", busy.comm},
                                    std::pair{"Waiting for peers in communication", busy.comm_wait}, std::pair{"Copying", busy.copy}})
    if (share && *share >= kReported) add(part, share, "");
  for (const IdleRow& row : answer.rows) {
    const std::string words = upperFirst(idleCauseWords(row.cause));
    if (isSlowNotIdle(row.cause))
      table.rows.push_back({textCell(words + " (slow, not idle)"), ratioCell(row.share), textCell(row.evidence.english)});
    else
      add("Idle: " + std::string(idleCauseWords(row.cause)), row.share, row.evidence.english);
  }
  section.blocks.push_back(std::move(table));
  if (chart.labels.size() > 1) section.blocks.push_back(std::move(chart));
  return {};
}

}  // namespace runglass::report
