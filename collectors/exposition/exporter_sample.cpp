// SPDX-License-Identifier: Apache-2.0
#include "collectors/exposition/exporter_sample.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "collectors/exposition/exporter_metrics.h"
#include "collectors/text/display_name.h"
#include "model/metric_catalog.h"

namespace runglass {
namespace {

std::optional<std::int32_t> smallNumber(std::string_view value) {
  std::int32_t number = 0;
  const auto parsed = std::from_chars(value.data(), value.data() + value.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size() || number < 0) return std::nullopt;
  return number;
}

bool setIndex(ExporterSample& sample, std::string_view value) {
  const auto index = smallNumber(value);
  if (index) sample.index = index;
  return index.has_value();
}

// Whether the label identifies the device or its node; the case of the label differs between exporters.
bool namesGpu(ExporterSample& sample, std::string_view name, std::string_view value) {
  const std::string low = lowered(name);
  if (low == "uuid" || low == "gpu_uuid")
    sample.uuid = value;
  else if (low == "gpu")
    return setIndex(sample, value);
  else if (low == "pci_bus_id")
    sample.bus_id = value;
  else if (low == "modelname" || low == "model_name")
    sample.model = value;
  else if (low == "hostname")
    sample.node = value;
  else if (sample.code == CodeGauge::kLastXid && (low == "err_code" || low == "err_msg"))
    return true;  // these labels repeat the value; each new value would start a new series
  else
    return low == "device";
  return true;
}

bool namesNpu(ExporterSample& sample, std::string_view name, std::string_view value) {
  if (name == "vdie_id")
    sample.uuid = value;
  else if (name == "id")
    return setIndex(sample, value);
  else if (name == "pcie_bus_info")
    sample.bus_id = value;
  else if (name == "model_name")
    sample.model = value;
  else
    return false;
  return true;
}

// device-metrics-exporter.
bool namesAmdGpu(ExporterSample& sample, std::string_view name, std::string_view value) {
  const std::string low = lowered(name);
  if (low == "gpu_uuid") {
    sample.uuid = value;
  } else if (low == "serial_number") {
    if (sample.uuid.empty() && !value.empty()) sample.uuid = "serial:" + std::string(value);
  } else if (low == "gpu_id") {
    return setIndex(sample, value);
  } else if (low == "card_series" || low == "card_model") {
    // card_model can be a number of the vendor.
    if (!value.starts_with("0x") && (sample.model.empty() || low == "card_series")) sample.model = value;
  } else if (low == "hostname") {
    sample.node = value;
  } else {
    return low == "card_vendor" || low == "driver_version" || value.empty() || value == "NA" || value == "none";
  }
  return true;
}

// NCCL Inspector: gpu="GPU0". Labels with a new value in every sample would start a series each.
bool namesNcclGpu(ExporterSample& sample, std::string_view name, std::string_view value) {
  if (name == "node" || name == "hostname")
    sample.node = value;
  else if ((name == "gpu" || name == "gpu_device_id") && value.starts_with("GPU"))
    return setIndex(sample, value.substr(3));
  else
    return name == "timestamp" || name == "coll_sn" || name == "version";
  return true;
}

// Of AMD's exporter: the name without its configurable prefix, in lower case; "": not of it.
std::string nameOfAmd(const ExpositionParser::Sample& exposed) {
  std::string low = lowered(exposed.name);
  if (low.starts_with("amd_")) low.erase(0, 4);
  const bool named = low.starts_with("gpu_") || low.starts_with("pcie_") || low.starts_with("xgmi_");
  const bool of_gpu = named && std::ranges::any_of(exposed.labels, [](const auto& label) { return lowered(label.first) == "gpu_id"; });
  return of_gpu ? low : std::string();
}

std::string text(const nlohmann::json& labels) {
  return labels.empty() ? std::string() : labels.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

ExporterSample exporterSample(const ExpositionParser::Sample& exposed, std::string_view type) {
  ExporterSample sample;
  const std::string amd = nameOfAmd(exposed);
  const ExporterMetric* known = findExporterMetric(amd.empty() ? exposed.name : std::string_view(amd));
  // The same names without a GPU belong to another exporter.
  if (amd.empty() && (exposed.name.starts_with("gpu_") || exposed.name.starts_with("pcie_"))) known = nullptr;
  sample.metric = known != nullptr ? std::string(known->metric) : displayName(exposed.name);
  if (known != nullptr) sample.unit = findUnit(known->unit);
  const MetricInfo* const info = findMetric(sample.metric);
  // The catalogue decides where it has the metric: exporters declare some rates as counters.
  sample.counter = info != nullptr ? info->counter : type == "counter";
  sample.dcgm = exposed.name.starts_with("DCGM_") || exposed.name.starts_with("dcgm_");
  if (known != nullptr && known->metric == "last_xid") sample.code = CodeGauge::kLastXid;
  if (known != nullptr && known->metric == "npu_error_code") sample.code = CodeGauge::kNpuFault;
  sample.hang = exposed.name == "XPU_TIMER_COMMON_HANG";
  const bool npu = exposed.name.starts_with("npu_"), nccl = exposed.name.starts_with("nccl_");
  nlohmann::json every = nlohmann::json::object(), rest = nlohmann::json::object();
  for (const auto& [name, value] : exposed.labels) {
    const std::string shown = displayName(name), text = displayName(value);
    every[shown] = text;
    if (sample.hang && name == "rank") sample.rank = smallNumber(value);
    bool reported = false;
    if (sample.dcgm)
      reported = namesGpu(sample, name, text);
    else if (npu)
      reported = namesNpu(sample, name, text);
    else if (!amd.empty())
      reported = namesAmdGpu(sample, name, text);
    else if (nccl)
      reported = namesNcclGpu(sample, name, text);
    // One name for the clocks of all domains.
    if (amd == "gpu_clock" && lowered(name) == "clock_type" && (text == "GPU_CLOCK_TYPE_SYSTEM" || text == "GPU_CLOCK_TYPE_MEMORY")) {
      sample.metric = text == "GPU_CLOCK_TYPE_SYSTEM" ? "sm_clock_hertz" : "memory_clock_hertz";
      sample.unit = findUnit("MHz");
      reported = true;
    }
    if (!reported) rest[shown] = text;
  }
  const auto gi = every.find("GPU_I_ID"), profile = every.find("GPU_I_PROFILE");
  if (sample.dcgm && gi != every.end() && !sample.uuid.empty() && !gi->get_ref<const std::string&>().empty()) {
    sample.instance_uuid = sample.uuid + "/gi" + gi->get<std::string>();
    if (profile != every.end()) sample.instance_profile = profile->get<std::string>();
  }
  if (sample.index || !sample.uuid.empty()) sample.device_kind = npu ? "npu" : "gpu";
  sample.labels = text(rest);
  sample.every_label = text(every);
  return sample;
}

}  // namespace runglass
