// SPDX-License-Identifier: GPL-3.0-or-later
// View `ranking`: the slow ranks: a sentence, a table with the worst first, heat maps of their places, the reasons, and the recommended
// action.
//
// Threading:  GUI thread; the ranking is computed on a query worker.
// Ownership:  as View.
// Units:      as RankingData.
// Errors:     a failed read shows the reason.
// Cost:       one reading of the new data per text tick, coalesced; moving the selection within a run reads only the selected row's
//             evidence.
#pragma once

#include <QLabel>
#include <QStackedLayout>

#include "widgets/core/headline.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/table_view.h"
#include "widgets/core/view.h"
#include "widgets/ranking/evidence_panel.h"
#include "widgets/ranking/rank_columns.h"
#include "widgets/ranking/ranking_data.h"
#include "widgets/ranking/what_if_panel.h"

class QComboBox;
class QTabWidget;

namespace runglass {

class RankingView : public View {
  Q_OBJECT

 public:
  RankingView(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  bool isFinal() const override;
  QString copyText() const override;
  std::optional<IncidentSeed> incidentSeed() const override;
  bool showTab(const QString& name) override;
  void focusFilter() override;
  QString sentence() const { return m_sentence->words(); }
  const TableModel<RankRow>* model() const { return m_model; }
  TableView* table() const { return m_table; }
  RankHeatMap* heatMap() const { return m_heat; }
  PlaceHeatMap* workerMap() const { return m_workers; }
  PlaceHeatMap* hostMap() const { return m_hosts; }
  QTabWidget* maps() const { return m_maps; }
  EvidencePanel* evidence() const { return m_evidence; }
  WhatIfPanel* whatIf() const { return m_what_if; }
  void showWhatIf();
  void setLevel(RankLevel level);
  RankLevel level() const { return m_level; }

 protected:
 private:
  QWidget* makePage();
  QWidget* makeMaps();
  void ask(QueryService::Supersede supersede);
  void showAnswer(const Result<std::shared_ptr<const RankingData>>& answer);
  void showNothing(const Result<std::shared_ptr<const RankingData>>& answer);
  void showRows();
  void showMaps();
  void offerLevels();
  void showSelection();
  // The row of the shared selection, else the first; null without rows.
  const RankRow* shownRow() const;
  // Nodes of the rows selected in the table, else of the shown row.
  QStringList chosenNodes() const;
  void choose(const RankRow& row);
  void select(std::int32_t rank, std::optional<std::int64_t> step);
  Selection selectionOf(std::int32_t rank, std::optional<std::int64_t> step) const;
  // Shows the rank's step in the timeline; without a step its worst one.
  void open(std::int32_t rank, std::optional<std::int64_t> step);
  void jump(const QString& view);

  const ViewContext m_context;
  ViewState m_state;
  std::shared_ptr<RankingMemory> m_memory;  // for the shown run and attempt
  std::shared_ptr<const RankingData> m_data;
  RankLevel m_level = RankLevel::kRank;
  TableModel<RankRow>* m_model;
  Headline* m_sentence;
  QLabel* m_grounds;
  QLabel* m_pattern;
  QComboBox* m_levels;
  TableView* m_table;
  RankHeatMap* m_heat;
  PlaceHeatMap *m_workers, *m_hosts;
  QTabWidget* m_maps;
  EvidencePanel* m_evidence;
  StatePanel* m_panel;
  QTabWidget* m_tabs;
  QStackedLayout* m_stack;
  WhatIfPanel* m_what_if;
  bool m_asked = false, m_shown = false, m_fitted = false, m_map_chosen = false;
  QuerySlot m_slot;
};

}  // namespace runglass
