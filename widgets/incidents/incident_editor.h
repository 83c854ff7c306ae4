// SPDX-License-Identifier: GPL-3.0-or-later
// IncidentEditor: edits of incidents, one at a time, each based on the newest reading; a conflicting edit is preserved, and saved edits can
// be undone.
//
// Threading:  GUI thread; the EditPort does the work elsewhere.
// Ownership:  borrows the EditPort, which outlives it; null: nothing can be edited.
// Errors:     said(): why an edit was not made. ABORTED (another user was faster): conflicted(), with the stored version; nothing is lost.
// Cost:       one edit at a time; the view reads again after each.
#pragma once

#include <QObject>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "widgets/core/edit_port.h"
#include "widgets/incidents/incident_data.h"

namespace runglass {

class IncidentEditor : public QObject {
  Q_OBJECT

 public:
  using Change = std::function<void(Incident&)>;

  IncidentEditor(EditPort* edits, QObject* parent);

  // Why editing is impossible now; empty: it is possible.
  QString refusal() const;
  // `words` describe the edit to the user: "state: resolved".
  void change(const std::string& uuid, const QString& words, Change change);
  // Stores a new incident, or a draft's changed one.
  void put(const Incident& incident, const QString& words);
  void remove(const std::string& uuid);
  // `join` changes `into`; once that is stored, `leave` changes `from`. They are undone together.
  void merge(const std::string& from, const std::string& into, const QString& words, Change join, Change leave);
  // Restores the incident as it was before this window's newest change; refused if another user has changed it since.
  void undo();
  QString undoWords() const { return m_saved.empty() ? QString() : m_saved.back().words; }  // of undo(); empty: none
  // The list just read; pending edits continue with it. Null: the read failed.
  void setList(std::shared_ptr<const IncidentList> list);
  bool busy() const { return m_waiting || !m_queue.empty(); }

  // For the newest conflict: applies the change to the stored version, or drops it.
  bool hasConflict() const { return m_conflict.has_value(); }
  void insist();
  void yield();

 signals:
  void said(const QString& words, bool failed);
  void edited(const QString& uuid);  // stored: read again
  void readWanted();                 // another user stored a change: read again
  void conflicted(const QString& words, const QStringList& differences, const Incident& newer);

 private:
  // Absent: the incident does not exist.
  struct Saved {
    std::string uuid;
    QString words;
    std::optional<Incident> before, after;
    bool with_older = false;  // belongs to the edit before it
  };
  struct Pending {
    std::string uuid;
    QString words;
    Change change;  // applied to the stored version; null: `whole` or removal
    std::optional<Incident> whole = std::nullopt;
    bool remove = false;
    Incident base = {};                  // the version on which it is based
    Saved saved = {};                    // valid once it is stored
    bool undoes = false;                 // `saved` is the edit that it undoes
    std::shared_ptr<Pending> then = {};  // the edit to make once this one is stored
  };
  void enqueue(Pending pending);
  void next();
  void answered(const Status& status);
  void tellConflict();
  bool prepareUndo(Pending& pending, const Incident* stored) const;

  EditPort* const m_edits;
  std::shared_ptr<const IncidentList> m_list;
  std::deque<Pending> m_queue;
  std::vector<Saved> m_saved;  // newest last
  std::optional<Pending> m_now, m_conflict;
  bool m_waiting = false;  // for the port, or for the reading after it
  bool m_conflict_read = false;
};

}  // namespace runglass
