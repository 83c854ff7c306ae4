// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/incident_notes.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTextBrowser>
#include <QVBoxLayout>

#include "model/edits.h"
#include "widgets/core/theme.h"
#include "widgets/incidents/note_text.h"

namespace runglass {
namespace {

constexpr int kPad = 2 * kGrid;

// Loads no resources and opens no links, whatever setNoteText() might have left in.
class NoteBrowser : public QTextBrowser {
 public:
  explicit NoteBrowser(QWidget* parent) : QTextBrowser(parent) {
    setOpenLinks(false);
    setOpenExternalLinks(false);
    setFrameShape(QFrame::NoFrame);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  }

 protected:
  QVariant loadResource(int, const QUrl&) override { return {}; }
};

}  // namespace

IncidentNotes::IncidentNotes(QWidget* parent)
    : QWidget(parent),
      m_shown(new NoteBrowser(this)),
      m_field(new QPlainTextEdit(this)),
      m_words(new QLabel(this)),
      m_edit(new QPushButton(tr("Edit"), this)),
      m_save(new QPushButton(tr("Save"), this)),
      m_cancel(new QPushButton(tr("Cancel"), this)) {
  m_shown->setAccessibleName(tr("Notes"));
  m_shown->document()->setDocumentMargin(kPad);
  m_field->setAccessibleName(tr("Notes, as Markdown"));
  m_field->setPlaceholderText(tr("Observations, attempts and decisions. Markdown; Ctrl+Enter saves, Esc leaves."));
  m_field->setTabChangesFocus(true);
  m_field->hide();
  m_field->installEventFilter(this);
  m_words->setTextFormat(Qt::PlainText);
  m_words->setWordWrap(true);
  m_words->setFont(tableFont());
  m_words->setForegroundRole(QPalette::PlaceholderText);
  auto* row = new QHBoxLayout;
  row->setContentsMargins(kPad, kGrid, kPad, kGrid);
  row->setSpacing(kGrid);
  row->addWidget(m_words, 1);
  for (QPushButton* push : {m_edit, m_save, m_cancel}) {
    push->setFocusPolicy(Qt::TabFocus);
    row->addWidget(push);
  }
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(row);
  column->addWidget(m_shown, 1);
  column->addWidget(m_field, 2);
  connect(m_edit, &QPushButton::clicked, this, &IncidentNotes::edit);
  connect(m_save, &QPushButton::clicked, this, &IncidentNotes::save);
  connect(m_cancel, &QPushButton::clicked, this, &IncidentNotes::leave);
  leave();
}

void IncidentNotes::setNotes(const std::string& uuid, const std::string& notes, const QString& refusal) {
  if (uuid != m_uuid) {
    m_uuid = uuid;
    m_notes = notes;
    leave();
  }
  m_edit->setEnabled(refusal.isEmpty());
  m_edit->setToolTip(refusal);
  if (notes == m_notes) return;
  // An edit based on newer notes would silently overwrite them.
  if (editing()) return showOthers(notes);
  m_notes = notes;
  render(notes);
}

void IncidentNotes::render(const std::string& notes) {
  m_shown->setUpdatesEnabled(false);
  if (notes.empty())
    m_shown->setPlainText(QString());
  else
    setNoteText(*m_shown->document(), notes);
  m_shown->setUpdatesEnabled(true);
  m_shown->setPlaceholderText(tr("No notes yet."));
}

void IncidentNotes::edit() {
  if (editing() || !m_edit->isEnabled()) return;
  m_field->setPlainText(QString::fromStdString(m_notes));
  m_words->setText(tr("Notes (Markdown)"));
  m_field->show();
  m_shown->setVisible(false);
  m_edit->hide();
  m_save->show();
  m_cancel->show();
  m_field->setFocus();
  m_field->moveCursor(QTextCursor::End);
}

bool IncidentNotes::editing() const { return !m_field->isHidden(); }

void IncidentNotes::save() {
  const QString typed = m_field->toPlainText();
  if (static_cast<std::size_t>(typed.toUtf8().size()) > kMaxEditText) {
    m_words->setText(tr("Too long: at most %1 KiB are kept.").arg(kMaxEditText >> 10));
    return;
  }
  m_words->setText(tr("Saving …"));
  m_saving = typed.toStdString();
  emit saveWanted(typed);
}

void IncidentNotes::saved() {
  m_notes = m_saving;
  leave();
}

void IncidentNotes::notSaved() {
  m_saving.clear();
  if (editing()) m_words->setText(tr("Not saved; what you typed is still here."));
}

void IncidentNotes::showOthers(const std::string& notes) {
  if (!editing() || notes == m_saving) return;
  render(notes);
  m_notes = notes;
  m_shown->setVisible(true);
  m_words->setText(tr("Another user's notes are stored and shown first, yours below. Save replaces theirs with yours."));
}

void IncidentNotes::leave() {
  m_field->hide();
  m_shown->setVisible(true);
  m_save->hide();
  m_cancel->hide();
  m_edit->show();
  m_words->setText(tr("Notes"));
  m_saving.clear();
  render(m_notes);
}

void IncidentNotes::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) render(m_notes);
}

bool IncidentNotes::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_field && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (enter && (key->modifiers() & Qt::ControlModifier) != 0) return save(), true;
    // Esc leaves the field only if its text is unchanged since it was stored.
    if (key->key() == Qt::Key_Escape && m_field->toPlainText() == QString::fromStdString(m_notes)) return leave(), true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace runglass
