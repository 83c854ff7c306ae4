// SPDX-License-Identifier: GPL-3.0-or-later
// CurveCatalog: every series of a store, grouped by tag, with names that distinguish its members.
//
// Threading:  readCurveCatalog() on a query worker; immutable afterwards.
// Ownership:  plain values.
// Units:      as Series.
// Errors:     the Reader's.
// Cost:       O(series).
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "storage/reader.h"

namespace runglass {

struct CurveSeries {
  Series series;
  std::size_t run = 0;  // index into CurveCatalog::runs; kNoRun for node and device series
  std::int32_t attempt = 0;
  std::optional<std::int64_t> superseded_from;  // a later attempt repeated the steps from here
  QString name;                                 // run, attempt, source, rank, device: those that differ within the tag
};

struct CurveTag {
  std::string metric, unit;
  bool scalar = true;  // has steps; otherwise only time
  QString title;
  std::vector<CurveSeries> members;  // by run, attempt, source, rank
};

struct CurveRun {
  Run run;
  QString name;
  std::optional<TimeNs> begin;  // zero of the relative axis: the run's start, else its first data
};

struct CurveCatalog {
  static constexpr std::size_t kNoRun = static_cast<std::size_t>(-1);
  std::vector<CurveRun> runs;
  std::vector<CurveTag> tags;  // most viewed first (loss, gradient norm, ...), then by name
};

Result<CurveCatalog> readCurveCatalog(Reader& reader, std::stop_token stop);
// Tags ticked initially, out of `among`: all if there are few, else those with a known role.
std::vector<std::size_t> defaultTags(const CurveCatalog& catalog, const std::vector<std::size_t>& among);

}  // namespace runglass
