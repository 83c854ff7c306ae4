// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl analyze: the scalars that retention deleted from the run, so that an answer based on the rest states it.
#include "app/cli/analyze_parts.h"

namespace runglass::ctl {

Result<AnalyzePart> thinnedPart(Reader& reader, const Run& run, std::span<const Finding>) {
  std::int64_t series = 0, points = 0, up_to = 0;
  Reader::SqlSink sink;
  sink.row = [&](const std::vector<SqlValue>& row) {
    const auto number = [&](std::size_t i) {
      const auto* const value = std::get_if<std::int64_t>(&row[i]);
      return value == nullptr ? 0 : *value;
    };
    series = number(0), points = number(1), up_to = number(2);
    return true;
  };
  RG_TRY(reader.query("SELECT count(*), sum(points), max(up_to_step) FROM thinned_series WHERE run_id = " + std::to_string(run.id.value),
                      sink));
  nlohmann::ordered_json json = {{"series", series}, {"points", points}, {"up_to_step", nullptr}};
  if (series == 0) return AnalyzePart{{{"thinned", json}}, ""};
  json["up_to_step"] = up_to;
  return AnalyzePart{{{"thinned", json}},
                     "  thinned by retention: " + std::to_string(points) + " points of " + std::to_string(series) +
                         " series of ranks, up to step " + std::to_string(up_to) + "; every 16th step and outliers are left\n"};
}

}  // namespace runglass::ctl
