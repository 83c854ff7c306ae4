// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/accelerators/amd_gpu.h"

#include <algorithm>
#include <array>
#include <set>

#include "collectors/importers/input/run_name.h"
#include "collectors/text/quantity.h"

namespace runglass {
namespace {

struct Field {
  std::string_view printed, metric, unit;
};
// Of two fields for one metric the better one comes first. Fields of rocm-smi are in lower case.
constexpr std::array kFields = {
    // amd-smi metric
    Field{"usage/gfx_activity", "gpu_busy_ratio", "%"},
    Field{"usage/umc_activity", "gpu_memory_busy_ratio", "%"},
    Field{"power/socket_power", "power_watts", "W"},
    Field{"power/current_socket_power", "power_watts", "W"},
    Field{"power/average_socket_power", "power_watts", "W"},
    Field{"power/power_cap", "power_limit_watts", "W"},
    Field{"clock/gfx_0/clk", "sm_clock_hertz", "MHz"},
    Field{"clock/gfx_0/max_clk", "sm_clock_max_hertz", "MHz"},
    Field{"clock/mem_0/clk", "memory_clock_hertz", "MHz"},
    Field{"temperature/edge", "temperature_celsius", "C"},
    Field{"temperature/hotspot", "temperature_hotspot_celsius", "C"},
    Field{"temperature/mem", "memory_temperature_celsius", "C"},
    Field{"pcie/width", "pcie_link_width", ""},
    Field{"pcie/replay_count", "pcie_replay_total", ""},
    Field{"ecc/total_correctable_count", "ecc_errors_corrected_volatile_total", ""},
    Field{"ecc/total_uncorrectable_count", "ecc_errors_uncorrected_volatile_total", ""},
    Field{"fan/usage", "fan_speed_ratio", "%"},
    Field{"mem_usage/total_vram", "gpu_memory_total_bytes", "MiB"},
    Field{"mem_usage/used_vram", "gpu_memory_used_bytes", "MiB"},
    Field{"mem_usage/free_vram", "gpu_memory_free_bytes", "MiB"},
    Field{"energy/total_energy_consumption", "energy_joules", "J"},
    // rocm-smi
    Field{"gpu use (%)", "gpu_busy_ratio", "%"},
    Field{"gpu memory read/write activity (%)", "gpu_memory_busy_ratio", "%"},
    Field{"current socket graphics package power (w)", "power_watts", "W"},
    Field{"average graphics package power (w)", "power_watts", "W"},
    Field{"max graphics package power (w)", "power_limit_watts", "W"},
    Field{"temperature (sensor edge) (c)", "temperature_celsius", "C"},
    Field{"temperature (sensor junction) (c)", "temperature_hotspot_celsius", "C"},
    Field{"temperature (sensor memory) (c)", "memory_temperature_celsius", "C"},
    Field{"fan speed (%)", "fan_speed_ratio", "%"},
    Field{"sclk clock speed:", "sm_clock_hertz", "MHz"},
    Field{"mclk clock speed:", "memory_clock_hertz", "MHz"},
    Field{"vram total memory (b)", "gpu_memory_total_bytes", "B"},
    Field{"vram total used memory (b)", "gpu_memory_used_bytes", "B"},
    Field{"pcie replay count", "pcie_replay_total", ""},
};

// PCIe's rate per lane decides its generation: "32 GT/s" is 5.
std::optional<double> generationOf(double gigatransfers) {
  constexpr std::array kRates = {2.5, 5.0, 8.0, 16.0, 32.0, 64.0};
  const auto rate = std::ranges::find(kRates, gigatransfers);
  return rate == kRates.end() ? std::nullopt : std::optional(static_cast<double>(rate - kRates.begin() + 1));
}

// "(1700Mhz)" -> "1700"; "41.0" as it is.
std::string_view numberPart(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('(') && text.size() > 5 && lowered(text).ends_with("mhz)")) return text.substr(1, text.size() - 5);
  if (text.ends_with('%')) text.remove_suffix(1);
  return text;
}

}  // namespace

void AmdGpus::put(const AmdGpu& gpu) {
  const DeviceId device = m_series.device({.uuid = gpu.uuid, .index = gpu.index, .bus_id = gpu.bus, .model = gpu.model});
  const std::optional<TimeNs> time = gpu.time ? gpu.time : m_target.modified;
  if (const std::string facts = gpu.facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace); m_facts[device.value] != facts) {
    m_facts[device.value] = facts;
    m_out.event(
        {.time = time, .attempt = m_series.attempt(), .node = m_series.node(), .device = device, .kind = "device_facts", .message = facts});
  }
  std::set<std::string> taken;
  const auto record = [&](const std::string& metric, double value) {
    if (!taken.insert(metric).second) return;
    ++m_values;
    m_untimed += gpu.time ? 0 : 1;
    if (time) m_series.put(device, metric, "", *time, value, metric.ends_with("_total"));
  };
  std::optional<double> hotspot;
  for (const AmdGpu::Value& value : gpu.values) {
    const auto known = std::ranges::find(kFields, value.field, &Field::printed);
    const std::string_view printed = value.unit == "MB" ? std::string_view("MiB") : value.unit;
    const Unit* unit = findUnit(known != kFields.end() ? known->unit : printed);
    const Quantity quantity = parseQuantity(numberPart(value.text), unit);
    if (!quantity.value) {
      m_absent += quantity.absence ? 1 : 0;
      continue;
    }
    if (value.field == "pcie/speed" && value.unit == "GT/s") {
      if (const auto generation = generationOf(*quantity.value)) record("pcie_link_generation", *generation);
      continue;
    }
    const std::string metric = known != kFields.end()
                                   ? std::string(known->metric)
                                   : metricNameOf("amd_" + value.field, unit != nullptr ? unit->suffix : std::string_view());
    if (metric == "temperature_hotspot_celsius") hotspot = *quantity.value;
    record(metric, *quantity.value);
  }
  // GPUs without an edge sensor (MI300) have the hotspot only.
  if (hotspot) record("temperature_celsius", *hotspot);
}

void AmdGpus::finish(ImportReport& report) {
  m_series.flush();
  const auto issue = [&](const char* code, std::int64_t count) {
    if (count > 0) m_out.issue({.code = code, .source = m_target.path, .count = count});
  };
  issue("amd_smi.absent", m_absent);
  issue(m_target.modified ? "import.file_time" : "import.no_time", m_untimed);
  issue("amd_smi.too_many", m_series.leftOut());
  if (m_series.started()) report.run = m_series.run();
  report.end_time = m_series.newest();
  if (!m_series.started() && m_target.resume_at == 0) report.skipped_reason = "no GPU in it";
}

}  // namespace runglass
