// SPDX-License-Identifier: Apache-2.0
#include "analysis/incident/data_quality.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/steps/attempt_steps.h"
#include "analysis/text/record_sql.h"
#include "model/issue_catalog.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxIssues = 50;

bool overlaps(std::optional<TimeNs> first, std::optional<TimeNs> last, TimeRange range) {
  return first && last && *first < range.t1 && *last >= range.t0;
}

class Quality {
 public:
  Quality(Reader& reader, const QualityQuestion& question, std::stop_token stop)
      : m_reader(reader), m_q(question), m_stop(std::move(stop)) {
    if (m_q.attempt != nullptr) {
      const auto ranks = m_q.places.rank_nodes.find(m_q.attempt->id);
      m_out.ranks = m_q.attempt->layout.world;
      if (ranks == m_q.places.rank_nodes.end()) return;
      m_out.ranks = std::max<std::int64_t>(m_out.ranks, static_cast<std::int64_t>(ranks->second.size()));
      for (const auto& [rank, node] : ranks->second)
        if (node) m_nodes.insert(node);
    }
  }

  Result<DataQuality> read() {
    RG_TRY(readSeries());
    RG_TRY(readIssues());
    RG_TRY(readClocks());
    for (const Finding* one : m_q.findings)
      if (one->coverage) m_out.least_coverage = std::min(m_out.least_coverage.value_or(*one->coverage), *one->coverage);
    return std::move(m_out);
  }

 private:
  std::string rangeSql(const char* first, const char* last) const {
    return std::string(first) + " < " + std::to_string(m_q.range->t1) + " AND " + last + " >= " + std::to_string(m_q.range->t0);
  }

  Status readSeries() {
    if (!m_q.range || m_q.attempt == nullptr) {
      m_out.ranks_reported.reason = m_out.series_reported.reason = m_q.range ? "the run has no attempt" : "its time is not recorded";
      return {};
    }
    RG_ASSIGN(const auto all, m_reader.series({}));
    std::set<std::int32_t> ranks;
    std::int64_t reported = 0;
    for (const Series& one : all) {
      if (m_stop.stop_requested()) return {Code::kCancelled, "incident: superseded"};
      const bool of_node = !one.key.attempt && one.key.node && m_nodes.contains(one.key.node);
      if (one.key.attempt != m_q.attempt->id && !of_node) continue;
      ++m_out.series;
      if (!overlaps(one.first_time, one.last_time, *m_q.range)) continue;
      ++reported;
    }
    const AttemptSteps steps = AttemptSteps::among(all, m_q.attempt->id, {StepSeries::kTime});
    for (const Series& one : steps.of(StepSeries::kTime))
      if (overlaps(one.first_time, one.last_time, *m_q.range)) ranks.insert(*one.key.rank);
    m_out.series_reported.value = reported;
    if (m_out.series == 0)
      m_out.series_reported = {.value = {}, .reason = "no series of the attempt or its nodes", .at_least = false, .sql = {}};
    m_out.ranks_reported.sql = "SELECT count(DISTINCT rank) AS ranks FROM step WHERE " + runIs(m_q.run.uuid) +
                               " AND attempt = " + std::to_string(m_q.attempt->number) +
                               " AND start_ns >= " + std::to_string(m_q.range->t0) + " AND start_ns < " + std::to_string(m_q.range->t1);
    if (ranks.empty())
      m_out.ranks_reported.reason = "no rank recorded steps in the window";
    else
      m_out.ranks_reported.value = static_cast<std::int64_t>(ranks.size());
    return {};
  }

  Status readIssues() {
    RG_ASSIGN(const auto issues, m_reader.issues());
    std::map<std::string, QualityIssue> by_code;
    std::int64_t lost = 0;
    for (const Issue& one : issues) {
      // An issue without a time may be in the window.
      if (m_q.range && one.first && !overlaps(one.first, one.last ? one.last : one.first, *m_q.range)) continue;
      const IssueInfo* info = findIssue(one.code);
      QualityIssue& sum = by_code[one.code];
      sum.code = one.code, sum.count += one.count, ++sum.sources;
      if (info != nullptr) sum.severity = info->severity, sum.help = info->help;
      if (sum.severity >= Severity::kError) lost += one.count;
    }
    for (auto& [code, one] : by_code) m_out.issues.push_back(std::move(one));
    std::ranges::stable_sort(m_out.issues, [](const QualityIssue& a, const QualityIssue& b) {
      return std::tuple(-static_cast<int>(a.severity), -a.count) < std::tuple(-static_cast<int>(b.severity), -b.count);
    });
    if (m_out.issues.size() > kMaxIssues) m_out.issues.resize(kMaxIssues);
    m_out.lost.value = lost;
    m_out.lost.sql = "SELECT coalesce(sum(count), 0) AS lost FROM ingest_issue WHERE severity = 'error'";
    if (m_q.range) m_out.lost.sql += " AND (first_ns IS NULL OR " + rangeSql("first_ns", "coalesce(last_ns, first_ns)") + ")";
    return {};
  }

  Status readClocks() {
    if (!m_q.range) {
      m_out.clock_error.reason = "its time is not recorded";
      return {};
    }
    for (const NodeId node : m_nodes) {
      if (m_stop.stop_requested()) return {Code::kCancelled, "incident: superseded"};
      RG_ASSIGN(const auto error, m_reader.clockError(node, m_q.range->t0));
      if (!error) {
        ++m_out.nodes_without_clock;
      } else if (!m_out.clock_error.value || *error > *m_out.clock_error.value) {
        m_out.clock_error.value = error;
        m_out.clock_node = m_q.places.nodeName(node);
      }
    }
    if (!m_out.clock_error.value)
      m_out.clock_error.reason = m_nodes.empty() ? "no rank recorded its node" : "no clock was compared with the hub's";
    else if (m_out.nodes_without_clock > 0)
      m_out.clock_error.at_least = true,
      m_out.clock_error.reason = std::to_string(m_out.nodes_without_clock) + " clocks were never compared with the hub's";
    return {};
  }

  Reader& m_reader;
  const QualityQuestion& m_q;
  std::stop_token m_stop;
  std::set<NodeId> m_nodes;
  DataQuality m_out;
};

}  // namespace

Result<DataQuality> readDataQuality(Reader& reader, const QualityQuestion& question, std::stop_token stop) {
  return Quality(reader, question, std::move(stop)).read();
}

}  // namespace runglass
