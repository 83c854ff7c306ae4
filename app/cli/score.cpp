// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl score: the stored findings of simulated runs against what the simulator did.
#include <nlohmann/json.hpp>

#include "analysis/engine/score.h"
#include "app/cli/command.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/store_access.h"

namespace runglass::ctl {
namespace {

using Json = nlohmann::ordered_json;
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
                    {"median_onset_steps", score.medianOnset() ? Json(*score.medianOnset()) : Json()}});
  return json;
}

class Score : public Command {
 public:
  const char* name() const override { return "score"; }
  const char* help() const override { return "Compare the findings of simulated runs with their labels: hits, misses, false alarms"; }
  const char* examples() const override { return "runglassctl score --store simulated.rgl --json\n"; }
  void declare(Options options) override {
    options.add("--store", m_store, "The store, a .rgl file; analyze it first").required();
    options.flag("--json", m_json, "Print one JSON object");
  }
  Status run() override {
    RG_ASSIGN(auto reader, openForReading(m_store));
    RG_ASSIGN(const auto runs, reader->runs());
    Scores all;
    Json json = {{"runs", Json::array()}};
    for (const Run& run : runs) {
      RG_ASSIGN(const auto labels, reader->labels(run.id));
      // Without labels nobody knows what is true; a simulated run without any is a calm one.
      if (labels.empty() && !run.simulated) continue;
      RG_ASSIGN(const auto findings, reader->findings(run.id));
      std::vector<Fact> facts;
      RG_ASSIGN(const auto attempts, reader->attempts(run.id));
      for (const Attempt& attempt : attempts) {
        RG_ASSIGN(const auto said, reader->facts(attempt.id));
        facts.insert(facts.end(), said.begin(), said.end());
      }
      const Scores scores = scoreFindings(findings, truthsOf(labels, facts));
      json["runs"].push_back({{"run_id", run.id.value}, {"name", run.name}, {"kinds", toJson(scores)}});
      addScores(all, scores);
    }
    json["kinds"] = toJson(all);
    Output out = Output::standard();
    out.print(m_json ? json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n" : text(all));
    return out.finish();
  }

 private:
  static std::string text(const Scores& scores) {
    char line[160];
    std::snprintf(line, sizeof line, "%-22s %7s %6s %11s %7s %7s %9s %13s %10s %5s\n", "kind", "labels", "hits", "attributed", "misses",
                  "onset", "findings", "false alarms", "explained", "info");
    std::string text = line;
    for (const auto& [kind, s] : scores) {
      const std::string onset = s.medianOnset() ? std::to_string(*s.medianOnset()) : "-";
      std::snprintf(line, sizeof line, "%-22s %7d %6d %11d %7d %7s %9d %13d %10d %5d\n", oneLine(kind).substr(0, 40).c_str(), s.labels,
                    s.hits, s.attributed, s.misses, onset.c_str(), s.findings, s.false_alarms, s.explained, s.info);
      text += line;
      for (const std::string& one : s.false_found) text += "  false alarm: " + oneLine(one) + "\n";
      for (const std::string& one : s.missed) text += "  missed: " + oneLine(one) + "\n";
    }
    return text;
  }

  std::string m_store;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeScore() { return std::make_unique<Score>(); }

}  // namespace runglass::ctl
