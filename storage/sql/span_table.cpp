// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. m_tracks lists the tracks to read, m_at is the current one (or the end); m_spans and m_row belong to m_tracks[m_at].
// 2. A scan for one span_id reads one piece of one track, shared with other scans, and stops at m_end.
#include <sqlite3.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "storage/sql/tables.h"

namespace runglass::sql {
namespace {

enum SpanColumn : int {
  kSpanId,
  kRun,
  kAttempt,
  kRank,
  kTrack,
  kCategory,
  kName,
  kStart,
  kDur,
  kDepth,
  kStep,
  kMicrobatch,
  kGroup,
  kSeq,
  kBytes,
  kCorrelation,
  kExternal,
  kArgs,
  kT0,
  kT1,
};

class SpanCursor : public Cursor {
 public:
  explicit SpanCursor(Catalogue& catalogue) : m_catalogue(catalogue) {}

  Status filter(const Constraints& constraints) override {
    m_tracks.clear();
    m_at = m_row = m_end = 0;
    m_spans.reset();
    if (constraints.impossible()) return {};
    if (const auto span = constraints.exact(kSpanId)) return find(*span, constraints);
    m_range = {};
    m_range.t0 = constraints.exact(kT0).value_or(std::max(m_range.t0, constraints.atLeast(kStart)));
    m_range.t1 = constraints.exact(kT1).value_or(m_range.t1);
    if (const std::int64_t last = constraints.atMost(kStart); last < m_range.t1) m_range.t1 = last + 1;
    RG_ASSIGN(const auto* all, m_catalogue.tracks());
    for (const Track& track : *all) {
      RG_ASSIGN(const AttemptRow* attempt, m_catalogue.attempt(track.key.attempt));
      const auto rank = track.key.rank ? std::optional<std::int64_t>(*track.key.rank) : std::nullopt;
      if (constraints.admits(kTrack, static_cast<std::int64_t>(track.id.value)) && constraints.admits(kRank, rank) &&
          constraints.admits(kRun, static_cast<std::int64_t>(attempt->run.value)) && constraints.admits(kAttempt, attempt->number))
        m_tracks.push_back({&track, attempt});
    }
    if (!m_tracks.empty()) RG_TRY(load());
    return settle();
  }
  // The row of one span. SQLite checks the other constraints, except the arguments.
  Status find(std::int64_t span, const Constraints& constraints) {
    const TimeRange range{constraints.exact(kT0).value_or(TimeRange().t0), constraints.exact(kT1).value_or(TimeRange().t1)};
    RG_ASSIGN(const auto piece, m_catalogue.piece(span, range));
    if (!piece) return {};
    const auto row = std::ranges::lower_bound(piece->spans.id, span);
    if (row == piece->spans.id.end() || *row != span) return {};
    RG_ASSIGN(const Track* track, m_catalogue.track(piece->track));
    if (!track) return {};
    RG_ASSIGN(const AttemptRow* attempt, m_catalogue.attempt(track->key.attempt));
    m_tracks.push_back({track, attempt});
    m_spans = std::shared_ptr<const SpanColumns>(piece, &piece->spans);
    m_row = static_cast<std::size_t>(row - piece->spans.id.begin());
    m_end = m_row + 1;
    return {};
  }
  bool done() const override { return m_at >= m_tracks.size(); }
  Status next() override {
    ++m_row;
    return settle();
  }
  void column(sqlite3_context* out, int column) const override {
    const Track& track = *m_tracks[m_at].track;
    switch (column) {
      case kSpanId:
        return sqlite3_result_int64(out, m_spans->id[m_row]);
      case kRun:
        return sqlite3_result_int64(out, static_cast<sqlite3_int64>(m_tracks[m_at].attempt->run.value));
      case kAttempt:
        return sqlite3_result_int64(out, m_tracks[m_at].attempt->number);
      case kRank:
        return track.key.rank ? sqlite3_result_int64(out, *track.key.rank) : sqlite3_result_null(out);
      case kTrack:
        return sqlite3_result_int64(out, static_cast<sqlite3_int64>(track.id.value));
      case kCategory:
        return resultText(out, spanCategoryName(m_spans->category[m_row]));
      case kName:
        return resultText(out, m_spans->names[m_spans->name[m_row]]);
      case kStart:
        return sqlite3_result_int64(out, m_spans->start[m_row]);
      case kDur:
        return optional(out, m_spans->dur);
      case kDepth:
        return sqlite3_result_int64(out, m_spans->depth.empty() ? 0 : m_spans->depth[m_row]);
      case kArgs:
        if (!m_spans->args.empty() && !m_spans->args[m_row].empty()) resultText(out, m_spans->args[m_row]);
        return;
      default:
        if (const auto* values = optionalColumn(column)) optional(out, *values);
    }
  }

 private:
  struct Source {
    const Track* track;
    const AttemptRow* attempt;
  };
  const std::vector<std::int64_t>* optionalColumn(int column) const {
    switch (column) {
      case kStep:
        return &m_spans->step;
      case kMicrobatch:
        return &m_spans->microbatch;
      case kGroup:
        return &m_spans->group;
      case kSeq:
        return &m_spans->seq;
      case kBytes:
        return &m_spans->bytes;
      case kCorrelation:
        return &m_spans->correlation;
      case kExternal:
        return &m_spans->external_id;
      default:
        return nullptr;
    }
  }
  void optional(sqlite3_context* out, const std::vector<std::int64_t>& values) const {
    if (!values.empty() && values[m_row] != kAbsent) sqlite3_result_int64(out, values[m_row]);
  }
  Status load() {
    RG_ASSIGN(auto spans, m_catalogue.reader().spans(m_tracks[m_at].track->id, m_range, m_catalogue.stop()));
    m_end = spans.size();
    m_spans = std::make_shared<const SpanColumns>(std::move(spans));
    m_row = 0;
    return {};
  }
  Status settle() {
    while (!done() && m_row >= m_end) {
      if (m_catalogue.stop().stop_requested()) return {Code::kCancelled, "query cancelled"};
      if (++m_at < m_tracks.size()) RG_TRY(load());
    }
    return {};
  }

  Catalogue& m_catalogue;
  TimeRange m_range;
  std::vector<Source> m_tracks;
  std::size_t m_at = 0, m_row = 0, m_end = 0;
  std::shared_ptr<const SpanColumns> m_spans;
};

// The arguments last: `span` has none.
constexpr TableSpec::Pushed kSpanPushed[] = {{kSpanId, Push::kKey},   {kRun, Push::kInteger},   {kAttempt, Push::kInteger},
                                             {kRank, Push::kInteger}, {kTrack, Push::kInteger}, {kStart, Push::kInteger},
                                             {kT0, Push::kArgument},  {kT1, Push::kArgument}};

#define RG_SPAN_COLUMNS                                                                                                \
  "span_id INTEGER, run_id INTEGER, attempt INTEGER, rank INTEGER, track_id INTEGER, category TEXT, name TEXT, "       \
  "start_ns INTEGER, dur_ns INTEGER, depth INTEGER, step INTEGER, microbatch INTEGER, group_id INTEGER, seq INTEGER, " \
  "bytes INTEGER, correlation INTEGER, external_id INTEGER, args TEXT"

}  // namespace

// Not a view over span_in: SQLite materializes a view of a virtual table on the right side of a LEFT JOIN.
const TableSpec kSpanTable = {"span", "CREATE TABLE x(" RG_SPAN_COLUMNS ")", "", std::span(kSpanPushed).first<std::size(kSpanPushed) - 2>(),
                              makeCursor<SpanCursor>};
const TableSpec kSpanInTable = {"span_in", "CREATE TABLE x(" RG_SPAN_COLUMNS ", t0_ns INTEGER HIDDEN, t1_ns INTEGER HIDDEN)",
                                "SELECT * FROM span_in(t0_ns, t1_ns)", kSpanPushed, makeCursor<SpanCursor>};

}  // namespace runglass::sql
