// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl analyze: runs every analysis on the stored runs, as of their last data, and stores the findings.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "app/cli/analyze_parts.h"
#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/finding_json.h"
#include "app/cli/issue_json.h"
#include "app/cli/json_value.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/repaired_copy.h"
#include "app/cli/run_choice.h"
#include "app/cli/run_findings.h"
#include "app/cli/store_access.h"
#include "storage/open_store.h"

namespace runglass::ctl {
namespace {

template <class T>
Json orNullOrName(const std::optional<T>& value) {
  if constexpr (std::is_same_v<T, double>)
    if (value && !std::isfinite(*value)) return std::isnan(*value) ? "nan" : *value > 0 ? "inf" : "-inf";
  return value ? Json(*value) : Json();
}

struct Names {
  std::map<NodeId, std::string> nodes;
  std::map<AttemptId, std::int32_t> attempts;  // number of each attempt
};

Json toJson(const Finding& f, const Names& names) {
  const auto attempt = names.attempts.find(f.attempt);
  const auto node = names.nodes.find(f.node);
  Json evidence = Json::parse(f.evidence, nullptr, false);
  if (!evidence.is_object()) evidence = Json::object();
  return {{"finding_id", f.id != 0 ? Json(f.id) : Json()},
          {"run_id", f.run.value},
          {"attempt", attempt != names.attempts.end() ? Json(attempt->second) : Json()},
          {"kind", f.kind},
          {"subject", f.subject},
          {"severity", severityName(f.severity)},
          {"start_ns", orNullOrName(f.start)},
          {"end_ns", orNullOrName(f.end)},
          {"first_step", orNullOrName(f.first_step)},
          {"last_step", orNullOrName(f.last_step)},
          {"node", node != names.nodes.end() ? Json(node->second) : Json()},
          {"rank", orNullOrName(f.rank)},
          {"dp", orNullOrName(f.dp)},
          {"pp", orNullOrName(f.pp)},
          {"tp", orNullOrName(f.tp)},
          {"score", orNullOrName(f.score)},
          {"confidence", orNullOrName(f.confidence)},
          {"coverage", orNullOrName(f.coverage)},
          {"summary", f.summary},
          {"evidence", std::move(evidence)},
          {"message", findingMessageJson(f)}};
}

constexpr Result<AnalyzePart> (*kParts[])(Reader&, const Run&, std::span<const Finding>) = {
    whatIfPart, rankingPart, lossPart, goodputPart, gpuIdlePart, bandwidthPart, thinnedPart};

struct RunAnswer {
  Run run;
  std::vector<Finding> findings;
  std::map<AttemptId, std::int32_t> attempts;
  std::vector<AnalyzePart> parts;
};

Json toJson(const RunAnswer& answer, const std::map<NodeId, std::string>& nodes, bool stored) {
  const Names names{nodes, answer.attempts};
  Json json = {{"run_id", answer.run.id.value}, {"run_uuid", answer.run.uuid}, {"name", answer.run.name}, {"stored", stored}};
  json["findings"] = Json::array();
  for (const Finding& finding : answer.findings) json["findings"].push_back(toJson(finding, names));
  for (const AnalyzePart& part : answer.parts) json.update(part.json);
  return json;
}

Result<RunAnswer> ask(Reader& reader, const Run& run) {
  RunAnswer answer{.run = run, .findings = {}, .attempts = {}, .parts = {}};
  RG_ASSIGN(const auto attempts, reader.attempts(run.id));
  for (const Attempt& attempt : attempts) answer.attempts[attempt.id] = attempt.number;
  RG_ASSIGN(answer.findings, findAll(reader, run));
  for (const auto part_of : kParts) {
    RG_ASSIGN(AnalyzePart part, part_of(reader, run, answer.findings));
    answer.parts.push_back(std::move(part));
  }
  return answer;
}

class Analyze : public Command {
 public:
  const char* name() const override { return "analyze"; }
  const char* help() const override { return "Run every analysis on the stored runs, store the findings and print them"; }
  const char* examples() const override {
    return "runglassctl analyze --store night.rgl\n"
           "runglassctl analyze --store night.rgl --run 1 --json\n";
  }
  void declare(Options options) override {
    options.add("--store", m_store, "The store, a .rgl file").required();
    options.add("--run", m_run, "Only this run, by id, uuid or name; without it all runs");
    options.flag("--json", m_json, "Print one JSON object");
  }
  Status run() override {
    RG_TRY(read());
    bool stored = true;
    RG_TRY(store(stored));
    return printAnswer(
        m_json, [&] { return json(stored); }, [&] { return text(stored); });
  }

 private:
  Status read() {
    RG_ASSIGN(auto reader, openForReading(m_store));
    std::vector<Run> runs;
    if (m_run.empty()) {
      RG_ASSIGN(runs, reader->runs());
    } else {
      RG_ASSIGN(Run run, wantedRun(*reader, m_store, m_run));
      runs.push_back(std::move(run));
    }
    RG_ASSIGN(const auto nodes, reader->nodes());
    for (const Node& node : nodes) m_nodes[node.id] = node.name;
    for (const Run& run : runs) {
      RG_ASSIGN(auto answer, ask(*reader, run));
      m_answers.push_back(std::move(answer));
    }
    RG_ASSIGN(m_issues, reader->issues());
    return {};
  }

  // A store that a hub writes is only read; the hub runs the analyses itself.
  Status store(bool& stored) {
    const bool any = std::ranges::any_of(m_answers, [](const RunAnswer& answer) { return !answer.findings.empty(); });
    if (!any) return {};
    if (repairedCopy() != nullptr) {
      std::fprintf(stderr, "note: findings are not stored: %s is damaged\n", oneLine(m_store).c_str());
      return stored = false, Status();
    }
    auto writer = openStore(m_store).writer(writerOptions());
    if (writer.status().code() == Code::kAlreadyExists || writer.status().code() == Code::kPermissionDenied) {
      std::fprintf(stderr, "note: findings are not stored: %s\n", writer.status().message().c_str());
      return stored = false, Status();
    }
    RG_TRY(writer.status());
    if (const auto& mirror = (*writer)->mirror()) {
      std::fprintf(stderr, "note: findings are not stored: %s is a replica of the hub at %s, which has its own findings\n", m_store.c_str(),
                   mirror->from.c_str());
      return stored = false, (*writer)->close();
    }
    for (const RunAnswer& answer : m_answers)
      for (const Finding& finding : answer.findings) (*writer)->finding(finding);
    RG_TRY((*writer)->close());
    RG_ASSIGN(auto reader, openStore(m_store).reader());
    for (RunAnswer& answer : m_answers) {
      RG_ASSIGN(const auto known, reader->findings(answer.run.id));
      for (Finding& finding : answer.findings)
        for (const Finding& one : known)
          if (one.kind == finding.kind && one.subject == finding.subject && one.first_step == finding.first_step) finding.id = one.id;
    }
    return {};
  }

  const RunAnswer* newest() const {
    const RunAnswer* best = nullptr;
    for (const RunAnswer& answer : m_answers)
      if (best == nullptr || answer.run.start.value_or(0) >= best->run.start.value_or(0)) best = &answer;
    return best;
  }

  Json json(bool stored) const {
    const RunAnswer* top = newest();
    Json json = top != nullptr ? toJson(*top, m_nodes, stored) : Json{{"run_id", nullptr}, {"stored", stored}, {"findings", Json::array()}};
    json["issues"] = issuesJson(m_issues);
    if (!m_run.empty()) return json;
    json["runs"] = Json::array();
    for (const RunAnswer& answer : m_answers) json["runs"].push_back(toJson(answer, m_nodes, stored));
    return json;
  }

  std::string text(bool stored) const {
    std::string text;
    for (const RunAnswer& answer : m_answers) {
      text += "run " + std::to_string(answer.run.id.value) + " " + oneLine(answer.run.name) + ": " +
              std::to_string(answer.findings.size()) + (answer.findings.size() == 1 ? " finding\n" : " findings\n");
      for (const Finding& finding : answer.findings)
        text += std::string("  ") + severityName(finding.severity) + " " + finding.kind + ", " + oneLine(finding.subject) + ": " +
                oneLine(finding.summary) + "\n";
      for (const AnalyzePart& part : answer.parts) text += part.text;
    }
    return stored ? text
                  : text + (repairedCopy() != nullptr ? "not stored: the store is damaged\n"
                                                      : "not stored: another process writes the store\n");
  }

  std::string m_store, m_run;
  bool m_json = false;
  std::vector<RunAnswer> m_answers;
  std::map<NodeId, std::string> m_nodes;
  std::vector<Issue> m_issues;
};

}  // namespace

std::unique_ptr<Command> makeAnalyze() { return std::make_unique<Analyze>(); }

}  // namespace runglass::ctl
