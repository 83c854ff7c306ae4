// SPDX-License-Identifier: Apache-2.0
// Event files: scalar events per second, for parsing alone and from file to commit (2 M events of 10 tags, as a trainer writes them).
// Traces: bytes of JSON per second from file to commit, with arguments (1.2 M events as Kineto writes them, time base at the end).
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "collectors/importers/session/import_session.h"
#include "collectors/importers/tfevents/tfevents_parser.h"
#include "model/crc32c.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/bench/calibration.h"

namespace {
using namespace runglass;

constexpr int kEvents = 2'000'000, kTags = 10, kSpans = 1'200'000;

template <class T>
void append(std::string& to, T value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void appendRecord(std::string& to, std::string_view data) {
  const auto masked = [](std::uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xA282EAD8U; };
  std::string length;
  append<std::uint64_t>(length, data.size());
  to += length;
  append(to, masked(crc32c(length)));
  to += data;
  append(to, masked(crc32c(data)));
}

// One event per scalar, the events of a step together: wall_time, step, summary { value { tag, simple_value } }.
std::string eventFile() {
  std::string file, data;
  data += '\x09';
  append(data, 1.7e9);
  data += std::string("\x1A\x0D") + "brain.Event:2";
  appendRecord(file, data);
  std::uint32_t noise = 1;
  for (int i = 0; i < kEvents; ++i) {
    noise = noise * 1664525U + 1013904223U;
    const std::string tag = "train/metric_" + std::to_string(i % kTags);
    std::string value = std::string("\x0A") + static_cast<char>(tag.size()) + tag + '\x15';
    append(value, 2.5F + static_cast<float>(noise >> 8) * 1e-9F);
    data = '\x09';
    auto step = static_cast<std::uint32_t>(i / kTags);
    append(data, 1.7e9 + 0.137 * step + 1e-5 * (i % kTags));
    data += '\x10';
    for (; step >= 0x80; step >>= 7) data += static_cast<char>(step | 0x80);
    data += static_cast<char>(step);
    data += '\x2A';
    data += static_cast<char>(value.size() + 2);
    data += '\x0A';
    data += static_cast<char>(value.size());
    appendRecord(file, data += value);
  }
  return file;
}

const std::string& sharedFile() {
  static const std::string kFile = eventFile();
  return kFile;
}

void countEvents(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * kEvents);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(sharedFile().size()));
}

void BM_TfeventsParse(benchmark::State& state) {
  const std::string& file = sharedFile();
  for (auto unused : state) {
    static_cast<void>(unused);
    std::size_t points = 0;
    TfeventsParser parser([&](const std::string&, const TfeventsParser::Scalars& batch) { points += batch.step.size(); });
    for (std::size_t at = 0; at < file.size(); at += 1 << 20) parser.feed(std::string_view(file).substr(at, 1 << 20));
    parser.flush();
    if (points != kEvents) state.SkipWithError("the parser lost events");
  }
  countEvents(state);
}
BENCHMARK(BM_TfeventsParse)->Unit(benchmark::kMillisecond);

// Imports `path` into a new store repeatedly; `right` checks the result of the single file.
template <class Right>
void fileToCommit(benchmark::State& state, const std::string& name, const std::string& content, const char* per, double count,
                  Right right) {
  std::string folder = (std::filesystem::temp_directory_path() / "bench_import_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return state.SkipWithError("cannot make a temporary folder");
  const std::string file = folder + "/" + name, store = folder + "/s.rgl";
  std::ofstream(file, std::ios::binary) << content;
  for (auto unused : state) {
    static_cast<void>(unused);
    auto writer = openStore(store).writer();
    if (!writer.ok()) {
      state.SkipWithError(writer.status().message().c_str());
      break;
    }
    const auto results = ImportSession(**writer, {}).import({file});
    const Status closed = (*writer)->close();
    if (!results.ok() || !closed.ok() || results->size() != 1 || !right(results->front())) state.SkipWithError("the import lost something");
    state.counters[per] = static_cast<double>(std::filesystem::file_size(store)) / count;
    state.PauseTiming();
    writer->reset();
    std::filesystem::remove(store);
    state.ResumeTiming();
  }
  std::filesystem::remove_all(folder);
}

void BM_TfeventsFileToCommit(benchmark::State& state) {
  fileToCommit(state, "events.out.tfevents.1700000000.bench", sharedFile(), "bytes_per_point", kEvents,
               [](const FileResult& result) { return result.points == kEvents; });
  countEvents(state);
}
// The writer uses its own threads: wall time is the user's waiting time.
BENCHMARK(BM_TfeventsFileToCommit)->Unit(benchmark::kMillisecond)->UseRealTime();

std::string makeTrace() {
  std::string text = "{\n  \"schemaVersion\": 1,\n  \"traceEvents\": [\n";
  char line[512];
  std::uint32_t noise = 1;
  for (int i = 0; i < kSpans; ++i) {
    noise = noise * 1664525U + 1013904223U;
    const double at = 1'000'000 + i * 3.137;
    std::snprintf(
        line, sizeof line,
        "  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"void at::native::vectorized_elementwise_kernel<%u, float>\", \"pid\": 0, "
        "\"tid\": %u,\n    \"ts\": %.3f, \"dur\": %.3f,\n    \"args\": {\n      \"External id\": %d, \"device\": 0, \"stream\": %u, "
        "\"correlation\": %d, \"registers per thread\": 32, \"shared memory\": 0, \"grid\": [%u, 1, 1], \"block\": [128, 1, 1]\n    }\n  "
        "},\n",
        noise >> 26, 7 + i % 4, at, 1 + (noise >> 20) * 1e-3, i, 7 + i % 4, i, noise >> 22);
    text += line;
  }
  text.resize(text.size() - 2);
  return text + "\n  ],\n  \"baseTimeNanoseconds\": 1759300074000000000\n}\n";
}

const std::string& sharedTrace() {
  static const std::string trace = makeTrace();
  return trace;
}

void BM_KinetoFileToCommit(benchmark::State& state) {
  const std::string& file = sharedTrace();
  fileToCommit(state, "rank0.json", file, "bytes_per_span", kSpans, [](const FileResult& result) { return result.spans == kSpans; });
  state.SetItemsProcessed(state.iterations() * kSpans);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file.size()));
}
BENCHMARK(BM_KinetoFileToCommit)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
