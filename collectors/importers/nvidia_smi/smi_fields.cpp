// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/nvidia_smi/smi_fields.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace runglass::nvidia_smi {
namespace {

// Of two columns for one metric, the better one comes first.
constexpr std::array kColumns = {
    Field{"power.draw", "power_watts", "W"},
    Field{"power.draw.average", "power_average_watts", "W"},
    Field{"power.draw.instant", "power_instant_watts", "W"},
    Field{"enforced.power.limit", "power_limit_watts", "W"},
    Field{"power.limit", "power_limit_watts", "W"},
    Field{"temperature.gpu", "temperature_celsius", "C"},
    Field{"temperature.memory", "memory_temperature_celsius", "C"},
    Field{"temperature.gpu.tlimit", "temperature_margin_celsius", "C"},
    Field{"clocks.current.sm", "sm_clock_hertz", "MHz"},
    Field{"clocks.sm", "sm_clock_hertz", "MHz"},
    Field{"clocks.current.memory", "memory_clock_hertz", "MHz"},
    Field{"clocks.mem", "memory_clock_hertz", "MHz"},
    Field{"clocks.current.graphics", "graphics_clock_hertz", "MHz"},
    Field{"clocks.gr", "graphics_clock_hertz", "MHz"},
    Field{"clocks.max.sm", "sm_clock_max_hertz", "MHz"},
    Field{"clocks_event_reasons.active", "clock_event_reasons"},
    Field{"clocks_throttle_reasons.active", "clock_event_reasons"},
    Field{"utilization.gpu", "gpu_busy_ratio", "%"},
    Field{"utilization.memory", "gpu_memory_busy_ratio", "%"},
    Field{"memory.used", "gpu_memory_used_bytes", "MiB"},
    Field{"memory.total", "gpu_memory_total_bytes", "MiB"},
    Field{"memory.free", "gpu_memory_free_bytes", "MiB"},
    Field{"memory.reserved", "gpu_memory_reserved_bytes", "MiB"},
    Field{"fan.speed", "fan_speed_ratio", "%"},
    Field{"utilization.encoder", "utilization_encoder_ratio", "%"},
    Field{"utilization.decoder", "utilization_decoder_ratio", "%"},
    Field{"utilization.jpeg", "utilization_jpeg_ratio", "%"},
    Field{"utilization.ofa", "utilization_ofa_ratio", "%"},
    Field{"ecc.errors.corrected.aggregate.total", "ecc_corrected_total"},
    Field{"ecc.errors.uncorrected.aggregate.total", "ecc_uncorrected_total"},
    Field{"remapped_rows.correctable", "remapped_rows_corrected_total"},
    Field{"remapped_rows.uncorrectable", "remapped_rows_uncorrected_total"},
    Field{"remapped_rows.pending", "row_remap_pending_count"},
    Field{"remapped_rows.failure", "row_remap_failed_count"},
    Field{"pcie.link.gen.gpucurrent", "pcie_link_generation"},
    Field{"pcie.link.gen.current", "pcie_link_generation"},
    Field{"pcie.link.width.current", "pcie_link_width"},
    Field{"pcie.link.gen.max", "pcie_link_generation_max"},
    Field{"pcie.link.width.max", "pcie_link_width_max"},
    Field{"gpu_recovery_action", "recovery_action"},
    Field{"used_gpu_memory", "gpu_process_memory_bytes", "MiB"},
    Field{"used_memory", "gpu_process_memory_bytes", "MiB"},
};

constexpr std::array kPaths = {
    Field{"gpu power readings/power draw", "power_watts", "W"},
    Field{"gpu power readings/average power draw", "power_watts", "W"},
    Field{"gpu power readings/instantaneous power draw", "power_instant_watts", "W"},
    Field{"gpu power readings/current power limit", "power_limit_watts", "W"},
    Field{"power readings/power draw", "power_watts", "W"},
    Field{"power readings/enforced power limit", "power_limit_watts", "W"},
    Field{"power readings/power limit", "power_limit_requested_watts", "W"},
    Field{"temperature/gpu current temp", "temperature_celsius", "C"},
    Field{"temperature/memory current temp", "memory_temperature_celsius", "C"},
    Field{"temperature/gpu slowdown temp", "temperature_slowdown_celsius", "C"},
    Field{"temperature/gpu t.limit temp", "temperature_margin_celsius", "C"},
    Field{"clocks/sm", "sm_clock_hertz", "MHz"},
    Field{"clocks/memory", "memory_clock_hertz", "MHz"},
    Field{"clocks/graphics", "graphics_clock_hertz", "MHz"},
    Field{"max clocks/sm", "sm_clock_max_hertz", "MHz"},
    Field{"utilization/gpu", "gpu_busy_ratio", "%"},
    Field{"utilization/memory", "gpu_memory_busy_ratio", "%"},
    Field{"fb memory usage/used", "gpu_memory_used_bytes", "MiB"},
    Field{"fb memory usage/total", "gpu_memory_total_bytes", "MiB"},
    Field{"fb memory usage/free", "gpu_memory_free_bytes", "MiB"},
    Field{"fb memory usage/reserved", "gpu_memory_reserved_bytes", "MiB"},
    Field{"fan speed", "fan_speed_ratio", "%"},
    Field{"utilization/encoder", "utilization_encoder_ratio", "%"},
    Field{"utilization/decoder", "utilization_decoder_ratio", "%"},
    Field{"utilization/jpeg", "utilization_jpeg_ratio", "%"},
    Field{"utilization/ofa", "utilization_ofa_ratio", "%"},
    Field{"remapped rows/correctable error", "remapped_rows_corrected_total"},
    Field{"remapped rows/uncorrectable error", "remapped_rows_uncorrected_total"},
    Field{"remapped rows/pending", "row_remap_pending_count"},
    Field{"remapped rows/remapping failure occurred", "row_remap_failed_count"},
    Field{"pci/gpu link info/pcie generation/device current", "pcie_link_generation"},
    Field{"pci/gpu link info/pcie generation/current", "pcie_link_generation"},
    Field{"pci/gpu link info/link width/current", "pcie_link_width"},
    Field{"pci/gpu link info/pcie generation/max", "pcie_link_generation_max"},
    Field{"pci/gpu link info/link width/max", "pcie_link_width_max"},
    Field{"pci/replays since reset", "pcie_replay_total"},
    Field{"gpu recovery action", "recovery_action"},
    Field{"pci/tx throughput", "pcie_transmit_bytes_per_s", "KB/s"},
    Field{"pci/rx throughput", "pcie_receive_bytes_per_s", "KB/s"},
};

constexpr std::array kMonitor = {
    Field{"pwr", "power_watts", "W"},
    Field{"gtemp", "temperature_celsius", "C"},
    Field{"temp", "temperature_celsius", "C"},
    Field{"mtemp", "memory_temperature_celsius", "C"},
    Field{"sm", "gpu_busy_ratio", "%"},
    Field{"mem", "gpu_memory_busy_ratio", "%"},
    Field{"enc", "utilization_encoder_ratio", "%"},
    Field{"dec", "utilization_decoder_ratio", "%"},
    Field{"jpg", "utilization_jpeg_ratio", "%"},
    Field{"ofa", "utilization_ofa_ratio", "%"},
    Field{"mclk", "memory_clock_hertz", "MHz"},
    Field{"pclk", "sm_clock_hertz", "MHz"},
    Field{"fb", "gpu_memory_used_bytes", "MiB"},  // printed as "MB", but in MiB
    Field{"bar1", "bar1_memory_usage_used_bytes", "MiB"},
    Field{"ccpm", "protected_memory_used_bytes", "MiB"},
    Field{"sbecc", "ecc_errors_corrected_volatile_total"},
    Field{"dbecc", "ecc_errors_uncorrected_volatile_total"},
    Field{"pci", "pcie_replay_total"},
    Field{"rxpci", "pcie_receive_bytes_per_s", "MB/s"},
    Field{"txpci", "pcie_transmit_bytes_per_s", "MB/s"},
    Field{"pviol", "power_violation_ratio", "%"},
    Field{"tviol", "thermal_violation_count"},
};

// Of pmon: what one process uses of its GPU.
constexpr std::array kProcess = {
    Field{"sm", "gpu_process_busy_ratio", "%"},     Field{"mem", "gpu_process_memory_busy_ratio", "%"},
    Field{"enc", "gpu_process_encoder_ratio", "%"}, Field{"dec", "gpu_process_decoder_ratio", "%"},
    Field{"jpg", "gpu_process_jpeg_ratio", "%"},    Field{"ofa", "gpu_process_ofa_ratio", "%"},
    Field{"fb", "gpu_process_memory_bytes", "MiB"}, Field{"ccpm", "gpu_process_protected_memory_bytes", "MiB"},
};

const Field* find(std::span<const Field> fields, std::string_view printed) {
  const auto it = std::ranges::find(fields, printed, &Field::printed);
  return it == fields.end() ? nullptr : &*it;
}

constexpr std::array<std::string_view, 56> kIdentities = {"timestamp",
                                                          "index",
                                                          "gpu",
                                                          "count",
                                                          "name",
                                                          "gpu_name",
                                                          "serial",
                                                          "gpu_serial",
                                                          "uuid",
                                                          "gpu_uuid",
                                                          "gpu_bus_id",
                                                          "driver_version",
                                                          "kmd_version",
                                                          "vbios_version",
                                                          "compute_cap",
                                                          "compute_mode",
                                                          "pid",
                                                          "process_name",
                                                          "minor_number",
                                                          "display_mode",
                                                          "display_active",
                                                          "display_attached",
                                                          "persistence_mode",
                                                          "persistence mode",
                                                          "compute mode",
                                                          "hostname",
                                                          "mig.mode.current",
                                                          "ecc.mode.current",
                                                          "clocks_event_reasons.supported",
                                                          "clocks_throttle_reasons.supported",
                                                          "serial number",
                                                          "gpu uuid",
                                                          "minor number",
                                                          "board id",
                                                          "board part number",
                                                          "gpu part number",
                                                          "fru part number",
                                                          "module id",
                                                          "gpu pdi",
                                                          "product name",
                                                          "product brand",
                                                          "product architecture",
                                                          "vbios version",
                                                          "gsp firmware version",
                                                          "accounting mode buffer size",
                                                          "multigpu board",
                                                          "display mode",
                                                          "display active",
                                                          "display attached",
                                                          "pci/bus",
                                                          "pci/device",
                                                          "pci/domain",
                                                          "pci/base classcode",
                                                          "pci/sub classcode",
                                                          "pci/device id",
                                                          "pci/sub system id"};
constexpr std::array<std::string_view, 11> kIdentityPrefixes = {
    "pci.", "inforom.",      "inforom version/", "platform.", "platform info/", "accounting.",
    "gom.", "driver_model.", "fabric.",          "fabric/",   "vgpu_"};

}  // namespace

const Field* findColumn(std::string_view printed) { return find(kColumns, printed); }
const Field* findPath(std::string_view printed) { return find(kPaths, printed); }
const Field* findMonitorColumn(std::string_view printed) { return find(kMonitor, printed); }
const Field* findProcessColumn(std::string_view printed) { return find(kProcess, printed); }

bool isIdentity(std::string_view printed) {
  return std::ranges::find(kIdentities, printed) != kIdentities.end() ||
         std::ranges::any_of(kIdentityPrefixes, [&](std::string_view prefix) { return printed.starts_with(prefix); });
}

std::optional<GpuFact> gpuFact(std::string_view printed, std::string_view text) {
  text = trimmed(text);
  if (printed == "compute mode" || printed == "compute_mode") {
    // As NVML numbers them; the table of nvidia-smi abbreviates.
    static constexpr std::array<std::pair<std::string_view, int>, 6> kModes = {
        {{"Default", 0}, {"Exclusive_Thread", 1}, {"Prohibited", 2}, {"Exclusive_Process", 3}, {"E. Thread", 1}, {"E. Process", 3}}};
    const auto mode = std::ranges::find(kModes, text, &std::pair<std::string_view, int>::first);
    return mode == kModes.end() ? std::nullopt : std::optional(GpuFact{"compute_mode", mode->second});
  }
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSwitches = {{{"persistence mode", "persistence"},
                                                                                              {"persistence_mode", "persistence"},
                                                                                              {"mig mode/current", "mig"},
                                                                                              {"mig.mode.current", "mig"},
                                                                                              {"ecc mode/current", "ecc"},
                                                                                              {"ecc.mode.current", "ecc"}}};
  const auto known = std::ranges::find(kSwitches, printed, &std::pair<std::string_view, std::string_view>::first);
  if (known == kSwitches.end()) return std::nullopt;
  if (text == "Enabled" || text == "On") return GpuFact{known->second, true};
  if (text == "Disabled" || text == "Off") return GpuFact{known->second, false};
  return std::nullopt;
}

unsigned reasonBit(std::string_view path) {
  struct Reason {
    std::string_view name;
    unsigned bit;
  };
  static constexpr std::array kReasons = {Reason{"idle", 0x1},
                                          Reason{"applications clocks setting", 0x2},
                                          Reason{"sw power cap", 0x4},
                                          Reason{"hw slowdown", 0x8},
                                          Reason{"sync boost", 0x10},
                                          Reason{"sw thermal slowdown", 0x20},
                                          Reason{"hw slowdown/hw thermal slowdown", 0x40},
                                          Reason{"hw slowdown/hw power brake slowdown", 0x80},
                                          Reason{"display clock setting", 0x100}};
  for (const std::string_view section : {"clocks event reasons/", "clocks throttle reasons/"}) {
    if (!path.starts_with(section)) continue;
    const auto it = std::ranges::find(kReasons, path.substr(section.size()), &Reason::name);
    return it == kReasons.end() ? 0 : it->bit;
  }
  return 0;
}

std::string_view eccTotal(std::string_view path) {
  for (const auto& [section, corrected, uncorrected] :
       {std::array<std::string_view, 3>{"ecc errors/volatile/", "ecc_errors_corrected_volatile_total",
                                        "ecc_errors_uncorrected_volatile_total"},
        std::array<std::string_view, 3>{"ecc errors/aggregate/", "ecc_corrected_total", "ecc_uncorrected_total"}}) {
    if (!path.starts_with(section)) continue;
    const std::string_view name = path.substr(section.size());
    if (name == "single bit/total" || name.ends_with(" correctable")) return corrected;
    if (name == "double bit/total" || name.find(" uncorrectable") != std::string_view::npos) return uncorrected;
  }
  return {};
}

std::optional<double> recoveryAction(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kActions = {
      "none", "reset", "reboot", "drain p2p", "drain and reset", "recover imex domain", "bus reset"};
  std::string low = lowered(trimmed(text));
  if (low.starts_with("gpu ")) low.erase(0, 4);
  const auto it = std::ranges::find(kActions, low);
  return it == kActions.end() ? std::nullopt : std::optional(static_cast<double>(it - kActions.begin()));
}

}  // namespace runglass::nvidia_smi
