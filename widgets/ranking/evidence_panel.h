// SPDX-License-Identifier: GPL-3.0-or-later
// EvidencePanel: the reasons for a row's rank in the list: its step's parts, its machine, its events and log lines, the recommended action.
//
// Threading:  GUI thread; queries on a query worker.
// Ownership:  a part of the ranking view.
// Units:      as RankingData.
// Errors:     a failed read shows the reason in place of the machine's readings.
// Cost:       one readRankEvidence() per selected row; again when an ongoing slowness has lasted kAskAgain longer.
#pragma once

#include <QLabel>
#include <QWidget>

#include "widgets/core/view.h"
#include "widgets/ranking/rank_evidence.h"
#include "widgets/ranking/rank_part_bars.h"
#include "widgets/ranking/ranking_data.h"

namespace runglass {

class EvidencePanel : public QWidget {
  Q_OBJECT

 public:
  explicit EvidencePanel(ViewContext context, QWidget* parent = nullptr);
  // `nodes`: the targets of the actions. `row` is of `data`.
  void show(std::shared_ptr<const RankingData> data, const RankRow& row, QStringList nodes, TimeStyle style);
  bool isFinal() const { return !m_slot.busy(); }
  // The time in which the row was slow, else that of the analysed steps.
  static std::optional<TimeRange> rangeOf(const RankingData& data, const RankRow& row, TimeNs now);
  QString text() const;  // the whole panel as text, to copy
  QString drainCommand(bool slurm) const;
  QString pairCommand() const;
  RankPartBars* bars() const { return m_bars; }
  QLabel* machine() const { return m_machine; }

 signals:
  void jump(const QString& view);  // "timeline", "gpus", "events": at the row's time and place
  void worstStepWanted();
  void whatIfWanted();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QWidget* makeActions();
  void ask(const RankingData& data, const RankRow& row);
  void showMachine();
  void showLines();
  void copy(const QString& text, const QString& what);

  static constexpr DurNs kAskAgain = 10 * kNsPerSecond;

  const ViewContext m_context;
  std::shared_ptr<const RankingData> m_data;
  RankRow m_row;
  QStringList m_nodes;
  TimeStyle m_style = TimeStyle::kUtc;
  std::shared_ptr<const RankEvidence> m_evidence;
  std::optional<RankEvidenceQuestion> m_asked;
  QString m_failed;
  QLabel *m_title, *m_advice, *m_machine, *m_lines, *m_copied;
  RankPartBars* m_bars;
  QuerySlot m_slot;
};

}  // namespace runglass
