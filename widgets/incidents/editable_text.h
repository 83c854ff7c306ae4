// SPDX-License-Identifier: GPL-3.0-or-later
// EditableText: text that the user can change in place: double click or F2 edits, Enter saves, Esc restores.
//
// Threading:  GUI thread.
// Ownership:  a plain widget.
// Errors:     none; a refresh during editing does not change the typed text.
// Cost:       a label and a field.
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;

namespace runglass {

class EditableText : public QWidget {
  Q_OBJECT

 public:
  // `name` describes the text, for screen readers and as a placeholder in the field.
  EditableText(const QString& name, const QFont& font, int most_chars, QWidget* parent = nullptr);

  // `shown` is for the screen, `raw` is the editable text.
  void setText(const QString& shown, const QString& raw);
  void setEditable(bool editable);
  void edit();
  bool editing() const;
  QString text() const;
  QLineEdit* field() const { return m_field; }

 signals:
  void changed(const QString& text);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void leave(bool keep);

  QLabel* m_label;
  QLineEdit* m_field;
  QString m_raw;
  bool m_editable = false;
};

}  // namespace runglass
