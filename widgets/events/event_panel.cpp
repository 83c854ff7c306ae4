// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/events/event_panel.h"

#include <QEvent>
#include <QVBoxLayout>

#include "model/fault_catalog.h"
#include "model/log_query.h"
#include "widgets/core/language.h"
#include "widgets/core/theme.h"
#include "widgets/events/event_data.h"

namespace runglass {
namespace {

constexpr int kMaxChars = 20'000, kLineChars = 400;

QString escaped(const QString& text) { return text.toHtmlEscaped(); }
QString fromView(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

// `text` for the screen with the search words highlighted.
QString marked(std::string_view text, const LogQuery& words, int most) {
  const std::string bytes = screenText(withoutEscapes(text), most).toStdString();
  const QString ground = mix(currentTheme().ground, currentTheme().warning, 0.45).name();
  QString html;
  std::size_t at = 0;
  const auto plain = [&](std::size_t to) { html += escaped(fromView(std::string_view(bytes).substr(at, to - at))); };
  for (const TextPiece& piece : words.asksNothing() ? std::vector<TextPiece>() : words.marks(bytes)) {
    plain(piece.begin);
    at = piece.begin;
    html += QStringLiteral("<span style='background-color:%1'>").arg(ground);
    plain(piece.end);
    at = piece.end;
    html += QStringLiteral("</span>");
  }
  plain(bytes.size());
  return html;
}

QString heading(const QString& text) {
  return QStringLiteral("<p style='margin:10px 0 2px 0; color:%1'>%2</p>").arg(currentTheme().muted.name(), text.toHtmlEscaped());
}

QString paragraph(const QString& html) { return QStringLiteral("<p style='margin:0 0 4px 0'>%1</p>").arg(html); }

// Other views to check, by the parts that the fault affects.
QString elsewhere(const FaultInfo& fault) {
  if (fault.secondary)
    return EventText::tr("It follows from another fault: look on this node for one a moment earlier that is not of this kind.");
  switch (fault.scope) {
    case FaultScope::kProcess:
      return EventText::tr("The rank's own log lines before it, and whether it comes back on this GPU or goes along with the job.");
    case FaultScope::kGpu:
      return EventText::tr("This GPU's ECC and row-remap counters, its temperature and clocks; whether the node has had it before.");
    case FaultScope::kLink:
      return EventText::tr("The other end of the link, its error counters, and ranks whose collectives go over it.");
    case FaultScope::kNode:
      return EventText::tr("Every rank of this node: their heartbeats and last log lines; whether other nodes of the rack say the same.");
    case FaultScope::kStorage:
      return EventText::tr("Other nodes that have this file system mounted, checkpoints and data loading at this time.");
  }
  return {};
}

QString link(const char* target, const QString& text) {
  return QStringLiteral("<a href='%1' style='color:%2'>%3</a>").arg(QLatin1String(target), currentTheme().accent.name(), escaped(text));
}

}  // namespace

QString eventHtml(const EventRow& row, const EventDetail* detail, const std::string& words, TimeStyle style) {
  const Theme& theme = currentTheme();
  const LogQuery query(words);
  const QString kind =
      row.key.source == EventSource::kLog ? EventText::tr("log %1").arg(screenText(row.kind, 60)) : screenText(row.kind, 60);
  const QString color = row.severity > Severity::kInfo ? severityColor(theme, row.severity).name() : theme.muted.name();
  QString html =
      QStringLiteral("<p style='margin:0 0 2px 0; font-size:%1px'><span style='color:%2'>%3 %4</span> · %5</p>")
          .arg(kTextPx + 2)
          .arg(color, severityGlyph(row.severity), severityLabel(row.severity),
               escaped(kind + (row.code.empty() || row.key.source == EventSource::kNote ? QString() : u' ' + screenText(row.code, 40))));
  html += paragraph(row.timed ? link("time", formatTimeFull(row.key.time, style)) : EventText::tr("without a time"));
  QStringList places;
  if (row.rank) places << link("rank", EventText::tr("rank %1").arg(*row.rank));
  if (row.device) places << link("device", EventText::tr("GPU and host"));
  if (!row.device && row.node) places << link("node", EventText::tr("host"));
  if (detail != nullptr && detail->number) places << link("attempt", EventText::tr("attempt %1").arg(*detail->number));
  if (row.step) places << EventText::tr("step %1").arg(formatCount(*row.step));
  if (!row.where.isEmpty()) html += paragraph(escaped(row.where));
  if (!places.isEmpty()) html += paragraph(QStringLiteral("→ ") + places.join(QStringLiteral(" · ")));
  html += heading(EventText::tr("text"));
  html += QStringLiteral("<p style='margin:0; font-family:monospace; white-space:pre-wrap'>%1</p>").arg(marked(row.text, query, kMaxChars));
  const FaultInfo* fault = row.key.source == EventSource::kEvent ? findFault(row.kind, row.code) : nullptr;
  if (fault != nullptr) {
    html += heading(EventText::tr("what it means")) + paragraph(escaped(termText(fault->meaning)));
    QString todo = escaped(termText(fault->advice));
    if (!fault->action.empty()) todo += QStringLiteral(" (") + escaped(fromView(fault->action)) + u')';
    if (!todo.isEmpty()) html += heading(EventText::tr("what to do")) + paragraph(todo);
    html += heading(EventText::tr("what else to check")) + paragraph(escaped(elsewhere(*fault)));
    const QString source = fault->kind == "xid" ? termText(kXidSource) : EventText::tr("Runglass fault catalogue");
    html += QStringLiteral("<p style='margin:2px 0 0 0; color:%1'>%2</p>")
                .arg(theme.muted.name(), escaped(EventText::tr("Source: %1").arg(source)));
  }
  if (detail == nullptr) return html;
  html += heading(row.key.source == EventSource::kLog ? EventText::tr("lines of the same stream around it")
                                                      : EventText::tr("log lines of 30 s around it"));
  if (detail->lines.empty())
    return html + paragraph(QStringLiteral("<span style='color:%1'>%2</span>").arg(theme.muted.name(), EventText::tr("none")));
  html += QStringLiteral("<table cellspacing='0' cellpadding='1' width='100%'>");
  for (std::size_t i = 0; i < detail->lines.size(); ++i) {
    const LogLine& line = detail->lines[i].line;
    const bool here = detail->at == i;
    html += QStringLiteral("<tr%1><td style='color:%2'>%3&nbsp;</td><td style='font-family:monospace'>%4</td></tr>")
                .arg(here ? QStringLiteral(" bgcolor='%1'").arg(theme.selection.name()) : QString(), theme.muted.name(),
                     line.time ? formatTimeOfDay(*line.time, style) : kAbsentText, marked(line.text, query, kLineChars));
  }
  return html + QStringLiteral("</table>");
}

EventPanel::EventPanel(QWidget* parent) : QWidget(parent), m_text(new QTextBrowser) {
  m_text->setOpenLinks(false);
  m_text->setAccessibleName(tr("The event and the lines around it"));
  m_text->setFrameShape(QFrame::NoFrame);
  m_text->setFont(tableFont());
  m_text->document()->setDocumentMargin(2 * kGrid);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_text);
  connect(m_text, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) { emit linkChosen(url.toString()); });
}

void EventPanel::showRow(const EventRow& row, const std::string& words, TimeStyle style) {
  if (!m_row || m_row->key != row.key) m_detail.reset();
  m_row = row;
  m_words = words;
  m_style = style;
  m_failed.clear();
  render();
}

void EventPanel::showDetail(const EventDetail& detail) {
  if (!m_row || detail.of != m_row->key) return;
  m_detail = detail;
  render();
}

void EventPanel::showFailed(const QString& why) {
  m_failed = why;
  render();
}

void EventPanel::showNothing() {
  m_row.reset();
  m_detail.reset();
  m_text->clear();
}

void EventPanel::render() {
  if (!m_row) return;
  QString html = eventHtml(*m_row, m_detail ? &*m_detail : nullptr, m_words, m_style);
  if (!m_failed.isEmpty()) html += paragraph(escaped(tr("What lies around it cannot be read: %1").arg(m_failed)));
  m_text->setHtml(html);
}

void EventPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) render();
}

}  // namespace runglass
