// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline's speed with software rendering at 1600 x 900: 10 M spans on 512 tracks, one stream for each of 512 ranks, zoomed and panned
// with real wheel and key events; `rows`: as many tracks as are readable, `dense`: all 512 at once.
//
// frame: wall time in which a window paints everything that an input invalidated. fresh: from the input until the pixels that belong to it
// are painted. first: from creating the view until its first final picture. RUNGLASS_BENCH_SPANS reduces the size.
#include <benchmark/benchmark.h>
#include <QCoreApplication>

#include <QKeyEvent>
#include <QTemporaryDir>
#include <QWheelEvent>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/bench/calibration.h"
#include "tests/bench/timed_application.h"
#include "widgets/timeline/timeline_view.h"

namespace runglass {
namespace {

constexpr int kTracks = 512, kWorkers = 3;
constexpr TimeNs kStart = 1'795'211'434LL * kNsPerSecond;

std::size_t spanCount() {
  const char* wanted = std::getenv("RUNGLASS_BENCH_SPANS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 10'000'000;
}

// Steps of a second: kernels and collectives with gaps, a pause between steps.
const std::string& storePath() {
  static QTemporaryDir folder;
  static const std::string path = folder.filePath("timeline.rgl").toStdString();
  static bool made = false;
  if (made) return path;
  made = true;
  auto opened = openStore(path).writer();
  if (!opened.ok()) std::abort();
  std::unique_ptr<Writer> writer = std::move(opened).value();
  const std::size_t each = spanCount() / kTracks;
  const AttemptId attempt = writer->attempt({.run = writer->run({.name = "run", .start = kStart})});
  TimeNs end = kStart;
  for (int t = 0; t < kTracks; ++t) {
    std::mt19937_64 random(static_cast<std::uint64_t>(t));
    writer->rank({.attempt = attempt, .rank = t});
    const TrackId track = writer->track({.attempt = attempt, .rank = t, .kind = "gpu_stream", .name = "GPU 0 stream 7"});
    SpanColumns spans;
    for (int i = 0; i < 50; ++i) spans.names.push_back("kernel_" + std::to_string(i));
    TimeNs at = kStart;
    for (std::size_t i = 0; i < each; ++i) {
      if (i % 1'000 == 999) at += 100 * kNsPerMs;
      const auto name = static_cast<std::uint32_t>(random() % 50);
      const auto dur = static_cast<DurNs>(20'000 * (1 + name) + random() % 20'000);
      spans.start.push_back(at), spans.dur.push_back(dur), spans.name.push_back(name);
      spans.category.push_back(name < 8 ? SpanCategory::kComm : SpanCategory::kCompute);
      at += dur + static_cast<DurNs>(random() % 50'000);
    }
    end = std::max(end, at);
    writer->spans(track, spans);
    if (!writer->flushIfDue().ok()) std::abort();
  }
  writer->run({.name = "run", .start = kStart, .end = end});
  if (!writer->close().ok()) std::abort();
  return path;
}

double residentMib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

class Scene {
 public:
  Scene() : queries([] { return openStore(storePath()).reader(); }, kWorkers), view({&queries, &state}, nullptr) {
    view.resize(1600, 900);
    view.show();
    view.applyState(state.state());
    QObject::connect(&state, &SharedState::changed, &view, [this] { view.applyState(state.state()); });
    finish();
  }
  void finish() {
    do {
      QCoreApplication::processEvents(QEventLoop::AllEvents);
    } while (!view.isFinal());
    QCoreApplication::processEvents(QEventLoop::AllEvents);
  }
  void dense() {
    view.showAllRanks();
    for (int i = 0; i < 3; ++i) key(Qt::Key_Minus);
    finish();
  }
  void wheel(double share, int notches, Qt::KeyboardModifiers modifiers) {
    const QPointF at(TimelineCanvas::kGutter + share * view.canvas()->timeWidth(), 200);
    QWheelEvent event(at, view.canvas()->mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(view.canvas(), &event);
  }
  void key(Qt::Key key) {
    QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
    QCoreApplication::sendEvent(view.canvas(), &event);
  }
  SharedState state;
  QueryService queries;
  TimelineView view;
};

void first(benchmark::State& state) {
  storePath();
  for (auto unused : state) {
    static_cast<void>(unused);
    Scene scene;
  }
  state.counters["rss_mib"] = residentMib();
}

template <class Input>
void gesture(benchmark::State& state, bool dense, Input input) {
  storePath();
  Scene s;
  if (dense) s.dense();
  auto& frames = static_cast<TimedApplication*>(qApp)->frames;
  frames.clear();
  std::vector<double> fresh;
  int step = 0;
  for (auto unused : state) {
    static_cast<void>(unused);
    const TimeNs begun = monotonicNow();
    input(s, step++);
    s.finish();
    fresh.push_back(static_cast<double>(monotonicNow() - begun) / 1e6);
  }
  state.counters["rows"] = static_cast<double>(s.view.canvas()->visibleRows().size());
  state.counters["frame_p50_ms"] = quantile(frames, 0.5);
  state.counters["frame_p99_ms"] = quantile(frames, 0.99);
  state.counters["fresh_p50_ms"] = quantile(fresh, 0.5);
  state.counters["fresh_p99_ms"] = quantile(fresh, 0.99);
  state.counters["rss_mib"] = residentMib();
}

// From the whole run to tens of ns and out again.
void zoomIn(Scene& s, int step) { s.wheel(0.37, step % 160 < 80 ? 1 : -1, Qt::ControlModifier); }
// Across the run in windows of a tenth.
void panAcross(Scene& s, int step) {
  if (step == 0)
    for (int i = 0; i < 10; ++i) s.wheel(0.1, 1, Qt::ControlModifier);
  s.key(step % 120 < 60 ? Qt::Key_D : Qt::Key_A);
}

BENCHMARK(first)->Name("timeline/first_picture")->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);
BENCHMARK_CAPTURE(gesture, zoom_rows, false, zoomIn)
    ->Name("timeline/zoom_rows")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(160);
BENCHMARK_CAPTURE(gesture, pan_rows, false, panAcross)
    ->Name("timeline/pan_rows")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(240);
BENCHMARK_CAPTURE(gesture, zoom_dense, true, zoomIn)
    ->Name("timeline/zoom_dense")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(160);
BENCHMARK_CAPTURE(gesture, pan_dense, true, panAcross)
    ->Name("timeline/pan_dense")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime()
    ->Iterations(120);

}  // namespace
}  // namespace runglass

int main(int argc, char** argv) { return runglass::runGuiBenchmarks(argc, argv); }
