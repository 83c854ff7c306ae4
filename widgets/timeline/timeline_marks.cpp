// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_marks.h"

#include <QFontMetrics>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/core/theme.h"

namespace runglass {
namespace {

constexpr int kWidest = 160, kNarrowest = 28, kPad = 4;
constexpr int kEditorWidth = 340, kEditorHeight = 140;

QString firstWords(const Note& note) { return screenText(note.text).section(QLatin1Char('\n'), 0, 0); }

Result<std::vector<Note>> readNotes(Reader& reader, const Run& run) {
  std::vector<Note> notes;
  std::vector<std::string> columns;
  Reader::SqlSink sink;
  sink.columns = [&](const std::vector<std::string>& names) { columns = names; };
  sink.row = [&](const std::vector<SqlValue>& row) {
    Note note{.run_uuid = run.uuid};
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (const auto* number = std::get_if<std::int64_t>(&row[i])) {
        if (columns[i] == "note_id") note.id = *number;
        if (columns[i] == "time_ns") note.time = *number;
      }
      if (const auto* text = std::get_if<std::string>(&row[i])) {
        if (columns[i] == "author") note.author = *text;
        if (columns[i] == "text") note.text = *text;
      }
    }
    if (note.time) notes.push_back(std::move(note));
    return true;
  };
  RG_TRY(reader.query("SELECT * FROM note WHERE run_id = " + std::to_string(run.id.value), sink));
  std::ranges::stable_sort(notes, {}, &Note::time);
  return notes;
}

}  // namespace

Result<TimelineMarks> readTimelineMarks(Reader& reader, const Run& run) {
  TimelineMarks marks;
  RG_ASSIGN(marks.notes, readNotes(reader, run));
  RG_ASSIGN(marks.findings, readFindingSpans(reader, run.id));
  return marks;
}

std::vector<Flag> placeFlags(const std::vector<Note>& notes, const XMap& map, int top, int height, const QFontMetrics& metrics) {
  std::vector<Flag> flags;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    if (*notes[i].time < map.x0 || *notes[i].time >= map.x1) continue;
    const int x = static_cast<int>(map.toPixel(*notes[i].time));
    if (!flags.empty() && x - flags.back().pole < kNarrowest) {
      ++flags.back().count;
      continue;
    }
    if (!flags.empty()) flags.back().box.setRight(std::min(flags.back().box.right(), x - 2));
    const int wide = std::clamp(metrics.horizontalAdvance(firstWords(notes[i])) + 2 * kPad + 1, kNarrowest, kWidest);
    const int right = static_cast<int>(map.left + map.width);
    flags.push_back({i, 1, QRect(x, top, std::min(wide, std::max(right - x, kPad)), height), x});
  }
  return flags;
}

void paintFlags(QPainter& painter, const std::vector<Flag>& flags, const std::vector<Note>& notes, int bottom) {
  const Theme& theme = currentTheme();
  painter.setFont(tableFont());
  const QFontMetrics metrics(tableFont());
  for (const Flag& flag : flags) {
    QColor pole = theme.accent;
    pole.setAlphaF(0.6F);
    painter.fillRect(QRect(flag.pole, flag.box.bottom(), 1, bottom - flag.box.bottom()), pole);
    painter.fillRect(flag.box, theme.selection);
    painter.fillRect(QRect(flag.pole, flag.box.top(), 2, flag.box.height()), theme.accent);
    QString words = firstWords(notes[flag.note]);
    if (flag.count > 1) words = QStringLiteral("%1 · %2").arg(flag.count).arg(words);
    painter.setPen(theme.text);
    painter.drawText(flag.box.adjusted(kPad + 1, 0, -1, 0), Qt::AlignVCenter | Qt::TextSingleLine,
                     metrics.elidedText(words, Qt::ElideRight, flag.box.width() - kPad - 2));
  }
}

QString flagTip(const Flag& flag, const std::vector<Note>& notes, TimeStyle style) {
  QStringList lines;
  for (std::size_t i = flag.note; i < flag.note + static_cast<std::size_t>(flag.count); ++i) {
    lines << formatTimeFull(*notes[i].time, style) +
                 (notes[i].author.empty() ? QString() : QStringLiteral("  ") + screenText(notes[i].author, 80));
    lines << screenText(notes[i].text, 400);
  }
  return lines.join(QLatin1Char('\n'));
}

MarkEditor::MarkEditor(EditPort* port, QWidget* parent)
    : QWidget(parent),
      m_port(port),
      m_head(new QLabel),
      m_text(new QPlainTextEdit),
      m_problem(new QLabel),
      m_save(new QPushButton(tr("Save (Enter)"))),
      m_delete(new QPushButton(tr("Delete"))) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  column->setSpacing(kGrid);
  for (QLabel* label : {m_head, m_problem}) {
    label->setFont(tableFont());
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
  }
  m_text->setPlaceholderText(tr("What happened here?"));
  m_text->setTabChangesFocus(true);
  m_text->installEventFilter(this);
  auto* close = new QPushButton(tr("Close (Esc)"));
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(m_save);
  buttons->addWidget(m_delete);
  buttons->addStretch(1);
  buttons->addWidget(close);
  column->addWidget(m_head);
  column->addWidget(m_text, 1);
  column->addWidget(m_problem);
  column->addLayout(buttons);
  connect(m_save, &QPushButton::clicked, this, [this] { submit(false); });
  connect(m_delete, &QPushButton::clicked, this, [this] { submit(true); });
  connect(close, &QPushButton::clicked, this, &QWidget::hide);
  hide();
}

void MarkEditor::open(const Note& note, TimeStyle style, QPoint at) {
  m_note = note;
  const QString refusal = m_port == nullptr ? tr("Notes cannot be added here.") : m_port->refusal();
  m_head->setText(formatTimeFull(note.time.value_or(0), style) +
                  (note.author.empty() ? QString() : QStringLiteral("  ") + screenText(note.author, 80)));
  m_text->setPlainText(QString::fromStdString(note.text));
  m_text->setReadOnly(!refusal.isEmpty());
  m_save->setEnabled(refusal.isEmpty());
  m_delete->setVisible(note.id != 0);
  m_delete->setEnabled(refusal.isEmpty());
  m_problem->setText(refusal);
  m_problem->setVisible(!refusal.isEmpty());
  const QSize room = parentWidget()->size();
  const QSize size(std::min(kEditorWidth, room.width()), std::min(kEditorHeight, room.height()));
  setGeometry(
      QRect(QPoint(std::clamp(at.x(), 0, room.width() - size.width()), std::clamp(at.y(), 0, room.height() - size.height())), size));
  show();
  raise();
  m_text->setFocus();
  m_text->selectAll();
}

void MarkEditor::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(currentTheme().accent);
  painter.setBrush(currentTheme().raised);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

bool MarkEditor::eventFilter(QObject* object, QEvent* event) {
  if (object == m_text && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool enter = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (enter && !(key->modifiers() & Qt::ShiftModifier)) {
      submit(false);
      return true;
    }
    if (key->key() == Qt::Key_Escape) {
      hide();
      return true;
    }
  }
  return QWidget::eventFilter(object, event);
}

void MarkEditor::submit(bool remove) {
  if (!m_save->isEnabled()) return;
  Note note = m_note;
  note.text = remove ? std::string() : m_text->toPlainText().trimmed().toStdString();
  // Nothing was entered, and there is nothing to delete.
  if (note.text.empty() && note.id == 0) return hide();
  if (note.author.empty()) note.author = qEnvironmentVariable("USER").toStdString();
  m_save->setEnabled(false);
  m_port->submit(std::move(note), this, [this](const Status& status) {
    m_save->setEnabled(true);
    if (status.ok()) {
      hide();
      emit saved();
      return;
    }
    m_problem->setText(screenText(status.message()));
    m_problem->show();
  });
}

}  // namespace runglass
