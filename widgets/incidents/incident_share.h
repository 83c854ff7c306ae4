// SPDX-License-Identifier: GPL-3.0-or-later
// The foot of an incident: its report, a store of what it needs with the size told before and after, and deleting it.
//
// Threading:  GUI thread; the SharePort writes elsewhere.
// Ownership:  borrows the SharePort, which outlives it; null: nothing can be given away. The destructor ends a running export.
// Units:      bytes.
// Errors:     said in the line.
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

  // `uuid` empty: nothing is chosen, or what is chosen is not stored.
  void setIncident(const std::string& uuid, const QString& title, const QString& refusal);
  void setEstimate(const SliceEstimate* estimate);  // null: not known yet
  void chooseFile();
  void exportTo(const QString& path);
  bool exporting() const { return m_running; }
  void say(const QString& words, bool failed);
  void setUndo(const QString& words);  // of what can be taken back; empty: nothing
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
