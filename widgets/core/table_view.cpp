// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/table_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include "widgets/core/table_model.h"
#include "widgets/core/theme.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {
constexpr int kWidestColumn = 90 * kGrid;  // a long name must not push the numbers off the screen
constexpr int kWidestLast = 40 * kGrid;    // maximum width that the last column takes of the remaining space

class TableWatch : public QObject {
 public:
  explicit TableWatch(QTableView* table) : QObject(table), m_table(table) { table->installEventFilter(this); }
  void setLines(int lines) {
    m_lines = lines;
    apply();
  }
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::StyleChange) apply();
    if (event->type() == QEvent::ShortcutOverride) {
      const auto* key = static_cast<QKeyEvent*>(event);
      if (key->modifiers() == Qt::ControlModifier && (key->key() == Qt::Key_Home || key->key() == Qt::Key_End)) event->accept();
    }
    return QObject::eventFilter(watched, event);
  }

 private:
  // A theme change alone does not affect the table.
  void apply() {
    const int height = rowHeight() + (m_lines - 1) * QFontMetrics(tableFont()).lineSpacing();
    if (height == m_height && tableFont() == m_font) return;
    m_height = height;
    m_font = tableFont();
    m_table->setFont(m_font);
    m_table->horizontalHeader()->setFont(m_font);
    m_table->verticalHeader()->setMinimumSectionSize(height);
    m_table->verticalHeader()->setDefaultSectionSize(height);
  }

  QTableView* m_table;
  QFont m_font;
  int m_lines = 1, m_height = 0;
};

}  // namespace

void prepareTable(QTableView* table, int lines) {
  TableWatch* watch = nullptr;
  for (QObject* child : table->children())
    if (auto* found = dynamic_cast<TableWatch*>(child)) watch = found;
  if (watch == nullptr) watch = new TableWatch(table);
  watch->setLines(lines);
}

void TableProxy::setFilterText(const QString& text) {
  m_words = text.split(u' ', Qt::SkipEmptyParts);
  invalidateFilter();
}

bool TableProxy::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(kSortRole), b = right.data(kSortRole);
  if (a.isValid() != b.isValid()) {
    // Absent values sort last in either direction.
    const bool a_last = !a.isValid();
    return sortOrder() == Qt::AscendingOrder ? !a_last : a_last;
  }
  if (a.typeId() == QMetaType::QString) return QString::localeAwareCompare(a.toString(), b.toString()) < 0;
  if (a.typeId() == QMetaType::LongLong) return a.toLongLong() < b.toLongLong();
  return a.toDouble() < b.toDouble();
}

bool TableProxy::filterAcceptsRow(int source_row, const QModelIndex& source_parent) const {
  if (m_words.isEmpty()) return true;
  QString all;
  for (int column = 0; column < sourceModel()->columnCount(); ++column) {
    all += sourceModel()->index(source_row, column, source_parent).data(kFilterRole).toString() + u'\n';
  }
  return std::all_of(m_words.begin(), m_words.end(), [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

TableView::TableView(QAbstractItemModel* model, const QString& name, const QString& filter_hint, QWidget* parent)
    : QWidget(parent),
      m_model(model),
      m_proxy(new TableProxy(this)),
      m_filter(new QLineEdit(this)),
      m_count(new QLabel(this)),
      m_table(new QTableView(this)) {
  // Before the proxy handles it: when the current row is removed its neighbour becomes current, which is no choice of the user.
  connect(model, &QAbstractItemModel::rowsAboutToBeRemoved, this, [this] { m_quiet = true; });
  m_proxy->setSourceModel(model);
  connect(model, &QAbstractItemModel::rowsRemoved, this, [this] { m_quiet = false; });
  m_filter->setPlaceholderText(filter_hint);
  m_filter->setAccessibleName(tr("Filter: %1").arg(name));
  m_table->setAccessibleName(name);
  m_filter->setClearButtonEnabled(true);
  m_filter->setMaximumWidth(80 * kGrid);
  m_count->setTextFormat(Qt::PlainText);
  m_count->setForegroundRole(QPalette::PlaceholderText);

  m_table->setModel(m_proxy);
  m_table->setFont(tableFont());
  m_table->setSortingEnabled(true);
  m_table->sortByColumn(-1, Qt::AscendingOrder);  // the store's order until a header is clicked
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_table->setShowGrid(false);
  m_table->setWordWrap(false);
  m_table->setTextElideMode(Qt::ElideMiddle);  // names and paths differ at their ends
  m_table->setTabKeyNavigation(false);         // Tab leaves the table: the keyboard reaches everything
  m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_table->verticalHeader()->hide();
  prepareTable(m_table);
  m_table->horizontalHeader()->setHighlightSections(false);
  m_table->horizontalHeader()->setStretchLastSection(true);
  m_table->horizontalHeader()->setFont(tableFont());

  auto* top = new QHBoxLayout;
  top->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  top->setSpacing(2 * kGrid);
  top->addWidget(m_filter, 1);
  top->addWidget(m_count);
  top->addStretch(1);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(top);
  column->addWidget(m_table, 1);
  setFocusProxy(m_table);

  connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
    m_quiet = true;
    m_proxy->setFilterText(text);
    m_quiet = false;
    updateCount();
  });
  connect(m_filter, &QLineEdit::returnPressed, this, [this] { m_table->setFocus(); });
  connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    // A table that gets the focus makes its first row current without selecting it; a press selects, and its release chooses the row.
    const bool selected = now.isValid() && m_table->selectionModel()->isRowSelected(now.row());
    if (!m_quiet && selected) emit rowChosen(m_proxy->mapToSource(now));
  });
  connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& index) { emit rowChosen(m_proxy->mapToSource(index)); });
  connect(m_table, &QTableView::activated, this, [this](const QModelIndex& index) { emit rowActivated(m_proxy->mapToSource(index)); });
  m_table->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_table, &QTableView::customContextMenuRequested, this, [this](const QPoint& at) {
    const QModelIndex row = m_proxy->mapToSource(m_table->indexAt(at));
    if (row.isValid()) emit menuWanted(row, m_table->viewport()->mapToGlobal(at));
  });
  for (auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved}) {
    connect(model, signal, this, &TableView::updateCount);
  }
  updateCount();
}

void TableView::setLines(int lines) {
  m_table->setWordWrap(lines > 1);
  prepareTable(m_table, lines);
}

void TableView::focusFilter() {
  m_filter->setFocus(Qt::ShortcutFocusReason);
  m_filter->selectAll();
}

QModelIndex TableView::currentRow() const { return m_proxy->mapToSource(m_table->currentIndex()); }

void TableView::chooseRow(const QModelIndex& source) {
  const QModelIndex shown = m_proxy->mapFromSource(source);
  if (!shown.isValid() || shown.row() == m_table->currentIndex().row()) return;
  m_quiet = true;
  m_table->setCurrentIndex(shown);
  m_quiet = false;
}

QString TableView::selectedTsv() const {
  const QItemSelectionModel* selection = m_table->selectionModel();
  const int columns = m_proxy->columnCount();
  const auto cell = [](QString text) { return text.replace(u'\t', u' ').replace(u'\n', u' '); };
  QStringList lines;
  QStringList cells;
  for (int c = 0; c < columns; ++c) cells += cell(m_proxy->headerData(c, Qt::Horizontal, Qt::DisplayRole).toString());
  lines += cells.join(u'\t');
  for (int r = 0; r < m_proxy->rowCount(); ++r) {
    if (selection->hasSelection() && !selection->isRowSelected(r)) continue;
    cells.clear();
    for (int c = 0; c < columns; ++c) cells += cell(m_proxy->index(r, c).data(kCopyRole).toString());
    lines += cells.join(u'\t');
  }
  return lines.join(u'\n') + u'\n';
}

void TableView::fitColumns() {
  const bool wraps = m_table->wordWrap();
  m_table->setWordWrap(false);  // the preferred width of wrapped text depends on the column's momentary width
  m_table->resizeColumnsToContents();
  m_table->setWordWrap(wraps);
  for (int column = 0; column < m_proxy->columnCount(); ++column) {
    const int widest = column + 1 < m_proxy->columnCount() ? kWidestColumn : kWidestLast;
    if (m_table->columnWidth(column) > widest) m_table->setColumnWidth(column, widest);
  }
}

void TableView::updateCount() {
  const int shown = m_proxy->rowCount(), all = m_model->rowCount();
  const QString rows = all == 1 ? tr("row") : tr("rows");
  m_count->setText((shown == all ? formatCount(all) : tr("%1 of %2").arg(formatCount(shown), formatCount(all))) + u' ' + rows);
}

}  // namespace runglass
