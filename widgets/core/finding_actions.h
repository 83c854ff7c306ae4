// SPDX-License-Identifier: GPL-3.0-or-later
// What can be done with a finding, the same wherever one is chosen: its evidence, the timeline, its GPU, an incident of it, its sentence.
//
// Threading:  GUI thread.
// Ownership:  the shared state outlives it.
// Cost:       five buttons.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "model/findings.h"
#include "widgets/core/selection.h"

class QToolButton;

namespace runglass {

class FindingActions : public QWidget {
  Q_OBJECT

 public:
  explicit FindingActions(SharedState* state, QWidget* parent = nullptr);
  // Absent: none is chosen, and nothing can be done.
  void setFinding(std::optional<Finding> finding);

 signals:
  void viewRequested(const QString& id);
  void incidentRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void show(const QString& view);

  SharedState* m_state;
  std::optional<Finding> m_finding;
  std::vector<QToolButton*> m_buttons;
};

}  // namespace runglass
