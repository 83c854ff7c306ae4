// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/damage_banner.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>

#include "widgets/core/theme.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr int kProgressMs = 200;

// Errors of the store end with the tables that were read; its path can look like one.
QString tablesIn(const QString& why) {
  constexpr QLatin1String kBefore("; read for ");
  const qsizetype at = why.lastIndexOf(kBefore);
  return at < 0 ? QString() : why.mid(at + kBefore.size());
}

}  // namespace

DamageBanner::DamageBanner(RepairPort* repair, const QString& copy, QWidget* parent)
    : QWidget(parent),
      m_repair(repair),
      m_line(new QLabel(this)),
      m_details(new QLabel(this)),
      m_open(new QPushButton(tr("Open a repaired copy"), this)),
      m_cancel(new QPushButton(tr("Cancel"), this)),
      m_more(new QPushButton(tr("More"), this)) {
  for (QLabel* label : {m_line, m_details}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
  }
  m_details->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  m_more->setCheckable(true);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(3 * kGrid, kGrid, 3 * kGrid, kGrid);
  grid->addWidget(m_line, 0, 0);
  grid->addWidget(m_open, 0, 1);
  grid->addWidget(m_cancel, 0, 2);
  grid->addWidget(m_more, 0, 3);
  grid->addWidget(m_details, 1, 0, 1, 4);
  grid->setColumnStretch(0, 1);
  m_cancel->hide();
  m_details->hide();
  m_open->setVisible(m_repair != nullptr && copy.isEmpty());
  m_more->setVisible(m_repair != nullptr);
  connect(m_open, &QPushButton::clicked, this, &DamageBanner::begin);
  connect(m_cancel, &QPushButton::clicked, this, [this] {
    m_cancel->setEnabled(false);
    m_repair->cancel();
  });
  connect(m_more, &QPushButton::toggled, m_details, &QWidget::setVisible);
  connect(&m_progress, &QTimer::timeout, this, &DamageBanner::showProgress);
  setVisible(!copy.isEmpty());
  if (copy.isEmpty()) return;
  say(copy);
  if (m_repair != nullptr)
    m_details->setText(
        tr("The copy is deleted when this window shows another store or is closed, so that it takes no edits. To keep one: %1")
            .arg(m_repair->command()));
}

void DamageBanner::note(const QString& why) {
  if (!m_line->text().isEmpty()) return;
  const QString tables = tablesIn(why);
  m_damage = tables.isEmpty() ? tr("This store is damaged: rows may be missing from the views.")
                              : tr("This store is damaged: rows of %1 may be missing from the views.").arg(tables);
  if (m_repair != nullptr) m_details->setText(tr("%1. To keep a repaired copy: %2").arg(why, m_repair->command()));
  m_line->setToolTip(why.toHtmlEscaped());
  say(m_damage);
  setVisible(true);
}

void DamageBanner::begin() {
  m_open->hide();
  m_cancel->setEnabled(true);
  m_cancel->show();
  m_progress.start(kProgressMs);
  showProgress();
  m_repair->start(this, [this](const QString& why) { end(tr("%1 No repaired copy: %2").arg(m_damage, why)); });
}

void DamageBanner::end(const QString& line) {
  m_progress.stop();
  m_cancel->hide();
  m_open->show();
  say(line);
}

void DamageBanner::say(const QString& line) { m_line->setText(severityGlyph(Severity::kWarning) + u' ' + line); }

void DamageBanner::showProgress() {
  say(tr("Making a repaired copy: %1 written …").arg(formatBytes(static_cast<double>(m_repair->writtenBytes()))));
}

}  // namespace runglass
