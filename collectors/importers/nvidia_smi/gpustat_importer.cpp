// SPDX-License-Identifier: Apache-2.0
// gpustat, as text and with --json. Its times have no zone, its "MB" are MiB.
#include <algorithm>
#include <charconv>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/json_documents.h"
#include "collectors/importers/input/read_pieces.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/input/tool_score.h"
#include "collectors/importers/nvidia_smi/smi_sink.h"
#include "collectors/text/line_splitter.h"

namespace runglass {
namespace {

using namespace nvidia_smi;
using train_log::LineSplitter;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxParts = 64;

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (parts.size() < kMaxParts) {
    const std::size_t at = text.find(by);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) break;
    text.remove_prefix(at + 1);
  }
  return parts;
}

// Without colours, which gpustat prints with --color.
std::string plain(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      i = std::min(text.find_first_not_of("0123456789;", i + 2), text.size());
      if (i < text.size() && text[i] == '(') ++i;
      continue;
    }
    out += text[i];
  }
  return out;
}

Quantity quantity(std::string_view text, const char* unit) {
  text = trimmed(text);
  if (text.starts_with("??")) return {.absence = Absence::kUnsupported};
  return parseQuantity(text, findUnit(unit));
}

// "[0] NVIDIA A100-SXM4-80GB | 31'C,  40 %, 97 %,  250 / 400 W |   455 / 81920 MB | alice:python/1234(11838M)"
bool isGpuLine(std::string_view line) {
  if (!line.starts_with('[')) return false;
  const std::size_t end = line.find(']');
  if (end == std::string_view::npos || end < 2 || line.substr(1, end - 1).find_first_not_of("0123456789") != std::string_view::npos)
    return false;
  return std::ranges::count(line, '|') >= 2 && line.find("MB") != std::string_view::npos &&
         (line.find("'C") != std::string_view::npos || line.find("°C") != std::string_view::npos);
}

class GpustatText {
 public:
  GpustatText(SmiSink& sink) : m_sink(sink) {}

  void line(std::string_view raw, std::uint64_t offset, std::uint64_t resume_at) {
    m_sink.recording = offset >= resume_at;
    const std::string text = plain(raw.substr(0, 8'192));
    if (isGpuLine(text))
      gpu(text);
    else if (!trimmed(text).empty())
      header(text);
  }

 private:
  // "node7   Thu Nov 26 13:20:34 2026  535.161.08"
  void header(std::string_view text) {
    text = trimmed(text);
    const std::size_t host_end = text.find_first_of(" \t");
    m_time.reset();
    m_driver.clear();
    if (host_end == std::string_view::npos) return;
    std::string_view rest = trimmed(text.substr(host_end));
    m_time = m_sink.time(rest);
    if (const std::size_t last = rest.find_last_of(" \t"); !m_time && last != std::string_view::npos) {
      m_driver = displayName(rest.substr(last + 1));
      m_time = m_sink.time(trimmed(rest.substr(0, last)));
    }
    if (!m_time) return;
    // Also of a header that was imported before: the lines of GPUs after it are of this host.
    m_sink.series.onHost(text.substr(0, host_end));
    if (m_sink.recording && !m_driver.empty()) m_sink.series.fact("driver_version", m_driver);
  }

  void gpu(std::string_view text) {
    if (!m_time) return m_sink.note("nvidia_smi.no_time", "gpustat: a line of a GPU without a header line");
    const auto parts = split(text, '|');
    GpuReading reading;
    reading.time = *m_time;
    const std::size_t close = parts[0].find(']');
    std::int32_t index = 0;
    std::from_chars(parts[0].data() + 1, parts[0].data() + close, index);
    reading.index = index;
    reading.model = trimmed(parts[0].substr(close + 1));
    const auto add = [&](const char* field, const char* metric, const Quantity& value, std::string labels = {}) {
      reading.values.push_back({.field = field, .metric = metric, .labels = std::move(labels), .quantity = value});
    };
    std::vector<std::string_view> shares;
    for (const std::string_view part : split(parts[1], ',')) {
      if (const std::size_t celsius = std::min(part.find("'C"), part.find("°C")); celsius != std::string_view::npos) {
        add("temperature", "temperature_celsius", quantity(part.substr(0, celsius), "C"));
      } else if (const std::size_t enc = part.find("E:"), dec = part.find("D:");
                 enc != std::string_view::npos || dec != std::string_view::npos) {
        if (enc != std::string_view::npos)
          add("encoder", "utilization_encoder_ratio",
              quantity(part.substr(enc + 2, dec == std::string_view::npos ? dec : dec - enc - 2), "%"));
        if (dec != std::string_view::npos) add("decoder", "utilization_decoder_ratio", quantity(part.substr(dec + 2), "%"));
      } else if (part.ends_with('%')) {
        shares.push_back(part);
      } else if (part.ends_with('W')) {
        const auto power = split(part.substr(0, part.size() - 1), '/');
        add("power", "power_watts", quantity(power[0], "W"));
        if (power.size() > 1) add("power limit", "power_limit_watts", quantity(power[1], "W"));
      }
    }
    // With --show-fan the fan stands before the utilization.
    if (shares.size() > 1) add("fan", "fan_speed_ratio", quantity(shares.front(), "%"));
    if (!shares.empty()) add("utilization", "gpu_busy_ratio", quantity(shares.back(), "%"));
    std::string_view memory = parts[2];
    if (memory.ends_with("MB")) memory.remove_suffix(2);
    const auto used = split(memory, '/');
    add("memory", "gpu_memory_used_bytes", quantity(used[0], "MiB"));
    if (used.size() > 1) add("memory", "gpu_memory_total_bytes", quantity(used[1], "MiB"));
    if (parts.size() > 3)
      for (const auto& [labels, mebibytes] : processes(parts[3]))
        add("process", "gpu_process_memory_bytes", {.value = findUnit("MiB")->apply(mebibytes)}, labels);
    m_sink.put(reading);
  }

  // "alice:python/1234(11838M) gdm(4M)": command and pid only with their options. Without a pid, processes of a user are one.
  static std::map<std::string, double> processes(std::string_view text) {
    std::map<std::string, double> found;
    for (const std::string_view word : split(text, ' ')) {
      const std::size_t open = word.rfind('(');
      if (open == std::string_view::npos || !word.ends_with("M)")) continue;
      const Quantity memory = quantity(word.substr(open + 1, word.size() - open - 3), "");
      if (!memory.value) continue;
      std::string_view who = word.substr(0, open);
      nlohmann::json labels = nlohmann::json::object();
      if (const std::size_t slash = who.rfind('/'); slash != std::string_view::npos) {
        labels["pid"] = displayName(who.substr(slash + 1));
        who = who.substr(0, slash);
      }
      if (const std::size_t colon = who.find(':'); colon != std::string_view::npos) {
        labels["name"] = displayName(who.substr(colon + 1));
        who = who.substr(0, colon);
      }
      labels["user"] = displayName(who);
      found[labels.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)] += *memory.value;
    }
    return found;
  }

  SmiSink& m_sink;
  std::optional<TimeNs> m_time;
  std::string m_driver;
};

struct JsonField {
  const char *key, *metric, *unit;
};
constexpr std::array kFields = {JsonField{"temperature.gpu", "temperature_celsius", "C"},
                                JsonField{"fan.speed", "fan_speed_ratio", "%"},
                                JsonField{"utilization.gpu", "gpu_busy_ratio", "%"},
                                JsonField{"utilization.enc", "utilization_encoder_ratio", "%"},
                                JsonField{"utilization.dec", "utilization_decoder_ratio", "%"},
                                JsonField{"power.draw", "power_watts", "W"},
                                JsonField{"enforced.power.limit", "power_limit_watts", "W"},
                                JsonField{"memory.used", "gpu_memory_used_bytes", "MiB"},
                                JsonField{"memory.total", "gpu_memory_total_bytes", "MiB"}};

void readDocument(const Json& document, SmiSink& sink) {
  const auto text = [](const Json& object, const char* key) {
    const auto at = object.find(key);
    return at == object.end() ? std::string() : textIn(*at);
  };
  const auto time = sink.time(text(document, "query_time"));
  if (!time) return sink.note("nvidia_smi.no_time", "gpustat: query_time");
  sink.series.onHost(text(document, "hostname"));
  const std::string driver = text(document, "driver_version");
  if (!driver.empty()) sink.series.fact("driver_version", driver);
  for (const Json& gpu : document.at("gpus")) {
    if (!gpu.is_object()) continue;
    GpuReading reading;
    reading.time = *time;
    if (const auto index = gpu.find("index"); index != gpu.end() && index->is_number_unsigned()) reading.index = index->get<std::int32_t>();
    reading.uuid = text(gpu, "uuid"), reading.model = text(gpu, "name");
    for (const JsonField& field : kFields) {
      const auto at = gpu.find(field.key);
      if (at == gpu.end()) continue;
      const auto number = numberIn(*at);
      Quantity value{.value = {}, .absence = Absence::kUnsupported};
      if (number) value = {.value = findUnit(field.unit)->apply(*number)};
      reading.values.push_back({.field = field.key, .metric = field.metric, .labels = {}, .quantity = value});
    }
    if (const auto processes = gpu.find("processes"); processes != gpu.end() && processes->is_array())
      for (const Json& process : *processes) {
        if (!process.is_object()) continue;
        nlohmann::json labels = {{"pid", displayName(text(process, "pid"))}};
        if (const std::string command = text(process, "command"); !command.empty()) labels["name"] = displayName(command);
        if (const std::string user = text(process, "username"); !user.empty()) labels["user"] = displayName(user);
        const auto memory = process.find("gpu_memory_usage");
        if (const auto mebibytes = memory == process.end() ? std::nullopt : numberIn(*memory))
          reading.values.push_back({.field = "process",
                                    .metric = "gpu_process_memory_bytes",
                                    .labels = labels.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                                    .quantity = {.value = findUnit("MiB")->apply(*mebibytes)}});
      }
    sink.put(reading);
  }
}

// Fills in `report`; `status` is that of reading the file.
Status endOfGpustat(const Status& status, DeviceSeries& series, SmiSink& sink, const ImportTarget& target, ImportReport& report) {
  sink.recording = true;
  series.flush();
  sink.tell();
  report.end_time = series.newest();
  if (series.started()) report.run = series.run();
  if (status.ok() && !report.end_time && target.resume_at == 0) report.skipped_reason = "no GPU with a time";
  return endOfImport(status, report);
}

class GpustatImporter : public Importer {
 public:
  std::string_view kind() const override { return "gpustat"; }
  int recognise(const ImportProbe& probe) const override {
    // The first lines: a header and a GPU.
    constexpr int kLines = 4;
    int read = 0;
    bool found = false;
    LineSplitter lines;
    lines.push(probe.head.substr(0, 4'096),
               [&](std::string_view line, std::uint64_t) { found = found || (read++ < kLines && isGpuLine(plain(line))); });
    return found ? kToolOutput : 0;
  }
  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    DeviceSeries series(target, out);
    SmiSink sink(series, target, out);
    GpustatText text(sink);
    LineSplitter lines;
    const Status status = readPieces(in, target, stop, [&](std::string_view piece) {
      lines.push(piece, [&](std::string_view line, std::uint64_t offset) { text.line(line, offset, target.resume_at); });
    });
    if (target.final && status.ok() && !lines.partial().empty() && lines.lineStart() >= target.resume_at)
      out.issue({.code = "import.truncated", .source = target.path, .detail = "the last line has no end; it is not imported"});
    report.committed_offset = std::max(lines.lineStart(), target.resume_at);
    return endOfGpustat(status, series, sink, target, report);
  }
};

class GpustatJsonImporter : public Importer {
 public:
  std::string_view kind() const override { return "gpustat_json"; }
  int recognise(const ImportProbe& probe) const override {
    return opensJson(probe.head) && probe.head.find("\"query_time\"") != std::string_view::npos &&
                   probe.head.find("\"gpus\"") != std::string_view::npos
               ? kToolOutput
               : 0;
  }
  // The offset counts documents.
  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    RG_ASSIGN(const JsonDocuments read, readJsonDocuments(in, target.path, stop));
    DeviceSeries series(target, out);
    SmiSink sink(series, target, out);
    for (std::size_t i = target.resume_at; i < read.documents.size(); ++i)
      if (const Json& one = read.documents[i]; one.is_object() && one.contains("gpus") && one["gpus"].is_array()) readDocument(one, sink);
    report.committed_offset = std::max<std::uint64_t>(read.documents.size(), target.resume_at);
    if (!read.problem.empty() && target.final) report.partial_reason = target.path + ": " + read.problem;
    return endOfGpustat({}, series, sink, target, report);
  }
};

}  // namespace

std::unique_ptr<Importer> makeGpustatImporter() { return std::make_unique<GpustatImporter>(); }
std::unique_ptr<Importer> makeGpustatJsonImporter() { return std::make_unique<GpustatJsonImporter>(); }

}  // namespace runglass
