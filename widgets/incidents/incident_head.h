// SPDX-License-Identifier: GPL-3.0-or-later
// The header of an incident: its title, its cause in a sentence, its cost, its state and root cause; all editable in place.
//
// Threading:  GUI thread.
// Ownership:  shares the page.
// Units:      as IncidentImpact; the price is per GPU-hour.
// Errors:     a conflict with another user is shown in a banner until this user decides.
// Cost:       a few labels.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "widgets/core/accessible_picture.h"
#include "widgets/core/units.h"
#include "widgets/incidents/incident_data.h"
#include "widgets/incidents/incident_text.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace runglass {

class EditableText;

// The numbers of the impact line; a tooltip shows the source of each.
class ImpactLine : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit ImpactLine(QWidget* parent = nullptr);
  void setNumbers(std::vector<ImpactNumber> numbers);
  const std::vector<ImpactNumber>& numbers() const { return m_numbers; }
  QSize sizeHint() const override;
  AccessibleTable accessibleTable() const override;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  int columnWidth() const;
  std::vector<ImpactNumber> m_numbers;
};

class IncidentHead : public QWidget {
  Q_OBJECT

 public:
  explicit IncidentHead(QWidget* parent = nullptr);

  struct Shown {
    Incident incident;
    bool proposal = false;
    QString refusal;                           // why nothing can be changed; empty: editing is possible
    std::shared_ptr<const IncidentPage> page;  // null: not read yet
    std::optional<std::int32_t> attempt;       // its number
    TimeStyle style = TimeStyle::kUtc;
  };
  void setIncident(const Shown& shown);
  void editTitle();
  void askWhyDismissed();
  std::optional<double> price() const;
  void editPrice();
  // "changed by someone else; its state is now mitigated. Your change: title".
  void showConflict(const QString& words, const QStringList& differences);
  void hideConflict();

  EditableText* title() const { return m_title; }
  EditableText* sentence() const { return m_sentence; }
  QComboBox* states() const { return m_states; }
  QComboBox* causes() const { return m_causes; }
  QPushButton* takeCause() const { return m_take; }
  QLineEdit* reason() const { return m_reason; }
  ImpactLine* impact() const { return m_impact; }
  QWidget* conflict() const { return m_conflict; }
  QLabel* conflictWords() const { return m_conflict_words; }

 signals:
  void titleChanged(const QString& title);
  void sentenceChanged(const QString& sentence);
  void stateChosen(IncidentState state, const QString& reason);
  void causeChosen(const QString& code);
  void priceChanged();
  void insisted();
  void yielded();

 private:
  QWidget* makeConflict();
  QLayout* makeStateRow();
  void fillCauses();
  void showCause();

  Shown m_shown;
  EditableText *m_title, *m_sentence;
  QLabel *m_when, *m_likely;
  QComboBox *m_states, *m_causes;
  QPushButton* m_take;
  QLineEdit* m_reason;
  ImpactLine* m_impact;
  QDoubleSpinBox* m_price;
  QWidget* m_conflict = nullptr;
  QLabel* m_conflict_words = nullptr;
};

}  // namespace runglass
