// SPDX-License-Identifier: GPL-3.0-or-later
// FindingCard: a finding wherever it is shown: its face, and the actions on it: its evidence, the timeline, its GPU, a new incident, muting
// its notifications, copying its sentence. A click on the face goes to it in every view.
//
// Threading:  GUI thread; its facts are read on a query worker.
// Ownership:  the objects of the context outlive it.
// Errors:     without facts it shows those that the finding itself has; the tooltip of the button shows why a mute failed.
// Cost:       one readFindingFacts() for each finding, and again, coalesced, when the finding is set again.
#pragma once

#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

#include "model/findings.h"
#include "widgets/core/accessible_picture.h"
#include "widgets/core/finding_face.h"
#include "widgets/core/view.h"

class QTimer;
class QToolButton;

namespace runglass {

class FindingFaceView : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit FindingFaceView(QWidget* parent);
  void show(const Finding& finding, const FindingFacts& facts, TimeNs now, TimeStyle style);
  AccessibleTable accessibleTable() const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 signals:
  void clicked();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  Finding m_finding;
  FindingFacts m_facts;
  TimeNs m_now = 0;
  TimeStyle m_style = TimeStyle::kUtc;
};

class FindingCard : public QWidget {
  Q_OBJECT

 public:
  explicit FindingCard(ViewContext context, QWidget* parent = nullptr);
  // Absent: no finding is selected; the face is hidden and all actions are disabled.
  void setFinding(std::optional<Finding> finding);
  const std::optional<Finding>& finding() const { return m_finding; }
  const FindingFacts& facts() const { return m_facts; }
  bool isFinal() const { return !m_facts_slot.busy(); }
  // Adds *Capture now* to the actions on a hang.
  void offerCapture(std::function<void()> capture);

 signals:
  void viewRequested(const QString& id);
  void incidentRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QToolButton* add(const char* picture, const QString& words, const QString& tip);
  void addActions();
  void readFacts(bool another);
  void showFace();
  bool isCapturable() const;
  void show(const QString& view);
  void mute();
  void fitWords();

  const ViewContext m_context;
  std::optional<Finding> m_finding;
  FindingFacts m_facts;
  FindingFaceView* m_face;
  QWidget* m_bar;  // of the actions
  std::vector<QToolButton*> m_buttons;
  QToolButton* m_mute = nullptr;
  QToolButton* m_capture = nullptr;  // null: not offered
  QTimer* m_countdown;               // of the watchdog
  std::int64_t m_muted = 0;          // the finding that was muted last
  QuerySlot m_slot, m_facts_slot;
};

}  // namespace runglass
