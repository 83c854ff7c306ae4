// SPDX-License-Identifier: Apache-2.0
#include "collectors/exposition/exporter_metrics.h"

#include <algorithm>
#include <array>
#include <map>

namespace runglass {
namespace {

constexpr std::array kMetrics = {
    ExporterMetric{"DCGM_FI_DEV_SM_CLOCK", "", "dcgm_sm_clock", "sm_clock_hertz", "MHz"},
    ExporterMetric{"DCGM_FI_DEV_MEM_CLOCK", "", "dcgm_memory_clock", "memory_clock_hertz", "MHz"},
    ExporterMetric{"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", "DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "", "clock_event_reasons", ""},
    ExporterMetric{"DCGM_FI_DEV_MEMORY_TEMP", "DCGM_FI_DEV_MEMORY_TEMP_CELSIUS", "dcgm_memory_temp", "memory_temperature_celsius", "C"},
    ExporterMetric{"DCGM_FI_DEV_GPU_TEMP", "DCGM_FI_DEV_GPU_TEMP_CELSIUS", "dcgm_gpu_temp", "temperature_celsius", "C"},
    ExporterMetric{"DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_BOARD_POWER_WATTS", "dcgm_power_usage", "power_watts", "W"},
    ExporterMetric{"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "", "dcgm_total_energy_consumption", "energy_joules", "mJ"},
    ExporterMetric{"DCGM_FI_DEV_PCIE_REPLAY_COUNTER", "DCGM_FI_DEV_PCIE_REPLAY_TOTAL", "dcgm_pcie_replay_counter", "pcie_replay_total", ""},
    // DCGM_FI_DEV_GPU_UTIL_RATIO is absent: a percentage in DCGM 4.6 (field 203), a ratio in 4.7 (field 1613).
    ExporterMetric{"DCGM_FI_DEV_GPU_UTIL", "", "dcgm_gpu_utilization", "gpu_busy_ratio", "%"},
    ExporterMetric{"DCGM_FI_DEV_MEM_COPY_UTIL", "", "dcgm_mem_copy_utilization", "gpu_memory_busy_ratio", "%"},
    ExporterMetric{"DCGM_FI_DEV_ENC_UTIL", "", "dcgm_enc_utilization", "utilization_encoder_ratio", "%"},
    ExporterMetric{"DCGM_FI_DEV_DEC_UTIL", "", "dcgm_dec_utilization", "utilization_decoder_ratio", "%"},
    ExporterMetric{"DCGM_FI_DEV_FAN_SPEED", "", "dcgm_fan_speed_percent", "fan_speed_ratio", "%"},
    ExporterMetric{"DCGM_FI_DEV_PSTATE", "", "", "performance_state", ""},
    ExporterMetric{"DCGM_FI_DEV_PCIE_LINK_GEN", "", "", "pcie_link_generation", ""},
    ExporterMetric{"DCGM_FI_DEV_PCIE_LINK_WIDTH", "", "", "pcie_link_width", ""},
    // Rates, although older exporters declare them as counters. Not those of DCGM_FI_PROF_PCIE_*: a page with both has two values at once.
    ExporterMetric{"DCGM_FI_DEV_PCIE_TX_THROUGHPUT", "", "dcgm_pcie_tx_throughput", "pcie_transmit_sampled_bytes_per_s", "KB/s"},
    ExporterMetric{"DCGM_FI_DEV_PCIE_RX_THROUGHPUT", "", "dcgm_pcie_rx_throughput", "pcie_receive_sampled_bytes_per_s", "KB/s"},
    // Nanoseconds, although help texts of older exporters print microseconds.
    ExporterMetric{"DCGM_FI_DEV_POWER_VIOLATION", "", "dcgm_power_violation", "power_violation_ns", "ns"},
    ExporterMetric{"DCGM_FI_DEV_THERMAL_VIOLATION", "", "dcgm_thermal_violation", "thermal_violation_ns", "ns"},
    ExporterMetric{"DCGM_FI_DEV_SYNC_BOOST_VIOLATION", "", "dcgm_sync_boost_violation", "sync_boost_violation_ns", "ns"},
    ExporterMetric{"DCGM_FI_DEV_BOARD_LIMIT_VIOLATION", "", "dcgm_board_limit_violation", "board_limit_violation_ns", "ns"},
    ExporterMetric{"DCGM_FI_DEV_LOW_UTIL_VIOLATION", "", "dcgm_low_util_violation", "low_utilization_violation_ns", "ns"},
    ExporterMetric{"DCGM_FI_DEV_RELIABILITY_VIOLATION", "", "dcgm_reliability_violation", "reliability_violation_ns", "ns"},
    ExporterMetric{"DCGM_FI_DEV_FB_TOTAL", "", "", "gpu_memory_total_bytes", "MiB"},
    ExporterMetric{"DCGM_FI_DEV_FB_USED", "", "dcgm_fb_used", "gpu_memory_used_bytes", "MiB"},
    ExporterMetric{"DCGM_FI_DEV_FB_FREE", "", "dcgm_fb_free", "gpu_memory_free_bytes", "MiB"},
    ExporterMetric{"DCGM_FI_DEV_FB_RESERVED", "", "", "gpu_memory_reserved_bytes", "MiB"},
    ExporterMetric{"DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", "", "", "ecc_errors_corrected_volatile_total", ""},
    ExporterMetric{"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", "", "", "ecc_errors_uncorrected_volatile_total", ""},
    ExporterMetric{"DCGM_FI_DEV_ECC_SBE_AGG_TOTAL", "", "", "ecc_corrected_total", ""},
    ExporterMetric{"DCGM_FI_DEV_ECC_DBE_AGG_TOTAL", "", "", "ecc_uncorrected_total", ""},
    ExporterMetric{"DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS", "DCGM_FI_DEV_ROW_REMAP_CORRECTABLE_TOTAL", "", "remapped_rows_corrected_total",
                   ""},
    ExporterMetric{"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "DCGM_FI_DEV_ROW_REMAP_UNCORRECTABLE_TOTAL", "",
                   "remapped_rows_uncorrected_total", ""},
    ExporterMetric{"DCGM_FI_DEV_ROW_REMAP_PENDING", "", "", "row_remap_pending_count", ""},
    ExporterMetric{"DCGM_FI_DEV_ROW_REMAP_FAILURE", "DCGM_FI_DEV_ROW_REMAP_FAILED", "", "row_remap_failed_count", ""},
    ExporterMetric{"DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_GR_ENGINE_UTIL_RATIO", "dcgm_fi_prof_gr_engine_active",
                   "graphics_active_ratio", "ratio"},
    ExporterMetric{"DCGM_FI_PROF_SM_ACTIVE", "DCGM_FI_PROF_SM_UTIL_RATIO", "", "sm_active_ratio", "ratio"},
    ExporterMetric{"DCGM_FI_PROF_SM_OCCUPANCY", "DCGM_FI_PROF_SM_OCCUPANCY_RATIO", "", "sm_occupancy_ratio", "ratio"},
    ExporterMetric{"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "DCGM_FI_PROF_TENSOR_UTIL_RATIO", "dcgm_fi_prof_pipe_tensor_active",
                   "tensor_active_ratio", "ratio"},
    ExporterMetric{"DCGM_FI_PROF_DRAM_ACTIVE", "DCGM_FI_PROF_DRAM_UTIL_RATIO", "dcgm_fi_prof_dram_active", "dram_active_ratio", "ratio"},
    ExporterMetric{"DCGM_FI_PROF_PIPE_FP16_ACTIVE", "DCGM_FI_PROF_FP16_UTIL_RATIO", "", "fp16_active_ratio", "ratio"},
    ExporterMetric{"DCGM_FI_PROF_PIPE_FP32_ACTIVE", "DCGM_FI_PROF_FP32_UTIL_RATIO", "", "fp32_active_ratio", "ratio"},
    ExporterMetric{"DCGM_FI_PROF_PIPE_FP64_ACTIVE", "DCGM_FI_PROF_FP64_UTIL_RATIO", "", "fp64_active_ratio", "ratio"},
    ExporterMetric{"DCGM_FI_PROF_PCIE_TX_BYTES", "", "dcgm_fi_prof_pcie_tx_bytes", "pcie_transmit_bytes_per_s", "B/s"},
    ExporterMetric{"DCGM_FI_PROF_PCIE_RX_BYTES", "", "dcgm_fi_prof_pcie_rx_bytes", "pcie_receive_bytes_per_s", "B/s"},
    ExporterMetric{"DCGM_FI_PROF_NVLINK_TX_BYTES", "", "dcgm_fi_prof_nvlink_tx_bytes", "nvlink_transmit_bytes_per_s", "B/s"},
    ExporterMetric{"DCGM_FI_PROF_NVLINK_RX_BYTES", "", "dcgm_fi_prof_nvlink_rx_bytes", "nvlink_receive_bytes_per_s", "B/s"},
    ExporterMetric{"DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", "DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_TOTAL", "", "nvlink_crc_error_total",
                   ""},
    ExporterMetric{"DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_TOTAL", "", "nvlink_replay_error_total",
                   ""},
    ExporterMetric{"DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_TOTAL", "",
                   "nvlink_recovery_error_total", ""},
    ExporterMetric{"DCGM_FI_DEV_XID_ERRORS", "DCGM_FI_DEV_XID_ERROR", "dcgm_xid_errors", "last_xid", ""},
    // All versions of npu-exporter use the same names.
    ExporterMetric{"npu_chip_info_utilization", "", "", "gpu_busy_ratio", "%"},
    ExporterMetric{"npu_chip_info_temperature", "", "", "temperature_celsius", "C"},
    ExporterMetric{"npu_chip_info_power", "", "", "power_watts", "W"},
    ExporterMetric{"npu_chip_info_hbm_used_memory", "", "", "gpu_memory_used_bytes", "MiB"},
    ExporterMetric{"npu_chip_info_hbm_total_memory", "", "", "gpu_memory_total_bytes", "MiB"},
    ExporterMetric{"npu_chip_info_aicore_current_freq", "", "", "sm_clock_hertz", "MHz"},
    ExporterMetric{"npu_chip_info_hbm_temperature", "", "", "memory_temperature_celsius", "C"},
    ExporterMetric{"npu_chip_info_hbm_bandwidth_utilization", "", "", "gpu_memory_busy_ratio", "%"},
    ExporterMetric{"npu_chip_info_hbm_ecc_single_bit_error_cnt", "", "", "ecc_errors_corrected_volatile_total", ""},
    ExporterMetric{"npu_chip_info_hbm_ecc_double_bit_error_cnt", "", "", "ecc_errors_uncorrected_volatile_total", ""},
    ExporterMetric{"npu_chip_info_hbm_ecc_total_single_bit_error_cnt", "", "", "ecc_corrected_total", ""},
    ExporterMetric{"npu_chip_info_hbm_ecc_total_double_bit_error_cnt", "", "", "ecc_uncorrected_total", ""},
    ExporterMetric{"npu_chip_info_link_status", "", "", "rdma_port_active_count", ""},
    ExporterMetric{"npu_chip_info_bandwidth_rx", "", "", "rdma_receive_bytes_per_s", "MB/s"},
    ExporterMetric{"npu_chip_info_bandwidth_tx", "", "", "rdma_transmit_bytes_per_s", "MB/s"},
    ExporterMetric{"npu_chip_info_error_code", "", "", "npu_error_code", ""},
    // AMD device-metrics-exporter. Its MB are MiB; the prefix amd_ is configurable, and old versions print upper case: isOfAmd().
    ExporterMetric{"gpu_gfx_activity", "", "", "gpu_busy_ratio", "%"},
    ExporterMetric{"gpu_umc_activity", "", "", "gpu_memory_busy_ratio", "%"},
    ExporterMetric{"gpu_power_usage", "", "", "power_watts", "W"},
    ExporterMetric{"gpu_package_power", "", "", "power_instant_watts", "W"},
    ExporterMetric{"gpu_average_package_power", "", "", "power_average_watts", "W"},
    ExporterMetric{"gpu_edge_temperature", "", "", "temperature_celsius", "C"},
    ExporterMetric{"gpu_junction_temperature", "", "", "temperature_hotspot_celsius", "C"},
    ExporterMetric{"gpu_memory_temperature", "", "", "memory_temperature_celsius", "C"},
    ExporterMetric{"gpu_total_vram", "", "", "gpu_memory_total_bytes", "MiB"},
    ExporterMetric{"gpu_used_vram", "", "", "gpu_memory_used_bytes", "MiB"},
    ExporterMetric{"gpu_free_vram", "", "", "gpu_memory_free_bytes", "MiB"},
    ExporterMetric{"gpu_ecc_correct_total", "", "", "ecc_errors_corrected_volatile_total", ""},
    ExporterMetric{"gpu_ecc_uncorrect_total", "", "", "ecc_errors_uncorrected_volatile_total", ""},
    ExporterMetric{"pcie_replay_count", "", "", "pcie_replay_total", ""},
    // NCCL Inspector with NCCL_INSPECTOR_PROM_DUMP.
    ExporterMetric{"nccl_bus_bandwidth_gbs", "", "", "nccl_bus_bandwidth_bytes_per_s", "GB/s"},
    ExporterMetric{"nccl_algorithm_bandwidth_gbs", "", "", "nccl_algorithm_bandwidth_bytes_per_s", "GB/s"},
    ExporterMetric{"nccl_collective_exec_time_microseconds", "", "", "nccl_collective_time_ns", "us"},
    ExporterMetric{"nccl_p2p_bus_bandwidth_gbs", "", "", "nccl_p2p_bus_bandwidth_bytes_per_s", "GB/s"},
    ExporterMetric{"nccl_p2p_exec_time_microseconds", "", "", "nccl_p2p_time_ns", "us"},
};

// Families by their beginning: fields of DCGM that have no name in the catalogue, NPUs, NCCL Inspector, xpu_timer, and of node_exporter the
// hosts' and ports' metrics.
constexpr std::array<std::string_view, 15> kFamilies = {"DCGM_FI_DEV_",
                                                        "DCGM_FI_PROF_",
                                                        "npu_chip_",
                                                        "nccl_",
                                                        "XPU_TIMER_",
                                                        "node_infiniband_",
                                                        "node_network_receive_",
                                                        "node_network_transmit_",
                                                        "node_network_carrier",
                                                        "node_memory_Mem",
                                                        "node_pressure_",
                                                        "node_load",
                                                        "node_vmstat_oom_kill",
                                                        "node_edac_",
                                                        "node_filesystem_avail_bytes"};
constexpr std::array<std::string_view, 4> kSingle = {"node_uname_info", "node_boot_time_seconds", "node_procs_blocked", "node_network_up"};

}  // namespace

bool isClusterMetric(std::string_view name) {
  const auto begins = [name](std::string_view family) { return name.starts_with(family); };
  return findExporterMetric(name) != nullptr || std::ranges::any_of(kFamilies, begins) || std::ranges::find(kSingle, name) != kSingle.end();
}

const ExporterMetric* findExporterMetric(std::string_view name) {
  static const auto kByName = [] {
    std::map<std::string_view, const ExporterMetric*> all;
    for (const ExporterMetric& metric : kMetrics)
      for (const std::string_view spelling : {metric.name, metric.newer, metric.oldest})
        if (!spelling.empty()) all.emplace(spelling, &metric);
    return all;
  }();
  const auto known = kByName.find(name);
  return known == kByName.end() ? nullptr : known->second;
}

bool isBlankOfDcgm(double value) {
  constexpr double kBlank32 = 0x7FFFFFF0, kBlankDouble = 140'737'488'355'328.0;  // the blanks of 64-bit fields start above kBlankDouble
  return (value >= kBlank32 && value <= 0x7FFFFFFF) || value >= kBlankDouble;
}

}  // namespace runglass
