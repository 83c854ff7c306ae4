// SPDX-License-Identifier: Apache-2.0
// Invariant: what was said of an attempt is replaced as a whole; what holds no longer ends.
#include "analysis/what_if/what_if_analysis.h"

#include <algorithm>
#include <map>

#include "analysis/steps/attempt_steps.h"
#include "analysis/what_if/straggler_findings.h"
#include "analysis/what_if/waited_finding.h"

namespace runglass {
namespace {

constexpr DurNs kEvery = 300 * kNsPerSecond;
constexpr std::uint64_t kStepsWithParts = 20;

class WhatIfAnalysis : public Analysis {
 public:
  Result<std::vector<Finding>> look(const Question& question) override {
    if (question.now && m_looked && *question.now - *m_looked < kEvery) return said();
    m_looked = question.now;
    RG_ASSIGN(const auto attempts, question.reader.attempts(question.run));
    for (const Attempt& attempt : attempts) {
      // Of a live run the newest only; nothing comes to the others.
      if (question.now && attempt.id != attempts.back().id) continue;
      Said& before = m_said[attempt.id];
      // Of an attempt without scalars nobody says how far it is: it may have grown.
      if (before.asked && attempt.last_step && before.last_step == attempt.last_step) continue;
      RG_TRY(ask(question, attempt, before.findings));
      before.asked = true;
      before.last_step = attempt.last_step;
    }
    return said();
  }

 private:
  struct Said {
    bool asked = false;
    std::optional<std::int64_t> last_step;
    std::map<std::string, Finding> findings;  // by kind and subject
  };

  static Status ask(const Question& question, const Attempt& attempt, std::map<std::string, Finding>& said) {
    RG_ASSIGN(const auto steps, AttemptSteps::list(question.reader, attempt.id, {StepSeries::kPart}));
    if (std::ranges::any_of(steps.of(StepSeries::kPart),
                            [](const Series& s) { return static_cast<std::uint64_t>(s.sample_count) >= kStepsWithParts; }))
      return {};
    RG_ASSIGN(const WhatIfData data, readWhatIf(question.reader, attempt, question.stop));
    if (question.stop.stop_requested()) return {Code::kCancelled, "what-if: stopped"};
    RG_ASSIGN(const auto nodes, question.reader.nodes());
    std::map<NodeId, std::string> names;
    for (const Node& node : nodes) names[node.id] = node.name;
    std::map<std::string, Finding> now;
    if (data.what_if.status == WhatIfStatus::kOk) {
      for (Finding& finding : stragglerFindings(data, question.run, names)) now[finding.kind + ' ' + finding.subject] = std::move(finding);
    } else {
      RG_ASSIGN(auto waited, waitedFinding(question.reader, question.run, attempt, names, question.stop));
      if (waited) now[waited->kind + ' ' + waited->subject] = std::move(*waited);
    }
    for (auto& [key, finding] : now) said[key] = finding;
    if (data.what_if.status != WhatIfStatus::kOk) return {};
    for (auto& [key, finding] : said)
      if (!now.contains(key)) finding.end = data.graph->steps.front().t0;
    return {};
  }

  std::vector<Finding> said() const {
    std::vector<Finding> out;
    for (const auto& [attempt, all] : m_said)
      for (const auto& [key, finding] : all.findings) out.push_back(finding);
    return out;
  }

  std::optional<TimeNs> m_looked;
  std::map<AttemptId, Said> m_said;
};

}  // namespace

std::unique_ptr<Analysis> makeWhatIf() { return std::make_unique<WhatIfAnalysis>(); }

}  // namespace runglass
