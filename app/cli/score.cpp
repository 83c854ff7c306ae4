// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl score: compares the stored findings of simulated runs with the simulator's ground truth.
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "analysis/engine/score.h"
#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/json_value.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/store_access.h"
#include "model/number_text.h"

namespace runglass::ctl {
namespace {

Json strictCounts(const KindScore& score) {
  return {{"labels", score.labels},
          {"hits_strict", score.count(Outcome::kStrict)},
          {"hits_at_info", score.count(Outcome::kAtInfo)},
          {"other_kind", score.count(Outcome::kOtherKind)},
          {"wrong_place", score.count(Outcome::kWrongPlace)},
          {"not_found", score.count(Outcome::kMissed)},
          {"hits", score.hits},
          {"misses", score.misses},
          {"false_alarms", score.false_alarms},
          {"repeats", score.repeats},
          {"notifications", score.notifications},
          {"onset_steps_median", orNull(score.medianOnset())},
          {"cost_error_ratio_median", orNull(score.medianCostError())}};
}

Json toJson(const Scores& scores) {
  Json json = Json::array();
  for (const auto& [kind, score] : scores)
    json.push_back({{"kind", kind},
                    {"labels", score.labels},
                    {"hits", score.hits},
                    {"misses", score.misses},
                    {"findings", score.findings},
                    {"false_alarms", score.false_alarms},
                    {"explained", score.explained},
                    {"info", score.info},
                    {"missed", score.missed},
                    {"false_found", score.false_found},
                    {"attributed", score.attributed},
                    {"repeats", score.repeats},
                    {"notifications", score.notifications},
                    {"onset_steps", score.onset_steps},
                    {"median_onset_steps", orNull(score.medianOnset())}});
  return json;
}

// Alerts sent while the runs were analysed live.
struct LiveAlerts {
  std::size_t stored = 0;
  std::int64_t sent = 0;
};

// Alerts of these runs, and of nodes that had no run when they were sent.
Result<LiveAlerts> liveAlerts(Reader& reader, const std::set<std::uint64_t>& runs) {
  constexpr std::size_t kAll = 1'000'000;
  RG_ASSIGN(const auto alerts, reader.alerts(kAll));
  LiveAlerts live;
  for (const Alert& alert : alerts) {
    if (alert.run && !runs.contains(alert.run.value)) continue;
    ++live.stored;
    live.sent += alert.count;
  }
  return live;
}

class Score : public Command {
 public:
  const char* name() const override { return "score"; }
  const char* help() const override {
    return "Compare the findings of simulated runs with their labels: strict hits, misses, false alarms";
  }
  const char* examples() const override { return "runglassctl score --store simulated.rgl --json\n"; }
  void declare(Options options) override {
    options.add("--store", m_store, "The store, a .rgl file; analyze it first").required();
    options.flag("--json", m_json, "Print one JSON object");
  }
  Status run() override {
    RG_ASSIGN(auto reader, openForReading(m_store));
    RG_ASSIGN(const auto runs, reader->runs());
    Scores all;
    std::set<std::uint64_t> scored;
    Json json = {{"runs", Json::array()}};
    for (const Run& run : runs) {
      RG_ASSIGN(const auto truths, readTruths(*reader, run.id));
      // Without labels, the ground truth is unknown; a simulated run without labels has no faults.
      if (truths.empty() && !run.simulated) continue;
      RG_ASSIGN(const auto findings, reader->findings(run.id));
      const Scores scores = scoreFindings(findings, truths);
      json["runs"].push_back({{"run_id", run.id.value}, {"name", run.name}, {"kinds", toJson(scores)}});
      addScores(all, scores);
      scored.insert(run.id.value);
    }
    RG_ASSIGN(const LiveAlerts live, liveAlerts(*reader, scored));
    KindScore sum;
    for (const auto& [kind, score] : all) sum.add(score);
    // In a store without live alerts, only the findings are known.
    const std::int64_t notified = live.stored > 0 ? live.sent : sum.notifications;
    const std::optional<double> per_fault =
        sum.labels > 0 ? std::optional(static_cast<double>(notified) / static_cast<double>(sum.labels)) : std::nullopt;
    json.update(strictCounts(sum));
    json["alerts"] = live.sent;
    json["notifications_per_fault"] = orNull(per_fault);
    json["by_kind"] = Json::object();
    for (const auto& [kind, score] : all) json["by_kind"][kind] = strictCounts(score);
    json["kinds"] = toJson(all);
    return printAnswer(
        m_json, [&] { return json; }, [&] { return text(all, sum, live, per_fault); });
  }

 private:
  static std::string text(const Scores& scores, const KindScore& sum, const LiveAlerts& live, std::optional<double> per_fault) {
    std::string text = strictTable(scores);
    for (const auto& [kind, s] : scores) {
      for (const std::string& one : s.false_found) text += "false alarm: " + oneLine(kind) + ": " + oneLine(one) + "\n";
      for (const LabelScore& one : s.outcomes)
        if (one.outcome != Outcome::kStrict)
          text += std::string(outcomeName(one.outcome)) + ": " + oneLine(one.kind) + " " + oneLine(one.where) + "\n";
    }
    char line[160];
    std::snprintf(line, sizeof line, "%d of %d labels are strict hits; notifications: %d findings, %lld alerts sent",
                  sum.count(Outcome::kStrict), sum.labels, sum.notifications, static_cast<long long>(live.sent));
    text += line;
    if (per_fault) text += "; " + fixedText(*per_fault, 2) + " per fault";
    return text + "\n";
  }

  std::string m_store;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeScore() { return std::make_unique<Score>(); }

}  // namespace runglass::ctl
