// SPDX-License-Identifier: Apache-2.0
// amd-smi metric --json, amd-smi static --json, rocm-smi --json and --csv. amd-smi lists GPUs, since ROCm 6.4 under "gpu_data"; rocm-smi
// has an object per card.
#include <algorithm>
#include <charconv>

#include "collectors/importers/accelerators/amd_gpu.h"
#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/json_documents.h"
#include "collectors/importers/input/read_pieces.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/input/tool_score.h"
#include "collectors/text/line_splitter.h"
#include "collectors/text/quantity.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxValues = 2'048;

// Numbers below an object as "power/socket_power"; amd-smi wraps them as {"value": 142, "unit": "W"}.
void flatten(const Json& value, const std::string& path, std::vector<AmdGpu::Value>& out) {
  if (out.size() >= kMaxValues || path.size() > 256) return;
  if (!value.is_object()) {
    if (value.is_number() || value.is_string()) out.push_back({path, textIn(value), {}});
    return;
  }
  if (value.contains("value") && !value["value"].is_structured()) {
    out.push_back({path, textIn(value["value"]), value.contains("unit") ? textIn(value["unit"]) : std::string()});
    return;
  }
  for (const auto& [key, inner] : value.items()) flatten(inner, path.empty() ? key : path + "/" + key, out);
}

std::string at(const Json& object, const char* section, const char* key) {
  if (!object.contains(section) || !object[section].is_object() || !object[section].contains(key)) return {};
  const std::string text = textIn(object[section][key]);
  return absenceOf(text) ? std::string() : displayName(text);
}

// amd-smi's GPU, of metric or static.
void amdSmiGpu(const Json& gpu, AmdGpus& out) {
  if (!gpu.is_object() || !gpu.contains("gpu")) return;
  AmdGpu read;
  read.index = parseIndex(textIn(gpu["gpu"]));
  if (gpu.contains("timestamp"))
    if (const auto seconds = numberIn(gpu["timestamp"]); seconds && *seconds > 1e9 && *seconds < 7e9)
      read.time = static_cast<TimeNs>(*seconds) * kNsPerSecond;
  read.model = at(gpu, "asic", "market_name");
  read.bus = at(gpu, "bus", "bdf");
  for (const auto& [section, key, fact] : {std::array{"driver", "version", "driver"}, std::array{"bus", "bdf", "pci"},
                                           std::array{"partition", "compute_partition", "compute_partition"},
                                           std::array{"partition", "accelerator_partition", "compute_partition"},
                                           std::array{"partition", "memory_partition", "memory_partition"}})
    if (const std::string text = at(gpu, section, key); !text.empty()) read.facts[fact] = text;
  if (const std::string node = at(gpu, "numa", "node"); parseIndex(node)) read.facts["numa_node"] = *parseIndex(node);
  if (const std::string driver = at(gpu, "driver", "version"); !driver.empty()) out.fact("driver_version", driver);
  for (const char* section : {"usage", "power", "clock", "temperature", "pcie", "ecc", "fan", "mem_usage", "energy"})
    if (gpu.contains(section) && gpu[section].is_object()) flatten(gpu[section], section, read.values);
  out.put(read);
}

// A card of rocm-smi: keys as printed, in the versions' different cases.
void rocmSmiCard(std::string_view card, const std::vector<std::pair<std::string, std::string>>& fields, AmdGpus& out) {
  AmdGpu read;
  read.index = parseIndex(card.substr(4));
  for (const auto& [key, text] : fields) {
    const std::string low = lowered(trimmed(key));
    if (absenceOf(text) && low != "pci bus") {
      read.values.push_back({low, text, {}});
    } else if (low == "unique id") {
      read.uuid = displayName(text);
    } else if (low == "pci bus") {
      read.bus = displayName(text);
      read.facts["pci"] = read.bus;
    } else if (low == "card series" || (low == "device name" && read.model.empty())) {
      read.model = displayName(text);
    } else if (low.find("serial") == std::string::npos && low.find("id") == std::string::npos) {
      if (read.values.size() < kMaxValues) read.values.push_back({low, text, {}});
    }
  }
  // Words (vendor names, levels) are no values.
  std::erase_if(read.values, [](const AmdGpu::Value& value) {
    return value.text.empty() || (value.text.find_first_of("0123456789") == std::string::npos && !absenceOf(value.text));
  });
  out.put(read);
}

bool isCard(std::string_view name) { return name.starts_with("card") && parseIndex(name.substr(4)); }

class AmdSmiImporter : public Importer {
 public:
  std::string_view kind() const override { return "amd_smi"; }
  int recognise(const ImportProbe& probe) const override {
    const auto has = [&](std::string_view text) { return probe.head.find(text) != std::string_view::npos; };
    const bool json = opensJson(probe.head) || has("\n[") || has("\n{");
    if (!json) return 0;
    if (has("\"gpu\"") && ((has("\"gfx_activity\"") && has("\"power\"")) || (has("\"market_name\"") && has("\"asic\""))))
      return kToolOutput;
    return has("\"card0\"") && (has("(W)\"") || has("(C)\"") || has("\"GPU use (%)\"") || has("VRAM")) ? kToolOutput : 0;
  }
  // The offset counts documents.
  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    RG_ASSIGN(const JsonDocuments read, readJsonDocuments(in, target.path, stop));
    AmdGpus gpus(target, out);
    for (std::size_t i = target.resume_at; i < read.documents.size(); ++i) {
      const Json& document = read.documents[i];
      const Json& list = document.is_object() && document.contains("gpu_data") ? document["gpu_data"] : document;
      if (list.is_array())
        for (const Json& gpu : list) amdSmiGpu(gpu, gpus);
      else if (list.is_object())
        cards(list, gpus);
    }
    gpus.finish(report);
    report.committed_offset = std::max<std::uint64_t>(read.documents.size(), target.resume_at);
    if (!read.problem.empty() && target.final) report.partial_reason = target.path + ": " + read.problem;
    return {};
  }

 private:
  static void cards(const Json& document, AmdGpus& out) {
    if (document.contains("system") && document["system"].is_object() && document["system"].contains("Driver version"))
      out.fact("driver_version", textIn(document["system"]["Driver version"]));
    for (const auto& [card, values] : document.items()) {
      if (!isCard(card) || !values.is_object()) continue;
      std::vector<std::pair<std::string, std::string>> fields;
      for (const auto& [key, value] : values.items()) fields.emplace_back(key, textIn(value));
      rocmSmiCard(card, fields, out);
    }
  }
};

class RocmSmiCsvImporter : public Importer {
 public:
  std::string_view kind() const override { return "rocm_smi_csv"; }
  int recognise(const ImportProbe& probe) const override {
    const std::string_view head = trimmed(probe.head);
    return head.starts_with("device,") && head.find("\ncard") != std::string_view::npos ? kToolOutput : 0;
  }
  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    report.committed_offset = target.resume_at;
    if (!target.final) return {};
    AmdGpus gpus(target, out);
    std::vector<std::string> header;
    std::int64_t ragged = 0;
    // A cut row is read again when it has its end.
    const auto line = [&](std::string_view text, std::uint64_t offset) {
      const bool recording = offset + text.size() > target.resume_at;
      text = trimmed(text);
      if (text.empty() || text.size() > 65'536) return;
      std::vector<std::string> cells;
      while (cells.size() < kMaxValues) {
        const std::size_t comma = text.find(',');
        cells.emplace_back(trimmed(text.substr(0, comma)));
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
      }
      if (cells.front() == "device") {
        header = cells;
      } else if (recording && isCard(cells.front())) {
        if (cells.size() != header.size()) return void(++ragged);
        std::vector<std::pair<std::string, std::string>> fields;
        for (std::size_t i = 1; i < cells.size(); ++i) fields.emplace_back(header[i], cells[i]);
        rocmSmiCard(cells.front(), fields, gpus);
      }
    };
    train_log::LineSplitter lines;
    const Status status = readPieces(in, target, stop, [&](std::string_view piece) { lines.push(piece, line); });
    if (status.ok()) line(lines.partial(), lines.lineStart());
    if (ragged > 0) out.issue({.code = "amd_smi.ragged_row", .source = target.path, .count = ragged});
    gpus.finish(report);
    report.committed_offset = std::max(status.ok() ? lines.offset() : lines.lineStart(), target.resume_at);
    return endOfImport(status, report);
  }
};

}  // namespace

std::unique_ptr<Importer> makeAmdSmiImporter() { return std::make_unique<AmdSmiImporter>(); }
std::unique_ptr<Importer> makeRocmSmiCsvImporter() { return std::make_unique<RocmSmiCsvImporter>(); }

}  // namespace runglass
