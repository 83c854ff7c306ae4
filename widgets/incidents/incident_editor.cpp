// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. At most one edit is pending, and the next is based on a list that was read after it. 2. A change that was refused because
// of another user's edit is in m_conflict until the user decides. 3. Undo applies only while the stored incident is unchanged since this
// editor saved it.
#include "widgets/incidents/incident_editor.h"

#include "widgets/core/units.h"
#include "widgets/incidents/incident_text.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxSaved = 50;

// Compares without the fields that the store maintains.
bool isAs(const Incident* stored, const std::optional<Incident>& wanted) {
  if (stored == nullptr || !wanted) return stored == nullptr && !wanted;
  Incident one = *stored;
  one.id = wanted->id, one.created = wanted->created, one.updated = wanted->updated;
  return one == *wanted;
}

}  // namespace

IncidentEditor::IncidentEditor(EditPort* edits, QObject* parent) : QObject(parent), m_edits(edits) {}

QString IncidentEditor::refusal() const { return m_edits != nullptr ? m_edits->refusal() : tr("This store cannot be edited."); }

void IncidentEditor::change(const std::string& uuid, const QString& words, Change change) {
  enqueue({.uuid = uuid, .words = words, .change = std::move(change)});
}

void IncidentEditor::put(const Incident& incident, const QString& words) {
  enqueue({.uuid = incident.uuid, .words = words, .change = {}, .whole = incident});
}

void IncidentEditor::remove(const std::string& uuid) {
  enqueue({.uuid = uuid, .words = tr("delete it"), .change = {}, .whole = std::nullopt, .remove = true});
}

void IncidentEditor::merge(const std::string& from, const std::string& into, const QString& words, Change join, Change leave) {
  auto then = std::make_shared<Pending>(Pending{.uuid = from, .words = words, .change = std::move(leave)});
  then->saved.with_older = true;
  enqueue({.uuid = into, .words = words, .change = std::move(join), .then = std::move(then)});
}

void IncidentEditor::undo() {
  while (!m_saved.empty()) {
    Saved saved = std::move(m_saved.back());
    m_saved.pop_back();
    Pending pending{.uuid = saved.uuid, .words = tr("undone: %1").arg(saved.words), .change = {}, .undoes = true};
    pending.saved = std::move(saved);
    const bool more = pending.saved.with_older;
    enqueue(std::move(pending));
    if (!more) return;
  }
}

bool IncidentEditor::prepareUndo(Pending& pending, const Incident* stored) const {
  if (!isAs(stored, pending.saved.after)) return false;
  // If the incident that was created exists, undo removes it; if it was deleted, undo creates it again.
  pending.remove = !pending.saved.before;
  if (pending.saved.before) {
    pending.whole = *pending.saved.before;
  } else if (stored != nullptr) {
    pending.whole = *stored;
  } else {
    return false;
  }
  pending.whole->updated = stored != nullptr ? stored->updated : std::nullopt;
  return true;
}

void IncidentEditor::enqueue(Pending pending) {
  if (const QString why = refusal(); !why.isEmpty()) {
    emit said(why, true);
    return;
  }
  m_queue.push_back(std::move(pending));
  next();
}

void IncidentEditor::setList(std::shared_ptr<const IncidentList> list) {
  if (list && m_list && list->run.uuid != m_list->run.uuid) m_saved.clear();
  if (list) m_list = std::move(list);
  m_waiting = m_now.has_value();
  if (m_conflict && !m_conflict_read) tellConflict();
  next();
}

void IncidentEditor::next() {
  if (m_waiting || m_queue.empty() || !m_list) return;
  Pending pending = std::move(m_queue.front());
  m_queue.pop_front();
  const Incident* const stored = m_list->find(pending.uuid);
  if (pending.undoes && !prepareUndo(pending, stored)) {
    emit said(tr("Not changed (%1): the incident was changed since.").arg(pending.words), true);
    return next();
  }
  if (!pending.whole && stored == nullptr) {
    emit said(tr("Not made (%1): the incident is not there any more.").arg(pending.words), true);
    return next();
  }
  IncidentEdit edit{.run_uuid = m_list->run.uuid, .attempt = std::nullopt, .incident = {}, .remove = pending.remove};
  edit.incident = pending.whole ? *pending.whole : *stored;
  pending.base = stored != nullptr ? *stored : edit.incident;
  if (pending.change) pending.change(edit.incident);
  edit.attempt = m_list->numberOf(edit.incident.attempt);
  if (const Status good = pending.remove ? Status() : checkIncident(edit.incident); !good.ok()) {
    emit said(tr("Not made (%1): %2").arg(pending.words, screenText(good.message())), true);
    return next();
  }
  if (!pending.undoes) {
    pending.saved.uuid = pending.uuid;
    pending.saved.words = pending.words;
    pending.saved.before = stored != nullptr ? std::optional(*stored) : std::nullopt;
    pending.saved.after = pending.remove ? std::nullopt : std::optional(edit.incident);
  }
  m_now = std::move(pending);
  m_waiting = true;
  emit said(tr("Saving …"), false);
  m_edits->submit(std::move(edit), this, [this](const Status& status) { answered(status); });
}

void IncidentEditor::answered(const Status& status) {
  Pending done = std::move(*m_now);
  m_now.reset();
  if (status.code() == Code::kAborted && done.change) {
    m_conflict = std::move(done);
    m_conflict_read = false;
    emit said(QString(), false);
    emit readWanted();
    return;
  }
  if (!status.ok()) {
    emit said(tr("Not saved (%1): %2").arg(done.words, screenText(status.message())), true);
    emit readWanted();
    return;
  }
  if (!done.undoes) m_saved.push_back(std::move(done.saved));
  if (m_saved.size() > kMaxSaved) m_saved.erase(m_saved.begin());
  if (done.then) m_queue.push_front(std::move(*done.then));
  emit said(tr("Saved: %1").arg(done.words), false);
  emit edited(QString::fromStdString(done.uuid));
}

void IncidentEditor::tellConflict() {
  m_conflict_read = true;
  const Incident* const newer = m_list ? m_list->find(m_conflict->uuid) : nullptr;
  if (newer == nullptr) {
    emit said(tr("Not saved (%1): the incident was deleted.").arg(m_conflict->words), true);
    m_conflict.reset();
    return;
  }
  emit conflicted(m_conflict->words, differences(m_conflict->base, *newer), *newer);
}

void IncidentEditor::insist() {
  if (!m_conflict) return;
  Pending again = std::move(*m_conflict);
  m_conflict.reset();
  enqueue(std::move(again));
}

void IncidentEditor::yield() { m_conflict.reset(); }

}  // namespace runglass
