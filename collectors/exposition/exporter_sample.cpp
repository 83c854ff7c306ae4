// SPDX-License-Identifier: Apache-2.0
#include "collectors/exposition/exporter_sample.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "collectors/exposition/exporter_metrics.h"
#include "collectors/importers/telemetry/display_name.h"
#include "model/metric_catalog.h"

namespace runglass {
namespace {

bool setIndex(ExporterSample& sample, std::string_view value) {
  std::int32_t index = 0;
  const auto parsed = std::from_chars(value.data(), value.data() + value.size(), index);
  if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size() || index < 0) return false;
  sample.index = index;
  return true;
}

// Whether the label names the device or its node; exporters write them in different cases.
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
  else if (sample.last_xid && (low == "err_code" || low == "err_msg"))
    return true;  // they repeat the value, and would make a new series of each
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

std::string text(const nlohmann::json& labels) {
  return labels.empty() ? std::string() : labels.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

ExporterSample exporterSample(const ExpositionParser::Sample& exposed, std::string_view type) {
  ExporterSample sample;
  const ExporterMetric* const known = findExporterMetric(exposed.name);
  sample.metric = known != nullptr ? std::string(known->metric) : displayName(exposed.name);
  if (known != nullptr) sample.unit = findUnit(known->unit);
  const MetricInfo* const info = findMetric(sample.metric);
  sample.counter = type == "counter" || (info != nullptr && info->counter);
  sample.dcgm = exposed.name.starts_with("DCGM_") || exposed.name.starts_with("dcgm_");
  sample.last_xid = known != nullptr && known->metric == "last_xid";
  const bool npu = exposed.name.starts_with("npu_");
  nlohmann::json every = nlohmann::json::object(), rest = nlohmann::json::object();
  for (const auto& [name, value] : exposed.labels) {
    const std::string shown = displayName(name), text = displayName(value);
    every[shown] = text;
    const bool told = sample.dcgm ? namesGpu(sample, name, text) : npu && namesNpu(sample, name, text);
    if (!told) rest[shown] = text;
  }
  if (sample.index || !sample.uuid.empty()) sample.device_kind = npu ? "npu" : "gpu";
  sample.labels = text(rest);
  sample.every_label = text(every);
  return sample;
}

}  // namespace runglass
