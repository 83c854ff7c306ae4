// SPDX-License-Identifier: GPL-3.0-or-later
// EvidenceCard: a card of an incident on screen: title, picture, caption, coverage; it submits its own query and shows that it is waiting.
//
// Threading:  GUI thread; reads on QueryService.
// Ownership:  borrows the QueryService, which outlives it.
// Units:      as Evidence.
// Errors:     shown in the card.
// Cost:       one readEvidence() when first shown, after a large change of its query or width, and at reload().
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

  // The card sets `question.columns` itself.
  void setQuestion(const EvidenceQuestion& question);
  const EvidenceQuestion& question() const { return m_question; }
  // New data arrived: queries again after the current answer.
  void reload();
  // Null until the first answer.
  std::shared_ptr<const Evidence> evidence() const { return m_evidence; }
  // Adds or removes the field for the caption and the button that removes the card.
  void setEditable(bool editable);
  // The screen shows the answer to the last query.
  bool isFinal() const;
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;

 signals:
  void opened(const EvidencePlace& place);  // double click or Enter: navigate there
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
  int m_asked_columns = 0;  // 0: nothing was queried yet
  bool m_editable = false;
  InkLabel* m_title;
  InkLabel* m_caption;
  InkLabel* m_coverage;
  QLineEdit* m_caption_edit;
  QToolButton* m_remove;
  StatePanel* m_state;
};

}  // namespace runglass
