// SPDX-License-Identifier: GPL-3.0-or-later
// Log lines and events in an incident's time, repeats folded, safe for screen and print.
#include <algorithm>
#include <map>
#include <set>

#include "model/fault_catalog.h"
#include "widgets/core/language.h"
#include "widgets/events/event_data.h"
#include "widgets/evidence/event_words.h"
#include "widgets/evidence/evidence_kinds.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxRead = 4'000, kMaxShown = 18;
constexpr int kLine = 16, kNarrow = 520, kTimeWidth = 62, kSeverityWidth = 66, kPlaceWidth = 150, kHead = 20;
constexpr int kMaxText = 400;

struct LogRow {
  std::optional<TimeNs> time;
  RowKey key;
  Severity severity = Severity::kInfo;
  QString place, text;
  std::int64_t count = 1;
  std::set<std::int32_t> ranks;
  bool own = false;    // of the card's subject
  bool event = false;  // an event, not a line
};

// The part of a line that is equal across ranks and times: its words without numbers.
std::string shapeOf(std::string_view text) {
  std::string out;
  bool number = false;
  for (const char c : text.substr(0, kMaxText)) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) out += c;
    if (digit && !number) out += '#';
    number = digit;
  }
  return out;
}

// A code that the catalogue does not distinguish within its kind is an id without meaning here: of a collective, of a process.
std::string codeThatMatters(const Event& event) {
  const FaultInfo* fault = findFault(event.kind, event.code);
  return fault != nullptr && fault->code.empty() ? std::string() : event.code;
}

class LogPicture : public EvidencePicture {
 public:
  LogPicture(std::vector<LogRow> rows, QString more, TimeStyle style) : m_rows(std::move(rows)), m_more(std::move(more)), m_style(style) {}

  double heightAt(double width) const override {
    const int lines = width < kNarrow ? 2 : 1;
    return kHead + static_cast<double>(m_rows.size()) * lines * kLine + (m_more.isEmpty() ? 0 : kLine) + kGrid;
  }

  void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override {
    painter.fillRect(area, theme.surface);
    const bool narrow = area.width() < kNarrow;
    double x = kGrid;
    const auto column = [&](double width) { return std::exchange(x, x + width); };
    const double time = column(kTimeWidth), severity = column(kSeverityWidth), place = column(kPlaceWidth);
    const double text = narrow ? kGrid + kTimeWidth : x;
    const auto put = [&](double left, double top, double width, const QString& words, const QColor& ink) {
      painter.setPen(ink);
      painter.drawText(QRectF(left, top, width, kLine), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                       painter.fontMetrics().elidedText(words, Qt::ElideRight, static_cast<int>(width)));
    };
    const double rest = area.width() - text - kGrid;
    put(time, 1, kTimeWidth, zoneName(m_style), theme.muted);
    put(severity, 1, kSeverityWidth, QObject::tr("severity"), theme.muted);
    put(place, 1, kPlaceWidth, QObject::tr("where"), theme.muted);
    if (!narrow) put(text, 1, rest, QObject::tr("line"), theme.muted);
    painter.fillRect(QRectF(0, kHead - 2, area.width(), kHairline), theme.line);
    double y = kHead;
    for (const LogRow& row : m_rows) {
      put(time, y, kTimeWidth - kGrid, row.time ? formatTimeOfDay(*row.time, m_style) : kAbsentText, theme.muted);
      put(severity, y, kSeverityWidth - kGrid, severityGlyph(row.severity) + u' ' + severityLabel(row.severity),
          severityInk(theme, row.severity));
      put(place, y, (narrow ? area.width() - place : kPlaceWidth) - 2 * kGrid, row.place, row.own ? theme.text : theme.muted);
      if (narrow) y += kLine;
      put(text, y, rest, row.text, theme.text);
      y += kLine;
    }
    if (!m_more.isEmpty()) put(text, y, rest, m_more, theme.muted);
  }

 private:
  std::vector<LogRow> m_rows;
  QString m_more;
  TimeStyle m_style;
};

class LogReading {
 public:
  LogReading(Reader& reader, const EvidenceSubject& subject, const std::stop_token& stop)
      : m_reader(reader), m_subject(subject), m_stop(stop) {}

  Result<Evidence> read() {
    Evidence out{.title = QObject::tr("Log lines and events")};
    m_range = m_subject.mark.value_or(TimeRange{});
    Severity least = Severity::kWarning;
    RG_TRY(readAll(least));
    // Without warnings or errors, all lines are shown.
    if (m_rows.empty()) {
      least = Severity::kDebug;
      RG_TRY(readAll(least));
    }
    if (m_rows.empty()) {
      out.reason = m_subject.mark ? QObject::tr("No log line and no event from %1.").arg(rangeWords(*m_subject.mark, m_subject.style))
                                  : QObject::tr("The run has no log lines and no events.");
      return out;
    }
    const std::size_t kinds = m_rows.size();
    keepWorst();
    say(least, kinds, out);
    QString more;
    if (kinds > m_rows.size())
      more = QObject::tr("… and %1")
                 .arg(countWords(static_cast<std::int64_t>(kinds - m_rows.size()), QT_TRANSLATE_NOOP("Counts", "%1 other line or event"),
                                 QT_TRANSLATE_NOOP("Counts", "%1 other lines and events")));
    out.sql = "SELECT time_ns, 'line' AS source, node, rank, severity, text FROM log_line" + where(least) +
              " UNION ALL SELECT time_ns, 'event', node, rank, severity, kind || ' ' || coalesce(code, '') || ': ' || message FROM event" +
              where(least) + " ORDER BY 1";
    out.place = {.view = "events", .t0 = {}, .t1 = {}, .select = m_subject.linkSelect()};
    if (m_subject.mark) out.place.t0 = m_subject.mark->t0, out.place.t1 = m_subject.mark->t1;
    out.picture = std::make_shared<const LogPicture>(std::move(m_rows), more, m_subject.style);
    return out;
  }

 private:
  std::string where(Severity least) const {
    std::string out;
    const auto add = [&](const std::string& clause) { out += (out.empty() ? " WHERE " : " AND ") + clause; };
    if (m_subject.mark) add(sqlRange("time_ns", *m_subject.mark));
    if (least == Severity::kWarning) add("severity IN ('warning', 'error', 'critical')");
    return out;
  }

  bool isOwn(NodeId node, std::optional<std::int32_t> rank) const {
    if (rank && m_subject.select.rank) return *rank == *m_subject.select.rank;
    return node && m_subject.node() != nullptr && m_subject.node()->id == node;
  }

  void take(LogRow row, const std::string& shape, std::optional<std::int32_t> rank) {
    const auto [at, fresh] = m_known.try_emplace({row.severity, row.event, shape, row.own}, m_rows.size());
    if (fresh) m_rows.push_back(std::move(row));
    LogRow& known = m_rows[at->second];
    if (!fresh) ++known.count;
    if (rank) known.ranks.insert(*rank);
  }

  Status readAll(Severity least) {
    RowQuery query;
    query.range = m_range, query.run = m_subject.run.id, query.at_least = least;
    query.order = RowOrder::kOldestFirst, query.limit = kMaxRead;
    RG_ASSIGN(LogPage lines, m_reader.searchLogs(query, m_stop));
    RG_ASSIGN(EventPage events, m_reader.searchEvents(query, m_stop));
    m_more = lines.more || events.more;
    m_lines = static_cast<std::int64_t>(lines.hits.size()), m_events = static_cast<std::int64_t>(events.events.size());
    for (const LogHit& hit : lines.hits) {
      const LogLine& line = hit.line;
      const std::string text = withoutEscapes(line.text);
      LogRow row{.time = line.time, .key = hit.key, .severity = line.severity, .text = screenText(text, kMaxText)};
      row.place = placeWords(Event{.node = line.node, .rank = line.rank}, m_subject);
      row.own = isOwn(line.node, line.rank);
      take(std::move(row), shapeOf(text), line.rank);
    }
    for (const Event& event : events.events) {
      LogRow row{.time = event.time, .key = {event.time.value_or(0), event.id}, .severity = event.severity, .event = true};
      row.place = placeWords(event, m_subject);
      Event shown = event;
      shown.code = codeThatMatters(event);
      row.text = eventWords({std::move(shown), 1}, {});
      row.own = isOwn(event.node, event.rank);
      take(std::move(row), event.kind + ' ' + codeThatMatters(event), event.rank);
    }
    return {};
  }

  // If there are too many, keeps the most severe, those of the card's subject first; the output is ordered by time.
  void keepWorst() {
    std::ranges::stable_sort(m_rows, [](const LogRow& a, const LogRow& b) {
      return std::tuple(-static_cast<int>(a.severity), !a.own, a.key) < std::tuple(-static_cast<int>(b.severity), !b.own, b.key);
    });
    if (m_rows.size() > kMaxShown) m_rows.resize(kMaxShown);
    std::ranges::stable_sort(m_rows, {}, &LogRow::key);
    for (LogRow& row : m_rows) {
      if (row.count == 1) continue;
      row.text = QStringLiteral("× %1: ").arg(formatCount(row.count)) + row.text;
      if (row.ranks.size() > 1)
        row.place = QObject::tr("%1, first %2")
                        .arg(countWords(static_cast<std::int64_t>(row.ranks.size()), QT_TRANSLATE_NOOP("Counts", "%1 rank"),
                                        QT_TRANSLATE_NOOP("Counts", "%1 ranks")),
                             row.place);
    }
  }

  void say(Severity least, std::size_t kinds, Evidence& out) const {
    const auto first = std::ranges::max_element(m_rows, {}, [](const LogRow& row) { return std::pair(row.severity, row.own); });
    out.shows = QObject::tr("%1: %2").arg(severityLabel(first->severity), first->text);
    out.shows[0] = out.shows[0].toUpper();
    if (first->time) out.shows += QObject::tr(" (%1 %2)").arg(formatTimeOfDay(*first->time, m_subject.style), zoneName(m_subject.style));
    out.coverage = QObject::tr("%1 and %2 of severity %3 and worse, %4")
                       .arg(countWords(m_lines, QT_TRANSLATE_NOOP("Counts", "%1 line"), QT_TRANSLATE_NOOP("Counts", "%1 lines")),
                            countWords(m_events, QT_TRANSLATE_NOOP("Counts", "%1 event"), QT_TRANSLATE_NOOP("Counts", "%1 events")),
                            severityLabel(least),
                            countWords(static_cast<std::int64_t>(kinds), QT_TRANSLATE_NOOP("Counts", "%1 kind"),
                                       QT_TRANSLATE_NOOP("Counts", "%1 kinds")));
    if (m_more) out.coverage += QObject::tr("; the first %1 of each were read").arg(formatCount(kMaxRead));
  }

  Reader& m_reader;
  const EvidenceSubject& m_subject;
  const std::stop_token& m_stop;
  TimeRange m_range;
  std::vector<LogRow> m_rows;
  std::map<std::tuple<Severity, bool, std::string, bool>, std::size_t> m_known;
  std::int64_t m_lines = 0, m_events = 0;
  bool m_more = false;
};

}  // namespace

Result<Evidence> readLogEvidence(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion&, const std::stop_token& stop) {
  return LogReading(reader, subject, stop).read();
}

}  // namespace runglass
