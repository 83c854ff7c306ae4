// SPDX-License-Identifier: GPL-3.0-or-later
// EvidenceCard: a card of an incident on screen: title, picture, caption, coverage; asks for itself and says so while it waits.
//
// Threading:  GUI thread; reads on QueryService.
// Ownership:  borrows the QueryService, which outlives it.
// Units:      as Evidence.
// Errors:     shown in the card.
// Cost:       one readEvidence() when it is first shown, when its question or its width changes much, and at reload().
#pragma once

#include <QWidget>
#include <memory>

#include "widgets/core/ink_label.h"
#include "widgets/core/query_service.h"
#include "widgets/evidence/evidence.h"

class QLineEdit;
class QToolButton;

namespace runglass {

class StatePanel;

class EvidenceCard : public QWidget {
  Q_OBJECT

 public:
  EvidenceCard(QueryService* queries, QWidget* parent = nullptr);

  // `question.columns` is the card's own affair.
  void setQuestion(const EvidenceQuestion& question);
  const EvidenceQuestion& question() const { return m_question; }
  // New data came: asks again after the current answer.
  void reload();
  // Null until it is there.
  std::shared_ptr<const Evidence> evidence() const { return m_evidence; }
  // With a field for the caption and a button that removes the card; not without.
  void setEditable(bool editable);
  // The answer to the last question is on screen.
  bool isFinal() const;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;

 signals:
  void opened(const EvidencePlace& place);  // double click or Enter: go there
  void removed();
  void captionEdited(const QString& caption);  // once, when editing is done

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void ask(QueryService::Supersede supersede);
  void showAnswer(const Result<std::shared_ptr<const Evidence>>& answer);
  void arrange();
  void claimHeight();
  int headHeight() const;
  int footHeight(int width) const;

  QueryService* m_queries;
  QuerySlot m_slot;
  EvidenceQuestion m_question;
  std::shared_ptr<const Evidence> m_evidence;
  int m_asked_columns = 0;  // 0: nothing was asked yet
  bool m_editable = false;
  InkLabel* m_title;
  InkLabel* m_caption;
  InkLabel* m_coverage;
  QLineEdit* m_caption_edit;
  QToolButton* m_remove;
  StatePanel* m_state;
};

}  // namespace runglass
