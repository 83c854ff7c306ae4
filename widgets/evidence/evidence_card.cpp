// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. m_evidence is the answer to m_question, or to the one before while m_slot is busy (then it is drawn dimmed).
// 2. Without m_evidence, or if it is empty, m_state is shown instead.
#include "widgets/evidence/evidence_card.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QResizeEvent>
#include <QToolButton>
#include <algorithm>

#include "widgets/core/language.h"
#include "widgets/core/state_panel.h"

namespace runglass {
namespace {

constexpr int kPad = 2 * kGrid, kStateHeight = 96, kButtonWidth = 72, kColumnStep = 64;
constexpr double kStaleOpacity = 0.5;

InkLabel* makeLabel(QWidget* parent, bool wraps) {
  auto* label = new InkLabel(parent);
  label->setWordWrap(wraps);
  label->setTextInteractionFlags(wraps ? Qt::TextSelectableByMouse : Qt::NoTextInteraction);
  return label;
}

}  // namespace

EvidenceCard::EvidenceCard(QueryService* queries, QWidget* parent)
    : QWidget(parent),
      m_queries(queries),
      m_title(makeLabel(this, false)),
      m_caption(makeLabel(this, true)),
      m_coverage(makeLabel(this, true)),
      m_caption_edit(new QLineEdit(this)),
      m_remove(new QToolButton(this)),
      m_state(new StatePanel(this)) {
  setFocusPolicy(Qt::StrongFocus);
  QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
  policy.setHeightForWidth(true);
  setSizePolicy(policy);
  m_caption_edit->hide();
  m_caption_edit->setPlaceholderText(tr("Caption; empty: what the picture shows"));
  m_caption_edit->setMaxLength(600);
  m_remove->setText(tr("Remove"));
  m_remove->setToolTip(tr("Takes this card out of the incident. Its data stays in the store."));
  m_remove->hide();
  connect(m_remove, &QToolButton::clicked, this, &EvidenceCard::removed);
  connect(m_caption_edit, &QLineEdit::editingFinished, this, [this] {
    const QString text = m_caption_edit->text().trimmed();
    if (text.toStdString() == m_question.card.caption) return;
    m_question.card.caption = text.toStdString();
    emit captionEdited(text);
  });
  m_state->showLoading(tr("Reading"));
  QFont bold = textFont();
  bold.setBold(true);
  m_title->setFont(bold);
  m_caption->setFont(textFont());
  m_coverage->setFont(tableFont());
  m_coverage->setInk(themeInk<&Theme::muted>());
}

void EvidenceCard::setQuestion(const EvidenceQuestion& question) {
  m_question = question;
  m_title->setText(phraseText(question.card.title.empty() ? question.card.kind : question.card.title, 120));
  setAccessibleName(m_title->text());
  if (!m_caption_edit->hasFocus()) {
    m_caption_edit->setText(screenText(question.card.caption, 600));
    m_caption_edit->setCursorPosition(0);  // shows its start first
  }
  m_asked_columns = 0;
  if (isVisible()) ask(QueryService::Supersede::kCancelOlder);
}

void EvidenceCard::reload() {
  if (m_asked_columns > 0) ask(QueryService::Supersede::kAfterCurrent);
}

void EvidenceCard::setEditable(bool editable) {
  m_editable = editable;
  m_remove->setVisible(editable);
  m_caption_edit->setVisible(editable);
  claimHeight();
  arrange();
}

bool EvidenceCard::isFinal() const { return m_asked_columns > 0 && !m_slot.busy(); }

void EvidenceCard::ask(QueryService::Supersede supersede) {
  if (m_question.card.kind.empty() || width() <= 2 * kPad) return;
  EvidenceQuestion question = m_question;
  question.columns = (width() - 2 * kPad + kColumnStep - 1) / kColumnStep * kColumnStep;
  m_asked_columns = question.columns;
  m_queries->submit<Evidence>(
      m_slot, supersede, [question](Reader& reader, std::stop_token stop) { return readEvidence(reader, question, std::move(stop)); },
      [this](const Result<std::shared_ptr<const Evidence>>& answer) { showAnswer(answer); });
  update();
}

void EvidenceCard::showAnswer(const Result<std::shared_ptr<const Evidence>>& answer) {
  if (answer.ok()) {
    m_evidence = *answer;
    m_title->setText(m_evidence->title);
    m_caption->setText(m_evidence->caption);
    m_coverage->setText(m_evidence->coverage);
    if (m_evidence->empty()) m_state->showEmpty(tr("Nothing to show"), m_evidence->reason);
  } else {
    m_evidence.reset();
    m_caption->clear();
    m_coverage->clear();
    m_state->showFailed(tr("This card could not be read"), screenText(answer.status().message(), 400));
  }
  claimHeight();
  arrange();
  update();
}

int EvidenceCard::headHeight() const { return kPad + kRowHeight; }

int EvidenceCard::footHeight(int width) const {
  int height = kPad;
  if (m_editable)
    height += m_caption_edit->sizeHint().height() + kGrid;
  else if (!m_caption->text().isEmpty())
    height += m_caption->heightForWidth(width) + kGrid;
  if (!m_coverage->text().isEmpty()) height += m_coverage->heightForWidth(width);
  return height;
}

int EvidenceCard::heightForWidth(int width) const {
  const int inner = std::max(1, width - 2 * kPad);
  const double picture = m_evidence && !m_evidence->empty() ? heightOf(*m_evidence, inner) : kStateHeight;
  return headHeight() + static_cast<int>(picture) + kGrid + footHeight(inner);
}

QSize EvidenceCard::sizeHint() const {
  const int wide = width() > 2 * kPad ? width() : m_question.columns + 2 * kPad;
  return {wide, heightForWidth(wide)};
}

// A card lower than its picture would hide part of it: layouts must not shrink it.
void EvidenceCard::claimHeight() {
  const int wanted = heightForWidth(width());
  if (minimumHeight() != wanted) setMinimumHeight(wanted);
  updateGeometry();
}

void EvidenceCard::arrange() {
  const int inner = std::max(1, width() - 2 * kPad), button = m_editable ? kButtonWidth : 0;
  m_title->setGeometry(kPad, kGrid, inner - button, kRowHeight);
  m_remove->setGeometry(width() - kPad - kButtonWidth, kGrid, kButtonWidth, kRowHeight);
  int y = height() - footHeight(inner) + kGrid;
  const int state_height = std::max(0, y - kGrid - headHeight());
  m_state->setGeometry(kPad, headHeight(), inner, state_height);
  m_state->setVisible(!m_evidence || m_evidence->empty());
  m_caption->setVisible(!m_editable && !m_caption->text().isEmpty());
  if (m_editable) {
    m_caption_edit->setGeometry(kPad, y, inner, m_caption_edit->sizeHint().height());
    y += m_caption_edit->height() + kGrid;
  } else if (m_caption->isVisibleTo(this)) {
    m_caption->setGeometry(kPad, y, inner, m_caption->heightForWidth(inner));
    y += m_caption->height() + kGrid;
  }
  m_coverage->setGeometry(kPad, y, inner, m_coverage->text().isEmpty() ? 0 : m_coverage->heightForWidth(inner));
}

void EvidenceCard::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = currentTheme();
  painter.fillRect(rect(), theme.surface);
  if (m_evidence && !m_evidence->empty()) {
    const int inner = width() - 2 * kPad;
    if (m_slot.busy()) painter.setOpacity(kStaleOpacity);
    paintEvidence(painter, QRectF(kPad, headHeight(), inner, heightOf(*m_evidence, inner)), *m_evidence, theme);
    painter.setOpacity(1);
  }
  painter.setPen(hasFocus() ? theme.accent : theme.line);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void EvidenceCard::resizeEvent(QResizeEvent* event) {
  if (event->size().width() != event->oldSize().width()) claimHeight();
  arrange();
  const int inner = width() - 2 * kPad;
  // A slightly different width is drawn from the data already read.
  if (isVisible() && (m_asked_columns == 0 || inner > m_asked_columns * 3 / 2 || inner < m_asked_columns / 2))
    ask(QueryService::Supersede::kCancelOlder);
}

void EvidenceCard::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (m_asked_columns == 0) ask(QueryService::Supersede::kCancelOlder);
}

void EvidenceCard::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) update();
}

void EvidenceCard::mouseDoubleClickEvent(QMouseEvent*) {
  if (m_evidence && !m_evidence->place.view.empty()) emit opened(m_evidence->place);
}

void EvidenceCard::keyPressEvent(QKeyEvent* event) {
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (enter && m_evidence && !m_evidence->place.view.empty()) return emit opened(m_evidence->place);
  if (event->key() == Qt::Key_Delete && m_editable) return emit removed();
  QWidget::keyPressEvent(event);
}

}  // namespace runglass
