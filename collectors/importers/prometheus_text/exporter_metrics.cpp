// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/prometheus_text/exporter_metrics.h"

#include <algorithm>
#include <array>

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
    ExporterMetric{"DCGM_FI_DEV_GPU_UTIL", "", "dcgm_gpu_utilization", "gpu_busy_ratio", "%"},
    ExporterMetric{"DCGM_FI_DEV_MEM_COPY_UTIL", "", "dcgm_mem_copy_utilization", "gpu_memory_busy_ratio", "%"},
    ExporterMetric{"DCGM_FI_DEV_FB_TOTAL", "", "", "gpu_memory_total_bytes", "MiB"},
    ExporterMetric{"DCGM_FI_DEV_FB_USED", "", "dcgm_fb_used", "gpu_memory_used_bytes", "MiB"},
    ExporterMetric{"DCGM_FI_DEV_FB_FREE", "", "dcgm_fb_free", "gpu_memory_free_bytes", "MiB"},
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
};

}  // namespace

const ExporterMetric* findExporterMetric(std::string_view name) {
  const auto it =
      std::ranges::find_if(kMetrics, [&](const ExporterMetric& m) { return m.name == name || m.newer == name || m.oldest == name; });
  return name.empty() || it == kMetrics.end() ? nullptr : &*it;
}

}  // namespace runglass
