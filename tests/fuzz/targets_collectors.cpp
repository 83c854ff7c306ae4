// SPDX-License-Identifier: Apache-2.0
// Parsers of files and of the wire.
#include <algorithm>
#include <string_view>

#include "collectors/hub/receivers/otlp/otlp_answer.h"
#include "collectors/hub/receivers/otlp/otlp_json.h"
#include "collectors/hub/receivers/otlp/otlp_resource.h"
#include "collectors/hub/receivers/otlp/otlp_value.h"
#include "collectors/hub/receivers/write_request.h"
#include "collectors/hub/server/http2_guard.h"
#include "collectors/importers/chrome_trace/job_sizes.h"
#include "collectors/importers/importer.h"
#include "collectors/importers/importer_registry.h"
#include "collectors/scrape/scrape_page.h"
#include "collectors/sim/scenario.h"
#include "collectors/sources/proc/proc_parse.h"
#include "collectors/wire/edit_message.h"
#include "collectors/wire/payload_replay.h"
#include "tests/collectors/importers/import_fixture.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace runglass;

std::string_view text(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

// The importer is selected by name, not by content, so that damage to the head does not end the test.
void importAs(std::string_view kind, std::string_view bytes) {
  for (const auto& importer : importers()) {
    if (importer->kind() != kind) continue;
    const ImportProbe probe{"fuzz", bytes.substr(0, 64 << 10)};
    (void)importer->recognise(probe);
    (void)importer->identity(probe);
    (void)importer->beginTime(probe);
    test::TextStream stream(bytes, 97);  // an odd piece size crosses every kind of boundary
    test::MemoryRecorder out;
    ImportReport report;
    (void)importer->run(stream, {.run_name = "run", .path = "fuzz"}, out, report, {});
    return;
  }
  std::abort();  // the kind is missing in the registry
}

RG_FUZZ(tfevents) { importAs("tfevents", text(data, size)); }
RG_FUZZ(kineto) { importAs("kineto", text(data, size)); }
RG_FUZZ(chrome_trace) { importAs("chrome_trace", text(data, size)); }
// The first byte decides whether the rest is a snappy block or what one holds.
RG_FUZZ(remote_write) {
  if (size == 0) return;
  const auto unpacked =
      data[0] % 2 == 0 ? unpackSnappy(text(data + 1, size - 1), 1U << 20) : Result<std::string>(std::string(text(data + 1, size - 1)));
  if (!unpacked.ok()) return;
  const auto counts = countWriteRequest(*unpacked);
  if (!counts.ok()) return;
  std::int64_t samples = 0;
  forEachSeries(*unpacked, [&](std::string_view key, std::span<const WriteSample> of_series) {
    samples += static_cast<std::int64_t>(of_series.size());
    if (labelsOf(key).size() > static_cast<std::size_t>(WriteCounts::kMaxLabelsOfSeries)) std::abort();
  });
  if (samples != counts->samples) std::abort();
}
// The first byte decides the signal, and whether the rest is JSON, gzip or protobuf.
RG_FUZZ(otlp) {
  if (size == 0) return;
  const auto signal = static_cast<OtlpSignal>(data[0] % 3);
  const std::string_view body = text(data + 1, size - 1);
  const auto bytes = data[0] / 3 % 3 == 0   ? otlpFromJson(signal, body)
                     : data[0] / 3 % 3 == 1 ? unpackGzip(body, 1U << 20)
                                            : Result<std::string>(std::string(body));
  if (!bytes.ok()) return;
  const auto counts = countOtlp(signal, *bytes);
  if (!counts.ok()) return;
  std::int64_t items = 0;
  OtlpPoint point;
  const auto scope = [](const OtlpScope& one) { (void)resourceOf(one); };
  forEachItem(*bytes, scope, [&](std::string_view item) {
    if (signal == OtlpSignal::kMetrics) {
      (void)forEachPoint(item, point, [&](const OtlpMetric&, const OtlpPoint&) { return ++items, true; });
      return;
    }
    ++items;
    std::string json;
    const std::uint32_t attributes = signal == OtlpSignal::kTraces ? kSpanAttributes : kLogAttributes;
    eachMessage(item, attributes, [&](std::string_view one) { return appendJson(json, attributeOf(one).value), true; });
    (void)textOf(logOf(item).body);
    (void)roleOf(spanOf(item), item);
  });
  if (items != counts->items) std::abort();
}
RG_FUZZ(job_sizes) { (void)parseJobSizes(text(data, size)); }
RG_FUZZ(nsys_sqlite) { importAs("nsys_sqlite", text(data, size)); }
RG_FUZZ(nccl_flight_recorder) { importAs("nccl_flight_recorder", text(data, size)); }
RG_FUZZ(nccl_inspector) { importAs("nccl_inspector", text(data, size)); }
RG_FUZZ(xpu_timer) { importAs("xpu_timer", text(data, size)); }
RG_FUZZ(hf_trainer_state) { importAs("hf_trainer_state", text(data, size)); }
RG_FUZZ(megatron_golden) { importAs("megatron_golden", text(data, size)); }
RG_FUZZ(kernel_log) { importAs("kernel_log", text(data, size)); }
RG_FUZZ(nvidia_smi) { importAs("nvidia_smi", text(data, size)); }
RG_FUZZ(gpustat) { importAs("gpustat", text(data, size)); }
RG_FUZZ(gpustat_json) { importAs("gpustat_json", text(data, size)); }
RG_FUZZ(nccl_tests) { importAs("nccl_tests", text(data, size)); }
RG_FUZZ(perftest) { importAs("perftest", text(data, size)); }
RG_FUZZ(nvbandwidth) { importAs("nvbandwidth", text(data, size)); }
RG_FUZZ(nvbandwidth_json) { importAs("nvbandwidth_json", text(data, size)); }
RG_FUZZ(dcgm_diag) { importAs("dcgm_diag", text(data, size)); }
RG_FUZZ(dcgm_diag_json) { importAs("dcgm_diag_json", text(data, size)); }
RG_FUZZ(amd_smi) { importAs("amd_smi", text(data, size)); }
RG_FUZZ(rocm_smi_csv) { importAs("rocm_smi_csv", text(data, size)); }
RG_FUZZ(rocpd) { importAs("rocpd", text(data, size)); }
RG_FUZZ(npu_smi) { importAs("npu_smi", text(data, size)); }
RG_FUZZ(gpu_telemetry_csv) { importAs("gpu_telemetry_csv", text(data, size)); }
RG_FUZZ(cluster_csv) { importAs("cluster_csv", text(data, size)); }
RG_FUZZ(prometheus_text) { importAs("prometheus_text", text(data, size)); }
RG_FUZZ(mlperf_power) { importAs("mlperf_power", text(data, size)); }
RG_FUZZ(dlrover) { importAs("dlrover", text(data, size)); }
RG_FUZZ(kubernetes) { importAs("kubernetes", text(data, size)); }
RG_FUZZ(csv_layouts) { (void)makeMappedCsvImporter("fuzz.toml", text(data, size)); }
RG_FUZZ(mlperf_mllog) { importAs("mlperf_mllog", text(data, size)); }

// Pages of one target, split at form feeds: the content of a page must not affect the next one.
RG_FUZZ(scrape_page) {
  const ScrapeTarget target{.url = "http://n1:1/metrics", .job = "fuzz", .source = "fuzz", .most_series = 64};
  const ScrapePlace place;
  std::int64_t series = 0;
  ScrapePage page(target, place, series);
  test::MemoryRecorder out;
  std::string_view rest = text(data, size);
  for (TimeNs now = kNsPerSecond; !rest.empty(); now += TargetState::kForgottenAfter / 3) {
    const std::string_view one = rest.substr(0, rest.find('\f'));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    const HttpAnswer head{.status = 200, .content_type = one.starts_with('#') ? "application/openmetrics-text" : "text/plain"};
    page.begin(now);
    for (std::size_t at = 0; at < one.size() && page.body(head, one.substr(at, 97)); at += 97) continue;
    Result<ExporterPart> part = page.finish(head);
    if (!part.ok()) continue;
    ExporterBatch batch;
    batch.add(std::move(*part));
    batch.apply(out);
  }
}

RG_FUZZ(scenario) { (void)sim::parseScenario(text(data, size), "fuzz.toml"); }

RG_FUZZ(wire_payload) {
  PayloadReplay replay("fuzz");
  test::MemoryRecorder out;
  (void)replay.play(text(data, size), out);
}

// Two parts, split at the position given by the first byte.
RG_FUZZ(edit_message) {
  const std::string_view bytes = text(data, size);
  if (bytes.empty()) return;
  const std::size_t cut = std::min<std::size_t>(static_cast<unsigned char>(bytes[0]), bytes.size() - 1) + 1;
  EditAssembly assembly;
  for (const std::string_view part : {bytes.substr(1, cut - 1), bytes.substr(cut)}) {
    v1::EditPart message;
    if (!message.ParseFromArray(part.data(), static_cast<int>(part.size())) || !assembly.add(message).ok()) return;
  }
  const auto edit = assembly.take();
  if (edit.ok()) (void)checkEdit(*edit);
}

RG_FUZZ(proc) {
  const std::string_view bytes = text(data, size);
  (void)proc::parseStat(bytes);
  (void)proc::parseNamedNumbers(bytes);
  (void)proc::parsePressure(bytes);
  (void)proc::parseDiskstats(bytes);
  (void)proc::parseNetDev(bytes);
  (void)proc::parseMounts(bytes);
  (void)proc::parseBuddyinfo(bytes, 9, 4096);
  (void)proc::parseProcessStat(bytes);
  (void)proc::environValue(bytes, "RANK");
}

}  // namespace

// Bytes of a client and answers of the hub in turns: the first byte of a piece gives its sender, whether a call was admitted, and its
// length.
RG_FUZZ(http2_guard) {
  Http2Guard guard;
  std::string waiting(Http2Guard::kPreface);
  std::string_view rest = text(data, size);
  for (DurNs now = kNsPerSecond; rest.size() >= 2 && guard.verdict() != Http2Guard::Verdict::kBreak; now += kNsPerMs) {
    const auto how = static_cast<unsigned char>(rest[0]), length = static_cast<unsigned char>(rest[1]);
    const std::string_view piece = rest.substr(2, length);
    rest.remove_prefix(2 + piece.size());
    if ((how & 1U) != 0) {
      guard.answered(piece);
      continue;
    }
    if ((how & 2U) != 0) guard.admit();
    waiting += piece;
    const std::size_t most = how * std::size_t{16}, passed = guard.pass(waiting, most, now);
    if (passed > waiting.size() || (!guard.admitted() && passed > most)) std::abort();
    if (guard.passed() > Http2Guard::kBytesBefore || guard.openCalls() > Http2Guard::kCalls) std::abort();
    waiting.erase(0, passed);
  }
}
