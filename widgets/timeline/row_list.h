// SPDX-License-Identifier: GPL-3.0-or-later
// RowList: the rows of the timeline, their order and positions, from a catalogue and the ranks that the user opened, pinned and hid.
//
// Threading:  GUI thread.
// Units:      device-independent pixels, from the top of all rows.
// Errors:     an invalid regular expression hides nothing; patternProblem() returns its error.
// Cost:       rebuilding is O(ranks + tracks); rows() on screen are found by bisection.
#pragma once

#include <QRegularExpression>
#include <QString>
#include <map>
#include <set>
#include <vector>

#include "widgets/timeline/timeline_data.h"

namespace runglass {

enum class RowKind : std::uint8_t { kMetric, kGroup, kRank, kTrack };

struct TimelineRow {
  RowKind kind = RowKind::kRank;
  QString title, detail;   // in the gutter
  QString brief;           // replaces the detail where that does not fit
  std::string unit;        // of a metric
  QString tip;             // text that does not fit into the gutter
  RowQuestion question;    // none for groups
  std::int32_t rank = -1;  // -1: none
  bool open = false, pinned = false;
  int y = 0, height = 0;
};

enum class RowGrouping : std::uint8_t { kNode, kStage, kData, kTensor, kNone };
enum class RowChoice : std::uint8_t { kSuggested, kAll };

class RowList {
 public:
  static constexpr int kStripHeight = 18, kLaneHeight = 14, kGroupHeight = 18, kMetricHeight = 40;
  // Heights of a closed rank's strip and the gap below it, from readable to the maximum number of rows.
  struct Density {
    int strip, gap;
  };
  static constexpr Density kDensities[] = {{kStripHeight, 2}, {9, 1}, {4, 1}, {1, 0}};

  void setCatalog(std::shared_ptr<const TimelineCatalog> catalog);
  void setGrouping(RowGrouping grouping);
  void setChoice(RowChoice choice);
  void setPattern(const QString& pattern);  // regular expression over "rank 3 node-a GPU 0 stream 7"; empty: all
  QString patternProblem() const { return m_pattern.isValid() ? QString() : m_pattern.errorString(); }
  void setDensity(int by);  // steps towards more rows on screen, or fewer
  void setSelected(std::optional<std::int32_t> rank);
  void toggle(std::int32_t rank);
  void toggle(TrackId track);
  void togglePin(std::int32_t rank);
  void openAll(bool open);
  // Tracks grow as spans deepen; rows never shrink while they are shown. Returns true if some grew.
  bool noteLanes(const TimelinePicture& picture);

  const std::vector<TimelineRow>& rows() const { return m_rows; }
  int height() const { return m_height; }
  int pinnedHeight() const { return m_pinned_height; }  // rows above it stay in place
  int shownRanks() const { return m_shown_ranks; }
  const std::shared_ptr<const TimelineCatalog>& catalog() const { return m_catalog; }
  int lanesOf(TrackId track) const;
  // Opens the rank's rows and the track's lanes if they are closed.
  void open(std::int32_t rank, TrackId track);

 private:
  void rebuild();
  std::vector<std::size_t> suggested() const;  // indices into the catalogue's ranks
  bool isOfFinding(const TimelineRank& rank) const;
  QString groupOf(const TimelineRank& rank) const;
  std::optional<std::int32_t> interesting() const;
  void addRank(const TimelineRank& rank, bool pinned);
  void place(TimelineRow row);

  std::shared_ptr<const TimelineCatalog> m_catalog;
  RowGrouping m_grouping = RowGrouping::kNode;
  RowChoice m_choice = RowChoice::kSuggested;
  QRegularExpression m_pattern;
  std::optional<std::int32_t> m_selected;
  std::map<std::int32_t, bool> m_open;  // the user's choices; else the default
  std::map<TrackId, bool> m_unfolded;
  std::set<std::int32_t> m_pinned;
  std::map<TrackId, int> m_lanes;
  std::vector<TimelineRow> m_rows;
  int m_density = 0, m_height = 0, m_pinned_height = 0, m_shown_ranks = 0;
};

QString rankTitle(const TimelineRank& rank);  // "rank 3 (d0 p1 t1)"

}  // namespace runglass
