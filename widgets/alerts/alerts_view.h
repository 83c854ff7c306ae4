// SPDX-License-Identifier: GPL-3.0-or-later
// AlertsView: the history of notifications: findings of this store's runs and notifications that its hub sent, newest first, read and
// unread; mutes a cause or a rule.
//
// Threading:  GUI thread; reading happens on query workers.
// Ownership:  widgets are owned by their Qt parents.
// Units:      TimeNs.
// Errors:     shown in place of the list.
// Cost:       one query of at most kAlertsShown rows per text tick while visible.
#pragma once

#include <QStackedLayout>

#include "model/alerts.h"
#include "model/findings.h"
#include "widgets/core/finding_card.h"
#include "widgets/core/query_service.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/table_model.h"
#include "widgets/core/table_view.h"
#include "widgets/core/view.h"

class QLabel;
class QPushButton;

namespace runglass {

class ReadMarks;

inline constexpr std::size_t kAlertsShown = 1'000;

struct AlertRow {
  Alert alert;
  std::optional<TimeNs> snoozed_until = std::nullopt;  // of its rule, its cause or an ongoing part of its fault, in the future
  std::string fault = {};                              // equal for the signs of one fault: a GPU that is lost and the hang that follows
  std::shared_ptr<const Finding> finding = nullptr;    // its finding; `alert` is built from it where the hub has sent nothing (id 0)

  TimeNs when() const;
  QString sentence(int max_chars) const;
  QString key() const;         // stable identity of the notification
  QString findingKey() const;  // key of its finding before the hub sent it; empty: no finding, or sent again since
};

bool isRead(const ReadMarks& marks, const AlertRow& row);
// The newest kAlertsShown of alerts plus findings of severity warning and above that have no alert.
Result<std::vector<AlertRow>> readAlerts(Reader& reader, TimeNs now);
// "sent 2×", "muted until 21:40", "not sent"; the tooltip has the result of the delivery.
QString alertState(const AlertRow& row, TimeStyle style);
std::vector<Column<AlertRow>> alertColumns(const TimeStyle* style, std::function<bool(const AlertRow&)> read);
Object objectOf(const AlertRow& row);

class AlertsView : public View {
  Q_OBJECT

 public:
  AlertsView(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  bool isFinal() const override;
  QString copyText() const override;
  std::optional<IncidentSeed> incidentSeed() const override;
  void focusFilter() override;
  // Marks of notifications read earlier; without marks all count as read.
  void setReadMarks(ReadMarks* marks);
  // Snoozes the current row; false: no row is selected.
  bool snooze(bool whole_rule, DurNs duration);

 private:
  QWidget* makeBar();
  void showCard();
  void ask(QueryService::Supersede supersede);
  void showAnswer(const Result<std::shared_ptr<const std::vector<AlertRow>>>& answer);

  const ViewContext m_context;
  TimeStyle m_style = TimeStyle::kUtc;
  TableModel<AlertRow>* m_model;
  TableView* m_table;
  QWidget* m_page;
  FindingCard* m_card;  // of the selected notification's finding
  QLabel* m_said = nullptr;
  QPushButton* m_all_read = nullptr;
  ReadMarks* m_marks = nullptr;
  StatePanel* m_panel;
  QStackedLayout* m_stack;
  bool m_shown = false;
  QuerySlot m_slot;
};

}  // namespace runglass
