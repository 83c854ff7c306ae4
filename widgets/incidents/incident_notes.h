// SPDX-License-Identifier: GPL-3.0-or-later
// Notes of an incident: Markdown, shown rendered and edited as text; a refresh or another user's edit never loses typed text.
//
// Threading:  GUI thread.
// Ownership:  a plain widget.
// Units:      UTF-8, at most kMaxEditText bytes.
// Errors:     text that is too long is reported and not stored.
// Cost:       as setNoteText().
#pragma once

#include <QWidget>
#include <string>

class QLabel;
class QPlainTextEdit;
class QPushButton;
class QTextBrowser;

namespace runglass {

class IncidentNotes : public QWidget {
  Q_OBJECT

 public:
  explicit IncidentNotes(QWidget* parent = nullptr);

  // The stored notes. While the user edits the notes of this incident, only the text next to the field changes. `refusal`: why they cannot
  // be edited.
  void setNotes(const std::string& uuid, const std::string& notes, const QString& refusal);
  void edit();
  bool editing() const;
  // The edited text was stored.
  void saved();
  // It was not stored; it stays in the field.
  void notSaved();
  // Another user changed the notes since: theirs are shown above the edited text.
  void showOthers(const std::string& notes);
  QTextBrowser* shown() const { return m_shown; }
  QPlainTextEdit* field() const { return m_field; }
  QPushButton* saveButton() const { return m_save; }
  QPushButton* editButton() const { return m_edit; }

 signals:
  void saveWanted(const QString& notes);

 protected:
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void save();
  void leave();
  void render(const std::string& notes);

  std::string m_uuid, m_notes;  // as stored
  std::string m_saving;         // text being stored
  QTextBrowser* m_shown;
  QPlainTextEdit* m_field;
  QLabel* m_words;
  QPushButton *m_edit, *m_save, *m_cancel;
};

}  // namespace runglass
