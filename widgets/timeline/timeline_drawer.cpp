// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_drawer.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "widgets/core/language.h"
#include "widgets/core/units.h"
#include "widgets/timeline/timeline_data.h"

namespace runglass {
namespace {

class MutedCells : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    option->palette.setColor(QPalette::Text, currentTheme().muted);
  }
};

constexpr std::size_t kFittedHits = 1'000;

QString lengthText(TimeNs t0, TimeNs t1) {
  return t1 == std::numeric_limits<TimeNs>::max() ? TimelineText::tr("open") : formatDuration(t1 - t0);
}

QString signedDuration(DurNs apart) {
  return apart < 0 ? QChar(0x2212) + formatDuration(-std::max(apart, -std::numeric_limits<DurNs>::max()))
                   : QLatin1Char('+') + formatDuration(apart);
}

template <class R>
Column<R> duration(const QString& title, DurNs (*value)(const R&)) {
  return {.title = title,
          .help = {},
          .align = Qt::AlignRight,
          .text = [value](const R& row) { return formatDuration(value(row)); },
          .sort = [value](const R& row) { return QVariant(static_cast<qlonglong>(value(row))); },
          .copy = [value](const R& row) { return QString::number(value(row)); }};
}

std::vector<Column<SpanPeer>> peerColumns() {
  std::vector<Column<SpanPeer>> columns;
  columns.push_back({.title = TimelineText::tr("how"), .text = [](const SpanPeer& p) { return p.kind; }});
  columns.push_back({.title = TimelineText::tr("rank"),
                     .align = Qt::AlignRight,
                     .text = [](const SpanPeer& p) { return p.rank < 0 ? kAbsentText : QString::number(p.rank); },
                     .sort = [](const SpanPeer& p) { return QVariant(p.rank); }});
  columns.push_back({.title = TimelineText::tr("after this"),
                     .help = TimelineText::tr("Its begin, counted from the begin of the chosen span"),
                     .align = Qt::AlignRight,
                     .text = [](const SpanPeer& p) { return signedDuration(p.apart); },
                     .sort = [](const SpanPeer& p) { return QVariant(static_cast<qlonglong>(p.apart)); },
                     .copy = [](const SpanPeer& p) { return QString::number(p.apart); }});
  columns.push_back({.title = TimelineText::tr("waited"),
                     .help = TimelineText::tr("From its begin until the last member of the collective began"),
                     .align = Qt::AlignRight,
                     .text = [](const SpanPeer& p) { return p.waited ? formatDuration(*p.waited) : kAbsentText; },
                     .sort = [](const SpanPeer& p) { return p.waited ? QVariant(static_cast<qlonglong>(*p.waited)) : QVariant(); },
                     .copy = [](const SpanPeer& p) { return p.waited ? QString::number(*p.waited) : QString(); }});
  columns.push_back({.title = TimelineText::tr("duration"),
                     .align = Qt::AlignRight,
                     .text = [](const SpanPeer& p) { return lengthText(p.t0, p.t1); },
                     .sort = [](const SpanPeer& p) { return QVariant(static_cast<qlonglong>(p.t1 - p.t0)); },
                     .copy = [](const SpanPeer& p) { return QString::number(p.t1 - p.t0); }});
  columns.push_back({.title = TimelineText::tr("begins"),
                     .align = Qt::AlignRight,
                     .text = [](const SpanPeer& p) { return formatTimeFull(p.t0, TimeStyle::kUtc).section(QLatin1Char(' '), 1, 1); },
                     .sort = [](const SpanPeer& p) { return QVariant(static_cast<qlonglong>(p.t0)); },
                     .copy = [](const SpanPeer& p) { return QString::number(p.t0); }});
  columns.push_back({.title = TimelineText::tr("name"), .text = [](const SpanPeer& p) { return p.name; }});
  return columns;
}

std::vector<Column<AreaRow>> areaColumns() {
  std::vector<Column<AreaRow>> columns;
  columns.push_back(
      {.title = TimelineText::tr("category"), .text = [](const AreaRow& r) { return termText(spanCategoryName(r.category)); }});
  columns.push_back({.title = TimelineText::tr("name"), .text = [](const AreaRow& r) { return r.name; }});
  columns.push_back({.title = TimelineText::tr("count"),
                     .align = Qt::AlignRight,
                     .text = [](const AreaRow& r) { return formatCount(r.count); },
                     .sort = [](const AreaRow& r) { return QVariant(static_cast<qlonglong>(r.count)); },
                     .copy = [](const AreaRow& r) { return QString::number(r.count); }});
  columns.push_back(duration<AreaRow>(TimelineText::tr("total"), [](const AreaRow& r) { return r.total; }));
  columns.push_back(duration<AreaRow>(TimelineText::tr("mean"), [](const AreaRow& r) { return r.count > 0 ? r.total / r.count : 0; }));
  columns.push_back(duration<AreaRow>(TimelineText::tr("shortest"), [](const AreaRow& r) { return r.shortest; }));
  columns.push_back(duration<AreaRow>(TimelineText::tr("longest"), [](const AreaRow& r) { return r.longest; }));
  return columns;
}

std::vector<Column<AreaRank>> areaRankColumns() {
  std::vector<Column<AreaRank>> columns;
  columns.push_back({.title = TimelineText::tr("rank"),
                     .align = Qt::AlignRight,
                     .text = [](const AreaRank& r) { return r.rank < 0 ? kAbsentText : QString::number(r.rank); },
                     .sort = [](const AreaRank& r) { return QVariant(r.rank); }});
  columns.push_back(duration<AreaRank>(TimelineText::tr("compute"), [](const AreaRank& r) { return r.busy[0]; }));
  columns.push_back(duration<AreaRank>(TimelineText::tr("communication"), [](const AreaRank& r) { return r.busy[1]; }));
  columns.push_back(duration<AreaRank>(TimelineText::tr("exposed"), [](const AreaRank& r) { return r.exposed; }));
  columns.push_back({.title = TimelineText::tr("waiting"),
                     .help = TimelineText::tr("Of its communication: before the last member of the collective began"),
                     .align = Qt::AlignRight,
                     .text = [](const AreaRank& r) { return r.waiting ? formatDuration(*r.waiting) : kAbsentText; },
                     .sort = [](const AreaRank& r) { return r.waiting ? QVariant(static_cast<qlonglong>(*r.waiting)) : QVariant(); },
                     .copy = [](const AreaRank& r) { return r.waiting ? QString::number(*r.waiting) : QString(); }});
  columns.push_back(duration<AreaRank>(TimelineText::tr("copies"), [](const AreaRank& r) { return r.busy[2]; }));
  columns.push_back(duration<AreaRank>(TimelineText::tr("host"), [](const AreaRank& r) { return r.busy[3]; }));
  return columns;
}

std::vector<Column<SearchHit>> hitColumns() {
  std::vector<Column<SearchHit>> columns;
  columns.push_back({.title = TimelineText::tr("rank"),
                     .align = Qt::AlignRight,
                     .text = [](const SearchHit& h) { return h.rank < 0 ? kAbsentText : QString::number(h.rank); },
                     .sort = [](const SearchHit& h) { return QVariant(h.rank); }});
  columns.push_back({.title = TimelineText::tr("name"), .text = [](const SearchHit& h) { return h.name; }});
  columns.push_back({.title = TimelineText::tr("begins"),
                     .align = Qt::AlignRight,
                     .text = [](const SearchHit& h) { return formatTimeFull(h.t0, TimeStyle::kUtc).section(QLatin1Char(' '), 1, 1); },
                     .sort = [](const SearchHit& h) { return QVariant(static_cast<qlonglong>(h.t0)); },
                     .copy = [](const SearchHit& h) { return QString::number(h.t0); }});
  columns.push_back({.title = TimelineText::tr("duration"),
                     .align = Qt::AlignRight,
                     .text = [](const SearchHit& h) { return lengthText(h.t0, h.t1); },
                     .sort = [](const SearchHit& h) { return QVariant(static_cast<qlonglong>(h.t1 - h.t0)); }});
  return columns;
}

QLabel* plainLabel() {
  auto* label = new QLabel;
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

template <class T>
std::shared_ptr<const std::vector<T>> shared(std::vector<T> rows) {
  return std::make_shared<const std::vector<T>>(std::move(rows));
}

}  // namespace

TimelineDrawer::TimelineDrawer(QWidget* parent)
    : QTabWidget(parent),
      m_name(plainLabel()),
      m_lines(new QTableWidget),
      m_peer_model(new TableModel<SpanPeer>(
          peerColumns(), [](const SpanPeer& a, const SpanPeer& b) { return a.id == b.id; }, this)),
      m_peers(new TableView(m_peer_model, tr("Peers"), tr("Filter peers"), this)),
      m_area_head(plainLabel()),
      m_area_model(new TableModel<AreaRow>(
          areaColumns(), [](const AreaRow& a, const AreaRow& b) { return a.category == b.category && a.name == b.name; }, this)),
      m_area(new TableView(m_area_model, tr("Spans in the selection"), tr("Filter names"), this)),
      m_area_rank_model(new TableModel<AreaRank>(
          areaRankColumns(), [](const AreaRank& a, const AreaRank& b) { return a.rank == b.rank; }, this)),
      m_area_ranks(new TableView(m_area_rank_model, tr("Ranks in the selection"), tr("Filter ranks"), this)),
      m_hits_head(plainLabel()),
      m_hit_model(new TableModel<SearchHit>(
          hitColumns(), [](const SearchHit& a, const SearchHit& b) { return a.id == b.id; }, this)),
      m_hits(new TableView(m_hit_model, tr("Search hits"), tr("Filter hits"), this)) {
  addTab(makeSpanPage(), tr("Selection"));
  addTab(makeTablePage(m_area_head, {m_area, m_area_ranks}), tr("Area"));
  addTab(makeTablePage(m_hits_head, {m_hits}), tr("Search"));
  setDocumentMode(true);
  setAccessibleName(tr("Details"));
  m_lines->setAccessibleName(tr("The selected span"));
  connect(m_peers, &TableView::rowActivated, this, [this](const QModelIndex& index) {
    if (const SpanPeer* peer = m_peer_model->rowAt(index)) emit peerChosen(*peer);
  });
  connect(m_hits, &TableView::rowChosen, this, [this](const QModelIndex& index) {
    if (const SearchHit* hit = m_hit_model->rowAt(index)) emit hitChosen(*hit);
  });
  showNote(tr("Click a span to see what it is, what launched it and who took part. Drag over the rows to sum up an area."));
  showAreaNote(tr("Drag over the rows to sum up what ran there."));
  showHitsNote(tr(
      "Type a regular expression into Search ( / ) and press Enter: it looks at the rows shown, first on screen, then in the whole run."));
}

QWidget* TimelineDrawer::makeSpanPage() {
  auto* page = new QWidget;
  auto* row = new QHBoxLayout(page);
  row->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
  auto* left = new QVBoxLayout;
  left->addWidget(m_name);
  m_lines->setColumnCount(2);
  m_lines->setItemDelegateForColumn(0, new MutedCells(m_lines));
  m_lines->horizontalHeader()->hide();
  m_lines->verticalHeader()->hide();
  m_lines->verticalHeader()->setDefaultSectionSize(kRowHeight);
  m_lines->horizontalHeader()->setStretchLastSection(true);
  m_lines->setShowGrid(false);
  m_lines->setFont(tableFont());
  m_lines->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_lines->setSelectionMode(QAbstractItemView::NoSelection);
  left->addWidget(m_lines, 1);
  row->addLayout(left, 1);
  row->addWidget(m_peers, 1);
  return page;
}

QWidget* TimelineDrawer::makeTablePage(QLabel* head, const std::vector<TableView*>& tables) {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
  column->addWidget(head);
  auto* row = new QHBoxLayout;
  for (TableView* table : tables) row->addWidget(table, table == tables.front() ? 3 : 2);
  column->addLayout(row, 1);
  return page;
}

void TimelineDrawer::showSpan(const SpanDetail& detail) {
  m_name->setText(detail.name());
  const auto lines = detail.lines();
  m_lines->setRowCount(static_cast<int>(lines.size()));
  for (int i = 0; i < static_cast<int>(lines.size()); ++i) {
    auto* what = new QTableWidgetItem(lines[static_cast<std::size_t>(i)].first);
    m_lines->setItem(i, 0, what);
    auto* value = new QTableWidgetItem(lines[static_cast<std::size_t>(i)].second);
    value->setToolTip(value->text().toHtmlEscaped());
    m_lines->setItem(i, 1, value);
  }
  m_lines->resizeColumnToContents(0);
  m_lines->show();
  m_peer_model->setRows(shared(detail.peers));
  m_peers->setVisible(!detail.peers.empty());
  m_peers->fitColumns();
  setCurrentIndex(0);
}

void TimelineDrawer::showNote(const QString& text) {
  m_name->setText(text);
  m_lines->setRowCount(0);
  m_lines->hide();
  m_peer_model->setRows(shared(std::vector<SpanPeer>()));
  m_peers->hide();
}

void TimelineDrawer::showArea(const AreaSummary& area) {
  m_area_head->setText(area.sentence());
  m_area_model->setRows(shared(area.rows));
  m_area->setVisible(!area.rows.empty());
  m_area->fitColumns();
  m_area_rank_model->setRows(shared(area.of_rank));
  m_area_ranks->setVisible(!area.rows.empty());
  m_area_ranks->fitColumns();
  setCurrentIndex(1);
}

void TimelineDrawer::showAreaNote(const QString& text) {
  m_area_head->setText(text);
  m_area_model->setRows(shared(std::vector<AreaRow>()));
  m_area->hide();
  m_area_rank_model->setRows(shared(std::vector<AreaRank>()));
  m_area_ranks->hide();
}

void TimelineDrawer::showHits(const std::vector<SearchHit>& hits, const QString& sentence) {
  m_hits_head->setText(sentence);
  const bool grew = hits.size() != m_hit_model->rows().size();
  if (grew) m_hit_model->setRows(shared(hits));
  m_hits->setVisible(!hits.empty());
  if (grew && hits.size() <= kFittedHits) m_hits->fitColumns();
}

void TimelineDrawer::showHitsNote(const QString& text) {
  m_hits_head->setText(text);
  m_hit_model->setRows(shared(std::vector<SearchHit>()));
  m_hits->hide();
}

QString TimelineDrawer::copyText() const {
  if (currentIndex() == 1)
    return m_area_head->text() + QLatin1Char('\n') + m_area->selectedTsv() + QLatin1Char('\n') + m_area_ranks->selectedTsv();
  if (currentIndex() == 2) return m_hits->selectedTsv();
  QStringList lines{m_name->text()};
  for (int i = 0; i < m_lines->rowCount(); ++i) lines << m_lines->item(i, 0)->text() + QLatin1Char('\t') + m_lines->item(i, 1)->text();
  return lines.join(QLatin1Char('\n'));
}

}  // namespace runglass
