// SPDX-License-Identifier: GPL-3.0-or-later
// View `overview`: one run at a glance: a sentence, tiles, stacked plots on one axis, findings, the slowest nodes, the step's parts.
//
// Threading:  GUI thread; OverviewData is read on a query worker.
// Ownership:  as View.
// Units:      as OverviewData.
// Errors:     a failed read keeps the stale picture, dimmed, and shows the reason.
// Cost:       one readOverview() per text tick and per move of the window, coalesced.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QStackedLayout>

#include "widgets/charts/plot_widget.h"
#include "widgets/core/finding_card.h"
#include "widgets/core/headline.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/view.h"
#include "widgets/overview/breakdown_view.h"
#include "widgets/overview/idle_panel.h"
#include "widgets/overview/overview_data.h"
#include "widgets/overview/side_panels.h"

namespace runglass {

class OverviewView : public View {
  Q_OBJECT

 public:
  OverviewView(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  void setAlone(bool alone) override;
  bool isFinal() const override { return m_shown && !m_slot.busy() && m_idle->isFinal() && m_card->isFinal() && m_hang->isFinal(); }
  QString copyText() const override;
  std::optional<IncidentSeed> incidentSeed() const override;

 private:
  QWidget* makePage();
  void switchAxis();
  void placeSide();
  void showHang();
  void showPlayhead();
  void ask(QueryService::Supersede supersede);
  void showAnswer(const Result<std::shared_ptr<const OverviewData>>& answer);
  void connectPlots();

  const ViewContext m_context;
  ViewState m_state;
  std::shared_ptr<const OverviewData> m_data;
  const std::shared_ptr<SpikeCache> m_spikes = std::make_shared<SpikeCache>();
  const std::shared_ptr<SharedSlowVerdict> m_slow = std::make_shared<SharedSlowVerdict>();
  XAxis m_axis = XAxis::kTime;
  std::optional<std::pair<std::int64_t, std::int64_t>> m_steps;
  Headline* m_sentence;
  FindingCard* m_hang;  // of an open hang
  TileRow* m_tiles;
  PlotWidget* m_plots;
  SidePanels* m_side;
  FindingCard* m_card;               // of the finding that was clicked there
  QWidget* m_side_column = nullptr;  // for both
  BreakdownView* m_breakdown;
  IdlePanel* m_idle;
  QPushButton* m_axis_button;
  StatePanel* m_panel;
  QStackedLayout* m_stack;
  bool m_shown = false, m_alone = false, m_side_has_data = false;
  QuerySlot m_slot;
};

}  // namespace runglass
