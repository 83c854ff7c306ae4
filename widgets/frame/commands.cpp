// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/commands.h"

#include <QAction>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "widgets/core/theme.h"
#include "widgets/frame/fuzzy.h"

namespace runglass {
namespace {

constexpr const char* kGroupProperty = "runglass_group";
constexpr int kPaletteWidth = 140 * kGrid;
constexpr int kPaletteHeight = 120 * kGrid;

QString keysOf(const QAction* action) {
  QStringList keys;
  for (const QKeySequence& key : action->shortcuts()) keys += key.toString(QKeySequence::NativeText);
  return keys.join(QStringLiteral(", "));
}

}  // namespace

QAction* Commands::add(const QString& group, const QString& words, const QList<QKeySequence>& keys, std::function<void()> run) {
  auto* action = new QAction(words, m_window);
  action->setProperty(kGroupProperty, group);
  action->setShortcuts(keys);
  action->setShortcutContext(Qt::WindowShortcut);
  QObject::connect(action, &QAction::triggered, m_window, [run = std::move(run)] { run(); });
  m_window->addAction(action);
  m_actions.push_back(action);
  return action;
}

QString Commands::groupOf(const QAction* action) { return action->property(kGroupProperty).toString(); }

std::vector<std::size_t> Commands::match(const QString& pattern) const {
  std::vector<std::pair<int, std::size_t>> hits;
  for (std::size_t i = 0; i < m_actions.size(); ++i) {
    const QString words = groupOf(m_actions[i]) + u' ' + m_actions[i]->text();
    if (const auto score = fuzzyScore(pattern, words)) hits.emplace_back(-*score, i);
  }
  std::ranges::stable_sort(hits);
  std::vector<std::size_t> order;
  for (const auto& hit : hits) order.push_back(hit.second);
  return order;
}

CommandPalette::CommandPalette(const Commands& commands, QWidget* parent)
    : QDialog(parent, Qt::Popup), m_commands(commands), m_pattern(new QLineEdit(this)), m_list(new QListWidget(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Commands"));
  m_pattern->setPlaceholderText(tr("Type a command; Enter runs it, Esc leaves"));
  m_pattern->setAccessibleName(tr("Command"));
  m_list->setFocusPolicy(Qt::NoFocus);
  m_list->setUniformItemSizes(true);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
  column->setSpacing(kGrid);
  column->addWidget(m_pattern);
  column->addWidget(m_list, 1);
  resize(kPaletteWidth, kPaletteHeight);
  move(parent->mapToGlobal(QPoint((parent->width() - kPaletteWidth) / 2, kStripHeight * 2)));
  m_pattern->installEventFilter(this);
  connect(m_pattern, &QLineEdit::textChanged, this, &CommandPalette::fill);
  connect(m_pattern, &QLineEdit::returnPressed, this, &CommandPalette::runCurrent);
  connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::runCurrent);
  fill({});
  m_pattern->setFocus();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_pattern && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : key == Qt::Key_PageDown ? 10 : key == Qt::Key_PageUp ? -10 : 0;
    if (step != 0 && m_list->count() > 0) {
      m_list->setCurrentRow(std::clamp(m_list->currentRow() + step, 0, m_list->count() - 1));
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

void CommandPalette::fill(const QString& pattern) {
  m_list->clear();
  for (const std::size_t index : m_commands.match(pattern)) {
    const QAction* action = m_commands.all()[index];
    const QString keys = keysOf(action);
    auto* item = new QListWidgetItem(QStringLiteral("%1: %2").arg(Commands::groupOf(action), action->text()) +
                                         (keys.isEmpty() ? QString() : QStringLiteral("    [%1]").arg(keys)),
                                     m_list);
    item->setData(Qt::UserRole, static_cast<int>(index));
  }
  m_list->setCurrentRow(0);
}

void CommandPalette::runCurrent() {
  const QListWidgetItem* item = m_list->currentItem();
  if (item == nullptr) return;
  QAction* action = m_commands.all()[static_cast<std::size_t>(item->data(Qt::UserRole).toInt())];
  // The palette is gone before the command runs, so that the command meets the window as the user left it.
  close();
  QMetaObject::invokeMethod(action, &QAction::trigger, Qt::QueuedConnection);
}

ShortcutSheet::ShortcutSheet(const Commands& commands, const std::vector<KeyGroup>& more, QWidget* parent) : QDialog(parent, Qt::Popup) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Keys"));
  std::vector<KeyGroup> own;
  for (const QAction* action : commands.all()) {
    if (action->shortcuts().isEmpty()) continue;
    if (own.empty() || own.back().title != Commands::groupOf(action)) own.push_back({Commands::groupOf(action), {}});
    own.back().keys.emplace_back(keysOf(action), action->text());
  }
  auto* page = new QWidget(this);
  auto* columns = new QHBoxLayout(page);
  columns->setSpacing(10 * kGrid);
  for (const std::vector<KeyGroup>* groups : {&std::as_const(own), &more}) {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(4 * kGrid);
    grid->setVerticalSpacing(kGrid);
    int row = 0;
    const auto label = [&](const QString& text, int column, bool muted) {
      auto* words = new QLabel(page);
      words->setTextFormat(Qt::PlainText);
      words->setText(text);
      if (muted) words->setForegroundRole(QPalette::PlaceholderText);
      grid->addWidget(words, row, column);
    };
    for (const KeyGroup& group : *groups) {
      if (row > 0) grid->setRowMinimumHeight(row++, 2 * kGrid);
      label(group.title, 0, true);
      ++row;
      for (const auto& [keys, words] : group.keys) {
        label(keys, 0, false);
        label(words, 1, false);
        ++row;
      }
    }
    grid->setRowStretch(row, 1);
    columns->addLayout(grid);
  }
  auto* scroll = new QScrollArea(this);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setWidget(page);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(kGrid, kGrid, kGrid, kGrid);
  column->addWidget(scroll);
  resize((page->sizeHint() + QSize(4 * kGrid, 4 * kGrid)).boundedTo(parent->size()));
  move(parent->mapToGlobal(QPoint((parent->width() - width()) / 2, std::max(0, (parent->height() - height()) / 3))));
}

void ShortcutSheet::keyPressEvent(QKeyEvent*) { close(); }

}  // namespace runglass
