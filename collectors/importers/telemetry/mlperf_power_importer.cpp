// SPDX-License-Identifier: Apache-2.0
// Power logs of MLPerf training submissions: one file per node or switch, a :::MLLOG line per reading in watts.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/read_pieces.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/telemetry/device_series.h"
#include "collectors/text/line_splitter.h"

namespace runglass {
namespace {

using train_log::LineSplitter;

constexpr std::string_view kMark = ":::MLLOG ";
constexpr std::int64_t kLastMs = 7'258'118'400'000;  // 2200

class PowerFile {
 public:
  PowerFile(const ImportTarget& target, Recorder& out) : series(target, out), m_target(target), m_out(out) {}

  void line(std::string_view text, std::uint64_t offset) {
    if (offset < m_target.resume_at || text.find_first_not_of(" \t") == std::string_view::npos) return;
    const std::size_t mark = text.find(kMark);
    const auto json =
        mark == std::string_view::npos ? nlohmann::json() : nlohmann::json::parse(text.substr(mark + kMark.size()), nullptr, false);
    if (!json.is_object() || !json.contains("key") || !json["key"].is_string() || !json.contains("time_ms") ||
        !json["time_ms"].is_number_integer())
      return bad(text);
    const std::string& key = json["key"].get_ref<const std::string&>();
    const auto ms = json["time_ms"].get<std::int64_t>();
    const auto value = json.find("value");
    const bool number = value != json.end() && value->is_number();
    if (ms < 0 || ms > kLastMs) return bad(text);
    const TimeNs time = ms * kNsPerMs;
    if (key == "power_reading" && number)
      series.put({}, "node_power_watts", "", time, value->get<double>());
    else if (key == "power_reading")
      bad(text);
    else if (number)
      series.fact(key.substr(0, 128), value->dump());  // such as conversion_eff, interconnect_power_est
  }
  void finish() {
    series.flush();
    if (m_bad > 0) m_out.issue({.code = "mlperf_power.bad_line", .source = m_target.path, .count = m_bad, .detail = m_first_bad});
  }

  DeviceSeries series;

 private:
  void bad(std::string_view text) {
    if (m_bad++ == 0) m_first_bad = displayName(text);
  }

  const ImportTarget& m_target;
  Recorder& m_out;
  std::int64_t m_bad = 0;
  std::string m_first_bad;
};

class MlperfPowerImporter : public Importer {
 public:
  std::string_view kind() const override { return "mlperf_power"; }
  // The nodes of one measurement are in one folder.
  Grouping grouping() const override { return Grouping::kFolder; }
  int recognise(const ImportProbe& probe) const override {
    const auto has = [&](std::string_view text) { return probe.head.find(text) != std::string_view::npos; };
    return has(kMark) && (has("\"power_reading\"") || has("\"power_measurement_start\"")) ? 97 : 0;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    PowerFile file(target, out);
    LineSplitter lines;
    const Status status = readPieces(in, target, stop, [&](std::string_view piece) {
      lines.push(piece, [&](std::string_view line, std::uint64_t offset) { file.line(line, offset); });
    });
    std::uint64_t end = lines.lineStart();
    // A line is a JSON object, so it is recognisable as complete without a line end.
    if (target.final && status.ok() && !lines.partial().empty()) {
      file.line(lines.partial(), lines.lineStart());
      end = lines.offset();
    }
    file.finish();
    report.committed_offset = std::max(end, target.resume_at);
    report.end_time = file.series.newest();
    if (file.series.started()) report.run = file.series.run();
    if (!report.end_time && target.resume_at == 0) report.skipped_reason = "no power reading";
    return endOfImport(status, report);
  }
};

}  // namespace

std::unique_ptr<Importer> makeMlperfPowerImporter() { return std::make_unique<MlperfPowerImporter>(); }

}  // namespace runglass
