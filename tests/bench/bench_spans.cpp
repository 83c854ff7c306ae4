// SPDX-License-Identifier: Apache-2.0
// Spans: storing, bytes per span, and pictures of many spans. Kernels are those of a real trace (../shared/data, the largest of its kind),
// repeated one after the other, without arguments; without that folder, generated ones of the same shape. One thread. A picture is 500
// tracks at 2,000 pixels over 100 M stored spans: first by a newly opened Reader, then again.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>

#include "collectors/importers/session/import_session.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/bench/calibration.h"

namespace runglass {
namespace {

constexpr TimeNs kStart = 1'790'000'000'000'000'000;
constexpr std::size_t kTracks = 500, kPixels = 2'000;

std::string storePath(const char* name) {
  return (std::filesystem::temp_directory_path() / ("rg-bench-" + std::to_string(::getpid()) + "-" + name + ".rgl")).string();
}

// One lane's kernels, in order, without overlaps; length: until the next round may begin.
struct Kernels {
  SpanColumns columns;
  DurNs length = 0;
  const char* from = "made";
};

SpanColumns gpuSpansOf(const std::string& trace) {
  SpanColumns best;
  const std::string path = storePath("trace");
  auto writer = openStore(path).writer();
  RG_CHECK(writer.ok());
  RG_CHECK(ImportSession(**writer, {}).import({trace}).ok() && (*writer)->close().ok());
  auto reader = openStore(path).reader();
  RG_CHECK(reader.ok());
  const auto tracks = (*reader)->tracks(AttemptId{1});
  RG_CHECK(tracks.ok());
  for (const Track& track : *tracks) {
    if (track.key.kind != "gpu_stream") continue;
    auto spans = (*reader)->spans(track.id, {});
    if (spans.ok() && spans->size() > best.size()) best = std::move(*spans);
  }
  writer->reset();
  std::filesystem::remove(path);
  return best;
}

// Without the ranges that annotations draw around them, and without arguments.
SpanColumns kernelsOf(const SpanColumns& all) {
  SpanColumns some;
  some.names = all.names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (spanClass(all.category[i]) == SpanClass::kHost) continue;
    some.start.push_back(all.start[i]), some.dur.push_back(all.dur[i]), some.name.push_back(all.name[i]);
    some.category.push_back(all.category[i]);
    if (!all.correlation.empty()) some.correlation.push_back(all.correlation[i]);
    if (!all.external_id.empty()) some.external_id.push_back(all.external_id[i]);
  }
  return some;
}

SpanColumns madeSpans() {
  SpanColumns columns;
  std::mt19937_64 random(5);
  TimeNs at = 0;
  for (int i = 0; i < 40; ++i) columns.names.push_back("void kernel_" + std::to_string(i) + "<float>(float*, int)");
  for (int i = 0; i < 20'000; ++i) {
    at += 800 + static_cast<TimeNs>(random() % 4'000);
    const auto kind = static_cast<std::uint32_t>(random() % 40);
    const DurNs dur = 2'000 + kind * 3'000 + static_cast<DurNs>(random() % (500 + kind * 60));
    columns.start.push_back(at), columns.dur.push_back(dur), columns.name.push_back(kind);
    columns.category.push_back(kind < 6 ? SpanCategory::kComm : SpanCategory::kCompute);
    columns.correlation.push_back(i * 3), columns.external_id.push_back(i * 2);
    at += dur;
  }
  return columns;
}

const Kernels& kernels() {
  static const Kernels made = [] {
    Kernels k;
    const std::string trace = std::string(RG_SHARED_DATA) + "/kineto/tracelens_xdit_flux1_rank0.json.gz";
    if (std::filesystem::exists(trace)) k.columns = gpuSpansOf(trace), k.from = "tracelens_xdit_flux1_rank0";
    if (k.columns.size() < 1'000) k.columns = madeSpans(), k.from = "made";
    k.columns = kernelsOf(k.columns);
    const TimeNs first = k.columns.start.front();
    for (TimeNs& start : k.columns.start) start -= first;
    for (std::size_t i = 0; i < k.columns.size(); ++i)
      k.length = std::max(k.length, k.columns.start[i] + std::max<DurNs>(k.columns.dur[i], 1) + 20'000);
    return k;
  }();
  return made;
}

// Rounds of the kernels until `count` spans, in batches of one round, distributed to the tracks in turn.
void record(Writer& writer, const std::vector<TrackId>& tracks, std::int64_t count) {
  SpanColumns batch = kernels().columns;
  for (std::int64_t done = 0, round = 0; done < count; done += static_cast<std::int64_t>(batch.size()), ++round) {
    const TimeNs shift = kStart + round / static_cast<std::int64_t>(tracks.size()) * kernels().length;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      batch.start[i] = shift + kernels().columns.start[i];
      for (auto* ids : {&batch.correlation, &batch.external_id})
        if (!ids->empty() && (*ids)[i] != kAbsent) (*ids)[i] += 1;
    }
    writer.spans(tracks[static_cast<std::size_t>(round) % tracks.size()], batch);
    RG_CHECK(writer.flushIfDue().ok());
  }
}

std::vector<TrackId> declare(Writer& writer, std::size_t count) {
  const AttemptId attempt = writer.attempt({.run = writer.run({.name = "bench"})});
  std::vector<TrackId> tracks;
  for (std::size_t i = 0; i < count; ++i)
    tracks.push_back(writer.track({.attempt = attempt, .rank = static_cast<std::int32_t>(i), .kind = "gpu_stream", .name = "stream 7"}));
  return tracks;
}

void BM_SpansToCommit(benchmark::State& state) {
  constexpr std::int64_t kSpans = 4'000'000;
  const std::string path = storePath("commit");
  kernels();
  for (auto unused : state) {
    static_cast<void>(unused);
    auto writer = openStore(path).writer();
    RG_CHECK(writer.ok());
    record(**writer, declare(**writer, 8), kSpans);
    RG_CHECK((*writer)->close().ok());
    state.PauseTiming();
    state.counters["bytes_per_span"] = static_cast<double>(std::filesystem::file_size(path)) / static_cast<double>(kSpans);
    std::filesystem::remove(path);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * kSpans);
  state.SetLabel(kernels().from);
}
BENCHMARK(BM_SpansToCommit)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

class Pictures : public benchmark::Fixture {
 public:
  static constexpr std::int64_t kSpans = 100'000'000;
  void SetUp(benchmark::State&) override {
    if (!s_path.empty()) return;
    s_path = storePath("picture");
    auto writer = openStore(s_path).writer();
    RG_CHECK(writer.ok());
    s_tracks = declare(**writer, kTracks);
    record(**writer, s_tracks, kSpans);
    RG_CHECK((*writer)->close().ok());
    const auto size = static_cast<std::int64_t>(kernels().columns.size());
    const std::int64_t rounds = (kSpans + size - 1) / size, each = (rounds + kTracks - 1) / static_cast<std::int64_t>(kTracks);
    s_range = {kStart, kStart + each * kernels().length};
  }
  static std::string s_path;
  static std::vector<TrackId> s_tracks;
  static TimeRange s_range;

 protected:
  // The last 1/`zoom` of the time.
  void draw(benchmark::State& state, Reader& reader, std::int64_t zoom) {
    const TimeRange range{s_range.t1 - (s_range.t1 - s_range.t0) / zoom, s_range.t1};
    const auto picture = reader.spanPicture(s_tracks, range, (range.t1 - range.t0) / static_cast<DurNs>(kPixels));
    if (!picture.ok()) return state.SkipWithError(picture.status().message().c_str());
    std::size_t bars = 0;
    double spans = 0;
    for (const auto& lane : picture->lanes) {
      bars += lane.bars.size();
      for (const SpanBar& bar : lane.bars) spans += bar.count;
    }
    state.counters["bars"] = static_cast<double>(bars);
    state.counters["spans"] = spans;
    state.counters["exact"] = picture->exact ? 1 : 0;
  }
};
std::string Pictures::s_path;
std::vector<TrackId> Pictures::s_tracks;
TimeRange Pictures::s_range;

BENCHMARK_DEFINE_F(Pictures, First)(benchmark::State& state) {
  for (auto unused : state) {
    static_cast<void>(unused);
    auto reader = openStore(s_path).reader();
    RG_CHECK(reader.ok());
    draw(state, **reader, state.range(0));
  }
}
BENCHMARK_REGISTER_F(Pictures, First)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

BENCHMARK_DEFINE_F(Pictures, Again)(benchmark::State& state) {
  auto reader = openStore(s_path).reader();
  RG_CHECK(reader.ok());
  draw(state, **reader, state.range(0));
  for (auto unused : state) {
    static_cast<void>(unused);
    draw(state, **reader, state.range(0));
  }
}
BENCHMARK_REGISTER_F(Pictures, Again)->Arg(1)->Arg(10)->Arg(100)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace runglass

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  if (!runglass::Pictures::s_path.empty()) std::filesystem::remove(runglass::Pictures::s_path);
  return 0;
}
