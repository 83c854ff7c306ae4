// SPDX-License-Identifier: Apache-2.0
// The schema is in docs/guide/reports.md.
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/report/report_writers.h"
#include "analysis/text/markdown_text.h"

namespace runglass::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

Json orNull(const std::string& text) { return text.empty() ? Json() : Json(visibleText(text, LineBreaks::kKept)); }
Json orNull(std::optional<TimeNs> time) { return time ? Json(*time) : Json(); }
Json text(const std::string& text) { return visibleText(text, LineBreaks::kKept); }
// JSON has no NaN; the console's SQL writes them as texts too.
Json number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return value;
}
Json sqlRef(SqlRef ref) { return ref == 0 ? Json() : Json(ref); }

class BlockJson {
 public:
  explicit BlockJson(const Pictures& pictures) : m_pictures(pictures) {}

  Json operator()(const Paragraph& one) { return {{"type", "paragraph"}, {"text", text(one.text)}, {"muted", one.muted}}; }
  Json operator()(const BulletList& one) {
    Json items = Json::array();
    for (const std::string& item : one.items) items.push_back(text(item));
    return {{"type", "list"}, {"items", std::move(items)}};
  }
  Json operator()(const KeyFigures& one) {
    Json figures = Json::array();
    for (const KeyFigure& figure : one.figures)
      figures.push_back({{"name", text(figure.name)},
                         {"value", figure.value ? number(*figure.value) : Json()},
                         {"unit", orNull(figure.unit)},
                         {"text", orNull(figure.text)},
                         {"at_least", figure.at_least},
                         {"reason", orNull(figure.reason)},
                         {"query", sqlRef(figure.sql)}});
    return {{"type", "key_figures"}, {"figures", std::move(figures)}};
  }
  Json operator()(const Table& one) {
    Json columns = Json::array(), rows = Json::array();
    for (const Column& column : one.columns) columns.push_back({{"key", column.key}, {"name", column.name}});
    for (const auto& row : one.rows) {
      Json cells = Json::array();
      for (const Cell& cell : row) cells.push_back(std::visit([](const auto& value) { return valueOf(value); }, cell.value));
      rows.push_back(std::move(cells));
    }
    return {{"type", "table"},
            {"name", one.name},
            {"caption", text(one.caption)},
            {"columns", std::move(columns)},
            {"rows", std::move(rows)},
            {"left_out", orNull(one.left_out)}};
  }
  Json operator()(const FigureReference& one) {
    Json json = {{"type", "figure"},
                 {"kind", text(one.card.kind)},
                 {"title", orNull(one.card.title)},
                 {"caption", orNull(one.card.caption)},
                 {"start_ns", orNull(one.card.range ? std::optional(one.card.range->t0) : std::nullopt)},
                 {"end_ns", orNull(one.card.range ? std::optional(one.card.range->t1) : std::nullopt)},
                 {"select", orNull(one.card.select)},
                 {"link", orNull(one.link)}};
    if (m_figure < m_pictures.figures.size()) {
      const Picture& picture = m_pictures.figures[m_figure];
      json["title"] = orNull(picture.title), json["caption"] = orNull(picture.caption), json["says"] = orNull(picture.says);
      json["coverage"] = orNull(picture.coverage), json["reason"] = orNull(picture.reason), json["query"] = sqlRef(picture.sql);
    }
    ++m_figure;
    return json;
  }
  Json operator()(const BarChart& one) {
    Json parts = Json::array(), labels = Json::array();
    for (const std::string& label : one.labels) labels.push_back(text(label));
    for (const BarChart::Part& part : one.parts) {
      Json values = Json::array();
      for (const auto& value : part.values) values.push_back(value ? number(*value) : Json());
      parts.push_back({{"name", text(part.name)}, {"values", std::move(values)}});
    }
    return {{"type", "chart"},
            {"caption", text(one.caption)},
            {"unit", orNull(one.unit)},
            {"labels", std::move(labels)},
            {"parts", std::move(parts)}};
  }
  Json operator()(const LogExcerpt& one) {
    Json lines = Json::array();
    for (const LogExcerpt::Line& line : one.lines)
      lines.push_back({{"time_ns", orNull(line.time)},
                       {"who", orNull(line.who)},
                       {"severity", severityName(line.severity)},
                       {"text", text(line.text)}});
    return {{"type", "log"}, {"caption", text(one.caption)}, {"lines", std::move(lines)}, {"left_out", orNull(one.left_out)}};
  }
  Json operator()(const WrittenNote& one) { return {{"type", "note"}, {"author", orNull(one.author)}, {"text", text(one.text)}}; }
  Json operator()(const Link& one) { return {{"type", "link"}, {"text", text(one.text)}, {"target", text(one.target)}}; }

 private:
  static Json valueOf(std::monostate) { return {}; }
  static Json valueOf(std::int64_t value) { return value; }
  static Json valueOf(double value) { return number(value); }
  static Json valueOf(const std::string& value) { return text(value); }

  const Pictures& m_pictures;
  std::size_t m_figure = 0;
};

Json provenanceJson(const Provenance& one) {
  Json options = Json::array(), redactions = Json::array();
  for (const std::string& option : one.options) options.push_back(text(option));
  for (const Redacted& what : one.redactions) redactions.push_back({{"what", what.what}, {"count", what.count}});
  return {{"program", text(one.program)},
          {"made_ns", orNull(one.made)},
          {"store_uuid", text(one.store_uuid)},
          {"schema_version", one.schema_version},
          {"run", text(one.run)},
          {"run_uuid", text(one.run_uuid)},
          {"start_ns", orNull(one.range ? std::optional(one.range->t0) : std::nullopt)},
          {"end_ns", one.range && one.range->t1 != INT64_MAX ? Json(one.range->t1) : Json()},
          {"options", std::move(options)},
          {"redactions", std::move(redactions)}};
}

}  // namespace

std::string reportJson(const ReportDocument& document, const Pictures& pictures) {
  BlockJson writer(pictures);
  Json sections = Json::array(), queries = Json::array(), computed = Json::array();
  for (const Section& section : document.sections) {
    Json blocks = Json::array();
    for (const Block& block : section.blocks) blocks.push_back(std::visit(writer, block));
    sections.push_back({{"title", text(section.title)}, {"link", orNull(section.link)}, {"blocks", std::move(blocks)}});
  }
  for (const Query& query : document.queries) queries.push_back({{"what", text(query.what)}, {"sql", text(query.sql)}});
  for (const Computed& one : document.computed) computed.push_back({{"what", text(one.what)}, {"how", text(one.how)}});
  const Json json = {{"format", kFormat},
                     {"kind", document.kind},
                     {"title", text(document.title)},
                     {"link", orNull(document.link)},
                     {"summary", text(document.summary)},
                     {"summary_edited", document.summary_edited},
                     {"provenance", provenanceJson(document.provenance)},
                     {"sections", std::move(sections)},
                     {"queries", std::move(queries)},
                     {"computed", std::move(computed)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace runglass::report
