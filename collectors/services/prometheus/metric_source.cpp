// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/prometheus/metric_source.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "collectors/exposition/exporter_metrics.h"
#include "collectors/text/display_name.h"

namespace runglass {
namespace {

constexpr const char* kHosts = "node_uname_info";
constexpr std::size_t kMaxInstancesPerQuestion = 500;  // a selector of some 16 KiB
constexpr DurNs kShortestPortion = 2 * kNsPerSecond;

std::string instanceOf(const MetricLabels& labels) {
  const auto found = std::ranges::find(labels, "instance", &MetricLabels::value_type::first);
  return found == labels.end() ? std::string() : found->second;
}

}  // namespace

Status checkMatch(const std::string& match) {
  if (match.empty() || (match.size() > 2 && match.starts_with('{') && match.ends_with('}'))) return {};
  return {Code::kInvalidArgument, "match: " + match + ": expected a selector without a metric, such as {cluster=\"a\"}"};
}

MetricSource::MetricSource(QueryClient& client, QueriedSeries& series, std::string match)
    : m_client(client), m_series(series), m_match(match.empty() ? match : match.substr(1, match.size() - 2)) {}

std::string MetricSource::selector(const std::string& metric, const std::vector<std::string>& instances) const {
  std::string matchers = m_match;
  if (!instances.empty()) matchers += (matchers.empty() ? "instance=~" : ",instance=~") + anyOfForQuery(instances);
  return matchers.empty() ? metric : metric + "{" + matchers + "}";
}

Status MetricSource::find(TimeRange range) {
  m_metrics.clear();
  m_nodes.clear();
  m_devices.clear();
  m_hosts_asked.clear();
  RG_ASSIGN(QueryAnswer names, m_client.metricNames(m_match.empty() ? "" : "{" + m_match + "}", range));
  note(names);
  m_others = std::erase_if(names.texts, [](const std::string& name) { return !isClusterMetric(name); });
  if (!m_series.hasTypes()) {
    // A server without metadata has names that show it.
    Result<QueryAnswer> types = m_client.metricTypes();
    if (types.ok()) m_series.learnTypes(std::move(types->types));
    if (types.status().code() == Code::kCancelled) return types.status();
  }
  // The machines behind the addresses come first: one question names nearly all of them.
  std::ranges::stable_partition(names.texts, [](const std::string& name) { return name == kHosts; });
  for (const std::string& name : names.texts) RG_TRY(findOne(name, range));
  return {};
}

Status MetricSource::findOne(const std::string& name, TimeRange range) {
  RG_ASSIGN(const QueryAnswer answer, m_client.series(selector(name, {}), range));
  note(answer);
  m_series.learnHosts(answer.series);
  std::vector<const MetricLabels*> seen;
  for (const MetricLabels& labels : answer.series) seen.push_back(&labels);
  RG_TRY(nameHosts(seen, range));
  Metric metric{.name = name};
  for (const MetricLabels& labels : answer.series) {
    auto place = m_series.placeOf(labels);
    if (!place) {
      metric.whole = false;
      continue;
    }
    ++metric.instances[instanceOf(labels)];
    m_nodes.insert(place->node);
    if (!place->device.empty()) m_devices.emplace(std::move(place->node), std::move(place->device));
  }
  if (!metric.instances.empty()) m_metrics.push_back(std::move(metric));
  return {};
}

// A target's first scrape may arrive at any time: between the question for hosts and the next one, or when a part of its series is
// listed. Its host is there at the latest when its samples are, so that a host is asked for after what it names was seen.
Status MetricSource::nameHosts(const std::vector<const MetricLabels*>& seen, TimeRange range) {
  std::vector<std::string> unnamed;
  for (const MetricLabels* labels : seen)
    if (std::string instance = m_series.unnamedInstance(*labels); !instance.empty() && m_hosts_asked.insert(instance).second)
      unnamed.push_back(std::move(instance));
  for (std::size_t from = 0; from < unnamed.size(); from += kMaxInstancesPerQuestion) {
    const auto begin = unnamed.begin() + static_cast<std::ptrdiff_t>(from);
    const auto count = static_cast<std::ptrdiff_t>(std::min(kMaxInstancesPerQuestion, unnamed.size() - from));
    RG_ASSIGN(const QueryAnswer answer, m_client.series(selector(kHosts, {begin, begin + count}), range));
    note(answer);
    m_series.learnHosts(answer.series);
  }
  return {};
}

void MetricSource::plan(const Metric& metric, TimeRange range, std::vector<Portion>& portions) const {
  const std::int64_t samples = std::max<std::int64_t>(1, (range.t1 - range.t0) / kUsualInterval);
  std::int64_t all = 0, largest = 1;
  for (const auto& [instance, series] : metric.instances) all += series, largest = std::max(largest, series);
  if (metric.whole && all * samples <= kSamplesPerAnswer) {
    portions.push_back({&metric, {}, range});
    return;
  }
  // One address must fit; as many as do are asked for together.
  const std::int64_t samples_at_once = std::clamp<std::int64_t>(kSamplesPerAnswer / largest, 1, samples);
  const DurNs step = samples_at_once == samples ? range.t1 - range.t0 : samples_at_once * kUsualInterval;
  for (TimeNs t0 = range.t0; t0 < range.t1; t0 += step) {
    const TimeRange part{t0, std::min(range.t1, t0 + step)};
    Portion portion{&metric, {}, part};
    std::int64_t series = 0;
    for (const auto& [instance, count] : metric.instances) {
      const bool full = (series + count) * samples_at_once > kSamplesPerAnswer || portion.instances.size() >= kMaxInstancesPerQuestion;
      if (full && !portion.instances.empty()) {
        portions.push_back(std::exchange(portion, Portion{&metric, {}, part}));
        series = 0;
      }
      portion.instances.push_back(instance);
      series += count;
    }
    portions.push_back(std::move(portion));
  }
}

Status MetricSource::read(TimeRange range, const Take& take) {
  m_read = 0;
  m_hosts_asked.clear();
  for (const Metric& metric : m_metrics) {
    std::vector<Portion> portions;
    plan(metric, range, portions);
    for (const Portion& portion : portions) RG_TRY(readPortion(portion, take));
    ++m_read;
  }
  return {};
}

Status MetricSource::readPortion(const Portion& portion, const Take& take) {
  Result<QueryAnswer> answer = m_client.samples(selector(portion.metric->name, portion.instances), portion.range);
  if (answer.ok()) {
    note(*answer);
    std::vector<const MetricLabels*> seen;
    for (const QueriedColumn& column : answer->matrix) seen.push_back(&column.labels);
    RG_TRY(nameHosts(seen, portion.range));
    for (const QueriedColumn& column : answer->matrix) m_series.add(column);
    RG_ASSIGN(ExporterPart part, m_series.take(portion.range));
    std::ranges::move(std::exchange(m_issues, {}), std::back_inserter(part.issues));
    return take(std::move(part));
  }
  if (answer.status().code() != Code::kResourceExhausted) return answer.status();
  Portion first = portion, second = portion;
  const DurNs length = portion.range.t1 - portion.range.t0;
  if (length > kShortestPortion) {
    first.range.t1 = second.range.t0 = portion.range.t0 + length / 2 / kNsPerMs * kNsPerMs;
  } else {
    if (first.instances.empty())
      for (const auto& [instance, series] : portion.metric->instances) first.instances.push_back(instance);
    if (first.instances.size() < 2) return answer.status();
    const auto middle = first.instances.begin() + static_cast<std::ptrdiff_t>(first.instances.size() / 2);
    second.instances.assign(middle, first.instances.end());
    first.instances.erase(middle, first.instances.end());
  }
  RG_TRY(readPortion(first, take));
  return readPortion(second, take);
}

void MetricSource::note(const QueryAnswer& answer) {
  const auto issue = [this](const char* code, std::int64_t count, const std::string& detail) {
    if (count > 0) m_issues.push_back({.code = code, .source = m_client.url(), .count = count, .detail = displayName(detail)});
  };
  issue("prometheus.partial_answer", answer.partial ? 1 : 0, "");
  issue("prometheus.warning", static_cast<std::int64_t>(answer.warnings.size()), answer.warnings.empty() ? "" : answer.warnings.front());
  issue("prometheus.unreadable_sample", answer.unreadable, "");
}

}  // namespace runglass
