// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/alerts/metric_watch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "model/number_text.h"

namespace runglass {
namespace {

// Beyond the threshold; once beyond, until back beyond `clear`.
bool isBad(const MetricCondition& metric, double value, bool was_bad) {
  if (std::isnan(value)) return was_bad;
  if (metric.above) return was_bad && metric.clear ? value > *metric.clear : value > *metric.above;
  return was_bad && metric.clear ? value < *metric.clear : value < *metric.below;
}

}  // namespace

Result<std::vector<Trouble>> MetricWatch::look(Reader& reader, TimeNs now) {
  std::vector<Trouble> all;
  if (std::ranges::none_of(m_options.rules, [](const AlertRule& rule) { return rule.metric.has_value(); })) return all;
  RG_TRY(readOwners(reader));
  for (const AlertRule& rule : m_options.rules)
    if (rule.metric) RG_TRY(lookAt(reader, rule, now, all));
  return all;
}

Status MetricWatch::readOwners(Reader& reader) {
  RG_ASSIGN(const std::vector<Node> nodes, reader.nodes());
  for (const Node& node : nodes) m_nodes[node.id] = node;
  RG_ASSIGN(const std::vector<Device> devices, reader.devices());
  for (const Device& device : devices) m_devices[device.id] = device;
  RG_ASSIGN(const std::vector<Run> runs, reader.runs());
  for (const Run& run : runs) m_runs[run.id] = run;
  return {};
}

// A node after its goodbye and an ended run are silent legitimately; a lost node has an alert of its own.
bool MetricWatch::mayBeSilent(const Series& series) const {
  if (const auto run = m_runs.find(series.run); series.run && run != m_runs.end()) return run->second.state != RunState::kRunning;
  const auto device = m_devices.find(series.key.device);
  const NodeId owner = series.key.node ? series.key.node : device != m_devices.end() ? device->second.node : NodeId();
  const auto node = m_nodes.find(owner);
  return node != m_nodes.end() && node->second.state != NodeState::kAlive && node->second.state != NodeState::kUnknown;
}

Trouble MetricWatch::troubleOf(const AlertRule& rule, const Series& series, TimeNs since) const {
  Trouble trouble{.source = Trouble::Source::kMetric,
                  .rule = rule.name,
                  .cause = "",
                  .kind = rule.metric->metric,
                  .code = "",
                  .severity = rule.at_least,
                  .since = since};
  std::string owner, select;
  const auto device = m_devices.find(series.key.device);
  const NodeId node = series.key.node ? series.key.node : device != m_devices.end() ? device->second.node : NodeId();
  if (const auto found = m_nodes.find(node); found != m_nodes.end()) {
    trouble.who = found->second.name;
    select = "node=" + found->second.name;
    owner = found->second.uuid;
  }
  if (device != m_devices.end()) {
    trouble.who +=
        (trouble.who.empty() ? "" : " ") + device->second.kind + (device->second.index ? " " + std::to_string(*device->second.index) : "");
    owner = device->second.uuid;
  }
  if (const auto run = m_runs.find(series.run); series.run && run != m_runs.end()) {
    trouble.run = series.run, trouble.run_uuid = run->second.uuid, trouble.run_name = run->second.name;
    owner += run->second.uuid;
  }
  if (series.key.rank) {
    trouble.who += (trouble.who.empty() ? "rank " : ", rank ") + std::to_string(*series.key.rank);
    select = "rank=" + std::to_string(*series.key.rank);
    owner += "/rank:" + std::to_string(*series.key.rank);
  }
  trouble.cause = "metric/" + rule.name + '/' + owner + '/' + series.key.source + series.key.labels;
  trouble.link = linkOf(trouble, m_store, series.key.device ? "gpus" : "curves", select);
  return trouble;
}

Status MetricWatch::lookAt(Reader& reader, const AlertRule& rule, TimeNs now, std::vector<Trouble>& out) {
  const MetricCondition& metric = *rule.metric;
  RG_ASSIGN(std::vector<Series> series, reader.series({.metric = metric.metric}));
  if (series.size() > kMaxSeries) series.resize(kMaxSeries);
  std::vector<SeriesId> ids;
  for (const Series& one : series) ids.push_back(one.id);
  RG_ASSIGN(const std::vector<LatestSample> newest, reader.latest(ids));
  std::map<SeriesId, const Series*> by_id;
  for (const Series& one : series) by_id[one.id] = &one;
  for (const LatestSample& sample : newest) {
    const Series& one = *by_id.at(sample.series);
    const std::optional<TimeNs> time = sample.time                           ? sample.time
                                       : one.key.kind == SeriesKind::kScalar ? std::nullopt
                                                                             : std::optional(sample.x);
    if (!time) continue;  // without a clock its age is unknown
    const DurNs age = now - *time;
    State& state = m_states[{rule.name, one.id}];
    bool bad = state.bad;
    if (metric.absent) {
      if (age >= kForgotten || mayBeSilent(one)) continue;
      bad = age >= rule.hold;
    } else if (age <= kFresh) {
      bad = isBad(metric, sample.value, state.bad);
    } else if (age >= kForgotten) {
      bad = false;
    }
    if (!bad && !state.bad) continue;
    if (bad && !state.bad) state.since = *time;
    Trouble trouble = troubleOf(rule, one, state.since);
    if (!bad) trouble.end = std::max(*time, state.since);
    trouble.summary = metric.metric + (metric.absent ? " is missing" : " is " + formulaNumber(sample.value)) +
                      (trouble.who.empty() ? "" : " on " + trouble.who);
    if (!metric.absent)
      trouble.summary += metric.above ? ", above " + formulaNumber(*metric.above) : ", below " + formulaNumber(*metric.below);
    state.bad = bad;
    out.push_back(std::move(trouble));
  }
  return {};
}

}  // namespace runglass
