// SPDX-License-Identifier: GPL-3.0-or-later
// The content of a plot: panels of curves on one x axis, with bands and marks. Filled on workers, immutable afterwards.
//
// Threading:  plain values; bins are shared and const.
// Ownership:  curves share their bins.
// Units:      x: ns since the epoch, ns since the run's start, or steps.
// Cost:       a few pointers per curve.
#pragma once

#include <QString>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/events.h"
#include "widgets/charts/geometry.h"
#include "widgets/core/theme.h"

namespace runglass {

using SharedBins = std::shared_ptr<const std::vector<Bin>>;

struct PlotCurve {
  QString name;  // made safe with screenText()
  Ink ink;
  SharedBins bins;       // may reach beyond the window
  SharedBins smooth;     // of smoothed(): drawn over the raw curve, which turns faint
  bool band = false;     // filled min..max instead of a line
  bool faint = false;    // a superseded branch: thin and grey, no legend
  bool gaps = false;     // leave holes where data is missing
  bool dashed = false;   // in vector output: the compared curve, distinguishable without colour
  SeriesId series = {};  // what a click on it is about; invalid: nothing
};

// A finding in a panel's curves: a shape at the panel's top edge.
struct PanelMark {
  std::int64_t x = 0;
  Severity severity = Severity::kWarning;
  QString text;  // made safe with screenText()
  friend bool operator==(const PanelMark&, const PanelMark&) = default;
};

struct PlotPanel {
  QString title;
  std::string unit;
  std::vector<PlotCurve> curves;
  std::vector<PanelMark> marks;  // by x
  bool log = false;
  bool robust = false;  // let outliers leave the panel; a badge counts them
  double share = 1;     // of the height
  QString empty;        // message of a panel without data, with the reason
};

// Alternating background behind attempts, or a phase (eval) with its name.
struct PlotBand {
  std::int64_t x0 = 0, x1 = 0;
  Ink ink;
  QString name;
  std::optional<Ink> edge = std::nullopt;  // colour of dashed lines at its ends
};

// An event: a shape in the event lane under the panels.
struct PlotMark {
  std::int64_t x = 0;
  Ink ink;
  QString glyph, text;
  Severity severity = Severity::kInfo;  // of marks at one place, the most severe is seen
};

struct PlotData {
  XAxis axis = XAxis::kTime;
  TimeStyle style = TimeStyle::kUtc;
  std::vector<PlotPanel> panels;
  std::vector<PlotBand> bands;
  std::vector<PlotMark> marks;
  bool lane = false;  // reserve space for the marks
};

}  // namespace runglass
