// SPDX-License-Identifier: Apache-2.0
#include "collectors/exposition/semantic_metric.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "collectors/exposition/exporter_metrics.h"
#include "collectors/text/display_name.h"
#include "model/metric_catalog.h"

namespace runglass {
namespace {

struct Convention {
  std::string_view name, type;  // of hw.type; "": any
  std::string_view metric;
};
constexpr std::array kConventions = {Convention{"hw.energy", "gpu", "energy_joules"},
                                     Convention{"hw.gpu.memory.limit", "", "gpu_memory_total_bytes"},
                                     Convention{"hw.gpu.memory.usage", "", "gpu_memory_used_bytes"},
                                     Convention{"hw.gpu.utilization", "", "gpu_busy_ratio"},
                                     Convention{"hw.host.power", "", "node_power_watts"},
                                     Convention{"hw.power", "gpu", "power_watts"},
                                     Convention{"hw.temperature", "gpu", "temperature_celsius"},
                                     Convention{"system.cpu.load_average.1m", "", "load_1m"},
                                     Convention{"system.linux.memory.available", "", "memory_available_bytes"},
                                     Convention{"system.memory.limit", "", "memory_total_bytes"},
                                     Convention{"system.uptime", "", "uptime_ns"}};

// "By/s" -> "B/s", "MiBy" -> "MiB", "Cel" -> "C", "{token}" -> "count", "{request}/s" -> "/s".
const Unit* findUcum(std::string_view unit) {
  if (unit == "Cel") return findUnit("C");
  if (unit.starts_with('{') && unit.ends_with('}')) return findUnit("count");
  if (unit.starts_with('{') && unit.ends_with("}/s")) return findUnit("/s");
  if (unit == "1/s") return findUnit("/s");
  std::string printed(unit);
  if (const std::size_t bytes = printed.find("By"); bytes != std::string::npos) printed.erase(bytes + 1, 1);
  if (printed == "kB" || printed == "kB/s") printed[0] = 'K';
  return findUnit(printed);
}

// hw.id identifies a device within its host: a vendor's uuid, or its index.
void nameDevice(ExporterSample& sample, std::string_view id) {
  if (id.starts_with("GPU-") || id.starts_with("MIG-")) {
    sample.uuid = id;
  } else {
    const std::size_t digits = id.find_last_not_of("0123456789") + 1;  // 0 of npos: all
    std::int32_t index = 0;
    if (std::from_chars(id.data() + digits, id.data() + id.size(), index).ec != std::errc()) return;
    sample.index = index;
  }
  sample.device_kind = "gpu";
}

}  // namespace

SemanticMetric semanticMetric(ExpositionParser::Sample exposed, std::string_view unit, bool counter) {
  SemanticMetric out;
  const bool of_exporter = findExporterMetric(exposed.name) != nullptr;
  const Unit* const known_unit = findUcum(unit);
  const bool plain = unit.empty() || unit == "1";
  if (!of_exporter && known_unit == nullptr && !plain) exposed.labels.emplace_back("unit", unit);
  std::string type, id, model;
  for (const auto& [name, value] : exposed.labels) {
    if (name == "hw.type") type = value;
    if (name == "hw.id") id = displayName(value);
    if (name == "hw.name") model = displayName(value);
  }
  const bool of_gpu = type == "gpu" || exposed.name.starts_with("hw.gpu.");
  if (of_gpu && !id.empty()) {
    ExporterSample device;
    nameDevice(device, id);
    if (!device.device_kind.empty()) {
      std::erase_if(exposed.labels,
                    [](const auto& label) { return label.first == "hw.type" || label.first == "hw.id" || label.first == "hw.name"; });
      out.sample = exporterSample(exposed, counter ? "counter" : "");
      out.sample.device_kind = device.device_kind, out.sample.uuid = device.uuid, out.sample.index = device.index, out.sample.model = model;
    }
  }
  if (out.sample.metric.empty()) out.sample = exporterSample(exposed, counter ? "counter" : "");
  ExporterSample& sample = out.sample;
  if (of_exporter) {
    out.unit = unitOfMetric(sample.metric);
    return out;
  }
  for (const Convention& known : kConventions)
    if (known.name == exposed.name && (known.type.empty() || known.type == type || (known.type == "gpu" && of_gpu))) {
      sample.metric = known.metric;
      sample.counter = findMetric(known.metric)->counter;
    }
  sample.unit = known_unit;
  if (sample.unit != nullptr)
    out.unit = sample.unit->suffix;
  else if (plain || findMetric(sample.metric) != nullptr)
    out.unit = unitOfMetric(sample.metric);
  return out;
}

}  // namespace runglass
