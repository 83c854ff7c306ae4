// SPDX-License-Identifier: Apache-2.0
// MetricSource: the metrics of GPUs, hosts, network ports and collectives that a Prometheus has, read in bounded portions.
//
// Threading:  one thread.
// Ownership:  borrows the client and the series.
// Units:      TimeNs.
// Errors:     the client's; a portion that is too large for the server or for us is asked for in halves. Answers that the server marks as
//             partial, and its warnings, become issues.
// Cost:       per metric one question for its label sets, then one per about kSamplesPerAnswer samples; per listing and per reading one for
//             the hosts of addresses without a name.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "collectors/services/prometheus/queried_series.h"
#include "collectors/services/prometheus/query_client.h"

namespace runglass {

class MetricSource {
 public:
  static constexpr std::int64_t kSamplesPerAnswer = 400'000;
  static constexpr DurNs kUsualInterval = 15 * kNsPerSecond;
  using Take = std::function<Status(ExporterPart)>;

  // `match`: a selector without a metric that limits everything, such as {cluster="a"}; "": none.
  MetricSource(QueryClient& client, QueriedSeries& series, std::string match);

  // Finds the metrics and addresses that have samples in the range; replaces what was found before.
  Status find(TimeRange range);
  // Samples of the metrics found, in the range. Of each series the parts are in order of time.
  Status read(TimeRange range, const Take& take);

  std::size_t metrics() const { return m_metrics.size(); }
  std::size_t metricsRead() const { return m_read; }  // by the current read()
  // By the last find().
  struct Extent {
    std::size_t metrics = 0, other_metrics = 0, nodes = 0, devices = 0;  // other: not of GPUs, hosts, ports or collectives
  };
  Extent extent() const { return {m_metrics.size(), m_others, m_nodes.size(), m_devices.size()}; }

 private:
  struct Metric {
    std::string name;
    std::map<std::string, std::int64_t> instances;  // with series each
    bool whole = true;                              // no series of it is unwanted
  };
  struct Portion {
    const Metric* metric;
    std::vector<std::string> instances;  // empty: all
    TimeRange range;
  };

  Status findOne(const std::string& name, TimeRange range);
  // Asks for the hosts of those instances of the label sets whose name is not known, once per find() and once per read().
  Status nameHosts(const std::vector<const MetricLabels*>& seen, TimeRange range);
  void plan(const Metric& metric, TimeRange range, std::vector<Portion>& portions) const;
  Status readPortion(const Portion& portion, const Take& take);
  std::string selector(const std::string& metric, const std::vector<std::string>& instances) const;
  void note(const QueryAnswer& answer);

  QueryClient& m_client;
  QueriedSeries& m_series;
  const std::string m_match;  // the matchers without braces
  std::vector<Metric> m_metrics;
  std::size_t m_read = 0, m_others = 0;
  std::set<std::string> m_nodes;
  std::set<std::pair<std::string, std::string>> m_devices;  // with their nodes
  std::set<std::string> m_hosts_asked;                      // instances, by the current find() or read()
  std::vector<Issue> m_issues;
};

// Whether the text has the form {label="value", ...}.
Status checkMatch(const std::string& match);

}  // namespace runglass
