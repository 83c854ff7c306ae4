// SPDX-License-Identifier: Apache-2.0
// Invariant: the findings of an attempt are replaced together; those that no longer hold end.
#include "analysis/what_if/what_if_analysis.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/engine/withdrawal.h"
#include "analysis/steps/attempt_steps.h"
#include "analysis/what_if/straggler_findings.h"
#include "analysis/what_if/waited_finding.h"
#include "analysis/words/sentences.h"

namespace runglass {
namespace {

constexpr DurNs kEvery = 300 * kNsPerSecond;
constexpr std::uint64_t kStepsWithParts = 20;

std::string idOf(const Finding& finding) {
  const auto message = words::parse(finding.message);
  return message ? message->id : std::string();
}

// The identity of a finding about a rank that all wait for, which has an end from the start.
std::string waitedKey(const Finding& finding) {
  return finding.kind + ' ' + finding.subject + ' ' + (finding.first_step ? std::to_string(*finding.first_step) : "");
}

class WhatIfAnalysis : public Analysis {
 public:
  Result<std::vector<Finding>> look(const Question& question) override {
    if (question.now && m_looked && *question.now - *m_looked < kEvery) return said();
    m_looked = question.now;
    if (!m_remembered) {
      RG_ASSIGN(const auto stored, question.reader.findings(question.run));
      for (const Finding& one : stored)
        if (idOf(one) == "waited_rank") m_said[one.attempt].findings.emplace(waitedKey(one), one);
      m_remembered = true;
    }
    RG_ASSIGN(const auto attempts, question.reader.attempts(question.run));
    for (const Attempt& attempt : attempts) {
      // For a live run only the newest attempt; the others are complete.
      if (question.now && attempt.id != attempts.back().id) continue;
      Said& before = m_said[attempt.id];
      // An attempt without scalars has no known last step: it may have grown.
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
    std::map<std::string, Finding> findings;  // by kind and subject, or waitedKey()
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
    TimeRange looked{0, 0};
    if (data.what_if.status == WhatIfStatus::kOk) {
      for (Finding& finding : stragglerFindings(data, question.run, names)) now[finding.kind + ' ' + finding.subject] = std::move(finding);
    } else {
      RG_ASSIGN(auto waited, waitedFinding(question.reader, question.run, attempt, names, question.stop));
      looked = waited.looked;
      if (waited.finding) {
        std::string key = waitedKey(*waited.finding);
        now.emplace(std::move(key), std::move(*waited.finding));
      }
    }
    std::set<std::string> identities;
    for (const auto& [key, finding] : now) identities.insert(waitedKey(finding));
    // A withdrawn finding has been published as such; one whose identity a new finding has is replaced.
    std::erase_if(said, [&](const auto& one) {
      return idOf(one.second) == "withdrawn" || (idOf(one.second) == "waited_rank" && identities.contains(one.first));
    });
    for (auto& [key, finding] : now) said[key] = finding;
    for (auto& [key, finding] : said) {
      if (now.contains(key)) continue;
      // Its part of the trace was read again and shows something else. If that part is not read any longer, the finding stays.
      if (idOf(finding) == "waited_rank") {
        const bool seen_again =
            data.what_if.status == WhatIfStatus::kOk || (looked.t0 < looked.t1 && looked.t0 <= finding.start.value_or(0));
        if (seen_again) withdraw(finding, finding.end.value_or(0));
      } else if (data.what_if.status == WhatIfStatus::kOk)
        finding.end = data.graph->steps.front().t0;
    }
    return {};
  }

  std::vector<Finding> said() const {
    std::vector<Finding> out;
    for (const auto& [attempt, all] : m_said)
      for (const auto& [key, finding] : all.findings) out.push_back(finding);
    return out;
  }

  bool m_remembered = false;  // findings that are already in the store
  std::optional<TimeNs> m_looked;
  std::map<AttemptId, Said> m_said;
};

}  // namespace

std::unique_ptr<Analysis> makeWhatIf() { return std::make_unique<WhatIfAnalysis>(); }

}  // namespace runglass
