// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/incident_facts.h"

#include <QEvent>
#include <QScrollBar>
#include <algorithm>

#include "widgets/core/language.h"
#include "widgets/core/sentence_text.h"
#include "widgets/core/theme.h"
#include "widgets/incidents/incident_text.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxRows = 40;
constexpr int kCellChars = 160;

QString escaped(std::string_view text, int most = kCellChars) { return screenText(text, most).toHtmlEscaped(); }

QString heading(const QString& text) {
  return QStringLiteral("<p style='margin:12px 0 2px 0; color:%1'>%2</p>").arg(currentTheme().muted.name(), text.toHtmlEscaped());
}
QString line(const QString& html) { return QStringLiteral("<p style='margin:0 0 4px 0'>%1</p>").arg(html); }
QString muted(const QString& html) { return QStringLiteral("<span style='color:%1'>%2</span>").arg(currentTheme().muted.name(), html); }

QString scoreText(const IncidentSuspect& suspect) {
  if (!suspect.score) return kAbsentText;
  const std::string& kind = suspect.score_kind;
  const QString share = formatPercent(*suspect.score, 0), number = formatNumber(*suspect.score, 3);
  if (kind == "slower_ratio") return IncidentText::tr("%1 slower").arg(share);
  if (kind == "explained_ratio") return IncidentText::tr("%1 explained").arg(share);
  if (kind == "blocked_ratio") return IncidentText::tr("%1 blocked").arg(share);
  if (kind == "confidence") return IncidentText::tr("%1 confidence").arg(share);
  if (kind == "relative") return IncidentText::tr("%1 relative").arg(share);
  if (kind == "what_if") return IncidentText::tr("%1 what if").arg(number);
  if (kind == "wait_vote") return IncidentText::tr("%1 wait vote").arg(number);
  return number + u' ' + screenText(kind, 30);
}

// The place of a suspect; the answer has it only in English.
QString placeText(const IncidentSuspect& suspect) {
  if (!suspect.rank) return phraseText(suspect.what);
  const QString rank = QString::number(*suspect.rank), node = screenText(suspect.node, 60);
  return node.isEmpty() ? IncidentText::tr("rank %1").arg(rank) : IncidentText::tr("rank %1 on %2").arg(rank, node);
}

QString suspectsHtml(const IncidentPage& page) {
  QString html = heading(IncidentText::tr("suspects, best first"));
  const auto& suspects = page.answer.suspects;
  if (suspects.empty()) {
    const QString why = phraseText(page.answer.suspects_reason, 300).toHtmlEscaped();
    return html + line(muted(why.isEmpty() ? IncidentText::tr("none") : IncidentText::tr("none: %1").arg(why)));
  }
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    const IncidentSuspect& one = suspects[i];
    const QString name = one.rank || !one.node.empty() ? QStringLiteral("<a href='suspect:%1' style='color:%2'>%3</a>")
                                                             .arg(i)
                                                             .arg(currentTheme().accent.name(), placeText(one).toHtmlEscaped())
                                                       : placeText(one).toHtmlEscaped();
    html += line(QStringLiteral("%1. <b>%2</b> &nbsp;%3<br>%4")
                     .arg(i + 1)
                     .arg(name, muted(scoreText(one).toHtmlEscaped()), sentenceText(one.why).toHtmlEscaped()));
  }
  if (!page.ranked) html += line(muted(IncidentText::tr("the ranking is being read …")));
  return html;
}

QString ruledOutHtml(const IncidentAnswer& answer) {
  QString html = heading(IncidentText::tr("ruled out"));
  if (answer.ruled_out.empty()) return html + line(muted(IncidentText::tr("nothing: nothing was recorded that could")));
  for (const RuledOut& one : answer.ruled_out)
    html += line(sentenceText(one.what).toHtmlEscaped() + QStringLiteral(": ") + muted(sentenceText(one.why, 300).toHtmlEscaped()));
  return html;
}

QString changesHtml(const IncidentAnswer& answer) {
  QString head = IncidentText::tr("against the attempt before");
  if (answer.before && answer.attempt)
    head = IncidentText::tr("attempt %1 against attempt %2").arg(answer.attempt->number).arg(answer.before->number);
  QString html = heading(head);
  if (const words::Arg nodes = nodeChangeArg(answer.nodes); nodes.present())
    html += line(sentenceText(words::Message{"verbatim", {{"text", nodes}}}, 300).toHtmlEscaped());
  if (answer.changes.empty()) {
    if (!answer.changes_reason.empty()) html += line(muted(phraseText(answer.changes_reason, 300).toHtmlEscaped()));
    return html;
  }
  html += QStringLiteral("<table cellspacing='0' cellpadding='2'>");
  const std::size_t shown = std::min(answer.changes.size(), kMaxRows);
  for (std::size_t i = 0; i < shown; ++i) {
    const FactDelta& fact = answer.changes[i];
    const auto value = [](const auto& text) { return text ? escaped(*text, 60) : kAbsentText; };
    html += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td><td>&nbsp;→&nbsp;</td><td>%3</td></tr>")
                .arg(escaped(fact.key, 60), muted(value(fact.a)), value(fact.b));
  }
  html += QStringLiteral("</table>");
  if (answer.changes.size() > shown) html += line(muted(IncidentText::tr("and %1 more").arg(answer.changes.size() - shown)));
  return html;
}

template <class T, class Format>
QString reported(const Reported<T>& value, Format format) {
  if (value.value) return (value.at_least ? QStringLiteral("≥ ") : QString()) + format(*value.value);
  return kAbsentText + (value.reason.empty() ? QString() : QStringLiteral(" (") + phraseText(value.reason, 200) + u')');
}

QString qualityHtml(const DataQuality& quality) {
  QString html = heading(IncidentText::tr("data quality"));
  const auto count = [](std::int64_t value) { return formatCount(value); };
  const auto of = [](const QString& reported, std::int64_t all) {
    return all > 0 ? IncidentText::tr("%1 of %2").arg(reported, formatCount(all)) : reported;
  };
  QStringList lines;
  lines << IncidentText::tr("ranks with recorded steps: %1").arg(of(reported(quality.ranks_reported, count), quality.ranks));
  lines << IncidentText::tr("series with samples: %1").arg(of(reported(quality.series_reported, count), quality.series));
  lines << IncidentText::tr("data was lost: %1").arg(reported(quality.lost, [&](std::int64_t times) {
    return times == 0 ? IncidentText::tr("never") : IncidentText::tr("%1 times").arg(count(times));
  }));
  QString clock = IncidentText::tr("largest clock error: %1").arg(reported(quality.clock_error, [](DurNs error) {
    return QStringLiteral("± ") + formatDuration(error);
  }));
  if (!quality.clock_node.empty()) clock = IncidentText::tr("%1 on %2").arg(clock, screenText(quality.clock_node, 60));
  if (quality.nodes_without_clock > 0)
    clock = IncidentText::tr("%1; %2 nodes were never compared").arg(clock, count(quality.nodes_without_clock));
  lines << clock;
  if (quality.least_coverage) lines << IncidentText::tr("least coverage of a finding: %1").arg(formatPercent(*quality.least_coverage, 0));
  for (const QString& one : lines) html += line(one.toHtmlEscaped());
  for (std::size_t i = 0; i < std::min(quality.issues.size(), kMaxRows); ++i) {
    const QualityIssue& issue = quality.issues[i];
    html += line(QStringLiteral("%1 %2 × %3: %4")
                     .arg(severityGlyph(issue.severity), count(issue.count).toHtmlEscaped(), escaped(issue.code, 60),
                          muted(phraseText(issue.help, 200).toHtmlEscaped())));
  }
  return html;
}

QString environmentHtml(const IncidentAnswer& answer) {
  if (answer.environment.empty()) return {};
  QString html = heading(IncidentText::tr("where it ran")) + QStringLiteral("<table cellspacing='0' cellpadding='2'>");
  for (std::size_t i = 0; i < std::min(answer.environment.size(), kMaxRows); ++i) {
    const EnvironmentFact& fact = answer.environment[i];
    const QString more = fact.values > 1 ? u' ' + muted(IncidentText::tr("and %1 others").arg(fact.values - 1)) : QString();
    html +=
        QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2%3</td></tr>").arg(muted(escaped(fact.key, 60)), escaped(fact.value, 120), more);
  }
  return html + QStringLiteral("</table>");
}

}  // namespace

QString factsHtml(const IncidentPage& page) {
  return suspectsHtml(page) + ruledOutHtml(page.answer) + changesHtml(page.answer) + qualityHtml(page.answer.quality) +
         environmentHtml(page.answer);
}

IncidentFacts::IncidentFacts(QWidget* parent) : QTextBrowser(parent) {
  setOpenLinks(false);
  setFrameShape(QFrame::NoFrame);
  setFont(tableFont());
  setAccessibleName(tr("Suspects, what was ruled out, changes, data quality"));
  document()->setDocumentMargin(2 * kGrid);
  connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& url) {
    const auto index = static_cast<std::size_t>(url.path().toUInt());
    if (url.scheme() == QLatin1String("suspect") && m_page && index < m_page->answer.suspects.size())
      emit suspectChosen(m_page->answer.suspects[index]);
  });
}

void IncidentFacts::setPage(std::shared_ptr<const IncidentPage> page) {
  if (page == m_page) return;
  m_page = std::move(page);
  render();
}

void IncidentFacts::changeEvent(QEvent* event) {
  QTextBrowser::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) render();
}

QVariant IncidentFacts::loadResource(int, const QUrl&) { return {}; }

void IncidentFacts::render() {
  const int place = m_page && m_page->answer.incident.uuid == m_rendered ? verticalScrollBar()->value() : 0;
  m_rendered = m_page ? m_page->answer.incident.uuid : std::string();
  setHtml(m_page ? factsHtml(*m_page) : QString());
  verticalScrollBar()->setValue(place);
}

}  // namespace runglass
