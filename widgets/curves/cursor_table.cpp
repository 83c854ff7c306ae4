// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curves/cursor_table.h"

#include <QVBoxLayout>
#include <cmath>

#include "widgets/core/units.h"

namespace runglass {

CursorTable::CursorTable(QWidget* parent)
    : QWidget(parent),
      m_rows(new TableModel<CursorRow>(
          columns(), [](const CursorRow& a, const CursorRow& b) { return a.tag == b.tag && a.curve == b.curve; }, this)),
      m_table(new TableView(m_rows, tr("Values under the crosshair"), tr("Values under the crosshair"), this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_table);
  const auto at = [this](const QModelIndex& index, void (CursorTable::*signal)(const CurvePlace&)) {
    if (const CursorRow* row = m_rows->rowAt(index)) emit(this->*signal)(CurvePlace(row->place));  // the rows may change meanwhile
  };
  connect(m_table, &TableView::rowChosen, this, [at](const QModelIndex& index) { at(index, &CursorTable::placeChosen); });
  connect(m_table, &TableView::rowActivated, this, [at](const QModelIndex& index) { at(index, &CursorTable::placeOpened); });
}

std::vector<Column<CursorRow>> CursorTable::columns() const {
  using R = CursorRow;
  std::vector<Column<R>> columns;
  columns.push_back({.title = tr("tag"), .help = tr("The metric's name as its source has it."), .text = [](const R& r) { return r.tag; }});
  columns.push_back({.title = tr("curve"), .help = tr("What tells it apart within its tag."), .text = [](const R& r) { return r.curve; }});
  const auto place = [this](const R& r, bool full) {
    if (m_axis == CurveAxis::kStep) return full ? QString::number(r.x) : formatCount(r.x);
    const TimeStyle style = m_axis == CurveAxis::kRelative ? TimeStyle::kRelative : m_style;
    return full ? formatTimeFull(r.x, style) : formatTime(r.x, style);
  };
  columns.push_back({.title = tr("at"),
                     .help = tr("Step or time of the value: the newest at or before the crosshair."),
                     .align = Qt::AlignRight,
                     .text = [place](const R& r) { return place(r, false); },
                     .sort = [](const R& r) { return QVariant::fromValue(static_cast<qlonglong>(r.x)); },
                     .copy = [place](const R& r) { return place(r, true); }});
  const auto add = [&columns](const QString& title, const QString& help, std::function<std::optional<double>(const R&)> get) {
    columns.push_back({.title = title,
                       .help = help,
                       .align = Qt::AlignRight,
                       .text =
                           [get](const R& r) {
                             const auto value = get(r);
                             return value ? formatValue(*value, r.unit.toStdString()) : kAbsentText;
                           },
                       .sort =
                           [get](const R& r) {
                             const auto value = get(r);
                             return value && !std::isnan(*value) ? QVariant(*value) : QVariant();
                           },
                       .copy =
                           [get](const R& r) {
                             const auto value = get(r);
                             return value ? fullNumber(*value) : QString();
                           }});
  };
  add(tr("value"), tr("The last point at the crosshair, unsmoothed."), [](const R& r) { return std::optional(r.bin.last); });
  add(tr("smoothed"), tr("The debiased moving average there."), [](const R& r) { return r.smooth; });
  const auto several = [](const R& r, double value) { return r.bin.count > 1 ? std::optional(value) : std::nullopt; };
  add(tr("min"), tr("Smallest of the points that share this pixel."), [several](const R& r) { return several(r, r.bin.min); });
  add(tr("max"), tr("Largest of the points that share this pixel."), [several](const R& r) { return several(r, r.bin.max); });
  columns.push_back({.title = tr("points"),
                     .help = tr("How many points share this pixel; zoom in until it says 1."),
                     .align = Qt::AlignRight,
                     .text = [](const R& r) { return formatCount(r.bin.count + r.bin.nan_count); },
                     .sort = [](const R& r) { return QVariant(static_cast<double>(r.bin.count)); }});
  return columns;
}

void CursorTable::fill(const std::vector<CurveCard*>& cards, CurveAxis axis, TimeStyle style) {
  m_axis = axis;
  m_style = style;
  auto rows = std::make_shared<std::vector<CursorRow>>();
  for (CurveCard* card : cards)
    for (const CursorValue& value : card->plot()->cursorValues())
      rows->push_back({value.panel->title, value.curve->name, QString::fromStdString(value.panel->unit), value.bin.x0, value.bin,
                       value.smooth, card->placeOn(value.curve->series, value.bin.x0).value_or(CurvePlace{})});
  if (rows->empty()) return;
  const bool first = m_rows->rowCount() == 0;
  m_rows->setRows(std::move(rows));
  if (first) m_table->fitColumns();
}

}  // namespace runglass
