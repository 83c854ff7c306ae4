// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/report/report_pages.h"

#include <algorithm>

#include "analysis/report/note_blocks.h"
#include "analysis/report/report_writers.h"
#include "model/time_text.h"
#include "widgets/core/language.h"
#include "widgets/core/units.h"
#include "widgets/report/page_table.h"
#include "widgets/report/page_text.h"

namespace runglass {
namespace {

using namespace report;

constexpr double kParagraphGap = 6, kHeadingGap = 18, kHair = 0.75;
constexpr std::size_t kFiguresInRow = 4, kMaxInRow = 5;
constexpr double kBoxGap = 6, kBoxPad = 6;
constexpr double kIndent = 12;

class Layouter {
 public:
  Layouter(PageFlow& flow, const ReportDocument& document, const ReportFigures& figures)
      : m_flow(flow), m_queries(document.queries), m_figures(figures), m_theme(theme(ThemeName::kLight)) {}

  void title(const ReportDocument& document) {
    text(QStringLiteral("Runglass · %1 report").arg(QString::fromStdString(document.kind)), PageFont::kTable, m_theme.muted, 0);
    text(paperText(document.title), PageFont::kTitle, m_theme.text, 2);
    text(paperText(document.summary), PageFont::kText, m_theme.text, 8);
    link(QStringLiteral("Open in Runglass"), document.link);
  }
  void section(const Section& section) {
    heading(paperText(section.title), section.link);
    for (const Block& block : section.blocks) std::visit(*this, block);
  }
  void queries(const ReportDocument& document) {
    const std::vector<Query>& queries = document.queries;
    if (queries.empty() && document.computed.empty()) return;
    heading(QStringLiteral("The SQL behind the figures"), {});
    text(QStringLiteral("runglassctl query --store S.rgl \"SELECT …\" gives each number again. ") +
             paperText(replacedSqlText(document.provenance)),
         PageFont::kTable, m_theme.muted, 2);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      text(QStringLiteral("S%1  ").arg(i + 1) + paperText(queries[i].what), PageFont::kTableHead, m_theme.text, kParagraphGap, 0, true);
      text(paperText(queries[i].sql), PageFont::kMono, m_theme.text, 1);
    }
    text(QLatin1String(kPictureSql), PageFont::kTable, m_theme.muted, kParagraphGap);
    if (document.computed.empty()) return;
    text(QStringLiteral("These have no query; their rules:"), PageFont::kTable, m_theme.muted, kParagraphGap, 0, true);
    for (const Computed& one : document.computed)
      text(QStringLiteral("• ") + paperText(one.what) + QStringLiteral(": ") + paperText(one.how), PageFont::kTable, m_theme.text, 2,
           kIndent);
  }
  void provenance(const Provenance& one) {
    heading(QStringLiteral("Where this is from"), {});
    const auto line = [&](const char* name, const std::string& value) {
      if (!value.empty()) text(QStringLiteral("%1: ").arg(QLatin1String(name)) + paperText(value), PageFont::kTable, m_theme.text, 2);
    };
    line("Made", one.made ? utcText(*one.made) : "");
    line("Program", one.program);
    line("Store", one.store_uuid);
    line("Schema", std::to_string(one.schema_version));
    line("Run", one.run + " (" + one.run_uuid + ")");
    for (const std::string& option : one.options) line("Option", option);
    line("Redacted", redactionText(one));
  }

  void operator()(const Paragraph& one) {
    text(paperText(one.text), one.muted ? PageFont::kTable : PageFont::kText, one.muted ? m_theme.muted : m_theme.text, kParagraphGap);
  }
  void operator()(const BulletList& one) {
    for (const std::string& item : one.items) text(QStringLiteral("• ") + paperText(item), PageFont::kText, m_theme.text, 3, kIndent);
  }
  void operator()(const KeyFigures& one) {
    const std::size_t in_row = one.figures.size() == kMaxInRow ? kMaxInRow : kFiguresInRow;
    for (std::size_t i = 0; i < one.figures.size(); i += in_row)
      boxes({one.figures.begin() + static_cast<std::ptrdiff_t>(i),
             one.figures.begin() + static_cast<std::ptrdiff_t>(std::min(one.figures.size(), i + in_row))},
            in_row);
  }
  void operator()(const Table& one) {
    addTable(m_flow, one, ++m_table, m_theme);
    if (!one.left_out.empty()) text(paperText(one.left_out), PageFont::kTable, m_theme.muted, 3);
  }
  void operator()(const FigureReference& one) {
    const Evidence* evidence = m_evidence < m_figures.evidence.size() ? &m_figures.evidence[m_evidence] : nullptr;
    ++m_evidence;
    const QString name = evidence != nullptr && !evidence->title.isEmpty()
                             ? evidence->title
                             : paperText(one.card.title.empty() ? one.card.kind : one.card.title);
    QString caption = QStringLiteral("Figure %1. ").arg(++m_number) + name + QStringLiteral(". ");
    if (evidence == nullptr) {
      this->caption(caption + paperText(one.card.caption), one.link, true);
      return;
    }
    caption += evidence->caption;
    if (!evidence->coverage.isEmpty()) caption += QStringLiteral(" (%1)").arg(evidence->coverage);
    if (const auto query = std::ranges::find(m_queries, evidence->sql, &Query::sql); query != m_queries.end())
      caption += QStringLiteral(" S%1").arg(query - m_queries.begin() + 1);
    if (evidence->empty()) {
      this->caption(caption + QStringLiteral(" ") + evidence->reason, one.link, true);
      return;
    }
    double width = m_flow.width(), height = heightOf(*evidence, width);
    const double scale = std::min(1.0, (m_flow.bodyHeight() - 120) / height);  // its caption stays on the same page
    picture(height * scale, [shown = *evidence, width, height, scale, theme = m_theme](QPainter& painter, QPointF at) {
      painter.save();
      painter.translate(at);
      painter.scale(scale, scale);
      paintEvidence(painter, QRectF(0, 0, width, height), shown, theme);
      painter.restore();
    });
    this->caption(caption, one.link, false);
  }
  void operator()(const BarChart& one) {
    if (m_chart >= m_figures.charts.size()) return;  // its numbers are in a table
    const DrawnChart chart = m_figures.charts[m_chart++];
    const double scale = std::min(1.0, m_flow.width() / chart.size.width());
    picture(chart.size.height() * scale, [chart, scale](QPainter& painter, QPointF at) {
      painter.save();
      painter.translate(at);
      painter.scale(scale, scale);
      QPicture replay = chart.picture;
      painter.drawPicture(0, 0, replay);
      painter.restore();
    });
    caption(QStringLiteral("Figure %1. ").arg(++m_number) + paperText(one.caption), {}, false);
  }
  void operator()(const LogExcerpt& one) {
    text(paperText(one.caption), PageFont::kTable, m_theme.muted, kParagraphGap, 0, true);
    for (const LogExcerpt::Line& line : one.lines) {
      QString words = paperText(line.when) + QStringLiteral("  ") + QLatin1String(severityName(line.severity)) + QStringLiteral("  ");
      if (!line.who.empty()) words += paperText(line.who) + QStringLiteral(": ");
      text(words + paperText(line.text), PageFont::kMono, m_theme.text, 2);
    }
    if (!one.left_out.empty()) text(paperText(one.left_out), PageFont::kTable, m_theme.muted, 3);
  }
  void operator()(const WrittenNote& one) {
    if (!one.author.empty()) text(paperText(one.author), PageFont::kTable, m_theme.muted, kParagraphGap, kIndent, true);
    for (const NoteBlock& block : noteBlocks(one.text)) note(block);
  }
  void operator()(const Link& one) { link(paperText(one.text), one.target); }

 private:
  // A block of the users' notes; the marker of a list is to the left of its first line.
  void note(const NoteBlock& block) {
    const double indent = kIndent * (1 + block.quote + block.depth);
    if (block.kind == NoteBlock::Kind::kRule) {
      m_flow.add({.height = 9,
                  .before = 2,
                  .keep_with_next = false,
                  .paint =
                      [indent, width = m_flow.width(), line = m_theme.line](QPainter& painter, QPointF at) {
                        painter.setPen(QPen(line, kHair));
                        painter.drawLine(at + QPointF(indent, 4), at + QPointF(width, 4));
                      },
                  .head = nullptr});
      return;
    }
    const bool code = block.kind == NoteBlock::Kind::kCode, heading = block.kind == NoteBlock::Kind::kHeading;
    QString words = block.mark.empty() ? QString() : QString::fromStdString(block.mark) + u' ';
    QList<QTextLayout::FormatRange> formats;
    for (const NoteRun& run : block.runs) {
      QTextLayout::FormatRange range;
      range.start = static_cast<int>(words.size());
      words += lineText(run.text);
      range.length = static_cast<int>(words.size()) - range.start;
      if (run.strong) range.format.setFontWeight(QFont::Bold);
      if (run.emphasis) range.format.setFontItalic(true);
      if (run.struck) range.format.setFontStrikeOut(true);
      if (run.code) range.format.setFontFamilies(pageFont(PageFont::kMono).families());
      formats.append(range);
    }
    const PageFont font = code ? PageFont::kMono : heading ? PageFont::kStrong : PageFont::kText;
    lines(TextLines(words, pageFont(font), m_flow.width() - indent, m_theme.text, formats), heading ? kParagraphGap : 2, indent, heading);
  }

  // Line breaks that the user typed are kept.
  static QString lineText(std::string_view text) {
    QString out;
    while (true) {
      const std::size_t end = text.find('\n');
      out += paperText(text.substr(0, end));
      if (end == std::string_view::npos) return out;
      out += QChar::LineSeparator;
      text.remove_prefix(end + 1);
    }
  }

  void text(const QString& words, PageFont font, const QColor& color, double before, double indent = 0, bool keep = false) {
    lines(TextLines(words, pageFont(font), m_flow.width() - indent, color), before, indent, keep);
  }

  // No single line of it is left alone on a page.
  void lines(const TextLines& lines, double before, double indent, bool keep) {
    for (int i = 0; i < lines.count(); ++i) {
      const bool last = i + 1 == lines.count();
      m_flow.add({.height = lines.lineHeight(i),
                  .before = i == 0 ? before : 0,
                  .keep_with_next = last ? keep : i == 0 || i + 2 == lines.count(),
                  .paint = [lines, i, indent](QPainter& painter, QPointF at) { lines.paint(painter, at + QPointF(indent, 0), i, i + 1); },
                  .head = nullptr});
    }
  }

  void heading(const QString& words, const std::string& target) {
    const QString open = isSafeLink(target) ? QStringLiteral("open in Runglass") : QString();
    const QFont small = pageFont(PageFont::kTable);
    const double right = open.isEmpty() ? 0 : textWidth(open, small) + 2;
    const TextLines lines(words, pageFont(PageFont::kHeading), m_flow.width() - right - 8, m_theme.text);
    const TextLines leads(open, small, right, m_theme.accent, Qt::AlignLeft, QString::fromStdString(target));
    const double width = m_flow.width();
    m_flow.add({.height = lines.height() + 8,
                .before = kHeadingGap,
                .keep_with_next = true,
                .paint =
                    [lines, leads, right, width, line = m_theme.line](QPainter& painter, QPointF at) {
                      painter.setPen(QPen(line, kHair));
                      painter.drawLine(at, at + QPointF(width, 0));
                      lines.paint(painter, at + QPointF(0, 6));
                      if (right > 0) leads.paint(painter, at + QPointF(width - right, 10));
                    },
                .head = nullptr});
  }

  void link(const QString& words, const std::string& target) {
    if (!isSafeLink(target)) return;
    const TextLines lines(words, pageFont(PageFont::kTable), m_flow.width(), m_theme.accent, Qt::AlignLeft, QString::fromStdString(target));
    m_flow.add({.height = lines.height(),
                .before = 4,
                .keep_with_next = false,
                .paint = [lines](QPainter& painter, QPointF at) { lines.paint(painter, at); },
                .head = nullptr});
  }

  void picture(double height, std::function<void(QPainter&, QPointF)> paint) {
    m_flow.add({.height = height, .before = 10, .keep_with_next = true, .paint = std::move(paint), .head = nullptr});
  }

  // With a link if there is a target.
  void caption(const QString& words, const std::string& target, bool alone) {
    const bool leads = isSafeLink(target);
    const TextLines lines(words, pageFont(PageFont::kTable), m_flow.width(), m_theme.text);
    const TextLines open(leads ? QStringLiteral("open it in Runglass") : QString(), pageFont(PageFont::kTable), m_flow.width(),
                         m_theme.accent, Qt::AlignLeft, QString::fromStdString(target));
    m_flow.add({.height = lines.height() + (leads ? open.height() : 0) + 4,
                .before = alone ? kParagraphGap : 4,
                .keep_with_next = false,
                .paint =
                    [lines, open, leads](QPainter& painter, QPointF at) {
                      lines.paint(painter, at);
                      if (leads) open.paint(painter, at + QPointF(0, lines.height()));
                    },
                .head = nullptr});
  }

  struct Box {
    TextLines name, value, why;
    double height() const { return name.height() + value.height() + why.height() + 2 * kBoxPad; }
  };
  void boxes(const std::vector<KeyFigure>& figures, std::size_t in_row) {
    const auto columns = static_cast<double>(in_row);
    const double width = (m_flow.width() - (columns - 1) * kBoxGap) / columns, inner = width - 2 * kBoxPad;
    auto row = std::make_shared<std::vector<Box>>();
    double height = 0;
    for (const KeyFigure& one : figures) {
      QString name = paperText(one.name), value = one.text.empty() ? kAbsentText : paperText(one.text);
      if (one.sql > 0) name += QStringLiteral("  S%1").arg(one.sql);
      if (one.at_least) value = QStringLiteral("≥ ") + value;
      Box box{.name = TextLines(name, pageFont(PageFont::kTable), inner, m_theme.muted),
              .value = TextLines(value, pageFont(PageFont::kFigure), inner, m_theme.text),
              .why = {}};
      if (!one.reason.empty()) box.why = TextLines(paperText(one.reason), pageFont(PageFont::kTable), inner, m_theme.muted);
      height = std::max(height, box.height());
      row->push_back(std::move(box));
    }
    m_flow.add({.height = height,
                .before = kBoxGap,
                .keep_with_next = false,
                .paint =
                    [row, width, height, theme = m_theme](QPainter& painter, QPointF at) {
                      for (const Box& box : *row) {
                        painter.setPen(QPen(theme.line, kHair));
                        painter.setBrush(theme.surface);
                        painter.drawRect(QRectF(at, QSizeF(width, height)));
                        QPointF text = at + QPointF(kBoxPad, kBoxPad);
                        for (const TextLines* lines : {&box.name, &box.value, &box.why}) {
                          lines->paint(painter, text);
                          text.ry() += lines->height();
                        }
                        at.rx() += width + kBoxGap;
                      }
                      painter.setBrush(Qt::NoBrush);
                    },
                .head = nullptr});
  }

  PageFlow& m_flow;
  const std::vector<Query>& m_queries;
  const ReportFigures& m_figures;
  const Theme& m_theme;
  std::size_t m_evidence = 0, m_chart = 0;
  int m_table = 0, m_number = 0;
};

}  // namespace

ReportPages::ReportPages(const ReportDocument& document, const ReportFigures& figures, const Paper& paper)
    : m_flow(paper), m_title(paperText(document.title)), m_run(paperText(document.provenance.run)) {
  const InEnglish english;
  Layouter layouter(m_flow, document, figures);
  layouter.title(document);
  for (const Section& section : document.sections) layouter.section(section);
  layouter.queries(document);
  layouter.provenance(document.provenance);
  m_flow.breakPages();
  m_foot = paperText(document.provenance.program);
  if (document.provenance.made) m_foot += (m_foot.isEmpty() ? "" : ", ") + QString::fromStdString(utcText(*document.provenance.made));
}

void ReportPages::paint(QPainter& painter, std::size_t page) const {
  const InEnglish english;
  const Theme& light = theme(ThemeName::kLight);
  const QFont font = pageFont(PageFont::kTable);
  const QFontMetricsF metrics(font);
  const double width = m_flow.width(), top = kPageMargin, bottom = m_flow.paper().height - kPageMargin;
  const auto line = [&](double y, QString left, const QString& right, double rule) {
    const double room = width - textWidth(right, font) - 16;
    left = metrics.elidedText(left, Qt::ElideRight, room);
    TextLines(left, font, room, light.muted).paint(painter, {kPageMargin, y});
    TextLines(right, font, width, light.muted, Qt::AlignRight).paint(painter, {kPageMargin, y});
    painter.setPen(QPen(light.line, kHair));
    painter.drawLine(QPointF(kPageMargin, rule), QPointF(kPageMargin + width, rule));
  };
  const QString run = metrics.elidedText(m_run, Qt::ElideMiddle, width / 3);
  line(top, m_title, run, top + metrics.height() + 2);
  line(bottom - metrics.height(), m_foot, QStringLiteral("page %1 of %2").arg(page + 1).arg(count()), bottom - metrics.height() - 2);
  m_flow.paint(painter, page);
}

}  // namespace runglass
