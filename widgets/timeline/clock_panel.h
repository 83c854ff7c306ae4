// SPDX-License-Identifier: GPL-3.0-or-later
// ClockPanel: what aligns the clocks of the run on screen, and changing it: by collectives after a preview, by hand, off, and back again.
//
// Threading:  GUI thread; alignments are reckoned on query workers and stored by the EditPort.
// Ownership:  borrows the ViewContext's objects; its button is placed, and then owned, by whoever asks for it.
// Units:      TimeNs.
// Errors:     shown in words in the panel; a refused edit leaves the times as they are.
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
// What a proposal would do, clock by clock, the largest shifts first.
QString proposalWords(const ClockProposal& proposal);

class ClockPanel : public QFrame {
  Q_OBJECT

 public:
  explicit ClockPanel(const ViewContext& context, QWidget* parent = nullptr);

  QToolButton* button() const { return m_button; }
  // Its actions' keys work where they are added: Alt+L, Alt+R.
  std::vector<QAction*> actions() const { return {m_by_collectives, m_begins, m_ends, m_undo, m_off}; }
  void setCatalog(std::shared_ptr<const TimelineCatalog> catalog);
  // The span whose operation the others are aligned to.
  void setChosen(const std::optional<ChosenCall>& chosen);
  const std::optional<ChosenCall>& chosen() const { return m_chosen; }
  QString words() const { return m_words->text(); }
  bool busy() const { return m_slot.busy() || m_storing; }
  QPushButton* applyButton() const { return m_apply; }

 signals:
  // What is in the store has other times now.
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
  std::vector<ClockAlignment> m_before;  // of the attempt on screen, the newest last
  bool m_storing = false;
  QToolButton* m_button;
  QAction *m_by_collectives, *m_begins, *m_ends, *m_undo, *m_off;
  QLabel* m_words;
  QPushButton *m_apply, *m_close;
  QuerySlot m_slot;
};

}  // namespace runglass
