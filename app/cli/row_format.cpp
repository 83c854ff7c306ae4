// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: columns() is called once, before any row.
#include "app/cli/row_format.h"

#include <algorithm>
#include <cmath>

#include "model/formula_text.h"

namespace runglass::ctl {
namespace {

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

class CsvFormat : public RowFormat {
 public:
  enum class For { kPrograms, kSpreadsheets };
  CsvFormat(Output& out, For whom) : m_out(out), m_whom(whom) {}
  void columns(const std::vector<std::string>& names) override {
    m_line.clear();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i) m_line += ',';
      text(names[i]);
    }
    endLine();
  }
  void row(const std::vector<SqlValue>& row) override {
    m_line.clear();
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i) m_line += ',';
      std::visit(Overload{[](std::monostate) {}, [&](std::int64_t number) { m_line += std::to_string(number); },
                          [&](double number) { appendDouble(m_line, number); }, [&](const std::string& value) { text(value); }},
                 row[i]);
    }
    endLine();
  }
  void end() override {}

 private:
  // An empty text is quoted, to distinguish it from NULL. A row that would be an empty line is quoted too.
  void text(std::string_view value) {
    if (m_whom == For::kSpreadsheets && startsFormula(value)) {
      m_line += "\"'";
      quote(value);
      return;
    }
    if (!value.empty() && value.find_first_of(",\"\r\n") == std::string_view::npos) {
      m_line += value;
      return;
    }
    m_line += '"';
    quote(value);
  }
  // The rest of a quoted text.
  void quote(std::string_view value) {
    for (const char c : value) {
      if (c == '"') m_line += '"';
      m_line += c;
    }
    m_line += '"';
  }
  void endLine() {
    m_line += '\n';
    m_out.write(m_line);
  }
  Output& m_out;
  const For m_whom;
  std::string m_line;
};

class JsonFormat : public RowFormat {
 public:
  explicit JsonFormat(Output& out) : m_out(out) {}
  void columns(const std::vector<std::string>& names) override {
    for (const std::string& name : names) {
      std::string key;
      appendJsonString(key, name);
      m_keys.push_back(key + ":");
    }
    m_out.write("[");
  }
  void row(const std::vector<SqlValue>& row) override {
    std::string line = m_first ? "\n{" : ",\n{";
    m_first = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i) line += ',';
      line += m_keys[i];
      std::visit(Overload{[&](std::monostate) { line += "null"; }, [&](std::int64_t number) { line += std::to_string(number); },
                          [&](double number) { real(line, number); }, [&](const std::string& value) { appendJsonString(line, value); }},
                 row[i]);
    }
    m_out.write(line + "}");
  }
  void end() override { m_out.write("\n]\n"); }

 private:
  static void real(std::string& line, double number) {
    if (std::isfinite(number)) return appendDouble(line, number);
    line += std::isnan(number) ? "\"NaN\"" : number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  }
  Output& m_out;
  std::vector<std::string> m_keys;
  bool m_first = true;
};

class TableFormat : public RowFormat {
 public:
  explicit TableFormat(Output& out) : m_out(out) {}
  void columns(const std::vector<std::string>& names) override { m_held.push_back({names, std::vector<bool>(names.size(), false)}); }
  void row(const std::vector<SqlValue>& row) override {
    Line line;
    for (const SqlValue& value : row) {
      std::string cell;
      std::visit(Overload{[&](std::monostate) { cell = "-"; }, [&](std::int64_t number) { cell = std::to_string(number); },
                          [&](double number) { appendDouble(cell, number); }, [&](const std::string& text) { cell = oneLine(text); }},
                 value);
      line.right.push_back(!std::holds_alternative<std::string>(value));
      line.cells.push_back(std::move(cell));
    }
    if (m_widths.empty() && m_held.size() <= kHeld) {
      m_held.push_back(std::move(line));
      return;
    }
    release();
    print(line);
  }
  void end() override { release(); }

 private:
  static constexpr std::size_t kHeld = 500, kWidest = 60;
  struct Line {
    std::vector<std::string> cells;
    std::vector<bool> right;
  };
  // In code points, which is good enough to align names.
  static std::size_t widthOf(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  }
  void release() {
    if (!m_widths.empty() || m_held.empty()) return;
    m_widths.assign(m_held[0].cells.size(), 0);
    for (const Line& line : m_held)
      for (std::size_t i = 0; i < line.cells.size(); ++i) m_widths[i] = std::max(m_widths[i], std::min(widthOf(line.cells[i]), kWidest));
    for (const Line& line : m_held) print(line);
    m_held.clear();
  }
  void print(const Line& line) {
    std::string text;
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      const std::size_t width = widthOf(line.cells[i]);
      const std::string pad(width < m_widths[i] ? m_widths[i] - width : 0, ' ');
      if (i) text += "  ";
      text += line.right[i] ? pad + line.cells[i] : line.cells[i] + pad;
    }
    while (!text.empty() && text.back() == ' ') text.pop_back();
    m_out.write(text + "\n");
  }
  Output& m_out;
  std::vector<Line> m_held;
  std::vector<std::size_t> m_widths;
};

}  // namespace

std::unique_ptr<RowFormat> makeRowFormat(const std::string& format, Output& out) {
  if (format == "json") return std::make_unique<JsonFormat>(out);
  if (format == "table") return std::make_unique<TableFormat>(out);
  return std::make_unique<CsvFormat>(out, format == "sheet" ? CsvFormat::For::kSpreadsheets : CsvFormat::For::kPrograms);
}

Status printQuery(Reader& reader, const std::string& sql, const std::string& format, Output& out) {
  const auto rows = makeRowFormat(format, out);
  Reader::SqlSink sink;
  sink.columns = [&](const std::vector<std::string>& names) { rows->columns(names); };
  sink.row = [&](const std::vector<SqlValue>& row) {
    rows->row(row);
    return out.ok();
  };
  RG_TRY(reader.query(sql, sink));
  rows->end();
  return {};
}

}  // namespace runglass::ctl
