// SPDX-License-Identifier: Apache-2.0
// Output of nvidia-smi: its table, --query-gpu CSV, -q, dmon, pmon, topo -m; each alone, repeated, or together in a capture with # lines as
// headings.
#include <algorithm>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/read_pieces.h"
#include "collectors/importers/input/tool_score.h"
#include "collectors/importers/nvidia_smi/smi_monitor.h"
#include "collectors/importers/nvidia_smi/smi_query.h"
#include "collectors/importers/nvidia_smi/smi_screen.h"
#include "collectors/importers/nvidia_smi/smi_table.h"
#include "collectors/importers/nvidia_smi/smi_topology.h"
#include "collectors/text/line_splitter.h"

namespace runglass {
namespace {

using namespace nvidia_smi;
using train_log::LineSplitter;

constexpr std::string_view kLog = "==NVSMI LOG==", kCommand = "# $ nvidia-smi", kTaken = "collected_at:";

class SmiFile {
 public:
  SmiFile(const ImportTarget& target, Recorder& out)
      : m_target(target),
        m_series(target, out),
        m_sink(m_series, target, out),
        m_query(m_sink),
        m_table(m_sink),
        m_monitor(m_sink),
        m_screen(m_sink),
        m_topology(m_sink) {}

  void line(std::string_view text, std::uint64_t offset) {
    m_sink.recording = offset >= m_target.resume_at;
    if (text.find(kLog) != std::string_view::npos) {
      m_query.begin();
      m_mode = Mode::kQuery;
    } else if (SmiScreen::isTitle(text)) {
      leave();
      m_screen.begin(text, m_before);
      m_mode = Mode::kScreen;
    } else if (SmiTopology::isHeader(text)) {
      leave();
      m_topology.header(text);
      m_mode = Mode::kTopology;
    } else if (text.starts_with("####") || text.starts_with("# $")) {
      leave();
    } else if (text.starts_with(kTaken)) {
      if (const auto taken = parseWallTime(text.substr(kTaken.size())); taken && taken->zoned) m_sink.takenAt(taken->time);
    } else if (SmiMonitor::isHeader(text)) {
      leave();
      m_monitor.header(text);
      m_mode = Mode::kMonitor;
    } else if (text.starts_with("#")) {
      if (m_mode == Mode::kMonitor) m_monitor.units(text);
    } else if (SmiTable::isHeader(text)) {
      leave();
      m_table.header(text);
      m_mode = Mode::kTable;
    } else if (m_mode == Mode::kQuery) {
      m_query.line(text);
    } else if (m_mode == Mode::kTable) {
      m_table.row(text);
    } else if (m_mode == Mode::kMonitor && !m_monitor.row(text)) {
      m_mode = Mode::kNone;
    } else if (m_mode == Mode::kScreen && !m_screen.line(text)) {
      m_mode = Mode::kNone;
    } else if (m_mode == Mode::kTopology) {
      m_topology.line(text);
    }
    // The line with the time is above the table, whose first line is only a frame.
    if (!text.starts_with("+-")) m_before = text.substr(0, kMaxBefore);
    if (!m_query.inGpu()) m_committed = offset;
  }
  // `end`: offset of the unfinished last line.
  void finish(std::uint64_t end, bool final) {
    // In a growing file the last GPU of -q may be incomplete; it is read again.
    if (final || !m_query.inGpu()) {
      leave();
      m_committed = end;
    }
    m_screen.end();
    m_series.flush();
    m_sink.recording = true;
  }
  DeviceSeries& series() { return m_series; }
  SmiSink& sink() { return m_sink; }
  bool hasTopology() const { return m_topology.recorded(); }
  std::uint64_t committed() const { return m_committed; }

 private:
  enum class Mode : std::uint8_t { kNone, kQuery, kTable, kMonitor, kScreen, kTopology };
  static constexpr std::size_t kMaxBefore = 256;
  void leave() {
    m_query.end();
    m_topology.end();
    m_mode = Mode::kNone;
  }
  const ImportTarget& m_target;
  DeviceSeries m_series;
  SmiSink m_sink;
  SmiQuery m_query;
  SmiTable m_table;
  SmiMonitor m_monitor;
  SmiScreen m_screen;
  SmiTopology m_topology;
  std::string m_before;
  Mode m_mode = Mode::kNone;
  std::uint64_t m_committed = 0;
};

class NvidiaSmiImporter : public Importer {
 public:
  std::string_view kind() const override { return "nvidia_smi"; }
  int recognise(const ImportProbe& probe) const override {
    if (probe.head.find(kCommand) != std::string_view::npos) return kToolOutput;
    const std::string_view head = probe.head.substr(std::min(probe.head.find_first_not_of("\r\n \t"), probe.head.size()));
    const std::string_view first = head.substr(0, head.find_first_of("\r\n"));
    if (first.find(kLog) != std::string_view::npos) return kToolOutput;
    if (SmiTable::isHeader(first) || SmiMonitor::isHeader(first) || SmiTopology::isHeader(first)) return kToolOutput;
    // Above the table are a line with the time and a frame.
    constexpr std::size_t kNear = 512;
    const std::size_t title = head.substr(0, kNear).find("| NVIDIA-SMI ");
    return title != std::string_view::npos && title > 0 && head[title - 1] == '\n' ? kToolOutput : 0;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    SmiFile file(target, out);
    LineSplitter lines;
    const Status status = readPieces(in, target, stop, [&](std::string_view piece) {
      lines.push(piece, [&](std::string_view line, std::uint64_t offset) { file.line(line, offset); });
    });
    const bool stopped = status.code() == Code::kCancelled;
    file.finish(lines.lineStart(), target.final && status.ok());
    if (lines.longLines() > 0) file.sink().note("nvidia_smi.ragged_row", "a line of more than 1 MiB", lines.longLines());
    file.sink().tell();
    if (target.final && !stopped && !lines.partial().empty() && lines.lineStart() >= target.resume_at)
      out.issue({.code = "import.truncated", .source = target.path, .detail = "the last line has no end; it is not imported"});
    report.committed_offset = std::max(file.committed(), target.resume_at);
    report.end_time = file.series().newest();
    if (file.series().started()) report.run = file.series().run();
    if (!report.end_time && !file.hasTopology() && target.resume_at == 0) report.skipped_reason = "no row with a time and a value";
    return endOfImport(status, report);
  }
};

}  // namespace

std::unique_ptr<Importer> makeNvidiaSmiImporter() { return std::make_unique<NvidiaSmiImporter>(); }

}  // namespace runglass
