// SPDX-License-Identifier: GPL-3.0-or-later
// The actions on a finding, the same wherever one is selected: its evidence, the timeline, its GPU, a new incident, muting its
// notifications, copying its sentence.
//
// Threading:  GUI thread; as muteFinding().
// Ownership:  the objects of the context outlive it.
// Errors:     the tooltip of the button shows why a mute failed.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "model/findings.h"
#include "widgets/core/view.h"

class QToolButton;

namespace runglass {

class FindingActions : public QWidget {
  Q_OBJECT

 public:
  explicit FindingActions(ViewContext context, QWidget* parent = nullptr);
  // Absent: no finding is selected, all actions are disabled.
  void setFinding(std::optional<Finding> finding);

 signals:
  void viewRequested(const QString& id);
  void incidentRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QToolButton* add(const char* picture, const QString& words, const QString& tip);
  void show(const QString& view);
  void mute();
  void fitWords();

  const ViewContext m_context;
  std::optional<Finding> m_finding;
  std::vector<QToolButton*> m_buttons;
  QToolButton* m_mute = nullptr;
  std::int64_t m_muted = 0;  // the finding that was muted last
  QuerySlot m_slot;
};

}  // namespace runglass
