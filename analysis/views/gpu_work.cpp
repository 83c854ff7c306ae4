// SPDX-License-Identifier: Apache-2.0
#include "analysis/views/gpu_work.h"

#include <cmath>

namespace runglass {

Result<GpuWork> GpuWorkFeed::read(Reader& reader, AttemptId attempt, const std::vector<Rank>& ranks, const std::stop_token& stop) {
  if (m_table == nullptr || attempt != m_attempt) {
    m_attempt = attempt;
    m_revision.reset();
    // Reading spans would take seconds: for a run that records only spans there is the ranking view.
    m_table = std::make_unique<StepTableFeed>(attempt, StepTableFeed::Options{.steps = kWorkSteps, .spans = false});
  }
  RG_ASSIGN(const StepTableAnswer answer, m_table->read(reader, ranks, stop));
  if (m_revision == m_table->revision()) return m_work;
  const SlowRanks ranked = rankBySlowness(answer.table);
  m_work = GpuWork{.basis = ranked.basis, .steps = ranked.steps.size(), .ranks = {}};
  for (const RankScore& score : ranked.ranks) {
    if (!score.own_ns) continue;
    RankWork& work = m_work.ranks[score.rank];
    work.own_ns = *score.own_ns;
    work.deviation = score.score;
    work.small = std::fabs(score.excess_ns.value_or(0)) < kSlowerByNs;
    m_work.compared = m_work.compared || score.score.has_value();
  }
  m_revision = m_table->revision();
  return m_work;
}

}  // namespace runglass
