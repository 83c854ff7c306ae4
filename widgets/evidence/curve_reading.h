// SPDX-License-Identifier: GPL-3.0-or-later
// Series as curves of an evidence card: a few as lines, many as their range and median.
//
// Threading:  on a query worker.
// Ownership:  curves share their bins.
// Units:      x: steps, or ns since the epoch.
// Errors:     the Reader's. Series without a position on the axis are left out and counted.
// Cost:       lines as readCardPart(); a band O(series x bins).
#pragma once

#include <vector>

#include "widgets/curves/card_data.h"
#include "widgets/evidence/curve_picture.h"
#include "widgets/evidence/evidence_subject.h"

namespace runglass {

struct CurveRange {
  CurveAxis axis = CurveAxis::kTime;
  std::int64_t x0 = 0, x1 = 1;
  int columns = 640;
  std::optional<std::pair<std::int64_t, std::int64_t>> mark = {};  // range of the means; absent, or without data: all
};

struct CurvesRead {
  std::vector<PlotCurve> curves;
  std::vector<CurveInk> inks;
  std::int64_t points = 0, not_finite = 0, superseded = 0;  // within the range
  std::size_t without_axis = 0;
  std::optional<double> least, most, first, last;  // of the points that count, within the range
};

// At most kMaxCurves of them; superseded branches are separate curves. `smoothing` as smoothed(); 0: none.
Result<CurvesRead> readLines(Reader& reader, const EvidenceSubject& subject, const std::vector<const Series*>& members,
                             const CurveRange& range, double smoothing, const std::stop_token& stop);

// The range and median of many series, and `chosen` on top (null: none). Bins of all have the same edges.
struct BandRead {
  std::vector<PlotCurve> curves;
  std::vector<CurveInk> inks;
  std::size_t heard = 0;                 // series that have data in the range
  std::optional<double> median, chosen;  // of means over the mark; the median excludes the chosen one
  std::optional<double> least, most;
};
Result<BandRead> readBand(Reader& reader, const std::vector<const Series*>& members, const Series* chosen, const CurveRange& range,
                          const std::stop_token& stop);

// Entirely: a bin across the edge also includes data from outside.
inline bool isWithin(const Bin& bin, std::pair<std::int64_t, std::int64_t> range) {
  return bin.x0 >= range.first && bin.x1 <= range.second;
}
// Mean of the bins within [x0, x1); absent: none is.
std::optional<double> meanWithin(const std::vector<Bin>& bins, std::int64_t x0, std::int64_t x1);

// The mean of each of a few series over the range of all, for samples that are denser than columns.
struct MeansRead {
  std::vector<PlotCurve> curves;  // a line each, then the range
  std::vector<CurveInk> inks;
  std::vector<Bin> bins;  // of all together
  std::int64_t points = 0;
};
Result<MeansRead> readMeans(Reader& reader, const EvidenceSubject& subject, const std::vector<const Series*>& members,
                            const CurveRange& range, const std::stop_token& stop);

// "GPU power"; a metric that is not in the catalogue keeps its name.
QString metricTitle(std::string_view metric);

}  // namespace runglass
