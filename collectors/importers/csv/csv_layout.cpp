// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/csv/csv_layout.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include <re2/re2.h>
#include <toml++/toml.h>

#include "model/result.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxLayouts = 256, kMaxColumns = 1'024;
constexpr std::array<std::pair<std::string_view, CsvLayout::TimeFormat>, 5> kFormats = {{{"s", CsvLayout::TimeFormat::kSeconds},
                                                                                         {"ms", CsvLayout::TimeFormat::kMilliseconds},
                                                                                         {"us", CsvLayout::TimeFormat::kMicroseconds},
                                                                                         {"ns", CsvLayout::TimeFormat::kNanoseconds},
                                                                                         {"wall", CsvLayout::TimeFormat::kWall}}};

Status wrongAt(const toml::node& where, const std::string& name, const std::string& why) {
  return {Code::kInvalidArgument, name + ": line " + std::to_string(where.source().begin.line) + ": " + why};
}

// Reads fields of one table; keeps the first error.
class Fields {
 public:
  // `name`: of the file with the table.
  Fields(const toml::table& table, std::string name, std::initializer_list<std::string_view> known)
      : m_table(table), m_name(std::move(name)), m_line(table.source().begin.line) {
    for (const auto& [key, value] : table) {
      m_line = value.source().begin.line;
      if (std::ranges::find(known, key.str()) == known.end()) fail("unknown field " + std::string(key.str()));
    }
    m_line = table.source().begin.line;
  }
  void text(std::string_view key, std::string& out) {
    const toml::node* const node = get(key);
    if (node == nullptr) return;
    if (const auto value = node->value_exact<std::string>())
      out = *value;
    else
      fail(std::string(key) + " is no text");
  }
  void flag(std::string_view key, bool& out) {
    const toml::node* const node = get(key);
    if (node == nullptr) return;
    if (const auto value = node->value_exact<bool>())
      out = *value;
    else
      fail(std::string(key) + " is neither true nor false");
  }
  void texts(std::string_view key, std::vector<std::string>& out) {
    const toml::node* const node = get(key);
    if (node == nullptr) return;
    const toml::array* const array = node->as_array();
    if (array == nullptr) return fail(std::string(key) + " is no list");
    for (const toml::node& item : *array) {
      if (const auto value = item.value_exact<std::string>())
        out.push_back(*value);
      else
        fail(std::string(key) + " holds something that is no text");
    }
  }
  void fail(const std::string& why) {
    if (m_status.ok()) m_status = Status(Code::kInvalidArgument, m_name + ": line " + std::to_string(m_line) + ": " + why);
  }
  // For an error of the table as a whole, not of one line.
  void failWhole(const std::string& why) {
    m_line = m_table.source().begin.line;
    fail(why);
  }
  // A following error refers to this field's line.
  const toml::node* get(std::string_view key) {
    const toml::node* const node = m_table.get(key);
    m_line = (node != nullptr ? node->source() : m_table.source()).begin.line;
    return node;
  }
  const Status& status() const { return m_status; }

 private:
  const toml::table& m_table;
  std::string m_name;
  toml::source_index m_line;
  Status m_status;
};

Status readTime(Fields& in, CsvLayout& layout) {
  std::string format;
  in.text("time", layout.time);
  in.text("time_format", format);
  const auto it = std::ranges::find(kFormats, format, &std::pair<std::string_view, CsvLayout::TimeFormat>::first);
  if (it != kFormats.end())
    layout.time_format = it->second;
  else if (!format.empty() || !layout.time.empty())
    in.fail("time_format is s, ms, us, ns (since 1970) or wall");
  if (const toml::node* const zone = in.get("zone_minutes")) {
    const auto minutes = zone->value_exact<std::int64_t>();
    if (!minutes || *minutes < -1'080 || *minutes > 1'080) in.fail("zone_minutes is no number between -1080 and 1080");
    layout.zone_minutes = static_cast<int>(minutes.value_or(0));
    layout.has_zone = true;
  }
  return in.status();
}

Result<CsvColumn> readColumn(const toml::table& table, const std::string& name) {
  CsvColumn column;
  std::string unit;
  Fields in(table, name, {"name", "match", "metric", "unit", "device_kind", "counter"});
  in.text("name", column.name);
  in.text("match", column.match);
  in.text("metric", column.metric);
  in.text("unit", unit);
  in.text("device_kind", column.device_kind);
  in.flag("counter", column.counter);
  if (column.name.empty() == column.match.empty()) in.failWhole("a column has either name or match");
  if (!unit.empty() && (column.unit = findUnit(unit)) == nullptr) in.fail("unknown unit " + unit);
  if (!column.match.empty()) {
    const RE2 regex(column.match, RE2::Quiet);
    if (!regex.ok() || regex.NumberOfCapturingGroups() > 1) in.fail("match is no regular expression with at most one group");
    if (!column.device_kind.empty() && regex.ok() && regex.NumberOfCapturingGroups() != 1)
      in.fail("match has no group for the device's index");
  }
  if (!in.status().ok()) return in.status();
  return column;
}

Result<CsvLayout> readLayout(const toml::table& table, const std::string& name) {
  CsvLayout layout;
  std::string separator = ",";
  Fields in(table, name,
            {"name", "kind", "require", "separator", "time", "time_format", "zone_minutes", "device_kind", "index", "uuid", "model", "host",
             "labels", "phase", "column", "event"});
  in.text("name", layout.name);
  in.text("kind", layout.kind);
  in.texts("require", layout.require);
  in.text("separator", separator);
  in.text("device_kind", layout.device_kind);
  in.text("index", layout.index);
  in.text("uuid", layout.uuid);
  in.text("model", layout.model);
  in.text("host", layout.host);
  in.texts("labels", layout.labels);
  in.text("phase", layout.phase);
  if (separator.size() != 1 || separator == "\"" || separator == "\n" || separator == "\r") in.fail("separator is not one character");
  layout.separator = separator.empty() ? ',' : separator.front();
  RG_TRY(readTime(in, layout));
  const auto each = [&](std::string_view key, const auto& read) -> Status {
    const toml::node* const node = table.get(key);
    if (node == nullptr) return {};
    const toml::array* const array = node->as_array();
    if (array == nullptr || array->size() > kMaxColumns) return wrongAt(*node, name, std::string(key) + " is no list");
    for (const toml::node& item : *array) {
      const toml::table* const entry = item.as_table();
      if (entry == nullptr) return wrongAt(item, name, std::string(key) + " is no list of tables");
      RG_TRY(read(*entry));
    }
    return {};
  };
  RG_TRY(each("column", [&](const toml::table& entry) -> Status {
    RG_ASSIGN(CsvColumn column, readColumn(entry, name));
    layout.columns.push_back(std::move(column));
    return {};
  }));
  RG_TRY(each("event", [&](const toml::table& entry) -> Status {
    CsvEvent event;
    Fields fields(entry, name, {"time", "kind", "code", "message"});
    fields.text("time", event.time);
    fields.text("kind", event.kind);
    fields.text("code", event.code);
    fields.text("message", event.message);
    if (event.time.empty() || event.kind.empty()) fields.failWhole("an event has time and kind");
    layout.events.push_back(std::move(event));
    return fields.status();
  }));
  if (layout.columns.empty() && layout.events.empty()) in.failWhole("neither column nor event");
  if (layout.time_format == CsvLayout::TimeFormat::kNone) in.failWhole("no time_format");
  if (!layout.columns.empty() && layout.time.empty()) in.failWhole("columns need a time");
  if (!in.status().ok()) return in.status();
  return layout;
}

}  // namespace

Result<CsvLayouts> loadLayouts(const std::string& name, std::string_view toml) {
  const auto parsed = [&]() -> Result<toml::table> {
    try {
      return toml::parse(toml, name);
    } catch (const toml::parse_error& error) {
      return Status(Code::kInvalidArgument,
                    name + ": line " + std::to_string(error.source().begin.line) + ": " + std::string(error.description()));
    }
  }();
  if (!parsed.ok()) return parsed.status();
  for (const auto& [key, value] : *parsed)
    if (key.str() != "layout") return wrongAt(value, name, "unknown field " + std::string(key.str()));
  const toml::array* const array = parsed->get("layout") != nullptr ? parsed->get("layout")->as_array() : nullptr;
  if (array == nullptr || array->empty() || array->size() > kMaxLayouts) return Status(Code::kInvalidArgument, name + ": no [[layout]]");
  CsvLayouts layouts;
  for (const toml::node& item : *array) {
    const toml::table* const table = item.as_table();
    if (table == nullptr) return wrongAt(item, name, "a layout is no table");
    RG_ASSIGN(CsvLayout layout, readLayout(*table, name));
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

std::shared_ptr<const CsvLayouts> builtinLayouts() {
  static const auto kLayouts = [] {
    auto all = std::make_shared<CsvLayouts>();
    for (const LayoutText& text : builtinLayoutTexts()) {
      auto loaded = loadLayouts(text.name, text.toml);
      RG_CHECK(loaded.ok());
      for (CsvLayout& layout : *loaded) all->push_back(std::move(layout));
    }
    return std::shared_ptr<const CsvLayouts>(all);
  }();
  return kLayouts;
}

}  // namespace runglass
