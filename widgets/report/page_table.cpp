// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/report/page_table.h"

#include <algorithm>
#include <numeric>

#include "widgets/report/page_text.h"

namespace runglass {
namespace {

constexpr double kGap = 8, kRowPad = 2.5, kHair = 0.75;
constexpr double kLongestWord = 110;   // longer words are broken
constexpr double kWidestColumn = 420;  // maximum preferred width of a column that wraps
constexpr std::size_t kMeasuredRows = 400;

// As many lines of each cell as fit into the height; the rest of the row continues below.
struct Row {
  std::vector<TextLines> cells;
  std::vector<double> x;
  QColor line;
  double width = 0;
};

Piece rowPiece(const std::shared_ptr<const Row>& row, int first, int end, bool ruled) {
  double height = 0;
  for (const TextLines& cell : row->cells)
    height = std::max(height, cell.height(std::min(first, cell.count()), std::min(end, cell.count())));
  Piece piece{.height = height + 2 * kRowPad, .before = 0, .keep_with_next = false, .paint = {}, .head = nullptr};
  piece.paint = [row, first, end, ruled, height](QPainter& painter, QPointF at) {
    for (std::size_t i = 0; i < row->cells.size(); ++i)
      row->cells[i].paint(painter, at + QPointF(row->x[i], kRowPad), std::min(first, row->cells[i].count()),
                          std::min(end, row->cells[i].count()));
    if (!ruled) return;
    painter.setPen(QPen(row->line, kHair));
    const double y = at.y() + height + 2 * kRowPad - kHair / 2;
    painter.drawLine(QPointF(at.x(), y), QPointF(at.x() + row->width, y));
  };
  return piece;
}

}  // namespace

std::vector<double> columnWidths(const report::Table& table, double width) {
  const QFont font = pageFont(PageFont::kTable), head = pageFont(PageFont::kTableHead);
  const std::size_t count = table.columns.size();
  std::vector<double> least(count), wanted(count);
  for (std::size_t i = 0; i < count; ++i) {
    const QString name = paperText(table.columns[i].name);
    least[i] = std::min(wordWidth(name, head), kLongestWord), wanted[i] = textWidth(name, head);
    for (std::size_t row = 0; row < std::min(table.rows.size(), kMeasuredRows); ++row) {
      if (i >= table.rows[row].size()) continue;
      const QString text = paperText(table.rows[row][i].text);
      wanted[i] = std::max(wanted[i], textWidth(text, font));
      // Numbers and times are not broken.
      const bool whole = table.columns[i].numeric || table.columns[i].key.ends_with("_ns");
      least[i] = std::max(least[i], whole ? textWidth(text, font) : std::min(wordWidth(text, font), kLongestWord));
    }
    wanted[i] = std::clamp(wanted[i], least[i], std::max(least[i], kWidestColumn));
    least[i] += kGap + 1, wanted[i] += kGap + 1;
  }
  const auto sum = [](const std::vector<double>& all) { return std::accumulate(all.begin(), all.end(), 0.0); };
  const double all_least = sum(least), all_wanted = sum(wanted);
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (all_least >= width)
      out[i] = least[i] * width / all_least;
    else if (all_wanted > width)
      out[i] = least[i] + (wanted[i] - least[i]) * (width - all_least) / (all_wanted - all_least);
    else
      out[i] = wanted[i];
  }
  return out;
}

void addTable(PageFlow& flow, const report::Table& table, int number, const Theme& theme) {
  const TextLines caption(QStringLiteral("Table %1. ").arg(number) + paperText(table.caption), pageFont(PageFont::kTable), flow.width(),
                          theme.muted);
  flow.add({.height = caption.height() + kRowPad,
            .before = 8,
            .keep_with_next = true,
            .paint = [caption](QPainter& painter, QPointF at) { caption.paint(painter, at); },
            .head = nullptr});
  const std::vector<double> widths = columnWidths(table, flow.width());
  std::vector<double> x(widths.size());
  std::exclusive_scan(widths.begin(), widths.end(), x.begin(), 0.0);
  const double right = std::min(flow.width(), widths.empty() ? 0 : x.back() + widths.back());
  const auto align = [&](std::size_t i) { return table.columns[i].numeric ? Qt::AlignRight : Qt::AlignLeft; };
  auto head = std::make_shared<Row>();
  head->x = x, head->line = theme.muted, head->width = right;
  for (std::size_t i = 0; i < widths.size(); ++i)
    head->cells.emplace_back(paperText(table.columns[i].name), pageFont(PageFont::kTableHead), widths[i] - kGap, theme.text, align(i));
  const auto top = std::make_shared<const Piece>(rowPiece(head, 0, INT_MAX, true));
  Piece first = *top;
  first.keep_with_next = true;
  flow.add(std::move(first));
  const double most = flow.bodyHeight() - top->height;
  for (const auto& cells : table.rows) {
    auto row = std::make_shared<Row>();
    row->x = x, row->line = theme.line, row->width = right;
    int lines = 1;
    for (std::size_t i = 0; i < widths.size() && i < cells.size(); ++i) {
      row->cells.emplace_back(paperText(cells[i].text), pageFont(PageFont::kTable), widths[i] - kGap, theme.text, align(i));
      lines = std::max(lines, row->cells.back().count());
    }
    const int fit = std::max(1, static_cast<int>((most / 2 - 2 * kRowPad) / QFontMetricsF(pageFont(PageFont::kTable)).height()));
    for (int line = 0; line < lines; line += fit) {
      Piece piece = rowPiece(row, line, line + fit, line + fit >= lines);
      piece.head = top;
      flow.add(std::move(piece));
    }
  }
}

}  // namespace runglass
