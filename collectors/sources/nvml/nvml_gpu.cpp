// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A reading whose call failed is not recorded: absent is not zero.
// 2. After NVML code 15 the GPU is lost: nothing more is read from it.
// 3. GPM needs two samples; the first readFast() only takes the first.
// 4. If the driver lacks the newest version of a call, the previous version is used.
#include "collectors/sources/nvml/nvml_gpu.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <fstream>

#include <nlohmann/json.hpp>

namespace runglass {
namespace {

using nvml::kSuccess;
constexpr double kMhz = 1e6;
constexpr std::size_t kRefreshIntervals = 64;

struct GpmMetricName {
  unsigned id;
  std::string_view metric;
};
constexpr std::array kGpmMetrics = {GpmMetricName{1, "graphics_active_ratio"}, GpmMetricName{2, "sm_active_ratio"},
                                    GpmMetricName{3, "sm_occupancy_ratio"}, GpmMetricName{5, "tensor_active_ratio"},
                                    GpmMetricName{10, "dram_active_ratio"}};
// nvmlGpmMetricsGet_t: only numMetrics entries are accessed.
struct GpmRequest {
  unsigned version = 1, count = kGpmMetrics.size();
  nvml::GpmSample before, now;
  std::array<nvml::GpmMetric, kGpmMetrics.size()> metrics;
};

std::optional<std::uint64_t> fieldNumber(const nvml::FieldValue& field) {
  if (field.result != kSuccess) return std::nullopt;
  switch (field.value_type) {
    case 0:
      return static_cast<std::uint64_t>(field.value.f64);
    case 1:
      return field.value.u32;
    case 2:
      return field.value.ul;
    case 3:
      return field.value.u64;
    case 4:
      return static_cast<std::uint64_t>(field.value.i64);
    case 5:
      return static_cast<std::uint64_t>(field.value.i32);
    case 6:
      return field.value.u16;
    default:
      return std::nullopt;
  }
}

// A library can export functions that the kernel module of another version lacks.
bool isMissing(int rc) { return rc == nvml::kFunctionNotFound || rc == nvml::kVersionMismatch; }

}  // namespace

NvmlGpu::NvmlGpu(const nvml::Library& library, nvml::Device handle, int index) : m_library(&library), m_handle(handle), m_index(index) {
  std::array<char, 96> uuid{};
  if (library.uuid != nullptr && library.uuid(handle, uuid.data(), uuid.size()) == kSuccess) m_uuid = uuid.data();
  nvml::GpmSupport support;
  if (library.gpmSupport != nullptr && library.gpmSampleAlloc != nullptr && library.gpmSampleGet != nullptr &&
      library.gpmMetricsGet != nullptr && library.gpmSupport(handle, &support) == kSuccess && support.supported != 0) {
    if (library.gpmSampleAlloc(&m_gpm_before) != kSuccess) m_gpm_before = nullptr;
    if (library.gpmSampleAlloc(&m_gpm_now) != kSuccess) m_gpm_now = nullptr;
  }
}

NvmlGpu::~NvmlGpu() {
  for (nvml::GpmSample sample : {m_gpm_before, m_gpm_now})
    if (sample != nullptr && m_library->gpmSampleFree != nullptr) m_library->gpmSampleFree(sample);
}

bool NvmlGpu::lost(int rc) {
  m_lost = m_lost || rc == nvml::kGpuIsLost;
  return m_lost;
}

// Drivers before 510 have only the first version, whose `used` includes memory reserved by the driver.
std::optional<NvmlGpu::Memory> NvmlGpu::memory() const {
  int rc = nvml::kFunctionNotFound;
  if (nvml::MemoryV2 v2; m_library->memory != nullptr && (rc = m_library->memory(m_handle, &v2)) == kSuccess)
    return Memory{v2.total, v2.used};
  if (nvml::MemoryV1 v1; isMissing(rc) && m_library->memoryV1 != nullptr && m_library->memoryV1(m_handle, &v1) == kSuccess)
    return Memory{v1.total, v1.used};
  return std::nullopt;
}

void NvmlGpu::declare(Recorder& out, const Node& node, NodeId node_id, const std::string& root, TimeNs now) {
  const nvml::Library& lib = *m_library;
  std::array<char, 96> name{};
  Device device{
      .uuid = m_uuid.empty() ? node.uuid + "/gpu" + std::to_string(m_index) : m_uuid, .node = node_id, .index = m_index, .kind = "gpu"};
  if (lib.deviceName != nullptr && lib.deviceName(m_handle, name.data(), name.size()) == kSuccess) device.model = name.data();
  if (const auto has = memory()) device.memory_bytes = static_cast<std::int64_t>(has->total);
  m_id = out.device(device);
  m_book = SeriesTable(node_id, m_id);

  nlohmann::json facts{{"driver", lib.driver()}, {"vendor", "NVIDIA"}};
  if (int cuda = 0; lib.cudaVersion != nullptr && lib.cudaVersion(&cuda) == kSuccess)
    facts["cuda"] = std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
  if (nvml::PciInfo pci{}; lib.pciInfo != nullptr && lib.pciInfo(m_handle, &pci) == kSuccess) {
    std::string bus(pci.bus_id, strnlen(pci.bus_id, sizeof pci.bus_id));
    facts["pci"] = bus;
    // sysfs writes the domain in four lower-case digits.
    std::transform(bus.begin(), bus.end(), bus.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (bus.size() > 12) bus.erase(0, bus.size() - 12);
    if (int numa = 0; std::ifstream(root + "sys/bus/pci/devices/" + bus + "/numa_node") >> numa && numa >= 0) facts["numa_node"] = numa;
  }
  if (unsigned current = 0, pending = 0; lib.migMode != nullptr && lib.migMode(m_handle, &current, &pending) == kSuccess)
    facts["mig"] = current != 0;
  if (int mode = 0; lib.computeMode != nullptr && lib.computeMode(m_handle, &mode) == kSuccess) facts["compute_mode"] = mode;
  if (int current = 0, pending = 0; lib.eccMode != nullptr && lib.eccMode(m_handle, &current, &pending) == kSuccess)
    facts["ecc"] = current != 0;
  if (int mode = 0; lib.persistenceMode != nullptr && lib.persistenceMode(m_handle, &mode) == kSuccess) facts["persistence"] = mode != 0;
  if (unsigned limit = 0; lib.powerLimit != nullptr && lib.powerLimit(m_handle, &limit) == kSuccess)
    facts["power_limit_watts"] = limit / 1000.0;
  if (unsigned clock = 0; lib.maxClock != nullptr && lib.maxClock(m_handle, 1, &clock) == kSuccess)
    facts["max_sm_clock_hertz"] = clock * kMhz;
  for (const auto& [id, key] : {std::pair{0, "shutdown_celsius"}, {1, "slowdown_celsius"}})
    if (unsigned limit = 0; lib.temperatureThreshold != nullptr && lib.temperatureThreshold(m_handle, id, &limit) == kSuccess)
      facts[key] = limit;
  out.event({.time = now, .node = node_id, .device = m_id, .kind = "device_facts", .message = facts.dump()});
}

bool NvmlGpu::readFast(Recorder& out, TimeNs now) {
  if (m_lost) return false;
  const nvml::Library& lib = *m_library;
  unsigned value = 0;
  if (lib.power != nullptr) {
    const int rc = lib.power(m_handle, &value);
    if (lost(rc)) return false;
    if (rc == kSuccess) {
      put(out, "power_watts", now, value / 1000.0);
      measureRefresh(out, now, value);
    }
  }
  if (lib.clock != nullptr) {
    if (lib.clock(m_handle, 1, &value) == kSuccess) put(out, "sm_clock_hertz", now, value * kMhz);
    if (lib.clock(m_handle, 2, &value) == kSuccess) put(out, "memory_clock_hertz", now, value * kMhz);
  }
  std::uint64_t reasons = 0;
  const auto read_reasons = lib.clockReasons != nullptr ? lib.clockReasons : lib.clockReasonsOld;
  if (read_reasons != nullptr && read_reasons(m_handle, &reasons) == kSuccess)
    put(out, "clock_event_reasons", now, static_cast<double>(reasons));
  if (nvml::Utilization busy{}; lib.utilization != nullptr && lib.utilization(m_handle, &busy) == kSuccess) {
    put(out, "gpu_busy_ratio", now, busy.gpu / 100.0);
    put(out, "gpu_memory_busy_ratio", now, busy.memory / 100.0);
  }
  readActivity(out, now);
  readTraffic(out, now);
  return true;
}

void NvmlGpu::readActivity(Recorder& out, TimeNs now) {
  if (m_gpm_before == nullptr || m_gpm_now == nullptr) return;
  if (m_library->gpmSampleGet(m_handle, m_gpm_now) != kSuccess) return;
  if (m_gpm_primed) {
    GpmRequest request{.before = m_gpm_before, .now = m_gpm_now, .metrics = {}};
    for (std::size_t i = 0; i < kGpmMetrics.size(); ++i) request.metrics[i].id = kGpmMetrics[i].id;
    if (m_library->gpmMetricsGet(&request) == kSuccess)
      for (std::size_t i = 0; i < kGpmMetrics.size(); ++i)
        if (request.metrics[i].result == kSuccess) put(out, kGpmMetrics[i].metric, now, request.metrics[i].value / 100.0);
  }
  m_gpm_primed = true;
  std::swap(m_gpm_before, m_gpm_now);
}

void NvmlGpu::readTraffic(Recorder& out, TimeNs now) {
  if (m_library->fieldValues == nullptr) return;
  std::array<nvml::FieldValue, 4> fields{};
  fields[0] = {.field = nvml::kFieldNvlinkTxKib, .scope = nvml::kAllLinks};
  fields[1] = {.field = nvml::kFieldNvlinkRxKib, .scope = nvml::kAllLinks};
  fields[2].field = nvml::kFieldPcieTxBytes;
  fields[3].field = nvml::kFieldPcieRxBytes;
  if (m_library->fieldValues(m_handle, fields.size(), fields.data()) != kSuccess) return;
  // The counters of PCIe wrap: an interval in which one did has no rate.
  const auto rate = [&](std::optional<Counter>& before, const nvml::FieldValue& field, double unit_bytes, std::string_view metric) {
    const auto value = fieldNumber(field);
    if (!value) return;
    if (before && now > before->time && *value >= before->value)
      put(out, metric, now,
          static_cast<double>(*value - before->value) * unit_bytes * kNsPerSecond / static_cast<double>(now - before->time));
    before = Counter{now, *value};
  };
  rate(m_nvlink_tx, fields[0], 1024, "nvlink_transmit_bytes_per_s");
  rate(m_nvlink_rx, fields[1], 1024, "nvlink_receive_bytes_per_s");
  rate(m_pcie_tx, fields[2], 1, "pcie_transmit_bytes_per_s");
  rate(m_pcie_rx, fields[3], 1, "pcie_receive_bytes_per_s");
}

void NvmlGpu::readPcieThroughput(Recorder& out, TimeNs now) {
  if (m_lost || m_pcie_tx || m_library->pcieThroughput == nullptr) return;
  constexpr double kKilobyte = 1'000;
  for (const auto& [direction, metric] : {std::pair{0, "pcie_transmit_bytes_per_s"}, {1, "pcie_receive_bytes_per_s"}})
    if (unsigned value = 0; m_library->pcieThroughput(m_handle, direction, &value) == kSuccess) put(out, metric, now, value * kKilobyte);
}

// The driver's actual refresh interval: the median time between observed changes, and so the resolution limit of the readings.
void NvmlGpu::measureRefresh(Recorder& out, TimeNs now, unsigned milliwatts) {
  if (m_last_power && *m_last_power != milliwatts) {
    if (m_last_change) m_change_intervals.push_back(now - *m_last_change);
    m_last_change = now;
    if (m_change_intervals.size() == kRefreshIntervals) {
      const auto middle = m_change_intervals.begin() + kRefreshIntervals / 2;
      std::nth_element(m_change_intervals.begin(), middle, m_change_intervals.end());
      put(out, "power_refresh_ns", now, static_cast<double>(*middle));
      m_change_intervals.clear();
    }
  }
  m_last_power = milliwatts;
}

bool NvmlGpu::readSlow(Recorder& out, TimeNs now) {
  if (m_lost) return false;
  const nvml::Library& lib = *m_library;
  unsigned value = 0;
  if (lib.temperature != nullptr) {
    const int rc = lib.temperature(m_handle, 0, &value);
    if (lost(rc)) return false;
    if (rc == kSuccess) put(out, "temperature_celsius", now, value);
  }
  if (const auto has = memory()) {
    put(out, "gpu_memory_used_bytes", now, static_cast<double>(has->used));
    put(out, "gpu_memory_total_bytes", now, static_cast<double>(has->total));
  }
  if (lib.fanSpeed != nullptr && lib.fanSpeed(m_handle, &value) == kSuccess) put(out, "fan_speed_ratio", now, value / 100.0);
  constexpr int kLowestState = 15;  // 32 is unknown
  if (int state = 0; lib.performanceState != nullptr && lib.performanceState(m_handle, &state) == kSuccess && state <= kLowestState)
    put(out, "performance_state", now, state);
  for (const auto& [read, metric] : {std::pair{lib.encoderBusy, "utilization_encoder_ratio"},
                                     {lib.decoderBusy, "utilization_decoder_ratio"},
                                     {lib.jpegBusy, "utilization_jpeg_ratio"},
                                     {lib.ofaBusy, "utilization_ofa_ratio"}})
    if (unsigned period_us = 0; read != nullptr && read(m_handle, &value, &period_us) == kSuccess) put(out, metric, now, value / 100.0);
  if (lib.powerLimit != nullptr && lib.powerLimit(m_handle, &value) == kSuccess) put(out, "power_limit_watts", now, value / 1000.0);
  if (lib.maxClock != nullptr && lib.maxClock(m_handle, 1, &value) == kSuccess) put(out, "sm_clock_max_hertz", now, value * kMhz);
  if (lib.temperatureThreshold != nullptr && lib.temperatureThreshold(m_handle, 1, &value) == kSuccess)
    put(out, "temperature_slowdown_celsius", now, value);
  if (std::uint64_t millijoules = 0; lib.energy != nullptr && lib.energy(m_handle, &millijoules) == kSuccess)
    put(out, "energy_joules", now, static_cast<double>(millijoules) / 1000.0);
  if (lib.fieldValues != nullptr) {
    nvml::FieldValue field{.field = nvml::kFieldMemoryTemperature};
    if (lib.fieldValues(m_handle, 1, &field) == kSuccess)
      if (const auto celsius = fieldNumber(field)) put(out, "memory_temperature_celsius", now, static_cast<double>(*celsius));
  }
  return true;
}

bool NvmlGpu::readRare(Recorder& out, TimeNs now) {
  if (m_lost) return false;
  const nvml::Library& lib = *m_library;
  std::uint64_t errors = 0;
  if (lib.eccErrors != nullptr) {
    const int rc = lib.eccErrors(m_handle, 0, 1, &errors);
    if (lost(rc)) return false;
    if (rc == kSuccess) put(out, "ecc_corrected_total", now, static_cast<double>(errors));
    if (lib.eccErrors(m_handle, 1, 1, &errors) == kSuccess) put(out, "ecc_uncorrected_total", now, static_cast<double>(errors));
  }
  if (unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
      lib.remappedRows != nullptr && lib.remappedRows(m_handle, &corrected, &uncorrected, &pending, &failed) == kSuccess) {
    put(out, "remapped_rows_corrected_total", now, corrected);
    put(out, "remapped_rows_uncorrected_total", now, uncorrected);
    put(out, "row_remap_pending_count", now, pending);
    put(out, "row_remap_failed_count", now, failed);
  }
  unsigned value = 0;
  if (lib.pcieReplay != nullptr && lib.pcieReplay(m_handle, &value) == kSuccess) put(out, "pcie_replay_total", now, value);
  if (lib.pcieGeneration != nullptr && lib.pcieGeneration(m_handle, &value) == kSuccess) put(out, "pcie_link_generation", now, value);
  if (lib.pcieWidth != nullptr && lib.pcieWidth(m_handle, &value) == kSuccess) put(out, "pcie_link_width", now, value);
  if (lib.pcieGenerationMax != nullptr && lib.pcieGenerationMax(m_handle, &value) == kSuccess)
    put(out, "pcie_link_generation_max", now, value);
  if (lib.pcieWidthMax != nullptr && lib.pcieWidthMax(m_handle, &value) == kSuccess) put(out, "pcie_link_width_max", now, value);
  if (lib.nvlinkState != nullptr) {
    int up = 0, known = 0;
    for (unsigned link = 0; link < 36; ++link)
      if (int active = 0; lib.nvlinkState(m_handle, link, &active) == kSuccess) ++known, up += active != 0;
    if (known > 0) put(out, "nvlink_up_count", now, up);
  }
  if (lib.fieldValues != nullptr) {
    std::array<nvml::FieldValue, 4> fields{};
    const std::array<std::pair<unsigned, std::string_view>, 4> wanted = {{{nvml::kFieldNvlinkCrc, "nvlink_crc_error_total"},
                                                                          {nvml::kFieldNvlinkReplay, "nvlink_replay_error_total"},
                                                                          {nvml::kFieldNvlinkRecovery, "nvlink_recovery_error_total"},
                                                                          {nvml::kFieldRecoveryAction, "recovery_action"}}};
    for (std::size_t i = 0; i < wanted.size(); ++i) fields[i].field = wanted[i].first;
    if (lib.fieldValues(m_handle, fields.size(), fields.data()) == kSuccess)
      for (std::size_t i = 0; i < wanted.size(); ++i)
        if (const auto number = fieldNumber(fields[i])) put(out, wanted[i].second, now, static_cast<double>(*number));
  }
  return true;
}

int NvmlGpu::processes(List list, std::size_t stride, std::vector<Process>& found) const {
  if (list == nullptr) return nvml::kFunctionNotFound;
  unsigned count = 0;
  int rc = list(m_handle, &count, nullptr);
  std::vector<std::byte> records;
  for (int attempt = 0; rc == nvml::kInsufficientSize && attempt < 5; ++attempt) {
    count += 8;  // processes may start between the calls
    records.assign(std::size_t{count} * 32 + 64, std::byte{});
    rc = list(m_handle, &count, records.data());
  }
  if (rc != kSuccess) return rc;
  for (unsigned i = 0; i < count && (i + 1) * stride <= records.size(); ++i) {
    Process process{};
    std::uint64_t memory = 0;
    std::memcpy(&process.pid, &records[i * stride], sizeof process.pid);
    std::memcpy(&memory, &records[i * stride + 8], sizeof memory);
    if (memory != UINT64_MAX) process.memory_bytes = memory;
    if (process.pid != 0) found.push_back(process);
  }
  return rc;
}

std::vector<NvmlGpu::Process> NvmlGpu::processes() const {
  std::vector<Process> found;
  if (m_lost) return found;
  // _v3 was added in 510 and is missing in some later drivers, _v2 was added in 450.
  constexpr std::size_t kStrideV2 = 24, kStrideV1 = 16;
  const nvml::Library& lib = *m_library;
  if (isMissing(processes(lib.processesV3, lib.processStride(), found)) && isMissing(processes(lib.processesV2, kStrideV2, found)))
    (void)processes(lib.processesV1, kStrideV1, found);
  return found;
}

}  // namespace runglass
