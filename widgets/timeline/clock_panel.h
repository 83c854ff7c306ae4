// SPDX-License-Identifier: GPL-3.0-or-later
// ClockPanel: the clock alignment of the shown run, and changing it: by collectives after a preview, by hand, off, and undo.
//
// Threading:  GUI thread; alignments are computed on query workers and stored by the EditPort.
// Ownership:  borrows the ViewContext's objects; its button is placed, and then owned, by the caller that requests it.
// Units:      TimeNs.
// Errors:     shown as text in the panel; a refused edit leaves the times unchanged.
// Cost:       a preview is O(spans) of the attempt.
#pragma once

#include <QAction>
#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <optional>
#include <vector>

#include "analysis/clock_align/clock_matches.h"
#include "analysis/clock_align/manual_align.h"
#include "widgets/core/view.h"
#include "widgets/timeline/timeline_data.h"

namespace runglass {

// "aligned by 1 240 collectives, residual 8 us"; "clocks as stamped" without one.
QString alignmentWords(const std::optional<ClockAlignment>& alignment);
// The effect of a proposal, clock by clock, the largest shifts first.
QString proposalWords(const ClockProposal& proposal);

class ClockPanel : public QFrame {
  Q_OBJECT

 public:
  explicit ClockPanel(const ViewContext& context, QWidget* parent = nullptr);

  QToolButton* button() const { return m_button; }
  // The actions' hotkeys work where the actions are added: Alt+L, Alt+R.
  std::vector<QAction*> actions() const { return {m_by_collectives, m_begins, m_ends, m_undo, m_off}; }
  void setCatalog(std::shared_ptr<const TimelineCatalog> catalog);
  // The span to whose operation the others are aligned.
  void setChosen(const std::optional<ChosenCall>& chosen);
  const std::optional<ChosenCall>& chosen() const { return m_chosen; }
  QString words() const { return m_words->text(); }
  bool busy() const { return m_slot.busy() || m_storing; }
  QPushButton* applyButton() const { return m_apply; }

 signals:
  // The store's times have changed.
  void aligned();

 private:
  void preview();
  void alignChosen(AlignEdge edge);
  void store(ClockAlignment alignment, bool is_undo);
  void say(const QString& words, bool can_apply = false);
  QString refusal() const;
  void showState();

  const ViewContext m_context;
  std::shared_ptr<const TimelineCatalog> m_catalog;
  std::optional<ChosenCall> m_chosen;
  std::optional<ClockAlignment> m_proposed;
  std::vector<ClockAlignment> m_before;  // of the shown attempt, newest last
  bool m_storing = false;
  QToolButton* m_button;
  QAction *m_by_collectives, *m_begins, *m_ends, *m_undo, *m_off;
  QLabel* m_words;
  QPushButton *m_apply, *m_close;
  QuerySlot m_slot;
};

}  // namespace runglass
