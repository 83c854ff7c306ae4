// SPDX-License-Identifier: GPL-3.0-or-later
// View `curves`: any scalar or metric of any run against step, time or time since the run's begin; runs compared in one plot.
//
// Threading:  GUI thread; CurvesData is read on a query worker.
// Ownership:  as View.
// Units:      as CurvesData.
// Errors:     a failed read or export keeps the stale picture and says why.
// Cost:       one readCurves() per picture tick, coalesced; smoothing and axes redraw without asking again.
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QSlider>
#include <QSortFilterProxyModel>
#include <QStackedLayout>

#include "widgets/charts/plot_widget.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/view.h"
#include "widgets/curves/curves_data.h"

namespace runglass {

class CurvesView : public View {
  Q_OBJECT

 public:
  CurvesView(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  bool isFinal() const override { return m_answers > 0 && !m_slot.busy(); }
  QString copyText() const override { return m_plots->cursorTable(); }
  void focusFilter() override { m_filter->setFocus(Qt::ShortcutFocusReason); }
  // Writes PNG, SVG or CSV by the file's suffix.
  Status exportTo(const QString& path);

 private:
  QWidget* makeSide();
  QWidget* makePage();
  void connectAll();
  CurvesQuestion question() const;
  void ask(QueryService::Supersede supersede);
  void showAnswer(const Result<std::shared_ptr<const CurvesData>>& answer);
  void redraw();
  void chooseExport();

  const ViewContext m_context;
  ViewState m_state;
  std::shared_ptr<const CurvesData> m_data;
  std::optional<std::pair<std::int64_t, std::int64_t>> m_window;  // of step and relative axes; the time axis is shared
  CurveList* m_list;
  QSortFilterProxyModel* m_proxy;
  QLineEdit* m_filter;
  QListView* m_tags;
  QComboBox* m_axis;
  QSlider* m_smoothing;
  QLabel* m_smoothing_text;
  QCheckBox *m_log, *m_robust;
  PlotWidget* m_plots;
  StatePanel* m_panel;
  QStackedLayout* m_stack;
  QLabel* m_note;
  int m_answers = 0;
  QuerySlot m_slot, m_export_slot;
};

}  // namespace runglass
