// SPDX-License-Identifier: GPL-3.0-or-later
// The footer of an incident: its report, an export of its data into a store with the size before and after, and a delete button.
//
// Threading:  GUI thread; the SharePort writes elsewhere.
// Ownership:  borrows the SharePort, which outlives it; null: nothing can be exported. The destructor ends a running export.
// Units:      bytes.
// Errors:     shown in the line.
// Cost:       one export at a time.
#pragma once

#include <QWidget>
#include <optional>
#include <stop_token>
#include <string>

#include "widgets/core/share_port.h"
#include "widgets/incidents/slice_estimate.h"

class QLabel;
class QPushButton;

namespace runglass {

class IncidentShare : public QWidget {
  Q_OBJECT

 public:
  explicit IncidentShare(SharePort* port, QWidget* parent = nullptr);
  ~IncidentShare() override;

  // `uuid` empty: nothing is selected, or the selected incident is not stored.
  void setIncident(const std::string& uuid, const QString& title, const QString& refusal);
  void setEstimate(const SliceEstimate* estimate);  // null: not known yet
  void chooseFile();
  void exportTo(const QString& path);
  bool exporting() const { return m_running; }
  void say(const QString& words, bool failed);
  void setUndo(const QString& words);  // the edit that can be undone; empty: none
  QString words() const;
  QPushButton* exportButton() const { return m_export; }
  QPushButton* reportButton() const { return m_report; }
  QPushButton* undoButton() const { return m_undo; }
  QPushButton* cancelButton() const { return m_cancel; }

 signals:
  void reportWanted();
  void deleteWanted();
  void undoWanted();

 private:
  void updateButtons();

  SharePort* const m_port;
  std::string m_uuid;
  QString m_title, m_refusal;
  std::optional<std::int64_t> m_estimate;
  std::stop_source m_stop;
  bool m_running = false, m_asking = false;
  QPushButton *m_report, *m_export, *m_cancel, *m_undo, *m_delete, *m_keep;
  QLabel* m_words;
};

}  // namespace runglass
