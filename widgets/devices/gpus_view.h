// SPDX-License-Identifier: GPL-3.0-or-later
// View `gpus`: the current state of every GPU and host, outliers first; the selected host in numbers and strips.
//
// Threading:  GUI thread; GpuData is read on a query worker.
// Ownership:  as View.
// Units:      as GpuData.
// Errors:     a failed read keeps the stale picture and shows the reason.
// Cost:       one readGpus() per text tick and per move of the window, coalesced.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedLayout>
#include <QTableWidget>
#include <set>

#include "widgets/charts/plot_widget.h"
#include "widgets/core/headline.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/table_model.h"
#include "widgets/core/table_view.h"
#include "widgets/core/view.h"
#include "widgets/devices/gpu_grid.h"
#include "widgets/devices/gpu_side.h"

namespace runglass {

class GpusView : public View {
  Q_OBJECT

 public:
  GpusView(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  bool isFinal() const override { return m_shown && !m_slot.busy(); }
  QString copyText() const override;
  void focusFilter() override;

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makePage();
  QWidget* makeBar();
  QWidget* makeLinks();
  void connectParts();
  void ask(QueryService::Supersede supersede);
  void showAnswer(const Result<std::shared_ptr<const GpuData>>& answer);
  void showDetail();
  void fillTable();
  void fillWorst();
  void choose(NodeId node, DeviceId device);
  void showMenu(const GpuCell& cell, const QPoint& at);
  void setFilter(CellGroup group, std::set<DeviceId> devices);
  void toggleOrder();
  void toggleWorst();
  void fitRoom();

  const ViewContext m_context;
  ViewState m_state;
  std::shared_ptr<const GpuData> m_data;
  NodeId m_node;
  DeviceId m_device;
  std::optional<std::size_t> m_chosen_metric;  // absent: the default of the data
  std::shared_ptr<SharedSlowVerdict> m_memory = std::make_shared<SharedSlowVerdict>();
  bool m_by_job = false;
  Headline* m_sentence;
  QComboBox* m_metric;
  QPushButton* m_order;
  QPushButton* m_worst_button;
  QLabel* m_scale;
  GpuSide* m_side;
  GpuGrid* m_grid;
  QScrollArea* m_scroll;
  TableModel<GpuCell>* m_worst_model;
  TableView* m_worst;
  QLabel* m_host;
  QWidget* m_links;  // to other views of the selected GPU's rank
  QLabel* m_host_line;
  QLabel* m_trouble;
  QTableWidget* m_table;
  PlotWidget* m_strips;
  StatePanel* m_panel;
  QStackedLayout* m_stack;
  bool m_shown = false;
  QuerySlot m_slot;
};

}  // namespace runglass
