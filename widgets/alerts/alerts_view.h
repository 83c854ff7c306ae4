// SPDX-License-Identifier: GPL-3.0-or-later
// AlertsView: the history of notifications: what was found in this store's runs and what its hub notified people of, newest first, read and
// unread; mutes a cause or a rule.
//
// Threading:  GUI thread; reading happens on query workers.
// Ownership:  Qt parents own widgets.
// Units:      TimeNs.
// Errors:     shown in place.
// Cost:       one query of at most kAlertsShown rows per text tick while visible.
#pragma once

#include <QStackedLayout>

#include "model/alerts.h"
#include "model/findings.h"
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
  std::optional<TimeNs> snoozed_until = std::nullopt;  // of its cause or its rule, in the future
  std::shared_ptr<const Finding> finding = nullptr;    // that it is about; `alert` is made of it where the hub sent nothing (id 0)

  TimeNs when() const;
  QString sentence(int max_chars) const;
  QString key() const;  // the same for the same notification
};

// The newest kAlertsShown of alerts, and of findings of severity warning and above without an alert.
Result<std::vector<AlertRow>> readAlerts(Reader& reader, TimeNs now);
// "told 2×", "snoozed until 21:40", "not told", with what came of it in the tip.
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
  void focusFilter() override;
  // What was read before; without it all is read.
  void setReadMarks(ReadMarks* marks);
  // Of the current row; false: none is chosen.
  bool snooze(bool whole_rule, DurNs duration);

 private:
  QWidget* makeBar();
  void ask(QueryService::Supersede supersede);
  void showAnswer(const Result<std::shared_ptr<const std::vector<AlertRow>>>& answer);

  const ViewContext m_context;
  TimeStyle m_style = TimeStyle::kUtc;
  TableModel<AlertRow>* m_model;
  TableView* m_table;
  QWidget* m_page;
  QLabel* m_said = nullptr;
  QPushButton* m_all_read = nullptr;
  ReadMarks* m_marks = nullptr;
  StatePanel* m_panel;
  QStackedLayout* m_stack;
  bool m_shown = false;
  QuerySlot m_slot;
};

}  // namespace runglass
