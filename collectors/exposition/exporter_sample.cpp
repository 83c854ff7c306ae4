// SPDX-License-Identifier: Apache-2.0
#include "collectors/exposition/exporter_sample.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "collectors/exposition/exporter_metrics.h"
#include "collectors/importers/telemetry/display_name.h"
#include "model/fault_catalog.h"
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
  else if (sample.last_xid && (low == "err_code" || low == "err_msg"))
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

std::string text(const nlohmann::json& labels) {
  return labels.empty() ? std::string() : labels.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Event lastXidEvent(double value, bool changed, std::optional<TimeNs> time) {
  const std::string code = std::to_string(static_cast<std::int64_t>(value));
  const FaultInfo* const known = findFault("xid", code);
  const std::string what = "Xid " + code + (known != nullptr ? ": " + std::string(known->meaning) : std::string());
  if (!changed) return {.time = time, .kind = "xid_seen_last", .code = code, .message = "last Xid seen before watching began: " + what};
  const Severity severity = known != nullptr ? known->severity : Severity::kWarning;
  return {.time = time, .kind = "xid", .severity = severity, .code = code, .message = what + " (dcgm-exporter)"};
}

ExporterSample exporterSample(const ExpositionParser::Sample& exposed, std::string_view type) {
  ExporterSample sample;
  const ExporterMetric* const known = findExporterMetric(exposed.name);
  sample.metric = known != nullptr ? std::string(known->metric) : displayName(exposed.name);
  if (known != nullptr) sample.unit = findUnit(known->unit);
  const MetricInfo* const info = findMetric(sample.metric);
  // The catalogue decides for its own metrics: exporters declare some rates as counters.
  sample.counter = info != nullptr ? info->counter : type == "counter";
  sample.dcgm = exposed.name.starts_with("DCGM_") || exposed.name.starts_with("dcgm_");
  sample.last_xid = known != nullptr && known->metric == "last_xid";
  sample.hang = exposed.name == "XPU_TIMER_COMMON_HANG";
  const bool npu = exposed.name.starts_with("npu_");
  nlohmann::json every = nlohmann::json::object(), rest = nlohmann::json::object();
  for (const auto& [name, value] : exposed.labels) {
    const std::string shown = displayName(name), text = displayName(value);
    every[shown] = text;
    if (sample.hang && name == "rank") sample.rank = smallNumber(value);
    const bool reported = sample.dcgm ? namesGpu(sample, name, text) : npu && namesNpu(sample, name, text);
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
