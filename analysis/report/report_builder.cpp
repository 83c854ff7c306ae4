// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/report_builder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "model/number_text.h"
#include "model/place_link.h"
#include "model/time_text.h"

namespace runglass::report {
namespace {

constexpr double kSameRatio = 1e-9, kSameAbsolute = 16;  // tolerance for sums computed in another order

template <class Block_>
std::vector<const Block_*> blocksOf(const ReportDocument& document) {
  std::vector<const Block_*> all;
  for (const Section& section : document.sections)
    for (const Block& block : section.blocks)
      if (const auto* one = std::get_if<Block_>(&block)) all.push_back(one);
  return all;
}

}  // namespace

std::vector<const FigureReference*> figuresOf(const ReportDocument& document) { return blocksOf<FigureReference>(document); }
std::vector<const BarChart*> chartsOf(const ReportDocument& document) { return blocksOf<BarChart>(document); }
std::vector<const Table*> tablesOf(const ReportDocument& document) { return blocksOf<Table>(document); }

std::string redactionText(const Provenance& provenance) {
  if (provenance.redactions.empty()) return "nothing";
  std::string found, none;
  for (const Redacted& one : provenance.redactions) {
    std::string& text = one.count > 0 ? found : none;
    text += text.empty() ? "" : ", ";
    if (one.count > 0) text += countText(static_cast<std::int64_t>(one.count)) + " ";
    text += one.what;
  }
  if (none.empty()) return found;
  return found + (found.empty() ? "" : "; ") + "looked for and not found: " + none;
}

std::string replacedSqlText(const Provenance& provenance) {
  return provenance.redactions.empty() ? "" : "Names are replaced here too: put the real ones into quoted texts.";
}

std::string countText(std::int64_t count) { return runglass::countText(count, kTypeset); }
std::string shortCountText(double count) { return runglass::shortCountText(count, kTypeset); }

std::string upperFirst(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

Cell textCell(std::string text) {
  if (text.empty()) return {.value = {}, .text = std::string(kAbsent)};
  return {.value = text, .text = text};
}
Cell countCell(std::optional<std::int64_t> value) {
  if (!value) return textCell({});
  return {.value = *value, .text = countText(*value)};
}
Cell durationCell(std::optional<DurNs> value) {
  if (!value) return textCell({});
  return {.value = *value, .text = shortDurationText(*value)};
}
Cell ratioCell(std::optional<double> value) {
  if (!value) return textCell({});
  std::string text = percentText(*value);
  if (text == "-0.0 %") text = "0.0 %";
  return {.value = *value, .text = std::move(text)};
}
Cell numberCell(std::optional<double> value) {
  if (!value) return textCell({});
  return {.value = *value, .text = numberText(*value)};
}

SqlRef Builder::query(std::string_view what, const std::string& sql) {
  if (sql.empty()) return 0;
  const auto known = std::ranges::find(m_out.queries, sql, &Query::sql);
  if (known != m_out.queries.end()) return static_cast<SqlRef>(known - m_out.queries.begin()) + 1;
  m_out.queries.push_back({std::string(what), sql});
  return m_out.queries.size();
}

std::optional<double> Builder::answerOf(const std::string& sql) const {
  std::optional<double> answer;
  const auto first = [&](const std::vector<SqlValue>& row) {
    if (row.empty()) return false;
    if (const auto* whole = std::get_if<std::int64_t>(&row.front())) answer = static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&row.front())) answer = *real;
    return false;
  };
  if (!m_reader.query(sql, {.columns = {}, .row = first}, m_stop).ok()) return std::nullopt;
  return answer;
}

SqlRef Builder::query(const std::string& what, const std::string& sql, std::optional<double> value, std::string_view how) {
  if (!value) return 0;
  if (!sql.empty()) {
    // Sums are rounded to whole nanoseconds, each item separately.
    const std::optional<double> answer = answerOf(sql);
    if (answer && std::fabs(*answer - *value) <= std::max(kSameRatio * std::fabs(*value), kSameAbsolute * (std::fabs(*value) > 1e6)))
      return query(what, sql);
  }
  const auto known = std::ranges::find_if(m_out.computed, [&](const Computed& one) { return one.what == what && one.how == how; });
  if (known == m_out.computed.end() && !how.empty()) m_out.computed.push_back({what, std::string(how)});
  return 0;
}

std::string linkInto(const Provenance& provenance, std::string_view view, std::optional<TimeRange> range, std::string_view select) {
  PlaceLink place;
  place.store_uuid = provenance.store_uuid, place.run_uuid = provenance.run_uuid, place.view = view;
  if (range && range->t0 != TimeRange{}.t0) place.t0 = range->t0;
  if (range && range->t1 != TimeRange{}.t1) place.t1 = range->t1;
  while (!select.empty()) {
    const std::string_view part = select.substr(0, select.find(','));
    select.remove_prefix(std::min(select.size(), part.size() + 1));
    const std::string_view key = part.substr(0, part.find('='));
    if (key == "rank" || key == "step" || key == "attempt" || key == "incident" || (key == "node" && !provenance.pseudonyms))
      place.select += (place.select.empty() ? "" : ",") + std::string(part);
  }
  return linkText(place);
}

std::string Builder::link(std::string_view view, std::optional<TimeRange> range, std::string_view select) const {
  return linkInto(m_out.provenance, view, range, select);
}

std::string Builder::timeText(TimeNs time) const {
  if (m_run.time_domain.value_or(TimeDomain::kUtc) == TimeDomain::kUtc) return utcText(time);
  return (time < 0 ? "−" : "+") + shortDurationText(time < 0 ? (time == INT64_MIN ? INT64_MAX : -time) : time);
}

Cell Builder::timeCell(std::optional<TimeNs> time) const {
  if (!time) return textCell({});
  return {.value = *time, .text = timeText(*time)};
}

std::string Builder::nodeText(NodeId node) const { return node ? m_places.nodeName(node) : std::string(); }

}  // namespace runglass::report
