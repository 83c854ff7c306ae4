// SPDX-License-Identifier: GPL-3.0-or-later
// CurvesData: the bins of the checked tags over the shown window, read on a query worker.
//
// Threading:  readCurves() on a worker; the value is immutable afterwards.
// Ownership:  plots share their bins.
// Units:      x: ns, ns since each run's begin, or steps.
// Errors:     the Reader's.
// Cost:       two bins per pixel and curve over three times the window, so that a pan has its picture already.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "widgets/charts/plot_data.h"
#include "widgets/core/selection.h"
#include "widgets/core/theme.h"
#include "widgets/curves/curve_list.h"

namespace runglass {

enum class CurveAxis : std::uint8_t { kStep, kTime, kRelative };

struct CurvesQuestion {
  std::vector<CurveTag> tags;
  CurveAxis axis = CurveAxis::kStep;
  std::optional<std::pair<std::int64_t, std::int64_t>> window;  // none: everything
  std::size_t pixels = 800;
  double smoothing = 0.6;
  bool log = false, robust = false;
  TimeStyle style = TimeStyle::kUtc;
  ThemeName theme = ThemeName::kDark;
};

struct CurvesData {
  std::vector<CurveTag> all;              // of the store now
  std::shared_ptr<const PlotData> plots;  // one panel per checked tag
  std::int64_t x0 = 0, x1 = 0;
};

Result<CurvesData> readCurves(Reader& reader, const CurvesQuestion& question, std::stop_token stop);

// Every point of the checked tags in [x0, x1): RFC 4180 text with shortest round-trip values. Read at full resolution.
Result<QByteArray> readCsv(Reader& reader, const CurvesQuestion& question, std::stop_token stop);

}  // namespace runglass
