// SPDX-License-Identifier: Apache-2.0
// A GPU has two rows, or three with MIG; drivers before 450 print fewer columns of modes and no GI and CI.
#include "collectors/importers/nvidia_smi/smi_screen.h"

#include <algorithm>
#include <charconv>

#include "collectors/importers/input/run_name.h"
#include "collectors/importers/nvidia_smi/smi_fields.h"
#include "collectors/text/quantity.h"

namespace runglass::nvidia_smi {
namespace {

constexpr std::size_t kMaxWords = 64, kMaxRow = 1'024;

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> all;
  for (std::size_t at = 0; all.size() < kMaxWords;) {
    at = text.find_first_not_of(' ', at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(text.find(' ', at), text.size());
    all.push_back(text.substr(at, end - at));
    at = end;
  }
  return all;
}

std::vector<std::string_view> cellsOf(std::string_view line) {
  std::vector<std::string_view> cells;
  line.remove_prefix(1);
  for (std::size_t bar = line.find('|'); bar != std::string_view::npos && cells.size() < 8; bar = line.find('|')) {
    cells.push_back(line.substr(0, bar));
    line.remove_prefix(bar + 1);
  }
  return cells;
}

std::string after(std::string_view text, std::string_view name) {
  const std::size_t at = text.find(name);
  if (at == std::string_view::npos) return {};
  const auto found = words(text.substr(at + name.size()));
  return found.empty() ? std::string() : displayName(found.front());
}

// "1500MiB / 16160MiB"
std::pair<std::string_view, std::string_view> pairOf(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return {trimmed(text), {}};
  return {trimmed(text.substr(0, slash)), trimmed(text.substr(slash + 1))};
}

void addFact(GpuReading& gpu, std::string_view key, std::string_view text) {
  if (const auto fact = gpuFact(key, text)) std::visit([&](auto value) { gpu.facts[std::string(fact->key)] = value; }, fact->value);
}

}  // namespace

bool SmiScreen::isTitle(std::string_view line) { return line.starts_with("| NVIDIA-SMI ") || line.starts_with("| NVIDIA-SMI\t"); }

void SmiScreen::begin(std::string_view title, std::string_view before) {
  m_section = Section::kNone;
  m_in_rows = false;
  m_row = 0;
  m_of_table.clear();
  // Room for the values of a table.
  if (m_values >= kMaxValues / 2) end();
  m_time = m_sink.time(trimmed(before));
  if (!m_time) m_sink.note("nvidia_smi.no_time", "the table has no line with its time");
  m_driver = after(title, "Driver Version:");
  if (m_driver.empty()) m_driver = after(title, "KMD Version:");
  m_cuda = after(title, "CUDA Version:");
  if (m_cuda.empty()) m_cuda = after(title, "CUDA UMD Version:");
}

bool SmiScreen::line(std::string_view text) {
  text = text.substr(0, kMaxRow);
  if (trimmed(text).empty()) return true;  // between the tables
  if (text.starts_with("+-")) {
    m_row = 0;
    return true;
  }
  if (text.starts_with("|==") || text.starts_with("|--")) {
    m_in_rows = text.starts_with("|==");
    m_row = 0;
    return true;
  }
  if (!text.starts_with('|')) return false;
  const auto cells = cellsOf(text);
  if (cells.empty()) return true;
  const auto first = words(cells.front());
  if (first.empty() && m_section != Section::kGpus) return true;
  const auto has = [&](std::string_view name) { return std::ranges::find(first, name) != first.end(); };
  if (has("GPU") && has("Name") && cells.size() == 3) {
    m_section = Section::kGpus, m_in_rows = false;
    m_modes = text.find("Persistence-M") != std::string_view::npos;
  } else if (text.starts_with("| MIG devices:")) {
    m_section = Section::kInstances, m_in_rows = false;
  } else if (text.starts_with("| Processes:")) {
    m_section = Section::kProcesses, m_in_rows = false;
  } else if (m_in_rows && m_time) {
    if (m_section == Section::kGpus && cells.size() == 3) gpuRow(cells);
    if (m_section == Section::kInstances) instanceRow(cells);
    if (m_section == Section::kProcesses) processRow(cells.front());
  }
  return true;
}

GpuReading* SmiScreen::reading(std::int32_t index) {
  const auto known = m_of_table.find(index);
  return known == m_of_table.end() ? nullptr : &m_held[known->second];
}

void SmiScreen::gpuRow(const std::vector<std::string_view>& cells) {
  const auto left = words(cells[0]), middle = words(cells[1]), right = words(cells[2]);
  if (m_row == 0) {
    const auto index = left.empty() ? std::nullopt : parseIndex(left.front());
    if (!index || left.size() < 3) return;
    if (m_held.size() >= kMaxHeld) end();
    GpuReading gpu;
    gpu.time = *m_time, gpu.index = index, gpu.recording = m_sink.recording;
    if (!middle.empty()) gpu.bus = middle.front();
    const std::size_t name_begin = static_cast<std::size_t>(left[1].data() - cells[0].data());
    gpu.model = trimmed(cells[0].substr(name_begin, static_cast<std::size_t>(left.back().data() - cells[0].data()) - name_begin));
    if (m_modes) addFact(gpu, "persistence_mode", left.back());
    if (!right.empty()) {
      // Drivers print N/A where the GPU has no ECC, Off where it is switched off.
      const bool off = right.front() == "Off";
      if (!off) add(gpu, "Volatile Uncorr. ECC", "ecc_errors_uncorrected_volatile_total", right.front(), "");
      if (off || parseIndex(right.front())) gpu.facts["ecc"] = !off;
    }
    if (!m_driver.empty()) gpu.facts["driver"] = m_driver;
    if (!m_cuda.empty()) gpu.facts["cuda"] = m_cuda;
    if (!gpu.bus.empty()) gpu.facts["pci"] = displayName(gpu.bus);
    m_of_table[*index] = m_held.size();
    m_held.push_back(std::move(gpu));
  } else if (!m_of_table.empty() && m_row == 1) {
    GpuReading& gpu = m_held.back();
    gpu.recording = m_sink.recording;
    if (left.size() >= 4) {
      add(gpu, "Fan", "fan_speed_ratio", left[0], "%");
      add(gpu, "Temp", "temperature_celsius", left[1], "C");
      add(gpu, "Perf", "performance_state", left[2].starts_with('P') ? left[2].substr(1) : left[2], "");
      const auto [draw, cap] = pairOf(cells[0].substr(static_cast<std::size_t>(left[3].data() - cells[0].data())));
      // "N/A / N/A" has a slash of its own.
      const bool absent = draw == "N";
      add(gpu, "Pwr:Usage", "power_watts", absent ? "N/A" : draw, "W");
      add(gpu, "Pwr:Cap", "power_limit_watts", absent ? "N/A" : cap, "W");
    }
    const auto [used, total] = pairOf(cells[1]);
    add(gpu, "Memory-Usage", "gpu_memory_used_bytes", used, "MiB");
    add(gpu, "Memory-Usage", "gpu_memory_total_bytes", total, "MiB");
    if (!right.empty()) {
      add(gpu, "GPU-Util", "gpu_busy_ratio", right.front(), "%");
      const std::string_view mode =
          trimmed(cells[2].substr(static_cast<std::size_t>(right.front().data() - cells[2].data()) + right.front().size()));
      addFact(gpu, "compute_mode", mode);
    }
  } else if (!m_of_table.empty() && m_row == 2 && !right.empty()) {
    m_held.back().recording = m_sink.recording;
    addFact(m_held.back(), "mig.mode.current", right.front());
  }
  ++m_row;
}

void SmiScreen::instanceRow(const std::vector<std::string_view>& cells) {
  const auto left = words(cells[0]);
  if (left.size() < 4 || cells.size() < 2) return;  // the second row has BAR1
  const auto index = parseIndex(left[0]);
  GpuReading* const gpu = index ? reading(*index) : nullptr;
  if (gpu == nullptr || !parseIndex(left[1])) return;
  const std::string labels = "{\"GPU_I_ID\":\"" + std::string(left[1]) + "\"}";
  const auto [used, total] = pairOf(cells[1]);
  add(*gpu, "MIG Memory-Usage", "mig_memory_used_bytes", used, "MiB", labels);
  add(*gpu, "MIG Memory-Usage", "mig_memory_total_bytes", total, "MiB", labels);
  gpu->recording = m_sink.recording;
  if (gpu->instances.size() < kMaxWords) gpu->instances.insert(std::string(left[1]));
}

// "0   N/A  N/A   2165   C+G   /usr/bin/kwin_wayland   25MiB"; before 450 without GI and CI.
void SmiScreen::processRow(std::string_view cell) {
  const auto all = words(cell);
  if (all.size() < 5) return;
  const auto index = parseIndex(all[0]);
  GpuReading* const gpu = index ? reading(*index) : nullptr;
  if (gpu == nullptr) return;
  const auto isType = [](std::string_view word) { return word == "C" || word == "G" || word == "C+G" || word == "M+C"; };
  const auto type = std::ranges::find_if(all, isType);
  if (type == all.end() || type - all.begin() < 2 || all.end() - type < 3 || !parseIndex(*(type - 1))) return;
  const char* const name_begin = (type + 1)->data();
  const std::string_view name = trimmed(std::string_view(name_begin, static_cast<std::size_t>(all.back().data() - name_begin)));
  nlohmann::json pairs = {{"pid", displayName(*(type - 1))}, {"name", displayName(name)}};
  if (type - all.begin() == 4 && parseIndex(all[1])) pairs["GPU_I_ID"] = std::string(all[1]);
  gpu->recording = m_sink.recording;
  add(*gpu, "GPU Memory Usage", "gpu_process_memory_bytes", all.back(), "MiB",
      pairs.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void SmiScreen::add(GpuReading& gpu, const char* field, const char* metric, std::string_view text, const char* unit,
                    std::string_view labels) {
  if (!m_sink.recording) return;
  if (m_values >= kMaxValues) return m_sink.note("nvidia_smi.too_many", "values of a table");
  ++m_values;
  gpu.values.push_back({.field = field, .metric = metric, .labels = std::string(labels), .quantity = parseQuantity(text, findUnit(unit))});
}

void SmiScreen::end() {
  const bool recording = m_sink.recording;
  for (const GpuReading& gpu : m_held) {
    m_sink.recording = gpu.recording;
    m_sink.put(gpu);
    if (gpu.recording && gpu.facts.contains("driver")) m_sink.series.fact("driver_version", gpu.facts["driver"].get<std::string>());
  }
  m_sink.recording = recording;
  m_held.clear();
  m_values = 0;
  m_of_table.clear();
}

}  // namespace runglass::nvidia_smi
