// SPDX-License-Identifier: GPL-3.0-or-later
// TimelineSearch: searches spans by name, first on screen, then outwards to both ends of the run, and reports hits as it goes.
//
// Threading:  GUI thread; each slice of time is read on a query worker.
// Ownership:  borrows the QueryService.
// Units:      TimeNs.
// Errors:     an invalid regular expression or a failed read ends the search; problem() returns the reason.
// Cost:       slices grow while they are fast, so that each takes about a tenth of a second; at most kMaxHits hits are stored.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <optional>
#include <set>
#include <vector>

#include "widgets/core/query_service.h"
#include "widgets/timeline/span_detail.h"

namespace runglass {

struct SearchSlice {
  std::vector<SearchHit> hits;  // by t0
  bool whole = true;            // false: too many spans to read all, or more hits than `most`
};
// Spans that start in the range. `pattern`: a regular expression over the full names, case-insensitive.
Result<SearchSlice> searchSpans(Reader& reader, const RankTracks& ranks, TimeRange range, const QString& pattern, std::size_t most,
                                std::stop_token stop);

class TimelineSearch : public QObject {
  Q_OBJECT

 public:
  static constexpr std::size_t kMaxHits = 10'000;

  TimelineSearch(QueryService* queries, QObject* parent);

  void start(const QString& pattern, RankTracks tracks, TimeRange window, TimeRange extent);
  void clear();
  QString pattern() const { return m_pattern; }
  QString problem() const { return m_problem; }
  bool running() const { return m_running; }
  const std::vector<SearchHit>& hits() const { return m_hits; }  // by t0
  // The next hit (by > 0) or the one before `from`, the hit visited last; nullopt if none is known (yet).
  std::optional<SearchHit> next(int by);
  void goneTo(const SearchHit& hit) { m_at = {hit.t0, hit.id}; }
  QString sentence(TimeRange window) const;  // "340 hits, 12 on screen; 37 % of the run searched"

 signals:
  void changed();  // at most five times a second, and at the end

 private:
  void askSlice();
  void take(const Result<std::shared_ptr<const SearchSlice>>& answer, TimeRange slice, bool right);
  void finish(const QString& problem);

  QueryService* m_queries;
  QuerySlot m_slot;
  QString m_pattern, m_problem;
  RankTracks m_tracks;
  TimeRange m_extent{0, 0}, m_covered{0, 0};
  DurNs m_width = 0;
  bool m_running = false, m_right = true, m_capped = false;
  std::vector<SearchHit> m_hits;
  std::optional<std::pair<TimeNs, std::int64_t>> m_at;
  TimeNs m_origin = 0;
  QElapsedTimer m_reported, m_asked;
};

}  // namespace runglass
