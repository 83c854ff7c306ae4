// SPDX-License-Identifier: Apache-2.0
// The table of `npu-smi info`: two rows per chip. Its MB are MiB. It prints no time: values have the time at which the file was written.
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/read_pieces.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/input/tool_score.h"
#include "collectors/importers/telemetry/device_series.h"
#include "collectors/text/line_splitter.h"
#include "collectors/text/quantity.h"

namespace runglass {
namespace {

std::vector<std::string_view> cellsOf(std::string_view line) {
  std::vector<std::string_view> cells;
  line.remove_prefix(1);
  for (std::size_t bar = line.find('|'); bar != std::string_view::npos && cells.size() < 8; bar = line.find('|')) {
    cells.push_back(trimmed(line.substr(0, bar)));
    line.remove_prefix(bar + 1);
  }
  return cells;
}

// Words; "0    / 32768" and "60056/ 65536" are pairs of numbers.
std::vector<std::string> numbersOf(std::string_view cell) {
  std::vector<std::string> all;
  std::string word;
  for (const char c : cell) {
    if (c == ' ' || c == '/') {
      if (!word.empty()) all.push_back(std::exchange(word, {}));
    } else {
      word += c;
    }
  }
  if (!word.empty()) all.push_back(word);
  return all;
}

class NpuSmiTable {
 public:
  NpuSmiTable(const ImportTarget& target, Recorder& out) : m_target(target), m_out(out), m_series(target, out) {}

  bool recording = true;  // false: the current line only changes state

  void line(std::string_view text) {
    if (const std::size_t version = text.find("Version:"); text.starts_with("| npu-smi") && version != std::string_view::npos) {
      const auto words = numbersOf(text.substr(version + 8));
      if (!words.empty()) m_driver = displayName(words.front());
      m_processes = false;  // another table
      return;
    }
    if (text.starts_with("| NPU") && text.find("Process") != std::string_view::npos) m_processes = true;
    if (!text.starts_with('|') || m_processes) return;
    const auto cells = cellsOf(text);
    if (cells.size() != 3) return;
    const auto first = numbersOf(cells[0]);
    if (first.empty() || !parseIndex(first[0])) return;
    if (cells[1].find(':') == std::string_view::npos)
      card(first, cells);
    else
      chip(first, cells);
  }

  void finish(ImportReport& report) {
    m_series.flush();
    const auto issue = [&](const char* code, std::int64_t count) {
      if (count > 0) m_out.issue({.code = code, .source = m_target.path, .count = count});
    };
    issue(m_target.modified ? "import.file_time" : "import.no_time", m_values);
    issue("npu_smi.absent", m_absent);
    if (m_series.started()) report.run = m_series.run();
    report.end_time = m_series.newest();
    if (!m_series.started() && m_target.resume_at == 0) report.skipped_reason = "no NPU in it";
  }

 private:
  // "| 0     910B3               | OK            | 96.7        32                0    / 0             |"
  void card(const std::vector<std::string>& first, const std::vector<std::string_view>& cells) {
    m_npu = *parseIndex(first[0]);
    m_model = first.size() > 1 ? displayName(first[1]) : std::string();
    m_health = displayName(cells[1]);
    const auto numbers = numbersOf(cells[2]);
    m_power = numbers.empty() ? std::string() : numbers[0];
    m_temperature = numbers.size() > 1 ? numbers[1] : std::string();
  }

  // "| 0                         | 0000:C1:00.0  | 0           0    / 0          60056/ 65536         |"; where a card has several chips
  // the second number of the first cell is the one that frameworks use ("Phy-ID").
  void chip(const std::vector<std::string>& first, const std::vector<std::string_view>& cells) {
    if (m_npu < 0 || !recording) return;
    const std::int32_t index = first.size() > 1 && parseIndex(first[1]) ? *parseIndex(first[1]) : m_npu;
    const DeviceId device =
        m_series.device({.kind = "npu", .index = index, .bus_id = cells[1], .model = m_model.empty() ? m_model : "Ascend " + m_model});
    const auto numbers = numbersOf(cells[2]);
    put(device, "power_watts", std::exchange(m_power, {}), "W");
    put(device, "temperature_celsius", std::exchange(m_temperature, {}), "C");
    if (!numbers.empty()) put(device, "gpu_busy_ratio", numbers[0], "%");
    // Memory of the chip, then HBM where it has some; a total of 0 is none.
    const std::size_t memory = numbers.size() >= 5 && numbers[4] != "0" ? 3 : 1;
    if (numbers.size() > memory + 1 && numbers[memory + 1] != "0") {
      put(device, "gpu_memory_used_bytes", numbers[memory], "MiB");
      put(device, "gpu_memory_total_bytes", numbers[memory + 1], "MiB");
    }
    nlohmann::json facts = {{"vendor", "Huawei"}, {"pci", displayName(cells[1])}, {"health", m_health}};
    if (!m_driver.empty()) facts["driver"] = m_driver;
    Event event{.time = m_target.modified,
                .attempt = m_series.attempt(),
                .node = m_series.node(),
                .device = device,
                .kind = "device_facts",
                .message = facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
    m_out.event(event);
    if (m_health != "Alarm" && m_health != "Critical" && m_health != "Warning") return;
    event.kind = "npu_fault";
    event.severity = m_health == "Warning" ? Severity::kWarning : m_health == "Alarm" ? Severity::kError : Severity::kCritical;
    event.message = "health of NPU " + std::to_string(index) + ": " + m_health + " (npu-smi)";
    m_out.event(event);
  }

  void put(DeviceId device, const char* metric, const std::string& text, const char* unit) {
    if (text.empty()) return;
    const Quantity quantity = parseQuantity(text, findUnit(unit));
    if (!quantity.value) return void(++m_absent);
    ++m_values;
    if (m_target.modified) m_series.put(device, metric, "", *m_target.modified, *quantity.value);
  }

  const ImportTarget& m_target;
  Recorder& m_out;
  DeviceSeries m_series;
  std::int32_t m_npu = -1;
  bool m_processes = false;
  std::string m_driver, m_model, m_health, m_power, m_temperature;
  std::int64_t m_values = 0, m_absent = 0;
};

class NpuSmiImporter : public Importer {
 public:
  std::string_view kind() const override { return "npu_smi"; }
  int recognise(const ImportProbe& probe) const override {
    const std::string_view head = probe.head.substr(0, 4'096);
    return beginsLine(head, "| npu-smi ") && head.find("AICore(%)") != std::string_view::npos ? kToolOutput : 0;
  }
  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    report.committed_offset = target.resume_at;
    if (!target.final) return {};
    NpuSmiTable table(target, out);
    train_log::LineSplitter lines;
    const Status status = readPieces(in, target, stop, [&](std::string_view piece) {
      lines.push(piece, [&](std::string_view line, std::uint64_t offset) {
        table.recording = offset >= target.resume_at;
        table.line(trimmed(line));
      });
    });
    table.finish(report);
    report.committed_offset = std::max(lines.lineStart(), target.resume_at);
    return endOfImport(status, report);
  }
};

}  // namespace

std::unique_ptr<Importer> makeNpuSmiImporter() { return std::make_unique<NpuSmiImporter>(); }

}  // namespace runglass
