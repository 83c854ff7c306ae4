// SPDX-License-Identifier: GPL-3.0-or-later
// User actions in the timeline: selecting, summing up, searching, jumping, marking.
#include <QKeyEvent>
#include <algorithm>
#include <limits>
#include <utility>

#include "model/time.h"
#include "widgets/timeline/timeline_view.h"

namespace runglass {
namespace {

constexpr DurNs kLongestShown = 3'600 * kNsPerSecond;

}  // namespace

void TimelineView::choose(const PointedBar& bar) {
  m_canvas->setSelected(bar, {});
  m_clocks->setChosen(std::nullopt);
  m_chosen.reset();
  m_peers.clear();
  if (bar.bar.id == 0) {
    m_drawer->showNote(tr("%1 spans are narrower than a pixel here: zoom in (W) to separate them, or drag over them to sum them up.")
                           .arg(formatCount(bar.bar.count)));
    m_drawer->setCurrentIndex(0);
    return;
  }
  askDetail(bar.track, bar.rank, bar.bar.id, bar.bar.t0);
}

// Several spans in one bar have no menu of their own: the menu is their rank's.
void TimelineView::showMenu(const PointedBar& bar, QPoint at) {
  if (!m_rows.catalog()) return;
  Object object{.kind = ObjectKind::kRank, .name = tr("Rank %1").arg(bar.rank), .selection = m_state.selection, .id = bar.rank};
  object.selection.run = m_rows.catalog()->run.id;
  object.selection.attempt = m_rows.catalog()->attempt.id;
  if (bar.rank >= 0 && object.selection.rank != bar.rank) {
    object.selection.rank = bar.rank;
    object.selection.node = {}, object.selection.device = {}, object.selection.step.reset();
  }
  if (bar.bar.id != 0) {
    const bool open = bar.bar.t1 == std::numeric_limits<TimeNs>::max();
    object.kind = ObjectKind::kSpan;
    object.detail = std::exchange(object.name, bar.name.isEmpty() ? tr("Span %1").arg(bar.bar.id) : bar.name);
    object.value = object.name + u'\t' + (open ? QString() : formatDuration(bar.bar.t1 - bar.bar.t0));
    object.id = bar.bar.id;
    const DurNs margin = open ? kNsPerSecond : std::max<DurNs>(bar.bar.t1 - bar.bar.t0, 1);
    object.window = TimeRange{bar.bar.t0 - margin, (open ? bar.bar.t0 : bar.bar.t1) + margin};
  } else if (bar.rank < 0) {
    return;
  }
  emit menuRequested(object, at);
}

void TimelineView::askDetail(TrackId track, std::int32_t rank, std::int64_t id, TimeNs t0) {
  if (!m_rows.catalog()) return;
  m_context.queries->submit<SpanDetail>(
      m_detail_slot, QueryService::Supersede::kCancelOlder,
      [catalog = m_rows.catalog(), track, rank, id, t0](Reader& reader, std::stop_token stop) {
        return readSpanDetail(reader, *catalog, track, rank, id, t0, std::move(stop));
      },
      [this](const auto& answer) {
        if (!answer.ok()) return m_drawer->showNote(screenText(answer.status().message()));
        showDetail(**answer);
      });
}

void TimelineView::showDetail(const SpanDetail& detail) {
  m_drawer->showSpan(detail);
  if (const auto& catalog = m_rows.catalog(); catalog && detail.rank >= 0)
    m_clocks->setChosen(ChosenCall{.run = catalog->run.id,
                                   .attempt = catalog->attempt.id,
                                   .track = detail.track,
                                   .rank = detail.rank,
                                   .id = detail.span.id[0],
                                   .t0 = detail.span.start[0]});
  std::vector<FlowArrow> arrows;
  for (const SpanPeer& peer : detail.peers) {
    const bool comes_in = peer.t0 <= detail.span.start[0];
    arrows.push_back(comes_in ? FlowArrow{peer.track, detail.track, peer.t0, detail.span.start[0]}
                              : FlowArrow{detail.track, peer.track, detail.span.start[0], peer.t0});
  }
  SpanBar bar{.t0 = detail.span.start[0], .t1 = std::numeric_limits<TimeNs>::max(), .id = detail.span.id[0], .count = 1};
  bar.category = detail.span.category[0];
  if (detail.span.dur[0] != kAbsent) bar.t1 = plusTime(bar.t0, std::max<DurNs>(detail.span.dur[0], 1));
  m_chosen = PointedBar{detail.track, detail.rank, bar, shortSpanName(detail.span.names[0])};
  m_chosen_name = detail.span.names[0];
  m_canvas->setSelected(m_chosen, std::move(arrows));
  m_peers = detail.peers;
  std::ranges::stable_sort(m_peers, {}, &SpanPeer::t0);
}

RankTracks TimelineView::shownTracks() const {
  std::map<std::int32_t, std::set<TrackId>> tracks;
  for (const TimelineRow& row : m_rows.rows())
    if (row.kind != RowKind::kMetric) tracks[row.rank].insert(row.question.tracks.begin(), row.question.tracks.end());
  RankTracks found;
  for (const auto& [rank, of_rank] : tracks)
    if (!of_rank.empty()) found.emplace_back(rank, std::vector<TrackId>(of_rank.begin(), of_rank.end()));
  return found;
}

void TimelineView::askArea(TimeRange range) {
  if (!m_rows.catalog()) return;
  m_drawer->showAreaNote(tr("Summing up …"));
  m_drawer->setCurrentIndex(1);
  m_context.queries->submit<AreaSummary>(
      m_area_slot, QueryService::Supersede::kCancelOlder,
      [catalog = m_rows.catalog(), tracks = shownTracks(), range](Reader& reader, std::stop_token stop) {
        return readArea(reader, *catalog, tracks, range, std::move(stop));
      },
      [this](const auto& answer) {
        if (!answer.ok()) return m_drawer->showAreaNote(screenText(answer.status().message()));
        m_drawer->showArea(**answer);
      });
}

bool TimelineView::eventFilter(QObject* object, QEvent* event) {
  if (object == m_search && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
      search(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
      return true;
    }
    if (key->key() == Qt::Key_Escape) {
      m_canvas->setFocus();
      return true;
    }
  }
  return View::eventFilter(object, event);
}

void TimelineView::search(int step) {
  const QString pattern = m_search->text();
  if (pattern.isEmpty()) return;
  m_wanted_hit = step;
  if (pattern == m_finder.pattern()) return showSearch();
  const auto& catalog = m_rows.catalog();
  if (!catalog) return;
  TimeRange extent = catalog->extent.value_or(window());
  if (const auto known = m_context.state->extent()) extent = {std::min(extent.t0, known->t0), std::max(extent.t1, known->t1)};
  m_finder.start(pattern, shownTracks(), window(), extent);
  m_drawer->showHitsNote(tr("Searching …"));
}

// Shows the hits so far; moves to the requested hit as soon as it is known.
void TimelineView::showSearch() {
  const auto hit = m_wanted_hit != 0 ? m_finder.next(m_wanted_hit) : std::nullopt;
  if (hit) {
    m_wanted_hit = 0;
    m_finder.goneTo(*hit);
    goTo(hit->track, hit->rank, hit->id, hit->t0, hit->t1);
  } else if (m_wanted_hit != 0) {
    m_drawer->setCurrentIndex(2);
    if (!m_finder.running()) m_wanted_hit = 0;
  }
  std::set<std::int64_t> ids;
  for (const SearchHit& found : m_finder.hits()) ids.insert(found.id);
  m_canvas->setHits(std::move(ids));
  m_search_state = m_finder.sentence(window());
  m_drawer->showHits(m_finder.hits(), m_search_state);
  showBadges();
}

void TimelineView::goTo(TrackId track, std::int32_t rank, std::int64_t id, TimeNs t0, TimeNs t1) {
  m_rows.open(rank, track);
  m_canvas->rowsChanged();
  m_canvas->scrollTo(track);
  const DurNs length = t1 == std::numeric_limits<TimeNs>::max() ? 0 : t1 - t0;
  const TimeRange now = window();
  // Shows the whole span, large enough to be visible, otherwise at the current zoom.
  const DurNs farthest = std::max<DurNs>(length > kLongestShown ? plusTime(length, length) : length * 200, 10'000);
  const DurNs span = std::clamp<DurNs>(now.t1 - now.t0, plusTime(length, length / 4), farthest);
  if (t0 < now.t0 || t1 > now.t1 || span != now.t1 - now.t0)
    m_context.state->setWindow({plusTime(t0, length / 2 - span / 2), plusTime(t0, length / 2 + span / 2 + 1)});
  askDetail(track, rank, id, t0);
}

void TimelineView::openMark(const Note& note, QPoint at) { m_mark->open(note, m_state.time_style, at); }

void TimelineView::askNotes() {
  if (!m_rows.catalog()) return;
  m_context.queries->submit<TimelineMarks>(
      m_notes_slot, QueryService::Supersede::kAfterCurrent,
      [run = m_rows.catalog()->run](Reader& reader, std::stop_token) { return readTimelineMarks(reader, run); },
      [this](const auto& answer) {
        // A failure keeps the known marks.
        if (answer.ok()) m_canvas->setMarks(**answer);
      });
}

void TimelineView::askAnomaly(int by) {
  const auto& catalog = m_rows.catalog();
  if (!catalog) return;
  const TimeRange now = window();
  const auto inside = [&](TimeNs time) { return time >= now.t0 && time < now.t1; };
  AnomalyQuestion question{.from = by > 0 ? plusTime(now.t0, -1) : now.t1, .by = by, .step_rank = stepRank()};
  if (m_chosen) {
    question.track = m_chosen->track, question.rank = m_chosen->rank, question.name = m_chosen_name;
    if (inside(m_chosen->bar.t0)) question.from = m_chosen->bar.t0;
  }
  if (m_anomaly && inside(*m_anomaly)) question.from = *m_anomaly;
  if (m_state.moment && inside(*m_state.moment)) question.from = *m_state.moment;
  m_context.queries->submit<AnomalyAnswer>(
      m_anomaly_slot, QueryService::Supersede::kCancelOlder,
      [catalog, question](Reader& reader, std::stop_token stop) { return nextAnomaly(reader, *catalog, question, std::move(stop)); },
      [this, by](const auto& answer) {
        if (answer.ok()) return showAnomaly(**answer, by);
        m_anomaly_words = screenText(answer.status().message());
        showBadges();
      });
}

void TimelineView::showAnomaly(const AnomalyAnswer& answer, int by) {
  if (!answer.found) {
    m_anomaly_words = (by > 0 ? tr("nothing unusual after this: %1") : tr("nothing unusual before this: %1")).arg(answer.looked);
    return showBadges();
  }
  const Anomaly& found = *answer.found;
  m_anomaly = found.t0;
  m_anomaly_words = found.words;
  if (found.id != 0) {
    goTo(found.track, found.rank, found.id, found.t0, found.t1);
  } else {
    const TimeRange now = window();
    const DurNs length = std::max<DurNs>(found.t1 - found.t0, 1);
    const DurNs span =
        std::max<DurNs>(std::min<DurNs>(now.t1 - now.t0, length > kLongestShown ? kLongestShown : length * 20), length + length / 4);
    m_context.state->setWindow({plusTime(found.t0, length / 2 - span / 2), plusTime(found.t0, length / 2 + span / 2 + 1)});
  }
  m_context.state->setMoment(found.t0);
  showBadges();
}

void TimelineView::askMoment(const QString& text) {
  const auto& catalog = m_rows.catalog();
  if (!catalog) return;
  const TimeRange now = window();
  const TimeNs near = now.t0 + (now.t1 - now.t0) / 2;
  m_context.queries->submit<Moment>(
      m_moment_slot, QueryService::Supersede::kCancelOlder,
      [catalog, text, near, style = m_state.time_style](Reader& reader, std::stop_token stop) {
        return readMoment(reader, *catalog, text, near, style, std::move(stop));
      },
      [this](const auto& answer) {
        m_anomaly_words = answer.ok() ? (*answer)->words : screenText(answer.status().message());
        showBadges();
        if (!answer.ok() || !(*answer)->range) return;
        const TimeRange found = *(*answer)->range, shown = window();
        // A step with a margin of a tenth; a moment in the centre of the current window's width.
        const DurNs length = found.t1 - found.t0, beside = length > 0 ? length / 10 + 1 : (shown.t1 - shown.t0) / 2;
        m_context.state->setWindow({plusTime(found.t0, -beside), plusTime(found.t1, beside)});
      });
}

// A span's arrows lead back to earlier peers and on to later ones; the nearest in time is next.
void TimelineView::walkFlow(int by) {
  if (!m_chosen) return;
  const auto after = std::ranges::upper_bound(m_peers, m_chosen->bar.t0, {}, &SpanPeer::t0);
  if (by > 0 ? after == m_peers.end() : after == m_peers.begin()) return;
  const SpanPeer peer = by > 0 ? *after : *std::prev(after);
  goTo(peer.track, peer.rank, peer.id, peer.t0, peer.t1);
}

}  // namespace runglass
