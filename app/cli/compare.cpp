// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl compare: two attempts, or one before and after a step: parts of a step, scalars, facts, nodes.
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "analysis/compare/read_comparison.h"
#include "app/cli/answer.h"
#include "app/cli/command.h"
#include "app/cli/json_value.h"
#include "app/cli/options.h"
#include "app/cli/output.h"
#include "app/cli/plain_text.h"
#include "app/cli/store_access.h"
#include "model/number_text.h"

namespace runglass::ctl {
namespace {

constexpr std::size_t kShown = 20;

Json sideJson(const Run& run, std::int32_t attempt, const CompareSide& side, const std::optional<double>& mean,
              const std::optional<double>& median) {
  return {{"run_id", run.id.value},
          {"name", side.name.english},
          {"attempt", attempt},
          {"steps", side.by_step.size()},
          {"first_step", side.by_step.empty() ? Json() : Json(side.by_step.begin()->first)},
          {"last_step", side.by_step.empty() ? Json() : Json(side.by_step.rbegin()->first)},
          {"rank_steps_left_out", side.left_out},
          {"mean_ns", orNull(mean)},
          {"median_ns", orNull(median)},
          {"world_size", orNull(side.regime.world)},
          {"global_batch_size", orNull(side.regime.global_batch)},
          {"sequence_length", orNull(side.regime.sequence)}};
}

Json workJson(const std::vector<WorkDelta>& list) {
  Json json = Json::array();
  for (const WorkDelta& one : list)
    json.push_back({{"node", one.node.empty() ? Json() : Json(one.node)},
                    {"rank", one.rank ? Json(*one.rank) : Json()},
                    {"a_ns", orNull(one.a_ns)},
                    {"b_ns", orNull(one.b_ns)},
                    {"change_ratio", orNull(one.change())}});
  return json;
}

Json toJson(const ComparisonAnswer& answer) {
  const Comparison& c = answer.comparison;
  Json json = {{"status", c.mean_a_ns && c.mean_b_ns ? "ok" : "insufficient"},
               {"summary", answer.sentence.english},
               {"a", sideJson(answer.run_a, answer.attempt_a, answer.a, c.mean_a_ns, c.median_a_ns)},
               {"b", sideJson(answer.run_b, answer.attempt_b, answer.b, c.mean_b_ns, c.median_b_ns)},
               {"comparable", c.warnings.empty()},
               {"warnings", Json::array()},
               {"delta_ns", orNull(c.delta_ns)},
               {"delta_low_ns", orNull(c.low_ns)},
               {"delta_high_ns", orNull(c.high_ns)},
               {"token_a_ns", orNull(c.token_a_ns)},
               {"token_b_ns", orNull(c.token_b_ns)},
               {"parts_are", "means over steady steps and ranks; their differences sum to delta_ns (medians would not)"},
               {"parts", Json::array()},
               {"scalars", Json::array()},
               {"scalars_left_out", answer.scalars_left_out},
               {"facts", Json::array()},
               {"nodes_in", c.nodes_in},
               {"nodes_out", c.nodes_out},
               {"work_is", c.work_is_whole_step ? "the whole step: no waiting was measured" : "a step without measured waiting"},
               {"nodes", workJson(c.nodes)},
               {"ranks", workJson(c.ranks)}};
  for (const words::Sentence& warning : c.warnings) json["warnings"].push_back(warning.english);
  for (const PartDelta& part : c.parts)
    json["parts"].push_back({{"part", part.part}, {"a_ns", orNull(part.a_ns)}, {"b_ns", orNull(part.b_ns)}, {"delta_ns", part.delta_ns()}});
  for (const ScalarPair& pair : answer.scalars)
    json["scalars"].push_back({{"tag", pair.tag},
                               {"at", pair.by_tokens ? "equal tokens" : "equal steps"},
                               {"points", pair.common},
                               {"mean_a", pair.mean_a},
                               {"mean_b", pair.mean_b},
                               {"last_step", pair.last_step},
                               {"last_delta", pair.last_delta}});
  for (const FactDelta& fact : answer.facts) json["facts"].push_back({{"key", fact.key}, {"a", orNull(fact.a)}, {"b", orNull(fact.b)}});
  return json;
}

std::string ms(const std::optional<double>& ns) { return ns ? scaledText(*ns, {1e-6, 3, "ms"}) : "-"; }

std::string row(const std::string& name, const std::string& a, const std::string& b, const std::string& delta) {
  char text[300];
  std::snprintf(text, sizeof text, "  %-28s %14s %14s %14s\n", fitted(oneLine(name), 28).c_str(), a.c_str(), b.c_str(), delta.c_str());
  return text;
}

std::string more(std::size_t all, const char* what) {
  return all > kShown ? "  and " + std::to_string(all - kShown) + " more " + what + "\n" : std::string();
}

std::string toText(const ComparisonAnswer& answer) {
  const Comparison& c = answer.comparison;
  std::string text = oneLine(answer.sentence.english) + "\n";
  for (const words::Sentence& warning : c.warnings) text += "warning: " + warning.english + "\n";
  text += "A: " + oneLine(answer.a.name.english) + " (" + countText(c.steps_a) + " steady steps)\nB: " + oneLine(answer.b.name.english) +
          " (" + countText(c.steps_b) + " steady steps)\n";
  text += row("mean, ms", "A", "B", "B - A") + row("step", ms(c.mean_a_ns), ms(c.mean_b_ns), ms(c.delta_ns));
  for (const PartDelta& part : c.parts) text += row(part.part, ms(part.a_ns), ms(part.b_ns), ms(part.delta_ns()));
  if (!c.parts_reported && c.delta_ns) text += "  parts: not recorded on both sides\n";
  for (const ScalarPair& pair : std::span(answer.scalars).first(std::min(kShown, answer.scalars.size()))) {
    text += fitted(oneLine(pair.tag), 60) + ": mean " + significantText(pair.mean_a, 6) + " and " + significantText(pair.mean_b, 6) +
            " at " + std::to_string(pair.common) + (pair.by_tokens ? " equal token counts" : " equal steps") +
            "; B - A at the last, step " + std::to_string(pair.last_step) + ": " + significantText(pair.last_delta, 6) + "\n";
  }
  text += more(answer.scalars.size() + answer.scalars_left_out, "scalars");
  for (const FactDelta& fact : answer.facts)
    text += fitted(oneLine(fact.key), 60) + ": " + fitted(oneLine(fact.a.value_or("(not said)")), 80) + " -> " +
            fitted(oneLine(fact.b.value_or("(not said)")), 80) + "\n";
  for (const std::string& node : c.nodes_out) text += "node only in A: " + oneLine(node) + "\n";
  for (const std::string& node : c.nodes_in) text += "node only in B: " + oneLine(node) + "\n";
  if (!c.nodes.empty()) text += row(c.work_is_whole_step ? "node, whole step, ms" : "node, own work, ms", "A", "B", "change");
  for (std::size_t i = 0; i < std::min(kShown, c.nodes.size()); ++i) {
    const WorkDelta& one = c.nodes[i];
    const auto change = one.change();
    text += row(one.node, ms(one.a_ns), ms(one.b_ns), change ? (*change < 0 ? "-" : "+") + percentText(std::abs(*change), 1) : "-");
  }
  text += more(c.nodes.size(), "nodes");
  return text;
}

class Compare : public Command {
 public:
  const char* name() const override { return "compare"; }
  const char* help() const override { return "Compare two attempts, or one before and after a step: step parts, scalars, facts, nodes"; }
  const char* examples() const override {
    return "runglassctl compare --store run.rgl --a llm-70b/2 --b llm-70b/3\n"
           "runglassctl compare --store run.rgl --a llm-70b --at 41870\n";
  }
  void declare(Options options) override {
    options.add("--store", m_store, "The store, a .rgl file").required();
    options.add("--a", m_a, "RUN or RUN/ATTEMPT, RUN an id or a name; without an attempt its newest").required();
    const Option b = options.add("--b", m_b, "The attempt to compare with");
    options.add("--at", m_at, "Compare A before this step with A from this step on").excludes(b);
    options.flag("--json", m_json, "Print one JSON object");
    options.check([this] { return std::string(m_b.empty() && !m_at ? "--b or --at is required" : ""); });
  }
  Status run() override {
    RG_ASSIGN(auto reader, openForReading(m_store));
    CompareQuestion question{.a = {}, .b = {}, .at_step = m_at};
    RG_ASSIGN(question.a, chooseSide(*reader, m_a));
    if (!m_b.empty()) {
      RG_ASSIGN(question.b, chooseSide(*reader, m_b));
    }
    RG_ASSIGN(const ComparisonAnswer answer, readComparison(*reader, question, {}));
    return printAnswer(
        m_json, [&] { return toJson(answer); }, [&] { return toText(answer); });
  }

 private:
  std::string m_store, m_a, m_b;
  std::optional<std::int64_t> m_at;
  bool m_json = false;
};

}  // namespace

std::unique_ptr<Command> makeCompare() { return std::make_unique<Compare>(); }

}  // namespace runglass::ctl
