// SPDX-License-Identifier: GPL-3.0-or-later
// View `gpus`: all GPUs of the cluster now, outliers first; the chosen host in numbers and strips over the shared window.
//
// Threading:  GUI thread; GpuData is read on a query worker.
// Ownership:  as View.
// Units:      as GpuData.
// Errors:     a failed read keeps the stale picture and says why.
// Cost:       one readGpus() per text tick, coalesced.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QStackedLayout>
#include <QTableWidget>

#include "widgets/charts/plot_widget.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/view.h"
#include "widgets/devices/gpu_grid.h"

namespace runglass {

class GpusView : public View {
  Q_OBJECT

 public:
  GpusView(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  bool isFinal() const override { return m_shown && !m_slot.busy(); }
  QString copyText() const override;

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QWidget* makePage();
  void ask(QueryService::Supersede supersede);
  void showAnswer(const Result<std::shared_ptr<const GpuData>>& answer);
  void fillTable();
  QString scaleText() const;

  const ViewContext m_context;
  ViewState m_state;
  std::shared_ptr<const GpuData> m_data;
  NodeId m_node;
  QLabel* m_sentence;
  QComboBox* m_metric;
  QLabel* m_scale;
  GpuGrid* m_grid;
  QLabel* m_host;
  QTableWidget* m_table;
  PlotWidget* m_strips;
  StatePanel* m_panel;
  QStackedLayout* m_stack;
  bool m_shown = false;
  QuerySlot m_slot;
};

}  // namespace runglass
