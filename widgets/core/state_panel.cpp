// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/state_panel.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QPointer>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "widgets/core/accessible_picture.h"
#include "widgets/core/ink_label.h"

namespace runglass {
namespace {

constexpr int kColumnWidth = 130 * kGrid;  // a comfortable line of text

InkLabel* makeLabel(QWidget* parent) {
  auto* label = new InkLabel(parent);
  label->setWordWrap(true);
  label->setAlignment(Qt::AlignCenter);
  return label;
}

// While the panel replaces the focus widget of its view, it takes the focus: Tab would stop at a hidden widget.
class StandIn : public QObject {
 public:
  explicit StandIn(QWidget* panel) : QObject(panel), m_panel(panel) {
    panel->setFocusPolicy(Qt::StrongFocus);
    panel->installEventFilter(this);
  }
  bool eventFilter(QObject*, QEvent* event) override {
    if (event->type() == QEvent::Show && !event->spontaneous()) take();
    if (event->type() == QEvent::Hide && !event->spontaneous()) giveBack();
    if (event->type() == QEvent::Paint && m_panel->hasFocus()) {
      QPainter painter(m_panel);
      paintFocusRing(painter, *m_panel, m_panel->rect());
    }
    return false;
  }

 private:
  void take() {
    for (QWidget* over = m_panel->parentWidget(); over != nullptr && m_over == nullptr; over = over->parentWidget()) {
      const QWidget* focus = over->focusProxy();
      while (focus != nullptr && focus->focusProxy() != nullptr) focus = focus->focusProxy();
      if (focus == nullptr || focus->isVisibleTo(over)) continue;
      const bool had_it = focus->hasFocus();
      m_over = over;
      m_usual = over->focusProxy();
      over->setFocusProxy(m_panel);
      if (had_it) m_panel->setFocus();
    }
  }
  void giveBack() {
    QWidget* over = std::exchange(m_over, QPointer<QWidget>());
    // A widget in destruction hides its children after it has left the focus chain.
    if (over == nullptr || over->nextInFocusChain() == nullptr || over->focusProxy() != m_panel) return;
    over->setFocusProxy(m_usual);
    // Focus the usual widget, not the first one of the page that appears.
    if (over->isVisible() && over->isAncestorOf(QApplication::focusWidget())) over->setFocus();
  }

  QWidget* m_panel;
  QPointer<QWidget> m_over, m_usual;
};

}  // namespace

StatePanel::StatePanel(QWidget* parent)
    : QWidget(parent), m_what(makeLabel(this)), m_why(makeLabel(this)), m_command(makeLabel(this)), m_button(new QPushButton(this)) {
  new StandIn(this);
  m_command->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  m_button->hide();
  connect(m_button, &QPushButton::clicked, this, [this] {
    if (m_action) m_action();
  });
  // A column of text width in the centre; a narrow panel gives it its full width.
  auto* block = new QWidget(this);
  block->setMaximumWidth(kColumnWidth);
  auto* column = new QVBoxLayout(block);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2 * kGrid);
  for (InkLabel* label : {m_what, m_why, m_command}) column->addWidget(label);
  column->addWidget(m_button, 0, Qt::AlignHCenter);
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  row->addWidget(block, 1000);
  row->addStretch(1);
  auto* page = new QVBoxLayout(this);
  page->setContentsMargins(4 * kGrid, 4 * kGrid, 4 * kGrid, 4 * kGrid);
  page->addStretch(2);
  page->addLayout(row);
  page->addStretch(3);
  QFont what = textFont();
  what.setPixelSize(kTitlePx);
  m_what->setFont(what);
  m_command->setFont(codeFont());
  m_why->setInk(themeInk<&Theme::muted>());
}

void StatePanel::showEmpty(const QString& what, const QString& why, const QString& command) { show({}, what, why, command); }

void StatePanel::showEmptyAt(const std::optional<TimeNs>& moment, const QString& what, const QString& why, const QString& command) {
  if (!moment) return showEmpty(what, why, command);
  showEmpty(what, tr("As of the moment in the bar above. Ctrl+End shows now."));
}

void StatePanel::showLoading(const QString& what) { show({}, what, {}, {}); }

void StatePanel::showFailed(const QString& what, const QString& why, const QString& command) {
  show(severityGlyph(Severity::kError) + u' ', what, why, command);
}

void StatePanel::offer(const QString& label, std::function<void()> action) {
  m_action = std::move(action);
  m_button->setText(label);
  m_button->show();
}

void StatePanel::show(const QString& glyph, const QString& what, const QString& why, const QString& command) {
  m_what->setText(glyph + what);
  setAccessibleName(what);
  m_why->setText(why);
  m_why->setVisible(!why.isEmpty());
  m_command->setText(command);
  m_command->setVisible(!command.isEmpty());
}

}  // namespace runglass
