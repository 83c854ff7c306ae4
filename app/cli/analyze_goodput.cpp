// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/analyze_goodput.h"

#include <algorithm>
#include <cmath>

#include "app/cli/analyze_parts.h"
#include "app/cli/json_value.h"
#include "app/cli/output.h"
#include "app/cli/plain_text.h"
#include "model/number_text.h"
#include "model/time_text.h"

namespace runglass::ctl {
namespace {

Json toJson(const std::optional<Estimated>& value, const char* name) {
  return value ? Json{{name, value->value}, {"formula", value->formula}} : Json();
}

Json spentJson(const SpendTimes& spent) {
  Json json = Json::object();
  for (std::size_t i = 0; i < kSpendCount; ++i)
    if (spent[i]) json[std::string(spendName(static_cast<Spend>(i))) + "_ns"] = *spent[i];
  return json;
}

Json layoutJson(const Layout& l) {
  const auto size = [](std::int32_t value) { return value > 0 ? Json(value) : Json(); };
  return {{"world_size", size(l.world)}, {"tp_size", size(l.tp)}, {"pp_size", size(l.pp)},  {"dp_size", size(l.dp)},
          {"cp_size", size(l.cp)},       {"ep_size", size(l.ep)}, {"vpp_size", size(l.vpp)}};
}

Json toJson(const LedgerRow& row, const std::string& source) {
  return {{"attempt", row.number},
          {"start_ns", row.range && row.start_reported ? Json(row.range->t0) : Json()},
          {"end_ns", row.range && row.end_reported ? Json(row.range->t1) : Json()},
          {"first_step", orNull(row.first_step)},
          {"last_step", orNull(row.last_step)},
          {"resumed_from_step", orNull(row.resumed_from)},
          {"lost_steps", row.lost_steps},
          {"kept_steps", row.kept_steps},
          {"iteration_time_ns", orNull(row.iteration_time)},
          {"steps_from", source.empty() ? Json() : Json(source)},
          {"spent", spentJson(row.spent)},
          {"layout_changed", row.layout_changed},
          {"layout", layoutJson(row.layout)},
          {"end_kind", endKindName(row.ending.kind)},
          {"end_cause", row.ending.cause.empty() ? Json() : Json(row.ending.cause)},
          {"planned", orNull(row.ending.planned)}};
}

Json adviceJson(const Goodput& g) {
  const SaveAdvice& a = g.advice;
  return {{"status", a.enough ? "ok" : "insufficient"},
          {"reason", a.reason.empty() ? Json() : Json(a.reason)},
          {"saves", g.saves.saves},
          {"save_cost_s", orNull(a.save_s)},
          {"save_cost_is", !a.save_s       ? Json()
                           : a.save_blocks ? Json("time that training waited")
                                           : Json("time until durable: an upper bound")},
          {"every_ns", orNull(g.saves.every)},
          {"every_steps", orNull(g.saves.every_steps)},
          {"young", toJson(a.young_s, "interval_s")},
          {"daly", toJson(a.daly_s, "interval_s")},
          {"field_rate",
           {{"note", "not this run's failures: those of another cluster"},
            {"source", kFieldFailuresSource},
            {"failures_per_gpu_day", kFieldFailuresPerGpuDay},
            {"mtbf", toJson(a.field_mtbf_s, "mtbf_s")},
            {"daly", toJson(a.field_daly_s, "interval_s")}}}};
}

std::string seconds(double value) { return durationText(static_cast<DurNs>(std::llround(value * kNsPerSecond))); }

std::string spentText(const SpendTimes& spent) {
  std::string text;
  for (std::size_t i = 0; i < kSpendCount; ++i)
    if (spent[i] && *spent[i] >= kNsPerSecond)
      text += (text.empty() ? "" : ", ") + std::string(spendWords(static_cast<Spend>(i))) + " " + durationText(*spent[i]);
  return text;
}

std::string rowText(const LedgerRow& row) {
  std::string text = "    attempt " + std::to_string(row.number) + ": ";
  if (row.first_step && row.last_step) text += "steps " + countText(*row.first_step) + " to " + countText(*row.last_step) + "; ";
  if (row.lost_steps > 0) text += countText(row.lost_steps) + " steps of the attempt before were lost; ";
  if (row.layout_changed) text += "another layout, " + countText(row.layout.world) + " ranks; ";
  text += spentText(row.spent).empty() ? "no times" : spentText(row.spent);
  text += "; " + std::string(endKindWords(row.ending.kind));
  const bool more = !row.ending.cause.empty() && row.ending.cause != endKindWords(row.ending.kind);
  return text + (more ? " (" + fitted(oneLine(row.ending.cause), 100) + ")" : "") + "\n";
}

std::string mtbfText(const Ledger& ledger) {
  const Mtbf& m = ledger.mtbf;
  std::string text = "    mean time between failures: ";
  if (!m.mean_s)
    return text + "no failure in " + seconds(m.up_s) + (m.low_s > 0 ? ", so above " + seconds(m.low_s) + " with 97.5 %\n" : "\n");
  return text + seconds(*m.mean_s) + " of " + std::to_string(m.failures) + (m.failures == 1 ? " failure" : " failures") +
         " (95 %: " + seconds(m.low_s) + " to " + seconds(*m.high_s) + ")\n";
}

}  // namespace

Result<GoodputAnswer> askGoodput(Reader& reader, const Run& run, std::span<const Finding> findings) {
  RG_ASSIGN(Goodput goodput, readGoodput(reader, run, findings, std::nullopt, {}));
  RG_ASSIGN(const RunSummary summary, readRunSummary(reader, run, {}));
  RG_ASSIGN(RunPlan plan, readRunPlan(reader, summary, goodput.kept, std::nullopt));
  return GoodputAnswer{std::move(goodput), std::move(plan)};
}

Json planJson(const RunPlan& p) {
  return {{"status", p.finish ? "ok" : "insufficient"},
          {"reason", p.reason.empty() ? Json() : Json(p.reason)},
          {"planned_steps", orNull(p.planned_steps)},
          {"planned_tokens", orNull(p.planned_tokens)},
          {"from", p.plan_source.empty() ? Json() : Json(p.plan_source)},
          {"done_step", orNull(p.done_steps)},
          {"done_ratio", orNull(p.done_share)},
          {"steps_per_s", orNull(p.steps_per_s)},
          {"finish_ns", orNull(p.finish)},
          {"finish_low_ns", orNull(p.finish_low)},
          {"finish_high_ns", orNull(p.finish_high)},
          {"finished", p.finished},
          {"estimate", toJson(p.days_at_peak_share, "days")}};
}

namespace {

Json goodputJson(const GoodputAnswer& answer) {
  const Goodput& g = answer.goodput;
  const Ledger& l = g.ledger;
  Json json = {{"status", l.effective_ratio ? "ok" : "insufficient"},
               {"reason", g.reason.empty() ? Json() : Json(g.reason)},
               {"effective_ratio", orNull(l.effective_ratio)},
               {"formula", "kept steps × median steady iteration time ÷ wall time"},
               {"attempts", l.rows.size()},
               {"lost_steps", l.lost_steps},
               {"completed_steps", l.completed_steps},
               {"wall_ns", orNull(l.wall)},
               {"spent", spentJson(l.spent)},
               {"ledger", Json::array()},
               {"causes", Json::array()}};
  for (std::size_t i = 0; i < l.rows.size(); ++i)
    json["ledger"].push_back(toJson(l.rows[i], i < g.step_sources.size() ? g.step_sources[i] : ""));
  for (const EndCause& cause : l.causes)
    json["causes"].push_back(
        {{"kind", endKindName(cause.kind)}, {"count", cause.count}, {"planned", cause.planned}, {"cost_ns", cause.cost}});
  json["mtbf"] = {{"failures", l.failures},
                  {"planned_ends", l.planned_ends},
                  {"ends_not_said", l.unsaid_ends},
                  {"up_s", l.mtbf.up_s},
                  {"mean_s", orNull(l.mtbf.mean_s)},
                  {"low_s", l.mtbf.low_s > 0 ? Json(l.mtbf.low_s) : Json()},
                  {"high_s", orNull(l.mtbf.high_s)},
                  {"interval", "95 %, exact Poisson (Garwood 1936)"},
                  {"status", l.mtbf.enough() ? "ok" : "insufficient"}};
  json["checkpoint_interval"] = adviceJson(g);
  json["plan"] = planJson(answer.plan);
  return json;
}

}  // namespace

std::string planText(const RunPlan& p) {
  if (!p.planned_steps) return "    plan: " + p.reason + "\n";
  std::string text = "    plan: " + countText(std::llround(*p.planned_steps)) + " steps (" + p.plan_source + ")";
  if (p.done_share && p.done_steps) text += ", " + percentText(*p.done_share, 1) + " done";
  if (p.finished) return text + ", finished " + utcText(*p.finish) + "\n";
  if (!p.finish) return text + (p.reason.empty() ? "\n" : "; no forecast: " + p.reason + "\n");
  text += ", done by " + utcText(*p.finish) + " at the pace so far";
  if (p.finish_low && p.finish_high) text += " (80 %: " + utcText(*p.finish_low) + " to " + utcText(*p.finish_high) + ")";
  return text + "\n";
}

namespace {

std::string goodputText(const GoodputAnswer& answer) {
  const Goodput& g = answer.goodput;
  const Ledger& l = g.ledger;
  std::string text = "  goodput: ";
  if (l.effective_ratio)
    text += percentText(*l.effective_ratio, 1) + " of " + durationText(*l.wall) + " made progress; " + countText(l.completed_steps) +
            " steps kept, " + countText(l.lost_steps) + " lost\n";
  else
    text += g.reason + "\n";
  for (const LedgerRow& row : l.rows) text += rowText(row);
  if (l.wall && l.mtbf.up_s > 0) text += mtbfText(l);
  const SaveAdvice& a = g.advice;
  if (a.enough && a.daly_s)
    text += "    save every " + seconds(a.daly_s->value) + " (Daly 2006; Young 1974: " + seconds(a.young_s->value) + ")" +
            (g.saves.every ? ", now every " + durationText(*g.saves.every) : "") + "; a save costs " + seconds(*a.save_s) + "\n";
  else if (l.wall && !l.rows.empty())
    text += "    how often to save: " + a.reason +
            (a.field_daly_s
                 ? "; at the rate of another cluster (" + std::string(kFieldFailuresSource) + ") every " + seconds(a.field_daly_s->value)
                 : "") +
            "\n";
  return text + planText(answer.plan);
}

}  // namespace

Result<AnalyzePart> goodputPart(Reader& reader, const Run& run, std::span<const Finding> findings) {
  RG_ASSIGN(const GoodputAnswer answer, askGoodput(reader, run, findings));
  return AnalyzePart{{{"goodput", goodputJson(answer)}}, goodputText(answer)};
}

}  // namespace runglass::ctl
