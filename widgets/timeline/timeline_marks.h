// SPDX-License-Identifier: GPL-3.0-or-later
// Marks of the timeline: a run's notes as flags on the time axis, the small editor for them, and the spans of its findings.
//
// Threading:  GUI thread; readTimelineMarks() runs on a query worker.
// Ownership:  borrows the EditPort (may be null: nothing can be added) and the QueryService.
// Units:      TimeNs; pixels of the ruler.
// Errors:     an edit that was refused stays in the editor with the reason; nothing is lost.
// Cost:       O(notes on screen) a paint.
#pragma once

#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QWidget>
#include <memory>
#include <optional>
#include <vector>

#include "model/edits.h"
#include "widgets/charts/geometry.h"
#include "widgets/core/edit_port.h"
#include "widgets/core/finding_span.h"
#include "widgets/core/units.h"
#include "widgets/timeline/timeline_data.h"

namespace runglass {

struct TimelineMarks {
  std::vector<Note> notes;  // by time; those without a time are left out: they have no position on the axis
  std::vector<FindingSpan> findings;
};
Result<TimelineMarks> readTimelineMarks(Reader& reader, const Run& run);

// The position of a note's flag. Notes too close together for text share the flag of the first.
struct Flag {
  std::size_t note = 0;
  int count = 1;
  QRect box;     // of the text
  int pole = 0;  // x
};
std::vector<Flag> placeFlags(const std::vector<Note>& notes, const XMap& map, int top, int height, const QFontMetrics& metrics);
void paintFlags(QPainter& painter, const std::vector<Flag>& flags, const std::vector<Note>& notes, int bottom);
QString flagTip(const Flag& flag, const std::vector<Note>& notes, TimeStyle style);

// The editor of a note: Enter saves, Shift+Enter starts a new line, Escape discards the changes.
class MarkEditor : public QWidget {
  Q_OBJECT

 public:
  MarkEditor(EditPort* port, QWidget* parent);
  void open(const Note& note, TimeStyle style, QPoint at);
  bool isOpen() const { return isVisible(); }

 signals:
  void saved();

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void submit(bool remove);

  EditPort* m_port;
  Note m_note;
  QLabel* m_head;
  QPlainTextEdit* m_text;
  QLabel* m_problem;
  QPushButton* m_save;
  QPushButton* m_delete;
};

}  // namespace runglass
