// SPDX-License-Identifier: GPL-3.0-or-later
// EditableText: words that a person may change in place: double click or F2, Enter keeps, Esc leaves them as they were.
//
// Threading:  GUI thread.
// Ownership:  a plain widget.
// Units:      none.
// Errors:     none; a refresh while somebody types does not touch what is typed.
// Cost:       a label and a field.
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;

namespace runglass {

class EditableText : public QWidget {
  Q_OBJECT

 public:
  // `name` is what it is, for who cannot see it and as a hint in the field.
  EditableText(const QString& name, const QFont& font, int most_chars, QWidget* parent = nullptr);

  // `shown` is for the screen, `raw` what is edited.
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
