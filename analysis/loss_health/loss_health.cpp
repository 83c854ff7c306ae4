// SPDX-License-Identifier: Apache-2.0
#include "analysis/loss_health/loss_health.h"

#include "analysis/loss_health/loss_findings.h"

namespace runglass {
namespace {

class LossHealth : public Analysis {
 public:
  Result<std::vector<Finding>> look(const Question& question) override {
    RG_TRY(m_watch.read(question.reader, question.run, question.now.has_value(), question.stop));
    std::vector<Finding> out;
    for (WatchedAttempt& attempt : m_watch.attempts()) {
      for (LossFinding& reported : lossFindings(attempt)) {
        Finding& finding = reported.finding;
        finding.run = question.run;
        finding.attempt = attempt.attempt.id;
        if (!finding.start) {
          RG_ASSIGN(finding.start, LossWatch::timeOf(question.reader, attempt, reported.start_step, reported.clock));
        }
        if (reported.end_step && !finding.end) {
          RG_ASSIGN(finding.end, LossWatch::timeOf(question.reader, attempt, *reported.end_step, reported.clock));
        }
        out.push_back(std::move(finding));
      }
    }
    return out;
  }

 private:
  LossWatch m_watch;
};

}  // namespace

std::unique_ptr<Analysis> makeLossHealth() { return std::make_unique<LossHealth>(); }

}  // namespace runglass
