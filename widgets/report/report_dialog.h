// SPDX-License-Identifier: GPL-3.0-or-later
// ReportDialog: a preview of the pages of a report before export, with the editable summary, the redactions and the options.
//
// Threading:  GUI thread; the report is read and laid out on query workers, and written on a thread of its own that ends with the dialog.
// Ownership:  deletes itself when closed; borrows the QueryService, which outlives it.
// Units:      the price of a GPU-hour in any currency.
// Errors:     shown in the dialog, in a line.
// Cost:       one report read when it opens and when redactions or the price change; a page is rendered when it is shown.
#pragma once

#include <QDialog>
#include <QImage>
#include <array>
#include <memory>
#include <thread>

#include "widgets/core/query_service.h"
#include "widgets/report/export_report.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;
class QTimer;
class QTreeWidget;
class QVBoxLayout;

namespace runglass {

class ReportDialog : public QDialog {
  Q_OBJECT

 public:
  // `question` identifies the subject; its program and time are kept, the dialog sets the other members.
  ReportDialog(QueryService& queries, report::Question question, QWidget* parent);
  ~ReportDialog() override;

  bool isFinal() const;  // nothing is being read, laid out or written
  ReportRequest request() const;
  ReportFiles files() const;
  std::size_t pages() const { return m_pages ? m_pages->count() : 0; }
  void setFolder(const QString& folder);
  void exportNow();
  void turnTo(std::size_t page);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  QVBoxLayout* makePreview();
  QVBoxLayout* makeChoices();
  void makeRedactions(QVBoxLayout* column);
  void makeFoot(QVBoxLayout* column);
  void read();
  void listRedactions();
  void take(std::shared_ptr<const ReportData> data);
  void layOut();
  void showPage();
  void showTouched();
  void finished(const Result<std::vector<std::string>>& paths);
  void say(const QString& words);

  QueryService& m_queries;
  const report::Question m_question;
  QuerySlot m_read_slot, m_list_slot, m_layout_slot, m_page_slot;
  std::shared_ptr<const ReportData> m_data;        // as read
  std::shared_ptr<const ReportData> m_shown_data;  // with the edited summary
  std::vector<DrawnChart> m_charts;
  std::shared_ptr<const ReportPages> m_pages;
  std::vector<RedactionList> m_touched;
  std::size_t m_page = 0;
  bool m_filling = false, m_summary_typed = false, m_writing = false;

  QLabel *m_picture, *m_number, *m_said;
  QPushButton *m_back, *m_next, *m_export, *m_cancel, *m_open;
  QPlainTextEdit* m_summary;
  std::array<QCheckBox*, 5> m_formats{};
  std::array<QCheckBox*, report::kRedactClasses> m_redact{};
  QTreeWidget* m_replaced;
  QComboBox* m_paper;
  QLineEdit *m_price, *m_folder;
  QProgressBar* m_progress;
  QTimer* m_typing;
  std::jthread m_writer;  // last member: it posts to the dialog
};

}  // namespace runglass
