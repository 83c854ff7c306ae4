// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/panel_window.h"

#include <QCloseEvent>
#include <QVBoxLayout>

#include "widgets/core/view.h"
#include "widgets/frame/dock_page.h"

namespace runglass {

PanelWindow::PanelWindow(const QString& view, const QString& title, QString home) : QWidget(nullptr, Qt::Window), m_home(std::move(home)) {
  setObjectName(view);
  setWindowTitle(QStringLiteral("%1 – Runglass").arg(title));
  setAttribute(Qt::WA_QuitOnClose, false);  // the program ends with the console's window
  auto* bar = new PanelTitle(title, this);
  bar->addButton(QStringLiteral("dock"), tr("Dock %1 again").arg(title), [this] { emit dockWanted(); });
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(bar);
}

void PanelWindow::take(View* view) {
  static_cast<QVBoxLayout*>(layout())->addWidget(view, 1);
  view->show();
}

void PanelWindow::closeEvent(QCloseEvent* event) {
  event->accept();
  emit closedByUser();
}

}  // namespace runglass
