// SPDX-License-Identifier: GPL-3.0-or-later
// The run log of the shown run: its history in order, with the users' notes; to read, filter, add to and export as Markdown.
//
// Threading:  GUI thread; reads on a query worker.
// Ownership:  as View's parts: borrows the objects of the context.
// Units:      TimeNs.
// Errors:     shown in place.
// Cost:       one readLogbook() when it is shown, the run changes, or data arrived (at most every kReadAgainMs).
#pragma once

#include <QElapsedTimer>
#include <QWidget>
#include <memory>
#include <string>

#include "analysis/logbook/logbook.h"
#include "widgets/core/state_panel.h"
#include "widgets/core/table_model.h"
#include "widgets/core/table_view.h"
#include "widgets/core/view.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QStackedLayout;

namespace runglass {

std::vector<Column<LogbookEntry>> logbookColumns(const TimeStyle* style);

class LogbookPage : public QWidget {
  Q_OBJECT

 public:
  LogbookPage(ViewContext context, QWidget* parent);

  void applyState(const ViewState& state);
  void refresh();
  bool isFinal() const { return m_shown && !m_slot.busy(); }
  QString copyText() const { return m_table->selectedTsv(); }
  void focusFilter() { m_table->focusFilter(); }
  void focusNote();
  // Writes the shown entries as Markdown; an empty `path` opens a file dialog.
  void exportMarkdown(const QString& path);
  const TableModel<LogbookEntry>* model() const { return m_model; }
  TableView* table() const { return m_table; }
  QLineEdit* noteField() const { return m_note; }
  QString words() const;
  QString summary() const;

 private:
  QWidget* makePage();
  void ask(QueryService::Supersede supersede);
  void showAnswer(const Result<std::shared_ptr<const Logbook>>& answer);
  void goTo(const QModelIndex& index);
  void addNote();
  // The half-typed note of the shown run, which outlives the window.
  void showDraft();
  void keepDraft(const QString& text);
  // The time of a new note: the playhead, else the current row, else now while the run is live; absent: the run as a whole.
  std::optional<TimeNs> noteTime() const;
  void tellNoteTime();

  static constexpr int kReadAgainMs = 5'000;
  const ViewContext m_context;
  ViewState m_state;
  std::shared_ptr<const Logbook> m_logbook;
  TableModel<LogbookEntry>* m_model;
  TableView* m_table;
  QLabel *m_summary, *m_words;
  QLineEdit* m_note;
  std::string m_draft_of;  // uuid of the run whose draft is in the field
  QPushButton* m_add;
  StatePanel* m_panel;
  QWidget* m_page = nullptr;
  QStackedLayout* m_stack;
  QElapsedTimer m_age;
  bool m_shown = false, m_asked = false;
  QuerySlot m_slot;
};

}  // namespace runglass
