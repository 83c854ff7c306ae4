// SPDX-License-Identifier: GPL-3.0-or-later
// View `health`: data quality: malformed and lost data with counts and help, and the content of the store.
//
// Threading:  GUI thread; issues are read on a query worker.
// Ownership:  as View.
// Units:      counts; bytes IEC.
// Errors:     a failed read shows the reason.
// Cost:       one issues() and one info() a text tick, coalesced.
#pragma once

#include <QElapsedTimer>
#include <QStackedLayout>
#include <memory>
#include <vector>

#include "widgets/core/headline.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/table_model.h"
#include "widgets/core/table_view.h"
#include "widgets/core/view.h"

class QGridLayout;
class QLabel;

namespace runglass {

struct IssueRow {
  Issue issue;
  Severity severity = Severity::kWarning;  // from the catalogue
  std::string_view help;
};

struct StoreHealth {
  std::vector<IssueRow> issues;  // worst first, then by count
  StoreInfo info;
};

std::vector<Column<IssueRow>> issueColumns(const TimeStyle* style);
Result<StoreHealth> readStoreHealth(Reader& reader);
// The headline: "Nothing odd arrived.", or the lost and the malformed data.
QString healthSentence(const std::vector<IssueRow>& issues);
// Name and value lines of the store panel.
// `usage` may be null: not known yet.
std::vector<std::pair<QString, QString>> storeFacts(const StoreInfo& info, const StoreUsage* usage, TimeStyle style);

class DataQualityView : public View {
  Q_OBJECT

 public:
  DataQualityView(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state) override;
  void refresh(Tick tick) override;
  bool isFinal() const override;
  QString copyText() const override;
  void focusFilter() override;

 protected:
 private:
  void ask();
  void askUsage();
  void showAnswer(const Result<std::shared_ptr<const StoreHealth>>& answer);
  void showDetail(const QModelIndex& index);
  void showFacts();
  QWidget* makeSide();

  const ViewContext m_context;
  TimeStyle m_style = TimeStyle::kUtc;
  std::shared_ptr<const StoreHealth> m_health;
  TableModel<IssueRow>* m_model;
  Headline* m_sentence;
  TableView* m_table;
  StatePanel* m_panel;
  QStackedLayout* m_stack = nullptr;
  QLabel* m_detail_title = nullptr;
  QLabel* m_detail_help = nullptr;
  QLabel* m_detail_text = nullptr;
  QGridLayout* m_facts = nullptr;
  bool m_shown = false;
  std::shared_ptr<const StoreUsage> m_usage;
  QElapsedTimer m_usage_age;  // since the last query
  QuerySlot m_slot, m_usage_slot;
};

}  // namespace runglass
