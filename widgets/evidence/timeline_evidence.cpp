// SPDX-License-Identifier: GPL-3.0-or-later
// A crop of the timeline: the card's subject, the ranks it waited for or that waited for it, and a healthy peer.
#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "widgets/evidence/evidence_kinds.h"
#include "widgets/evidence/timeline_crop.h"
#include "widgets/timeline/row_list.h"
#include "widgets/timeline/span_detail.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxRanks = 8, kUsualRanks = 5, kMaxPartners = 2;
constexpr std::size_t kMaxLanes = 6, kOtherLanes = 3;  // of the subject, and of others
constexpr std::size_t kMaxArrows = 12;
constexpr int kTextBudget = 200;            // shapes reserved for axes and legend
constexpr std::size_t kReportedSteps = 12;  // a crop with more steps is unreadable
constexpr int kArrowApart = 8;              // pixels between arrows of a pair

class CropReading {
 public:
  CropReading(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion& question, const std::stop_token& stop)
      : m_reader(reader), m_subject(subject), m_question(question), m_stop(stop) {}

  Result<Evidence> read() {
    Evidence out{.title = QObject::tr("Timeline")};
    RG_ASSIGN(m_catalog, readTimelineCatalog(m_reader, m_subject.run.id, m_subject.attempt.id, m_subject.select.rank, m_stop));
    if (m_catalog.tracks() == 0 || !m_catalog.extent) {
      out.reason = QObject::tr("No spans: the run was not traced.");
      return out;
    }
    chooseSubject();
    RG_TRY(placeRange());
    if (m_crop.range.t1 <= m_crop.range.t0) {
      out.reason = QObject::tr("The card's window has no time.");
      return out;
    }
    RG_TRY(findPartners());
    RG_TRY(readRows());
    if (m_spans == 0) {
      const bool before = m_catalog.extent->t0 >= m_crop.range.t1, after = m_catalog.extent->t1 <= m_crop.range.t0;
      out.reason = QObject::tr("No spans of %1 ranks from %2.").arg(m_crop.rows.size()).arg(rangeWords(m_crop.range, m_subject.style));
      if (before || after) out.reason += QObject::tr(" Traced were %1.").arg(rangeWords(*m_catalog.extent, m_subject.style));
      return out;
    }
    RG_TRY(readAllWaits());
    RG_TRY(say(out));
    finish(out);
    return out;
  }

 private:
  const TimelineRank* rankOf(std::int32_t number) const {
    const auto found = std::ranges::find_if(m_catalog.ranks, [&](const TimelineRank& rank) { return rank.rank == number; });
    return found == m_catalog.ranks.end() ? nullptr : &*found;
  }

  void chooseSubject() {
    if (m_subject.select.rank && rankOf(*m_subject.select.rank) != nullptr) m_about = m_subject.select.rank;
    if (const Rank* chosen = m_subject.chosen(); !m_about && chosen != nullptr) m_about = chosen->rank;
    for (const std::int32_t rank : m_subject.select.ranks)
      if (rankOf(rank) != nullptr && m_chosen.size() < kMaxRanks) m_chosen.insert(rank);
    if (!m_about && !m_chosen.empty()) m_about = *m_chosen.begin();
    if (!m_about) m_about = m_catalog.slowest;
    for (const TimelineRank& rank : m_catalog.ranks)
      if (!m_about && rank.rank && !rank.tracks.empty()) m_about = rank.rank;
    if (m_about) m_chosen.insert(*m_about);
  }

  // The card's window; if it has too many steps to distinguish, those around the step that the card names.
  Status placeRange() {
    m_crop.range = m_subject.mark.value_or(*m_catalog.extent);
    m_crop.style = m_subject.style;
    if (!m_about) return {};
    TimelineQuestion question{.run = m_subject.run.id, .attempt = m_subject.attempt.number, .rows = {}, .range = m_crop.range};
    question.step_rank = m_about;
    RG_ASSIGN(TimelinePicture steps, readTimeline(m_reader, question, m_stop));
    const auto at = std::ranges::find(steps.steps, m_subject.select.step.value_or(-1), &StepBand::step);
    if (steps.steps.size() <= kReportedSteps || at == steps.steps.end()) return {};
    m_of_steps = steps.steps.size();
    const auto first = at == steps.steps.begin() ? at : at - 1, last = at + 1 == steps.steps.end() ? at : at + 1;
    m_crop.range = {std::max(m_crop.range.t0, first->t0), std::min(m_crop.range.t1, last->t1)};
    return {};
  }

  static std::vector<TrackId> tracksOf(const TimelineRank& rank) {
    std::vector<TrackId> tracks;
    for (const Track& track : rank.tracks)
      // Threads are busy all the time: next to a device they would hide it.
      if (!rank.has_device || isDeviceTrack(track.key)) tracks.push_back(track.id);
    return tracks;
  }

  Result<std::shared_ptr<const WaitParts>> readWaitsOf(const std::set<std::int32_t>& ranks) {
    WaitQuestion question{.tracks = {}, .range = m_crop.range};
    for (const std::int32_t number : ranks)
      if (const TimelineRank* rank = rankOf(number))
        for (const TrackId track : tracksOf(*rank)) question.tracks.emplace_back(number, track);
    std::ranges::sort(question.tracks);
    RG_ASSIGN(WaitParts parts, readWaits(m_reader, m_catalog, question, m_stop));
    return std::make_shared<const WaitParts>(std::move(parts));
  }

  bool inRange(const WaitPart& part) const { return part.t0 < m_crop.range.t1 && part.t1 > m_crop.range.t0; }

  // The ranks with which it lost most time: those it waited for, or those that waited for it.
  Status findPartners() {
    if (!m_about || !m_subject.select.ranks.empty()) return {};
    RG_ASSIGN(const auto waits, readWaitsOf({*m_about}));
    std::map<std::int32_t, DurNs> lost;
    for (const auto& [span, part] : waits->of_span)
      if (inRange(part) && part.other >= 0 && (part.kind == WaitPart::Kind::kWaited || part.kind == WaitPart::Kind::kLast))
        lost[part.other] += part.apart;
    std::vector<std::pair<DurNs, std::int32_t>> by_time;
    for (const auto& [rank, time] : lost) by_time.emplace_back(-time, rank);
    std::ranges::sort(by_time);
    for (const auto& [time, rank] : by_time)
      if (m_partners.size() < kMaxPartners && rankOf(rank) != nullptr) m_partners.push_back(rank), m_chosen.insert(rank);
    addSuggested();
    return {};
  }

  // As in the timeline: pipeline neighbours and a peer of the same role; all ranks if there are few.
  void addSuggested() {
    RowList list;
    auto around = std::make_shared<TimelineCatalog>(m_catalog);
    around->slowest = m_about;  // so that its neighbours are chosen
    list.setSelected(m_about);
    list.setCatalog(std::move(around));
    for (const TimelineRow& row : list.rows())
      if (row.kind == RowKind::kRank && row.rank >= 0 && m_chosen.size() < kUsualRanks) m_chosen.insert(row.rank);
  }

  Status readRows() {
    TimelineQuestion question{.run = m_subject.run.id, .attempt = m_subject.attempt.number, .rows = {}, .range = m_crop.range};
    const int width = std::max(64, m_question.columns - CropPicture::kGutter - CropPicture::kRight);
    question.pixel = std::max<DurNs>(1, (m_crop.range.t1 - m_crop.range.t0) / width);
    question.step_rank = m_about;
    for (const std::int32_t number : m_chosen) {
      const TimelineRank& rank = *rankOf(number);
      RowQuestion row{.tracks = tracksOf(rank), .host = {}};
      row.host.assign(row.tracks.size(), !rank.has_device);
      question.rows.push_back(std::move(row));
    }
    RG_ASSIGN(TimelinePicture picture, readTimeline(m_reader, question, m_stop));
    m_exact = picture.exact;
    m_crop.names = std::move(picture.names), m_crop.shades = std::move(picture.shades), m_crop.steps = std::move(picture.steps);
    std::size_t at = 0;
    for (const std::int32_t number : m_chosen) m_crop.rows.push_back(rowOf(*rankOf(number), picture.rows[at++], question.pixel));
    return {};
  }

  // The coordinates in which the ranks differ: "d0 p2 t5"; without any, the node.
  QString coordinates(const Rank& place) const {
    QStringList parts;
    for (const auto& [letter, at] : {std::pair('d', &Rank::dp), {'p', &Rank::pp}, {'t', &Rank::tp}, {'c', &Rank::cp}, {'e', &Rank::ep}})
      if (place.*at && std::ranges::any_of(m_subject.ranks, [&](const Rank& other) { return other.*at != place.*at; }))
        parts << QChar::fromLatin1(letter) + QString::number(*(place.*at));
    return parts.isEmpty() ? m_subject.nodeName(place.node) : parts.join(u' ');
  }

  CropRow rowOf(const TimelineRank& rank, RowPicture& made, DurNs pixel) {
    CropRow row{.title = QObject::tr("rank %1").arg(*rank.rank),
                .detail = coordinates(rank.place),
                .rank = *rank.rank,
                .about = rank.rank == m_about};
    bool any = false;
    for (const auto& lane : made.lanes)
      for (const SpanBar& bar : lane.bars)
        if (bar.t0 < m_crop.range.t1 && bar.t1 > m_crop.range.t0) {
          any = true, m_spans += bar.count;
          if (bar.id != 0 && bar.category == SpanCategory::kComm) m_rank_of[bar.id] = *rank.rank;
        }
    if (!any) return row;
    row.strip = busyStrip(made.lanes, made.question, m_crop.range, pixel);
    std::erase_if(made.lanes, [](const SpanPicture::Lane& lane) { return lane.bars.empty(); });
    if (made.lanes.size() > (row.about ? kMaxLanes : kOtherLanes)) return row;
    TrackId named;
    for (auto& lane : made.lanes) {
      const auto track = std::ranges::find(rank.tracks, lane.track, &Track::id);
      const bool first = lane.track != named && track != rank.tracks.end();
      row.lanes.push_back({first ? screenText(track->key.name, 40) : QString(), std::move(lane.bars)});
      named = lane.track;
    }
    return row;
  }

  Status readAllWaits() {
    RG_ASSIGN(m_crop.waits, readWaitsOf(m_chosen));
    std::vector<CropArrow> all;
    for (const auto& [span, part] : m_crop.waits->of_span) {
      if (part.kind != WaitPart::Kind::kWaited || !m_chosen.contains(part.other) || part.until < m_crop.range.t0 ||
          part.until >= m_crop.range.t1)
        continue;
      if (const auto waiting = m_rank_of.find(span); waiting != m_rank_of.end())
        all.push_back({part.other, waiting->second, part.until, part.t0});
    }
    // The longest waits; of one pair at most one within a few pixels.
    std::ranges::sort(all, std::ranges::greater(), [](const CropArrow& arrow) { return arrow.begun - arrow.since; });
    const double width = std::max(64, m_question.columns - CropPicture::kGutter - CropPicture::kRight);
    const auto apart = static_cast<DurNs>(static_cast<double>(m_crop.range.t1 - m_crop.range.t0) / width * kArrowApart);
    for (const CropArrow& arrow : all) {
      const bool near = std::ranges::any_of(m_crop.arrows, [&](const CropArrow& other) {
        return std::minmax(other.late, other.waiting) == std::minmax(arrow.late, arrow.waiting) &&
               std::abs(other.begun - arrow.begun) < apart;
      });
      // A wait too short to be visible needs no arrow.
      if (near || m_crop.arrows.size() == kMaxArrows || arrow.begun - arrow.since < apart / 2) continue;
      m_crop.arrows.push_back(arrow);
    }
    return {};
  }

  DurNs waitedBy(std::int32_t rank) const {
    const auto waits = m_crop.waits->of_rank.find(rank);
    DurNs sum = 0;
    if (waits != m_crop.waits->of_rank.end())
      for (const auto& [from, to] : waits->second)
        sum += std::max<DurNs>(0, std::min(to, m_crop.range.t1) - std::max(from, m_crop.range.t0));
    return sum;
  }

  // Whether a rank does the same work as the subject.
  bool hasRoleOf(std::int32_t rank) const {
    const Rank *one = m_subject.rank(rank), *about = m_about ? m_subject.rank(*m_about) : nullptr;
    return one != nullptr && about != nullptr && one->pp && one->pp == about->pp;
  }

  Status say(Evidence& out) {
    RankTracks tracks;
    for (const std::int32_t number : m_chosen) tracks.emplace_back(number, tracksOf(*rankOf(number)));
    RG_ASSIGN(const AreaSummary area, readArea(m_reader, m_catalog, tracks, m_crop.range, m_stop));
    const auto of = [&](std::int32_t rank) { return std::ranges::find(area.of_rank, rank, &AreaRank::rank); };
    QStringList parts;
    for (const std::int32_t rank : m_chosen) {
      const bool partner = std::ranges::find(m_partners, rank) != m_partners.end();
      const bool reported = rank == m_about || partner || (m_partners.empty() && hasRoleOf(rank));
      if (!reported || of(rank) == area.of_rank.end() || !area.whole) continue;
      QString words =
          QObject::tr("rank %1 computed %2").arg(rank).arg(formatDuration(of(rank)->busy[static_cast<std::size_t>(SpanClass::kCompute)]));
      if (m_crop.waits->of_rank.contains(rank)) words += QObject::tr(" and waited %1").arg(formatDuration(waitedBy(rank)));
      parts << words;
    }
    out.shows = QObject::tr("In %1").arg(formatDuration(m_crop.range.t1 - m_crop.range.t0));
    if (!m_crop.steps.empty())
      out.shows += QObject::tr(" (%1)").arg(
          m_crop.steps.size() == 1
              ? QObject::tr("step %1").arg(formatCount(m_crop.steps.front().step))
              : QObject::tr("steps %1 to %2").arg(formatCount(m_crop.steps.front().step), formatCount(m_crop.steps.back().step)));
    out.shows += parts.isEmpty()
                     ? QObject::tr(": %1 of %2.")
                           .arg(countWords(m_spans, QT_TRANSLATE_NOOP("Counts", "%1 span"), QT_TRANSLATE_NOOP("Counts", "%1 spans")),
                                countWords(static_cast<std::int64_t>(m_crop.rows.size()), QT_TRANSLATE_NOOP("Counts", "%1 rank"),
                                           QT_TRANSLATE_NOOP("Counts", "%1 ranks")))
                     : QStringLiteral(": ") + parts.join(QStringLiteral("; ")) + QStringLiteral(".");
    return {};
  }

  void finish(Evidence& out) {
    const auto ranks =
        static_cast<std::int64_t>(std::ranges::count_if(m_catalog.ranks, [](const TimelineRank& rank) { return rank.rank.has_value(); }));
    out.coverage = QObject::tr("%1 of %2, %3")
                       .arg(m_crop.rows.size())
                       .arg(countWords(ranks, QT_TRANSLATE_NOOP("Counts", "%1 rank"), QT_TRANSLATE_NOOP("Counts", "%1 ranks")),
                            countWords(m_spans, QT_TRANSLATE_NOOP("Counts", "%1 span"), QT_TRANSLATE_NOOP("Counts", "%1 spans")));
    if (!m_exact) out.coverage += QObject::tr(", close ones joined");
    if (m_of_steps > 0)
      out.coverage += QObject::tr("; %1 of the window's %2")
                          .arg(m_crop.steps.size())
                          .arg(countWords(static_cast<std::int64_t>(m_of_steps), QT_TRANSLATE_NOOP("Counts", "%1 step"),
                                          QT_TRANSLATE_NOOP("Counts", "%1 steps")));
    if (!m_crop.waits->note.isEmpty()) out.coverage += QStringLiteral("; ") + m_crop.waits->note;
    DurNs error = 0;
    for (const std::int32_t number : m_chosen) error = std::max(error, rankOf(number)->clock_error.value_or(0));
    if (error > 0) out.coverage += QObject::tr("; clocks ± %1").arg(formatDuration(error));
    std::string list;
    for (const std::int32_t rank : m_chosen) list += (list.empty() ? "" : ", ") + std::to_string(rank);
    out.sql = "SELECT rank, track_id, span_id, category, name, start_ns, dur_ns, step FROM span_in(" + std::to_string(m_crop.range.t0) +
              ", " + std::to_string(m_crop.range.t1) + ") WHERE " + m_subject.sqlOfAttempt() + " AND rank IN (" + list +
              ") ORDER BY rank, start_ns";
    out.place = {.view = "timeline", .t0 = m_crop.range.t0, .t1 = m_crop.range.t1, .select = m_subject.linkSelect(m_about)};
    // At the widest picture: narrower ones have no more runs and bars.
    simplify(m_crop, kMaxShapes - kTextBudget);
    out.picture = std::make_shared<const CropPicture>(std::move(m_crop));
  }

  Reader& m_reader;
  const EvidenceSubject& m_subject;
  const EvidenceQuestion& m_question;
  const std::stop_token& m_stop;
  TimelineCatalog m_catalog;
  std::optional<std::int32_t> m_about;
  std::set<std::int32_t> m_chosen;
  std::vector<std::int32_t> m_partners;
  std::size_t m_of_steps = 0;
  TimelineCrop m_crop;
  std::unordered_map<std::int64_t, std::int32_t> m_rank_of;  // communication spans that are separate bars
  std::int64_t m_spans = 0;
  bool m_exact = true;
};

}  // namespace

Result<Evidence> readTimelineEvidence(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion& question,
                                      const std::stop_token& stop) {
  return CropReading(reader, subject, question, stop).read();
}

}  // namespace runglass
