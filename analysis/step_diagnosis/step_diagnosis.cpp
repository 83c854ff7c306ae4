// SPDX-License-Identifier: Apache-2.0
// Invariant: an ended attempt is read once; its findings are final.
#include "analysis/step_diagnosis/step_diagnosis.h"

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <tuple>

#include "analysis/step_diagnosis/collection_findings.h"
#include "analysis/step_diagnosis/link_findings.h"
#include "analysis/step_diagnosis/machine_evidence.h"
#include "analysis/step_diagnosis/shift_findings.h"
#include "analysis/step_diagnosis/step_findings.h"

namespace runglass {
namespace {

class StepDiagnosis : public Analysis {
 public:
  Result<std::vector<Finding>> look(const Question& question) override {
    RG_ASSIGN(const auto attempts, question.reader.attempts(question.run));
    if (attempts.empty()) return std::vector<Finding>();
    RG_TRY(remember(question));
    for (const Attempt& attempt : attempts) RG_TRY(follow(question, attempt, attempt.id == attempts.back().id));
    return answer(question);
  }

 private:
  struct Followed {
    AttemptWatch watch;
    bool over = false;
    FindingMemory judged;
    std::vector<Finding> findings;  // of an ended attempt
  };

  // Findings of an earlier instance of this analysis, which saw the beginning.
  Status remember(const Question& question) {
    if (m_remembered) return {};
    RG_ASSIGN(const auto stored, question.reader.findings(question.run));
    for (const Finding& one : stored)
      if (!one.end && one.first_step) m_stored[{one.attempt, one.kind, one.subject}] = one;
    m_remembered = true;
    return {};
  }

  Status follow(const Question& question, const Attempt& attempt, bool is_newest) {
    auto known = std::ranges::find(m_followed, attempt.id, [](const Followed& one) { return one.watch.attempt().id; });
    if (known == m_followed.end()) {
      if (!m_followed.empty() && m_followed.back().watch.attempt().layout != attempt.layout) m_shifts.regimeChanged();
      Followed fresh{.watch = AttemptWatch(attempt), .findings = {}};
      if (!m_followed.empty()) fresh.watch.goOnFrom(m_followed.back().watch);
      if (question.now) fresh.watch.startBack(kLiveLookBack);
      m_followed.push_back(std::move(fresh));
      known = std::prev(m_followed.end());
    }
    if (known->over) return {};
    known->watch.refresh(attempt);
    const bool over = !is_newest || !question.now;
    RG_TRY(known->watch.read(question.reader, over, m_shifts, question.stop));
    if (!over) return {};
    RG_ASSIGN(known->findings, judge(question, *known, known->watch.lastTime().value_or(0), true));
    known->over = true;
    known->judged = {};
    known->watch.forget();
    return {};
  }

  Result<std::vector<Finding>> judge(const Question& question, Followed& followed, TimeNs until, bool over) {
    RG_TRY(readNodes(question.reader));
    const AttemptWatch& watch = followed.watch;
    std::vector<Finding> found = findingsOf(watch, m_nodes, over, followed.judged);
    RG_TRY(addMachineEvidence(question.reader, question.run, watch.ranks(), until, m_machines, found, question.stop));
    RG_TRY(addLinkFindings(question.reader, watch, m_nodes, until, over, m_links, followed.judged, found, question.stop));
    RG_TRY(addCounterFinding(question.reader, watch, m_nodes, until, over, m_links, found, question.stop));
    RG_TRY(addCollectionFindings(question.reader, watch, over, followed.judged, found, question.stop));
    if (watch.stepsWithParts() == 0) {
      // If spans were recorded, analysis/what_if and analysis/slow_ranks judge them instead.
      RG_ASSIGN(const auto tracks, question.reader.tracks(watch.attempt().id));
      if (!tracks.empty()) std::erase_if(found, [](const Finding& one) { return one.kind == "insufficient_evidence"; });
    }
    return found;
  }

  Status readNodes(Reader& reader) {
    RG_ASSIGN(const auto nodes, reader.nodes());
    for (const Node& node : nodes) m_nodes[node.id] = node.name;
    return {};
  }

  Result<std::vector<Finding>> answer(const Question& question) {
    std::vector<Finding> out;
    std::vector<const AttemptWatch*> watches;
    for (Followed& one : m_followed) {
      watches.push_back(&one.watch);
      if (one.over) {
        out.insert(out.end(), one.findings.begin(), one.findings.end());
        continue;
      }
      RG_ASSIGN(auto found, judge(question, one, question.now.value_or(0), false));
      std::ranges::move(found, std::back_inserter(out));
    }
    auto shifts = findingsOf(m_shifts.shifts(), watches, out);
    std::ranges::move(shifts, std::back_inserter(out));
    if (question.now) goOnSaying(out);
    keepIdentities(out);
    return newestOfEach(std::move(out));
  }

  // A shift from before this object's first step has no start in its data: it holds until the level moves or another regime begins.
  void goOnSaying(std::vector<Finding>& findings) const {
    const AttemptWatch& newest = m_followed.back().watch;
    if (m_followed.back().over || !newest.startedAt() || m_shifts.regimesEnded() > 0) return;
    for (const auto& [key, reported] : m_stored) {
      if (reported.kind != "throughput_shift" || reported.attempt != newest.attempt().id || *reported.first_step >= *newest.startedAt())
        continue;
      if (std::ranges::any_of(m_shifts.shifts(), [&](const auto& shift) { return shift.attempt == reported.attempt; })) continue;
      findings.push_back(reported);
      findings.back().last_step = newest.lastStep();
    }
  }

  // A rank that is slow again after a rewind to the same step is the same finding: that of the newest attempt, which comes last, counts.
  static std::vector<Finding> newestOfEach(std::vector<Finding> findings) {
    std::set<std::tuple<std::string, std::string, std::optional<std::int64_t>>> seen;
    std::vector<Finding> out;
    for (auto one = findings.rbegin(); one != findings.rend(); ++one)
      if (seen.emplace(one->kind, one->subject, one->first_step).second) out.push_back(std::move(*one));
    std::ranges::reverse(out);
    return out;
  }

  // A finding that was published before this object's first step keeps its step.
  void keepIdentities(std::vector<Finding>& findings) {
    for (Finding& one : findings) {
      const auto reported = m_stored.find({one.attempt, one.kind, one.subject});
      if (reported == m_stored.end() || !one.first_step || *reported->second.first_step >= *one.first_step) continue;
      const auto evidence_says = one.evidence.find("\"since_first_step\":true") != std::string::npos;
      if (!evidence_says) continue;
      one.first_step = reported->second.first_step, one.start = reported->second.start;
    }
  }

  std::list<Followed> m_followed;  // by attempt number
  ShiftWatch m_shifts;
  NodeNames m_nodes;
  MachineMemory m_machines;
  LinkMemory m_links;
  bool m_remembered = false;
  std::map<std::tuple<AttemptId, std::string, std::string>, Finding> m_stored;
};

}  // namespace

std::unique_ptr<Analysis> makeStepDiagnosis() { return std::make_unique<StepDiagnosis>(); }

}  // namespace runglass
