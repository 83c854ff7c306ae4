// SPDX-License-Identifier: GPL-3.0-or-later
// StepPage: the tab `step` of the topology view: a step of one replica drawn by StepChart, its critical path in ms, and the dependencies of
// the selected operation.
//
// Threading:  GUI thread; the data is read on a query worker.
// Ownership:  the view owns it.
// Units:      ns.
// Errors:     shown with the reason in place of the picture.
// Cost:       one readStep() for each selected step, replica or attempt; live data is not followed.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QSpinBox>
#include <QStackedLayout>
#include <QToolButton>
#include <QTreeWidget>

#include "widgets/core/state_panel.h"
#include "widgets/core/view.h"
#include "widgets/topology/step_chart.h"
#include "widgets/topology/step_data.h"

namespace runglass {

class StepPage : public QWidget {
  Q_OBJECT

 public:
  StepPage(const ViewContext& context, QWidget* parent);
  // The replica of the selected rank and the selected step are shown. Null: the page is hidden.
  void setState(const ViewState& state, std::shared_ptr<const TopologyData> topology);
  bool isFinal() const { return m_data && !m_slot.busy(); }
  StepChart* chart() const { return m_chart; }
  QTreeWidget* pathList() const { return m_path; }
  QTreeWidget* chainList() const { return m_chain; }
  std::shared_ptr<const StepData> data() const { return m_data; }
  QString headline() const { return m_headline->text(); }
  void goTo(int steps);  // forward or back among the recorded ones

 signals:
  void viewRequested(const QString& id);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void ask();
  void showAnswer(const Result<std::shared_ptr<const StepData>>& answer);
  void fillLegend();
  void fillPath();
  void fillChain();
  void choose(std::optional<std::uint32_t> node);
  void open(std::uint32_t node);

  const ViewContext& m_context;
  ViewState m_state;
  std::shared_ptr<const TopologyData> m_topology;
  std::shared_ptr<const StepData> m_data;
  std::optional<std::int64_t> m_step, m_selected;  // m_selected: the selected step visited last
  std::optional<std::int32_t> m_replica, m_rank;   // m_rank: the one that determined the replica
  QToolButton *m_back, *m_next;
  QSpinBox* m_number;
  QComboBox* m_replicas;
  QLabel *m_headline, *m_note;
  StepChart* m_chart;
  QTreeWidget *m_path, *m_chain;
  StatePanel* m_panel;
  QStackedLayout* m_stack;
  QuerySlot m_slot;
};

}  // namespace runglass
