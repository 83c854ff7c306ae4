// SPDX-License-Identifier: GPL-3.0-or-later
// CurvePicture: stacked plots as evidence: the plots of the views, coloured at paint time, with events described below them.
//
// Threading:  immutable.
// Ownership:  shares its bins.
// Units:      x of the plot's axis; device-independent pixels.
// Errors:     none; a panel without data shows the reason.
// Cost:       O(bins) a painting; at most a few points a column and curve.
#pragma once

#include <vector>

#include "widgets/charts/plot_data.h"
#include "widgets/evidence/evidence.h"

namespace runglass {

// The role of a curve; the theme defines its colour.
enum class CurveRole : std::uint8_t {
  kSeries,    // one of several: the theme's `series` by number
  kSubject,   // the subject of the card
  kCompared,  // the others' median
  kReach,     // the range of the others, as a band
  kOld,       // a superseded branch
};
struct CurveInk {
  CurveRole role = CurveRole::kSeries;
  std::size_t number = 0;
};

struct CurveEvent {
  std::int64_t x = 0;
  Severity severity = Severity::kInfo;
  QString words;  // safe for the screen
};

struct CurveStory {
  PlotData plot;                            // without the mark and the events
  std::vector<std::vector<CurveInk>> inks;  // as plot.panels[].curves
  std::int64_t x0 = 0, x1 = 0;
  std::optional<std::pair<std::int64_t, std::int64_t>> mark;  // shaded
  std::vector<CurveEvent> events;                             // by x
  std::size_t more_events = 0;                                // not listed
  // Adds a panel and its curves with their inks.
  void add(PlotPanel panel, std::vector<CurveInk> inks);
};

class CurvePicture : public EvidencePicture {
 public:
  static constexpr int kPanelHeight = 74;  // of its plot, times its share
  explicit CurvePicture(CurveStory story) : m_story(std::move(story)) {}
  double heightAt(double width) const override;
  void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override;
  const CurveStory& story() const { return m_story; }

 private:
  PlotData withEvents() const;
  int plotHeight() const;

  CurveStory m_story;
};

}  // namespace runglass
