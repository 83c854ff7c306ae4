// SPDX-License-Identifier: Apache-2.0
// The speed of storing samples and of reading bins, and the bytes per sample. Data sets: G = a noisy gauge with three decimals, F = the
// same unrounded, I = a small integer that changes by one in 2 % of samples; timestamps m = 1 ms with 1 % slips of another 1 ms, n = 1 ms
// nominal with 8 us of Gaussian jitter in ns. 1,000 series x 10,000 samples; one thread. Ingest is timed from the first record call until
// close() has folded everything into one file.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <random>
#include <string>

#include "storage/codec/sample_chunk.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/bench/calibration.h"

namespace runglass {
namespace {

constexpr std::size_t kSeries = 1000, kPoints = 10'000, kBins = 2000;
constexpr TimeNs kStart = 1'790'000'000'000'000'000;

struct Columns {
  std::vector<TimeNs> time;
  std::vector<double> value;
};

std::vector<TimeNs> timesOf(char kind, std::size_t n, std::mt19937_64& random) {
  std::vector<TimeNs> time(n);
  std::normal_distribution<double> jitter(0, 8000);
  TimeNs now = kStart;
  for (std::size_t i = 0; i < n; ++i) {
    time[i] = kind == 'm' ? now : kStart + static_cast<TimeNs>(i) * kNsPerMs + static_cast<TimeNs>(jitter(random));
    now += kNsPerMs * (random() % 100 == 0 ? 2 : 1);
  }
  return time;
}

Columns columnsOf(char set, char times, std::size_t series, std::size_t n) {
  std::mt19937_64 random(series * 7919 + 1);
  std::normal_distribution<double> noise;
  Columns c{timesOf(times, n, random), std::vector<double>(n)};
  double level = 40 + static_cast<double>(series % 50);
  for (std::size_t i = 0; i < n; ++i) {
    if (set == 'I') {
      if (random() % 50 == 0) level += random() % 2 == 0 ? 1 : -1;
      c.value[i] = level;
      continue;
    }
    const double v = 250 + static_cast<double>(series % 100) + 40 * std::sin(0.0005 * static_cast<double>(i)) + 5 * noise(random);
    c.value[i] = set == 'G' ? std::round(v * 1000) / 1000 : v;
  }
  return c;
}

// Generated once per set: generating takes longer than storing.
const std::vector<Columns>& dataSet(char set, char times) {
  static std::map<std::pair<char, char>, std::vector<Columns>> sets;
  auto& columns = sets[{set, times}];
  if (columns.empty()) {
    if (sets.size() > 2) {
      sets.clear();
      return dataSet(set, times);
    }
    for (std::size_t s = 0; s < kSeries; ++s) columns.push_back(columnsOf(set, times, s, kPoints));
  }
  return columns;
}

std::string storePath(const char* name) {
  const char* folder = std::getenv("RG_BENCH_DIR");
  return (std::filesystem::path(folder != nullptr ? folder : std::filesystem::temp_directory_path().c_str()) /
          ("rg-bench-" + std::to_string(::getpid()) + "-" + name + ".rgl"))
      .string();
}

[[noreturn]] void die(const Status& status) {
  std::fprintf(stderr, "bench: %s\n", status.message().c_str());
  std::exit(1);
}
void must(const Status& status) {
  if (!status.ok()) die(status);
}
template <class T>
T must(Result<T> result) {
  if (!result.ok()) die(result.status());
  return std::move(result).value();
}

std::vector<SeriesId> declare(Writer& writer, std::size_t n) {
  std::vector<SeriesId> ids;
  SeriesKey key;
  key.node = writer.node({.id = {}, .uuid = "bench", .name = "bench", .rack = {}, .fabric_switch = {}, .state = {}, .last_heard = {}});
  key.unit = "watts";
  for (std::size_t s = 0; s < n; ++s) {
    key.metric = "bench_" + std::to_string(s) + "_watts";
    ids.push_back(writer.series(key));
  }
  return ids;
}

// The samples in order of arrival: `batch` of each series, then the next `batch`; adjacent in memory, as in a decoded message.
struct Arrivals {
  std::size_t series, points, batch;
  std::vector<TimeNs> time;
  std::vector<double> value;
};

Arrivals arrivalsOf(const std::vector<Columns>& data, std::size_t batch) {
  Arrivals a{data.size(), data[0].time.size(), batch, {}, {}};
  for (std::size_t at = 0; at < a.points; at += batch) {
    const auto from = static_cast<std::ptrdiff_t>(at), to = static_cast<std::ptrdiff_t>(std::min(at + batch, a.points));
    for (const Columns& c : data) {
      a.time.insert(a.time.end(), c.time.begin() + from, c.time.begin() + to);
      a.value.insert(a.value.end(), c.value.begin() + from, c.value.begin() + to);
    }
  }
  return a;
}

void fill(const std::string& path, const Arrivals& data, bool journal) {
  std::filesystem::remove(path);
  auto writer = must(openStore(path).writer());
  const auto ids = declare(*writer, data.series);
  const StreamKey stream{"agent", "session", 0};
  std::string payload;
  std::uint64_t seq = 0;
  const TimeNs* time = data.time.data();
  const double* value = data.value.data();
  for (std::size_t at = 0; at < data.points; at += data.batch) {
    const std::size_t m = std::min(data.batch, data.points - at);
    if (journal) {
      // The size of a batch on the wire: 10 bytes per sample.
      payload.assign(data.series * m * 10, static_cast<char>(seq));
      must(writer->journal(stream, seq++, payload));
    }
    for (const SeriesId id : ids) {
      writer->samples(id, {time, m}, {value, m});
      time += m;
      value += m;
    }
    must(writer->flushIfDue());
  }
  must(writer->close());
}

void ingest(benchmark::State& state, char set, char times, std::size_t batch, bool journal) {
  const Arrivals data = arrivalsOf(dataSet(set, times), batch);
  const std::string path = storePath("ingest");
  for (auto _ : state) fill(path, data, journal);
  const double samples = static_cast<double>(kSeries * kPoints);
  state.counters["samples_per_s"] = benchmark::Counter(samples * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["bytes_per_sample"] = static_cast<double>(std::filesystem::file_size(path)) / samples;
  if (std::getenv("RG_BENCH_KEEP") == nullptr) std::filesystem::remove(path);
}

// One series of 10 M samples of G, generated once.
const std::string& longStore() {
  static const std::string path = [] {
    std::string p = storePath("long");
    fill(p, arrivalsOf({columnsOf('G', 'm', 0, 10'000'000)}, 10'000), false);
    return p;
  }();
  return path;
}
const std::string& wideStore() {
  static const std::string path = [] {
    std::string p = storePath("wide");
    fill(p, arrivalsOf(dataSet('G', 'm'), 10), false);
    return p;
  }();
  return path;
}

void binsOfLong(benchmark::State& state, bool cold) {
  const std::string& path = longStore();
  std::unique_ptr<Reader> reader = must(openStore(path).reader());
  const auto series = must(reader->series({}));
  const auto& s = series.at(0);
  for (auto _ : state) {
    if (cold) {
      state.PauseTiming();
      reader = must(openStore(path).reader());
      state.ResumeTiming();
    }
    benchmark::DoNotOptimize(must(reader->bins(s.id, Axis::kX, s.first_x, s.last_x + 1, kBins)));
  }
}
void binsOfLongCold(benchmark::State& state) { binsOfLong(state, true); }
void binsOfLongWarm(benchmark::State& state) { binsOfLong(state, false); }

void binsOfWide(benchmark::State& state) {
  auto reader = must(openStore(wideStore()).reader());
  const auto series = must(reader->series({}));
  for (auto _ : state) {
    for (const Series& s : series) benchmark::DoNotOptimize(must(reader->bins(s.id, Axis::kX, s.first_x, s.last_x + 1, kBins)));
  }
}

void readAll(benchmark::State& state) {
  auto reader = must(openStore(longStore()).reader());
  for (auto _ : state) benchmark::DoNotOptimize(must(reader->samples({1}, {})));
  state.counters["samples_per_s"] = benchmark::Counter(1e7 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void decode(benchmark::State& state, char set, char times) {
  const Columns c = columnsOf(set, times, 0, kChunkPoints);
  SampleBody body;
  MappedValues mapped;
  for (std::size_t at = 0; at < kChunkPoints; at += kBlockPoints)
    body.append(c.time.data() + at, nullptr, c.value.data() + at, kBlockPoints, mapped);
  const std::string blob = sealSampleChunk(body.bytes(), false, true);
  std::vector<std::int64_t> x(kChunkPoints);
  std::vector<double> value(kChunkPoints);
  for (auto _ : state) {
    if (!decodeSampleChunk(blob, kChunkPoints, c.time[0], x.data(), nullptr, value.data())) state.SkipWithError("does not decode");
    benchmark::DoNotOptimize(value.data());
  }
  state.counters["samples_per_s"] =
      benchmark::Counter(static_cast<double>(kChunkPoints) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["bytes_per_sample"] = static_cast<double>(blob.size()) / static_cast<double>(kChunkPoints);
}

void encode(benchmark::State& state, char set, char times) {
  const Columns c = columnsOf(set, times, 0, kChunkPoints);
  SampleBody body;
  MappedValues mapped;
  for (auto _ : state) {
    body.clear();
    for (std::size_t at = 0; at < kChunkPoints; at += kBlockPoints)
      body.append(c.time.data() + at, nullptr, c.value.data() + at, kBlockPoints, mapped);
    benchmark::DoNotOptimize(body.bytes().data());
  }
  state.counters["samples_per_s"] =
      benchmark::Counter(static_cast<double>(kChunkPoints) * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(encode, G_m, 'G', 'm');
BENCHMARK_CAPTURE(encode, I_m, 'I', 'm');
BENCHMARK_CAPTURE(encode, F_n, 'F', 'n');
BENCHMARK_CAPTURE(decode, G_m, 'G', 'm');
BENCHMARK_CAPTURE(decode, I_m, 'I', 'm');
BENCHMARK_CAPTURE(decode, F_n, 'F', 'n');
#define RG_INGEST(name, ...) \
  BENCHMARK_CAPTURE(ingest, name, __VA_ARGS__)->Unit(benchmark::kMillisecond)->Iterations(1)->Repetitions(5)->UseRealTime()
RG_INGEST(G_m, 'G', 'm', 10, false);
RG_INGEST(G_m_1000_per_batch, 'G', 'm', 1000, false);
RG_INGEST(G_m_journal, 'G', 'm', 10, true);
RG_INGEST(I_m, 'I', 'm', 10, false);
RG_INGEST(F_m, 'F', 'm', 10, false);
RG_INGEST(G_n, 'G', 'n', 10, false);
RG_INGEST(I_m_1000_per_batch, 'I', 'm', 1000, false);
RG_INGEST(I_n, 'I', 'n', 10, false);
RG_INGEST(F_n, 'F', 'n', 10, false);
BENCHMARK(binsOfLongCold)->Name("bins/1x10M_to_2000/cold")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(binsOfLongWarm)->Name("bins/1x10M_to_2000/warm")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(binsOfWide)->Name("bins/1000x10k_to_2000")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(readAll)->Name("read/1x10M")->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace runglass

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  for (const char* name : {"long", "wide"}) std::filesystem::remove(runglass::storePath(name));
  return 0;
}
