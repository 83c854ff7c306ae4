// SPDX-License-Identifier: GPL-3.0-or-later
// CurveCard: one tag's curves in one plot, with its own queries to the store and its own buttons.
//
// Threading:  GUI thread.
// Ownership:  the view owns it; QueryService outlives it.
// Units:      as CardQuestion.
// Errors:     a failed read keeps the stale picture, dimmed, with the reason over it.
// Cost:       queries only while visible, and only when the window leaves the range that it has read or becomes finer than its bins.
#pragma once

#include <QWidget>
#include <array>

#include "widgets/charts/plot_widget.h"
#include "widgets/core/ink_label.h"
#include "widgets/core/view.h"
#include "widgets/curves/card_data.h"

class QToolButton;

namespace runglass {

class CurveCard : public QWidget {
  Q_OBJECT

 public:
  CurveCard(QueryService* queries, QWidget* parent);

  // What to show; queries if that differs from its data, or (fresh) if data arrived.
  void ask(const CardQuestion& question, std::size_t left_out, bool pinned, bool fresh);
  bool isFinal() const;
  const CardQuestion& question() const { return m_question; }
  PlotWidget* plot() const { return m_plot; }
  // Tab visits the controls of the card after that one; returns the last of them.
  QWidget* tabAfter(QWidget* control);
  // What a point of the picture is about.
  std::optional<CurvePlace> placeOn(SeriesId series, std::int64_t x) const;
  // Exports the visible window; the outcome is emitted by exported().
  void exportTo(const QString& path);

 signals:
  void pinToggled(bool pinned);
  void logToggled(bool log);
  void hideRequested();
  void menuWanted(const QPoint& at);
  void rulesChosen(const SpikeRules& rules);
  void comparisonRequested();
  void rewindRequested();
  void exported(const QString& words, bool good);

 protected:
  void contextMenuEvent(QContextMenuEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void submit(QueryService::Supersede supersede);
  bool busy() const { return m_missing > 0; }
  void submitMarks();
  void addMarks();
  void answered(const CardQuestion& question, std::size_t part, const Result<std::shared_ptr<const CardPart>>& answer);
  bool covered() const;
  void chooseFile(const QString& suffix);
  void fillRulesMenu();
  bool showsLoss() const;
  void placeButtons();
  void tell();

  QueryService* m_queries;
  PlotWidget* m_plot;
  InkLabel* m_note;
  QToolButton *m_pin, *m_log, *m_more, *m_rules;
  CardQuestion m_question;
  std::size_t m_left_out = 0;
  std::shared_ptr<const CardData> m_data;
  CardQuestion m_answered;  // the query that m_data answers
  QString m_failure;
  bool m_asked = false, m_due = false;
  std::vector<std::shared_ptr<const CardPart>> m_parts;  // of the pending query
  std::size_t m_missing = 0;                             // number of pending parts
  std::array<QuerySlot, kParts> m_slots;
  std::shared_ptr<const CardMarks> m_marks;
  CardQuestion m_marks_asked;
  CardQuestion m_marks_answered;  // the query that m_marks answers
  bool m_marks_due = false;       // data arrived while they were read
  QuerySlot m_marks_slot;
  QuerySlot m_export_slot;
};

}  // namespace runglass
