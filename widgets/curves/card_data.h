// SPDX-License-Identifier: GPL-3.0-or-later
// CardData: the content of one card of the curves view, read on a worker with some margin around the window.
//
// Threading:  readCardPart() on a query worker, joinCard() anywhere; immutable afterwards.
// Ownership:  shares the catalogue.
// Units:      x by axis: steps, ns since the epoch, or ns since the run's start.
// Errors:     the Reader's. Curves without a position on the axis are counted in `without_axis`.
// Cost:       O(curves * bins): at most kBinsPerPixelFew bins for each pixel of three windows per curve.
#pragma once

#include <QCoreApplication>
#include <array>
#include <memory>
#include <vector>

#include "widgets/charts/plot_data.h"
#include "widgets/charts/spike_marks.h"
#include "widgets/core/selection.h"
#include "widgets/core/theme.h"
#include "widgets/curves/curve_catalog.h"

namespace runglass {

struct CurveText {
  Q_DECLARE_TR_FUNCTIONS(Curves)
};

enum class CurveAxis : std::uint8_t { kStep, kTime, kRelative };

// Fine enough to zoom in by one notch of the wheel without a new query; with many curves, half of that.
inline constexpr std::size_t kFewCurves = 16, kBinsPerPixelFew = 2, kBinsPerPixelMany = 1;
inline constexpr double kCoarsest = 1.5;       // pixels per bin, above which the picture is queried again
inline constexpr std::size_t kMaxCurves = 64;  // of one card; more would be indistinguishable

// Which rules' hits are marked.
struct SpikeRules {
  bool own = true;
  std::array<bool, 6> published{};  // in the order of publishedRules()
  friend bool operator==(const SpikeRules&, const SpikeRules&) = default;
};

struct CardQuestion {
  std::shared_ptr<const CurveCatalog> catalog;
  std::size_t tag = 0;
  std::vector<std::size_t> members;  // indices into the tag's members, at most kMaxCurves
  std::vector<std::size_t> colors;   // of curveColor(), one per member
  CurveAxis axis = CurveAxis::kStep;
  std::int64_t x0 = 0, x1 = 1;
  std::size_t pixels = 1;
  double smoothing = 0;
  bool log = false, robust = false;
  TimeStyle style = TimeStyle::kUtc;
  std::shared_ptr<SpikeCache> spikes;      // of the view
  std::shared_ptr<RulesCache> rule_cache;  // of the view
  SpikeRules rules;
};

struct CardData {
  std::shared_ptr<const PlotData> plot;
  std::int64_t covered0 = 0, covered1 = 0;  // range of the bins
  double bin_width = 0;                     // widest bin, in x; 0: every point is included
  std::size_t without_axis = 0;
};

// A card's curves are read in parts, on as many workers: part p of n has members p, p + n, ...
struct CardPart {
  std::vector<std::vector<PlotCurve>> curves;  // of each of its members; a superseded branch is a separate curve
  double bin_width = 0;
  std::size_t without_axis = 0;
};
inline constexpr std::size_t kParts = 2;
inline std::size_t partsOf(const CardQuestion& question) { return question.members.size() > kFewCurves ? kParts : 1; }

struct XRange {
  std::int64_t x0 = 0, x1 = 0;
};
// The extent of a member's data on the axis; absent: it has no position there (no clock, or no steps).
std::optional<XRange> extentOf(const CurveCatalog& catalog, const CurveTag& tag, const CurveSeries& member, CurveAxis axis);

// What a point of a curve is about.
struct CurvePlace {
  Selection selection;         // run, attempt, rank, node and GPU of its series, and the step where the axis has steps
  std::optional<TimeNs> time;  // on the other axes
};
// Absent: the catalogue has no such series any more.
std::optional<CurvePlace> placeOn(const CardQuestion& question, SeriesId series, std::int64_t x);

Result<CardPart> readCardPart(Reader& reader, const CardQuestion& question, std::size_t part, std::stop_token stop);
// Marks of the members that are training losses, by x. Reads every point that it has not read yet: separate from the curves, which do not
// wait for it.
using CardMarks = std::vector<PanelMark>;
Result<CardMarks> readCardMarks(Reader& reader, const CardQuestion& question, std::stop_token stop);
// The picture, once all parts have arrived.
CardData joinCard(const CardQuestion& question, const std::vector<std::shared_ptr<const CardPart>>& parts);

// The i-th curve colour: the theme's, then lighter and darker variants of them.
QColor curveColor(const Theme& theme, std::size_t index);

}  // namespace runglass
