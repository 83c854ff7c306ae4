// SPDX-License-Identifier: GPL-3.0-or-later
// View `topology`: the place of every rank in the parallel layout, the ranks that deviate from their stage, and the groups of a rank.
//
// Threading:  GUI thread; the data is read on a query worker.
// Ownership:  as View.
// Units:      as TopologyData.
// Errors:     a failed read shows the reason in place of the picture.
// Cost:       one readTopology() per text tick, after the previous one; a selection queries nothing.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QStackedLayout>
#include <QTabBar>

#include "widgets/core/headline.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/view.h"
#include "widgets/topology/hang_list.h"
#include "widgets/topology/rank_links.h"
#include "widgets/topology/step_page.h"
#include "widgets/topology/topology_grid.h"
#include "widgets/topology/topology_side.h"

namespace runglass {

class TopologyView : public View {
  Q_OBJECT

 public:
  TopologyView(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  bool isFinal() const override {
    const bool no_step = m_tabs->currentIndex() == 0 || m_stack->currentIndex() == 0;
    return m_shown && !m_slot.busy() && !m_links_slot.busy() && (no_step || m_step->isFinal());
  }
  bool showTab(const QString& name) override;
  void focusFilter() override;
  QString copyText() const override;
  TopologyGrid* grid() const { return m_grid; }
  HangList* hangList() const { return m_hang; }
  TopologySide* side() const { return m_side; }
  StepPage* stepPage() const { return m_step; }
  QTabBar* tabs() const { return m_tabs; }
  QString headline() const { return m_headline->words(); }

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makePage();
  void connectParts();
  void ask(QueryService::Supersede supersede);
  void showAnswer(const Result<std::shared_ptr<const TopologyData>>& answer);
  void offerHang();
  void choose(std::optional<std::int32_t> rank);
  void openPage(int index);
  void askLinks();
  void chooseOrder(const QString& order);
  void tellOrder();

  const ViewContext m_context;
  ViewState m_state;
  Headline* m_headline;
  QTabBar* m_tabs;
  QWidget* m_bar;  // for the lattice
  QComboBox *m_metric, *m_fold, *m_order;
  QCheckBox *m_racks, *m_links;
  QLineEdit* m_find;
  StepPage* m_step;
  QStackedLayout* m_pages;
  HeatScale* m_scale;
  QLabel* m_caption;
  TopologyGrid* m_grid;
  HangList* m_hang;
  TopologySide* m_side;
  StatePanel* m_panel;
  QStackedLayout* m_stack;
  const std::shared_ptr<SharedSlowVerdict> m_slow = std::make_shared<SharedSlowVerdict>();
  std::shared_ptr<const TopologyData> m_data;
  bool m_shown = false, m_asked = false;
  bool m_metric_chosen = false;  // by the user; else the first with values
  QString m_order_trouble;       // why the last choice of an order was not stored
  std::optional<std::int32_t> m_linked;
  QuerySlot m_slot, m_links_slot;
};

}  // namespace runglass
