// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/analyze_parts.h"

#include "analysis/gpu_idle/idle_answer.h"
#include "app/cli/json_value.h"
#include "app/cli/plain_text.h"
#include "model/number_text.h"

namespace runglass::ctl {
namespace {

Json toJson(const IdleRow& row) {
  Json json = {{"cause", idleCauseName(row.cause)},
               {"idle", !isSlowNotIdle(row.cause)},
               {"share_ratio", orNull(row.share)},
               {row.unit + "s", row.units},
               {row.unit + "s_total", row.units_total},
               {"evidence", row.evidence.english},
               {"first_step", orNull(row.first_step)},
               {"last_step", orNull(row.last_step)},
               {"start_ns", row.when ? Json(row.when->t0) : Json()},
               {"end_ns", row.when ? Json(row.when->t1) : Json()},
               {"rank", orNull(row.rank)}};
  json["remedy"] = idleRemedy(row.cause);
  json["track_id"] = row.track ? Json(row.track.value) : Json();
  json["confidence"] = row.confidence;
  return json;
}

Json toJson(const IdleAnswer& answer, const Attempt& attempt) {
  Json json = {{"status", answer.ok ? "ok" : "insufficient"}};
  if (!answer.ok) json["reason"] = answer.reason.english;
  json["attempt"] = attempt.number;
  json["gpu_busy_ratio"] = orNull(answer.gpu_busy_ratio);
  json["sm_active_ratio"] = orNull(answer.sm_active_ratio);
  if (!answer.ok) return json;
  json["basis"] = idleBasisName(answer.basis);
  json["basis_words"] = answer.basis_words.english;
  json["idle_ratio"] = answer.idle_share;
  json["busy"] = {{"compute_ratio", orNull(answer.busy.compute)},
                  {"communication_ratio", orNull(answer.busy.comm)},
                  {"communication_wait_ratio", orNull(answer.busy.comm_wait)},
                  {"copy_ratio", orNull(answer.busy.copy)},
                  {"overlapped_communication_ratio", orNull(answer.busy.overlapped_comm)}};
  json["steps"] = answer.steps;
  json["first_step"] = orNull(answer.first_step);
  json["last_step"] = orNull(answer.last_step);
  json["step_ns"] = answer.step_ns;
  json["steps_left_out"] = answer.left_out;
  json["ranks_left_out"] = answer.ranks_left_out;
  json["units"] = answer.units;
  json["causes"] = Json::array();
  for (const IdleRow& row : answer.rows) json["causes"].push_back(toJson(row));
  json["not_recorded"] = Json::array();
  for (const IdleNotRecorded& one : answer.not_recorded)
    json["not_recorded"].push_back({{"cause", idleCauseName(one.cause)}, {"why", one.why.english}});
  if (const auto& launches = answer.launches)
    json["launches"] = {{"kernels", launches->kernels},
                        {"short_kernels", launches->short_kernels},
                        {"short_kernel_time_ratio", launches->short_share},
                        {"launches_known", launches->launches_known},
                        {"launched_to_idle_device", launches->starved},
                        {"median_launch_delay_ns", launches->median_delay}};
  return json;
}

// The activity in the remaining time.
std::string busyLine(const BusyShares& busy) {
  std::string text;
  const auto add = [&](const char* words, const std::optional<double>& share) {
    if (share && *share >= 0.0005) text += (text.empty() ? "" : ", ") + percentText(*share, 1) + " " + words;
  };
  add("computing", busy.compute);
  add("communicating alone", busy.comm);
  add("waiting for peers in communication", busy.comm_wait);
  add("copying", busy.copy);
  return text.empty() ? text : "    else: " + text + "\n";
}

// Only for causes with a share that is worth a change.
std::string remedyText(const IdleRow& row) {
  constexpr double kWorthIt = 0.01;
  const std::string_view remedy = idleRemedy(row.cause);
  return remedy.empty() || !(row.share >= kWorthIt) ? std::string() : ". " + std::string(remedy);
}

std::string toText(const IdleAnswer& answer) {
  if (!answer.ok) return {};
  std::string text = "  devices were idle for " + percentText(answer.idle_share, 1) + " of " +
                     (answer.steps > 0 ? std::to_string(answer.steps) + " steps" : std::string("the time")) + " (" +
                     answer.basis_words.english + ")\n";
  text += busyLine(answer.busy);
  for (const IdleRow& row : answer.rows)
    text += std::string("    ") + (row.share ? percentText(*row.share, 1) : std::string("not known how much")) + " " +
            idleCauseWords(row.cause) + (isSlowNotIdle(row.cause) ? " (slow, not idle)" : "") + ": " + row.evidence.english +
            remedyText(row) + "\n";
  if (answer.not_recorded.empty()) return text;
  text += "    not recorded:";
  for (std::size_t i = 0; i < answer.not_recorded.size(); ++i)
    text += std::string(i > 0 ? ", " : " ") + idleCauseWords(answer.not_recorded[i].cause);
  return text + "\n";
}

}  // namespace

Result<AnalyzePart> gpuIdlePart(Reader& reader, const Run& run, std::span<const Finding> /*findings*/) {
  RG_ASSIGN(const auto attempts, reader.attempts(run.id));
  if (attempts.empty()) return AnalyzePart{{{"gpu_idle", {{"status", "insufficient"}, {"reason", "the run has no attempt"}}}}, {}};
  RG_ASSIGN(const IdleAnswer answer, readIdleAnswer(reader, attempts.back(), {}, {}));
  return AnalyzePart{{{"gpu_idle", toJson(answer, attempts.back())}}, toText(answer)};
}

}  // namespace runglass::ctl
