// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/commands.h"

#include <QAction>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "widgets/core/language.h"
#include "widgets/core/theme.h"

namespace runglass {
namespace {

constexpr const char *kGroupProperty = "runglass_group", *kEnglishProperty = "runglass_english";

}  // namespace

QAction* Commands::add(const Text& group, const Text& words, const QList<QKeySequence>& keys, std::function<void()> run) {
  auto* action = new QAction(words(), m_window);
  action->setProperty(kGroupProperty, group());
  {
    const InEnglish english;
    action->setProperty(kEnglishProperty, words() + u'\n' + group());
  }
  action->setShortcuts(keys);
  action->setShortcutContext(Qt::WindowShortcut);
  QObject::connect(action, &QAction::triggered, m_window, [run = std::move(run)] { run(); });
  m_window->addAction(action);
  m_actions.push_back(action);
  return action;
}

QString Commands::groupOf(const QAction* action) { return action->property(kGroupProperty).toString(); }

QString Commands::englishOf(const QAction* action) { return action->property(kEnglishProperty).toString(); }

QString Commands::keysOf(const QAction* action) {
  QStringList keys;
  for (const QKeySequence& key : action->shortcuts()) keys += key.toString(QKeySequence::NativeText);
  return keys.join(QStringLiteral(", "));
}

ShortcutSheet::ShortcutSheet(const Commands& commands, const std::vector<KeyGroup>& more, QWidget* parent) : QDialog(parent, Qt::Popup) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Keys"));
  std::vector<KeyGroup> own;
  for (const QAction* action : commands.all()) {
    if (action->shortcuts().isEmpty()) continue;
    if (own.empty() || own.back().title != Commands::groupOf(action)) own.push_back({Commands::groupOf(action), {}});
    own.back().keys.emplace_back(Commands::keysOf(action), action->text());
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
