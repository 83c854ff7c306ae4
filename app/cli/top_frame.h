// SPDX-License-Identifier: GPL-3.0-or-later
// TopFrame: the content of `runglassctl top`, read from a store and formatted as lines; neither step needs a terminal.
//
// Threading:  that of the Reader.
// Units:      watts, celsius, hertz, bytes, ratios, ns.
// Errors:     the Reader's. A missing or outdated value is "-".
// Cost:       one look-up of the newest values of nine metrics.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/run_summary/run_summary.h"
#include "storage/reader.h"

namespace runglass::ctl {

enum class TopColumn : std::uint8_t { kBusy, kPower, kTemperature, kClock, kMemory, kStep, kStepTime };
inline constexpr std::size_t kTopColumns = 7;

struct TopRow {
  std::string node, device, what;  // what: the rank's operation or phase
  std::optional<std::int32_t> rank;
  std::array<std::optional<double>, kTopColumns> value;
};

struct TopData {
  std::optional<RunSummary> summary;
  std::string copy_age;      // for a replica; shown first
  std::vector<TopRow> rows;  // GPUs of the run's nodes, then ranks without a known GPU; by node, device, rank
};

enum class TopSort : std::uint8_t { kPlace, kBusy, kPower, kTemperature, kStepTime };

struct TopView {
  std::size_t width = 100, height = 40;
  std::size_t first = 0;  // index of the first visible row
  TopSort sort = TopSort::kPlace;
};

// Values older than this are shown as "-".
inline constexpr DurNs kTopFresh = 60 * kNsPerSecond;

Result<TopData> readTop(Reader& reader, const std::string& run, TimeNs now);
// At most `height` lines of at most `width` characters, without line ends.
std::vector<std::string> topLines(TopData data, const TopView& view, TimeNs now);

}  // namespace runglass::ctl
