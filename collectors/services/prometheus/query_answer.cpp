// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/prometheus/query_answer.h"

#include <simdjson.h>

#include <string_view>

#include "collectors/exposition/exposition_parser.h"
#include "collectors/text/wall_time.h"

namespace runglass {
namespace {

namespace json = simdjson::ondemand;

std::string text(json::value value) { return std::string(std::string_view(value.get_string())); }

MetricLabels labels(json::value value) {
  MetricLabels all;
  for (json::field field : value.get_object()) {
    std::string name(std::string_view(field.unescaped_key()));
    all.emplace_back(std::move(name), text(field.value()));
  }
  return all;
}

// [[1700000000.123, "1.5"], ...]
void samples(json::value value, QueriedColumn& to, QueryAnswer& out) {
  for (json::array pair : value.get_array()) {
    std::optional<TimeNs> time;
    std::optional<double> number;
    std::size_t at = 0;
    for (json::value part : pair) {
      if (at == 0) {
        std::string_view digits = part.raw_json_token();
        while (!digits.empty() && digits.back() <= ' ') digits.remove_suffix(1);
        time = parseEpoch(digits, kNsPerSecond);
      } else if (at == 1) {
        number = exposedNumber(std::string_view(part.get_string()));
      }
      ++at;
    }
    if (!time || !number) {
      ++out.unreadable;
      continue;
    }
    to.time.push_back(*time);
    to.value.push_back(*number);
  }
}

// Several results are columns of one matrix. Native histograms, which come as "histograms", are left out.
void matrix(json::value data, QueryAnswer& out) {
  for (json::field field : data.get_object()) {
    if (std::string_view(field.unescaped_key()) != "result") continue;
    for (json::object one : field.value().get_array()) {
      QueriedColumn column;
      for (json::field part : one) {
        const std::string_view key = part.unescaped_key();
        if (key == "metric") column.labels = labels(part.value());
        if (key == "values") samples(part.value(), column, out);
      }
      out.matrix.push_back(std::move(column));
    }
  }
}

// {"node_load1": [{"type": "gauge", "help": ..., "unit": ...}], ...}
void metadata(json::value data, QueryAnswer& out) {
  for (json::field field : data.get_object()) {
    std::string name(std::string_view(field.unescaped_key()));
    std::string type;
    for (json::object one : field.value().get_array())
      for (json::field part : one)
        if (std::string_view(part.unescaped_key()) == "type") type = text(part.value());
    out.types.emplace_back(std::move(name), std::move(type));
  }
}

void data(QueryKind kind, json::value value, QueryAnswer& out) {
  switch (kind) {
    case QueryKind::kSamples:
      return matrix(value, out);
    case QueryKind::kSeries:
      for (json::value one : value.get_array()) out.series.push_back(labels(one));
      return;
    case QueryKind::kLabelValues:
      for (json::value one : value.get_array()) out.texts.push_back(text(one));
      return;
    case QueryKind::kMetadata:
      return metadata(value, out);
  }
}

}  // namespace

Result<QueryAnswer> parseQueryAnswer(QueryKind kind, std::string& body) {
  QueryAnswer out;
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  try {
    json::parser parser;
    json::document document = parser.iterate(body.data(), body.size(), body.capacity());
    bool success = false;
    for (json::field field : document.get_object()) {
      const std::string_view key = field.unescaped_key();
      if (key == "status")
        success = std::string_view(field.value().get_string()) == "success";
      else if (key == "error")
        out.error = text(field.value());
      else if (key == "errorType")
        out.error_type = text(field.value());
      else if (key == "isPartial")
        out.partial = field.value().get_bool();
      else if (key == "warnings" && !field.value().is_null())
        for (json::value one : field.value().get_array()) out.warnings.push_back(text(one));
      else if (key == "data" && !field.value().is_null())
        data(kind, field.value(), out);
    }
    if (!success && out.error_type.empty()) return Status(Code::kDataLoss, "the answer has no status");
  } catch (const simdjson::simdjson_error& error) {
    return Status(Code::kDataLoss, std::string("the answer is not JSON of the query API: ") + error.what());
  }
  return out;
}

}  // namespace runglass
