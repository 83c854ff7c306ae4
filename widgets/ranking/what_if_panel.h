// SPDX-License-Identifier: GPL-3.0-or-later
// WhatIfPanel: tab "What if" of the ranking: tick stages, replicas, workers and operations as fixed, and read the resulting step time.
//
// Threading:  GUI thread; the analysis and every choice's replay run on a query worker, newer ticks supersede older ones.
// Ownership:  as View; ViewContext's objects outlive it.
// Units:      as WhatIfRow.
// Errors:     an unanswerable query shows its reason.
// Cost:       one analysis when run or attempt change, and of a live run once a minute while it is visible; one replay per tick.
#pragma once

#include <QStackedLayout>
#include <QWidget>
#include <memory>
#include <optional>

#include "widgets/core/headline.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/view.h"
#include "widgets/ranking/what_if_answer.h"
#include "widgets/ranking/worker_heat_map.h"

class QDoubleSpinBox;
class QGridLayout;
class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace runglass {

class WhatIfPanel : public QWidget {
  Q_OBJECT

 public:
  explicit WhatIfPanel(ViewContext context, QWidget* parent = nullptr);

  void applyState(const ViewState& state);
  void refresh(Tick tick);
  bool isFinal() const { return m_shown && !m_read.busy() && !m_replay.busy(); }
  // The rows as TSV.
  QString copyText() const;

  QString sentence() const;
  WhatIfTicks ticks() const;
  QTreeWidget* choices() const { return m_choices; }
  WorkerHeatMap* heatMap() const { return m_heat; }
  QDoubleSpinBox* price() const { return m_price; }
  const std::array<WhatIfRow, kWhatIfFacts>& rows() const { return m_rows; }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Outcome {
    FixOutcome outcome;
    WhatIfTicks ticks;
  };
  QWidget* makePage();
  void read(QueryService::Supersede supersede);
  void showAnswer(const Result<std::shared_ptr<const WhatIfShown>>& answer);
  void fillChoices(const WhatIfTicks& ticked);
  QTreeWidgetItem* addGroup(const QString& name);
  void addChoice(QTreeWidgetItem* group, const QString& name, std::optional<double> s, int kind, std::uint32_t index, bool ticked);
  void choose();
  void toggleWorker(std::uint32_t worker);
  void clearTicks();
  void showOutcome();
  std::optional<double> priceOrNone() const;

  const ViewContext m_context;
  ViewState m_state;
  std::shared_ptr<const WhatIfShown> m_data;
  std::shared_ptr<const Outcome> m_outcome;  // of m_data; null: not replayed yet
  std::array<WhatIfRow, kWhatIfFacts> m_rows;
  Headline* m_sentence;
  QLabel* m_grounds;
  std::array<std::array<QLabel*, 4>, kWhatIfFacts> m_cells{};
  std::array<QLabel*, kWhatIfFacts> m_notes{};
  QTreeWidget* m_choices;
  QDoubleSpinBox* m_price;
  WorkerHeatMap* m_heat;
  StatePanel* m_panel;
  QStackedLayout* m_stack;
  bool m_asked = false, m_stale = true, m_shown = false, m_filling = false;
  TimeNs m_read_at = 0;
  QuerySlot m_read, m_replay;
};

}  // namespace runglass
