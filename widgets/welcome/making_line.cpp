// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/making_line.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "widgets/core/theme.h"

namespace runglass {
namespace {
constexpr int kBarSteps = 1000, kBarWidth = 40 * kGrid;
}

MakingLine::MakingLine(const QString& start, QWidget* parent)
    : QWidget(parent),
      m_start(new QPushButton(start, this)),
      m_stop(new QPushButton(tr("Stop"), this)),
      m_bar(new QProgressBar(this)),
      m_words(new InkLabel(this)) {
  m_bar->setTextVisible(false);
  m_bar->setFixedWidth(kBarWidth);
  m_words->setWordWrap(true);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(2 * kGrid);
  for (QWidget* widget : std::initializer_list<QWidget*>{m_start, m_stop, m_bar}) row->addWidget(widget);
  row->addWidget(m_words, 1);
  connect(m_start, &QPushButton::clicked, this, &MakingLine::started);
  connect(m_stop, &QPushButton::clicked, this, [this] {
    showIdle();
    emit stopped();
  });
  setBusy(false);
}

void MakingLine::setStartWords(const QString& words) { m_start->setText(words); }
void MakingLine::setStartEnabled(bool enabled) { m_start->setEnabled(enabled); }

void MakingLine::begin() {
  m_failed = false;
  m_words->clear();
  m_bar->setRange(0, 0);
  setBusy(true);
}

void MakingLine::showProgress(const MakeProgress& progress) {
  m_words->setText(progress.doing);
  m_bar->setRange(0, progress.share ? kBarSteps : 0);
  if (progress.share) m_bar->setValue(static_cast<int>(*progress.share * kBarSteps));
}

void MakingLine::showFailed(const QString& why) {
  m_failed = true;
  m_words->setText(severityGlyph(Severity::kError) + QLatin1Char(' ') + why);
  setBusy(false);
}

void MakingLine::showIdle() {
  m_failed = false;
  m_words->clear();
  setBusy(false);
}

void MakingLine::setBusy(bool busy) {
  m_busy = busy;
  m_start->setVisible(!busy);
  m_stop->setVisible(busy);
  m_bar->setVisible(busy);
  m_words->setInk(m_failed ? severityText(Severity::kError) : themeInk<&Theme::muted>());
}

}  // namespace runglass
