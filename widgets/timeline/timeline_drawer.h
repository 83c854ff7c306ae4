// SPDX-License-Identifier: GPL-3.0-or-later
// TimelineDrawer: the selected item, below the rows: a span with its peers, an area by name, the hits of a search.
//
// Threading:  GUI thread.
// Ownership:  shares the shown data.
// Units:      as SpanDetail, AreaSummary, SearchHit.
// Errors:     shown as text in place of the table.
// Cost:       tables are virtual.
#pragma once

#include <QLabel>
#include <QTabWidget>
#include <QTableWidget>

#include "widgets/core/table_model.h"
#include "widgets/core/table_view.h"
#include "widgets/timeline/span_detail.h"

namespace runglass {

class TimelineDrawer : public QTabWidget {
  Q_OBJECT

 public:
  explicit TimelineDrawer(QWidget* parent = nullptr);

  void showSpan(const SpanDetail& detail);
  void showNote(const QString& text);  // in place of a span
  void showArea(const AreaSummary& area);
  void showAreaNote(const QString& text);
  void showHits(const std::vector<SearchHit>& hits, const QString& sentence);
  void showHitsNote(const QString& text);
  QString copyText() const;

 signals:
  void peerChosen(const runglass::SpanPeer& peer);
  void hitChosen(const runglass::SearchHit& hit);

 private:
  QWidget* makeSpanPage();
  QWidget* makeTablePage(QLabel* head, const std::vector<TableView*>& tables);

  QLabel* m_name;
  QTableWidget* m_lines;
  TableModel<SpanPeer>* m_peer_model;
  TableView* m_peers;
  QLabel* m_area_head;
  TableModel<AreaRow>* m_area_model;
  TableView* m_area;
  TableModel<AreaRank>* m_area_rank_model;
  TableView* m_area_ranks;
  QLabel* m_hits_head;
  TableModel<SearchHit>* m_hit_model;
  TableView* m_hits;
};

}  // namespace runglass
