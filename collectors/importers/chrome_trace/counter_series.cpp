// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/chrome_trace/counter_series.h"

#include <nlohmann/json.hpp>

#include "collectors/importers/chrome_trace/event_slicer.h"
#include "collectors/importers/input/run_name.h"
#include "model/metric_catalog.h"

namespace runglass {

std::int64_t CounterSeries::put(AttemptId attempt, std::optional<std::int32_t> rank, const std::string& process, const TraceEvent& event) {
  simdjson::ondemand::document document;
  simdjson::ondemand::object object;
  if (!event.ts || event.args.empty() ||
      m_parser.iterate(simdjson::padded_string_view(event.args.data(), event.args.size(), event.args.size() + EventSlicer::kPadding))
              .get(document) != simdjson::SUCCESS ||
      document.get_object().get(object) != simdjson::SUCCESS)
    return 1;
  const std::string metric = displayName(event.name);
  std::int64_t left_out = 0;
  for (auto field : object) {
    std::string_view key;
    simdjson::ondemand::value v;
    double number = 0;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS || field.value().get(v) != simdjson::SUCCESS) return left_out + 1;
    if (v.get_double().get(number) != simdjson::SUCCESS && v.get_double_in_string().get(number) != simdjson::SUCCESS) {
      ++left_out;
      continue;
    }
    const nlohmann::json labels = {{"process", process}, {"series", displayName(key)}};
    const SeriesId series = seriesOf({.attempt = attempt,
                                      .rank = rank,
                                      .metric = metric.empty() ? "counter" : metric,
                                      .labels = labels.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                                      .unit = std::string(unitOfMetric(metric))});
    if (series)
      m_out.sample(series, *event.ts, number);
    else
      ++left_out;
  }
  return left_out;
}

SeriesId CounterSeries::seriesOf(const SeriesKey& key) {
  std::string text = key.rank ? std::to_string(*key.rank) : std::string();
  text.append(1, '\n').append(key.metric).append(1, '\n').append(key.labels);
  if (const auto known = m_series.find(text); known != m_series.end()) return known->second;
  if (m_series.size() >= kMaxSeries) return {};
  const SeriesId id = m_out.series(key);
  m_series.emplace(std::move(text), id);
  return id;
}

}  // namespace runglass
