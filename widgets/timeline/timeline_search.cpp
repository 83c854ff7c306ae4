// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: m_hits holds all hits that start in m_covered, by (t0, id), unless m_capped; at most one slice is being read.
#include "widgets/timeline/timeline_search.h"

#include <QRegularExpression>
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr int kTellMs = 200, kFastMs = 60, kSlowMs = 250;
constexpr DurNs kNarrowestSlice = kNsPerMs;

std::pair<TimeNs, std::int64_t> placeOf(const SearchHit& hit) { return {hit.t0, hit.id}; }

}  // namespace

Result<SearchSlice> searchSpans(Reader& reader, const RankTracks& ranks, TimeRange range, const QString& pattern, std::size_t most,
                                std::stop_token stop) {
  const QRegularExpression wanted(pattern, QRegularExpression::CaseInsensitiveOption);
  if (!wanted.isValid()) return Status(Code::kInvalidArgument, "search: " + wanted.errorString().toStdString());
  SearchSlice out;
  std::unordered_map<std::string, bool> known;
  RG_ASSIGN(out.whole, eachSpan(reader, ranks, range, stop, [&](std::int32_t rank, TrackId track, const SpanColumns& spans, std::size_t i) {
              if (spans.start[i] < range.t0) return true;
              const std::string& name = spans.names[spans.name[i]];
              auto [match, fresh] = known.try_emplace(name, false);
              if (fresh) match->second = wanted.match(QString::fromStdString(name)).hasMatch();
              if (!match->second) return true;
              if (out.hits.size() == most) return false;
              out.hits.push_back({track, rank, spans.id[i], spans.start[i], spanEndOf(spans, i), shortSpanName(name)});
              return true;
            }));
  std::ranges::sort(out.hits, {}, placeOf);
  return out;
}

TimelineSearch::TimelineSearch(QueryService* queries, QObject* parent) : QObject(parent), m_queries(queries) {}

void TimelineSearch::clear() {
  m_slot.cancel();
  m_pattern.clear(), m_problem.clear(), m_hits.clear(), m_tracks.clear();
  m_running = m_capped = false;
  m_at.reset();
}

void TimelineSearch::start(const QString& pattern, RankTracks tracks, TimeRange window, TimeRange extent) {
  clear();
  m_pattern = pattern;
  m_tracks = std::move(tracks);
  m_extent = {std::min(extent.t0, window.t0), std::max(extent.t1, window.t1)};
  m_covered = {window.t0, window.t0};
  m_origin = window.t0;
  m_width = std::max<DurNs>(window.t1 - window.t0, kNarrowestSlice);
  m_right = m_running = true;
  m_reported.invalidate();
  askSlice();
}

// The next time slice on the side whose turn it is.
void TimelineSearch::askSlice() {
  if (m_covered.t1 >= m_extent.t1) m_right = false;
  if (m_covered.t0 <= m_extent.t0) m_right = true;
  if (m_covered.t0 <= m_extent.t0 && m_covered.t1 >= m_extent.t1) return finish({});
  const bool right = m_right;
  TimeRange slice{m_covered.t1, m_extent.t1};
  if (right && static_cast<std::uint64_t>(slice.t1) - static_cast<std::uint64_t>(slice.t0) > static_cast<std::uint64_t>(m_width))
    slice.t1 = slice.t0 + m_width;
  if (!right) {
    slice = {m_extent.t0, m_covered.t0};
    if (static_cast<std::uint64_t>(slice.t1) - static_cast<std::uint64_t>(slice.t0) > static_cast<std::uint64_t>(m_width))
      slice.t0 = slice.t1 - m_width;
  }
  m_asked.restart();
  m_queries->submit<SearchSlice>(
      m_slot, QueryService::Supersede::kCancelOlder,
      [tracks = m_tracks, slice, pattern = m_pattern, most = kMaxHits - m_hits.size()](Reader& reader, std::stop_token stop) {
        return searchSpans(reader, tracks, slice, pattern, most, std::move(stop));
      },
      [this, slice, right](const auto& answer) { take(answer, slice, right); });
}

void TimelineSearch::take(const Result<std::shared_ptr<const SearchSlice>>& answer, TimeRange slice, bool right) {
  if (!answer.ok()) return finish(screenText(answer.status().message()));
  const SearchSlice& found = **answer;
  const bool full = m_hits.size() + found.hits.size() >= kMaxHits;
  if (!found.whole && !full) {
    if (m_width <= kNarrowestSlice) return finish(tr("too many spans in %1 to search").arg(formatDuration(slice.t1 - slice.t0)));
    m_width = std::max(m_width / 4, kNarrowestSlice);
    return askSlice();
  }
  m_hits.insert(right ? m_hits.end() : m_hits.begin(), found.hits.begin(), found.hits.end());
  (right ? m_covered.t1 : m_covered.t0) = right ? slice.t1 : slice.t0;
  m_capped = full && !found.whole;
  if (m_capped) return finish({});
  const qint64 took = m_asked.elapsed();
  if (took < kFastMs && m_width < std::numeric_limits<DurNs>::max() / 4) m_width *= 2;
  if (took > kSlowMs) m_width = std::max(m_width / 2, kNarrowestSlice);
  m_right = !m_right;
  if (!m_reported.isValid() || m_reported.elapsed() >= kTellMs) {
    m_reported.restart();
    emit changed();
  }
  // A listener may have started another search.
  if (m_running && !m_slot.busy()) askSlice();
}

void TimelineSearch::finish(const QString& problem) {
  m_problem = problem;
  m_running = false;
  emit changed();
}

std::optional<SearchHit> TimelineSearch::next(int by) {
  if (m_hits.empty()) return std::nullopt;
  const std::pair<TimeNs, std::int64_t> at = m_at.value_or(std::pair(m_origin, std::numeric_limits<std::int64_t>::min()));
  auto hit = by > 0 ? std::ranges::upper_bound(m_hits, at, {}, placeOf) : std::ranges::lower_bound(m_hits, at, {}, placeOf);
  if (by > 0 && hit != m_hits.end()) return *hit;
  if (by < 0 && hit != m_hits.begin()) return *std::prev(hit);
  // Wraps around the ends only once the search is complete.
  if (m_running) return std::nullopt;
  return by > 0 ? m_hits.front() : m_hits.back();
}

QString TimelineSearch::sentence(TimeRange window) const {
  if (!m_problem.isEmpty() && m_hits.empty()) return m_problem;
  const double whole = std::max(1.0, static_cast<double>(m_extent.t1 - m_extent.t0));
  const QString searched = tr("%1 of the run searched …").arg(formatPercent(static_cast<double>(m_covered.t1 - m_covered.t0) / whole, 0));
  if (m_hits.empty())
    return m_running ? tr("Nothing yet; %1").arg(searched) : tr("No span of the rows shown has such a name in the whole run.");
  const auto here = std::ranges::count_if(m_hits, [&](const SearchHit& hit) { return hit.t0 < window.t1 && hit.t1 > window.t0; });
  QString text = m_capped ? tr("The first %1 hits, there are more: narrow the pattern or the rows; %2 on screen")
                                .arg(formatCount(static_cast<std::int64_t>(m_hits.size())), formatCount(here))
                          : tr("%1 hits, %2 on screen").arg(formatCount(static_cast<std::int64_t>(m_hits.size())), formatCount(here));
  if (m_at) {
    const auto at = std::ranges::lower_bound(m_hits, *m_at, {}, placeOf);
    if (at != m_hits.end() && placeOf(*at) == *m_at) text = tr("%1; at number %2").arg(text, formatCount(at - m_hits.begin() + 1));
  }
  if (m_running) text += QStringLiteral("; ") + searched;
  if (!m_problem.isEmpty()) text += QStringLiteral("; ") + m_problem;
  return text;
}

}  // namespace runglass
