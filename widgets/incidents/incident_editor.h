// SPDX-License-Identifier: GPL-3.0-or-later
// IncidentEditor: changes of incidents, one after the other, each made of the newest reading; one that meets another person's is kept, and
// what was saved can be taken back.
//
// Threading:  GUI thread; the EditPort does the work elsewhere.
// Ownership:  borrows the EditPort, which outlives it; null: nothing can be edited.
// Units:      none.
// Errors:     said(): why an edit was not made. ABORTED (somebody else was faster): conflicted(), with what is stored now; nothing is lost.
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

  // Why nothing can be edited now; empty: it can.
  QString refusal() const;
  // `words` name it to a person: "state: resolved".
  void change(const std::string& uuid, const QString& words, Change change);
  // A new one, or one that a draft already changed.
  void put(const Incident& incident, const QString& words);
  void remove(const std::string& uuid);
  // `join` changes `into`; once that is stored, `leave` changes `from`. They are taken back together.
  void merge(const std::string& from, const std::string& into, const QString& words, Change join, Change leave);
  // Makes the incident what it was before the newest change of this window; refused where somebody changed it since.
  void undo();
  QString undoWords() const { return m_saved.empty() ? QString() : m_saved.back().words; }  // of what undo() takes back; empty: nothing
  // What was just read; what waits goes on with it. Null: it could not be read.
  void setList(std::shared_ptr<const IncidentList> list);
  bool busy() const { return m_waiting || !m_queue.empty(); }

  // Of the conflict that was told last: makes the change of what is stored now, or forgets it.
  bool hasConflict() const { return m_conflict.has_value(); }
  void insist();
  void yield();

 signals:
  void said(const QString& words, bool failed);
  void edited(const QString& uuid);  // stored: read again
  void readWanted();                 // somebody else stored something: read again
  void conflicted(const QString& words, const QStringList& differences, const Incident& newer);

 private:
  // Nothing: the incident is not there.
  struct Saved {
    std::string uuid;
    QString words;
    std::optional<Incident> before, after;
    bool with_older = false;  // was made with the one before it
  };
  struct Pending {
    std::string uuid;
    QString words;
    Change change;  // of what is stored; null: `whole` or removal
    std::optional<Incident> whole = std::nullopt;
    bool remove = false;
    Incident base = {};                  // what it was made of
    Saved saved = {};                    // once it is stored
    bool undoes = false;                 // `saved` is what it takes back
    std::shared_ptr<Pending> then = {};  // once it is stored
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
