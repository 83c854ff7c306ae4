// SPDX-License-Identifier: GPL-3.0-or-later
// The console's speed with software rendering: 64 curves of a million points each, panned and zoomed with real wheel and key events.
//
// frame: wall time in which a window paints everything that an input invalidated. fresh: from the input until the pixels that belong to it
// are painted, with no query running or queued (repainting stale pixels does not count). RUNGLASS_BENCH_POINTS reduces the size.
#include <benchmark/benchmark.h>
#include <QCoreApplication>

#include <QKeyEvent>
#include <QTemporaryDir>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/bench/calibration.h"
#include "tests/bench/timed_application.h"
#include "widgets/charts/plot_picture.h"
#include "widgets/charts/raster.h"
#include "widgets/core/finding_span.h"
#include "widgets/curves/curves_view.h"

namespace runglass {
namespace {

constexpr int kCurves = 64;
constexpr std::size_t kDefaultPoints = 1'000'000;
constexpr int kWorkers = 3;

std::size_t pointCount() {
  const char* wanted = std::getenv("RUNGLASS_BENCH_POINTS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : kDefaultPoints;
}

// A store with one tag in 64 runs: a falling loss with noise and single spikes.
const std::string& storePath() {
  static QTemporaryDir folder;
  static const std::string path = folder.filePath("gui.rgl").toStdString();
  static bool made = false;
  if (made) return path;
  made = true;
  auto opened = openStore(path).writer();
  if (!opened.ok()) std::abort();
  std::unique_ptr<Writer> writer = std::move(opened).value();
  const std::size_t points = pointCount();
  std::vector<std::int64_t> steps(points);
  std::vector<TimeNs> times(points);
  std::vector<double> values(points);
  for (std::size_t i = 0; i < points; ++i) {
    steps[i] = static_cast<std::int64_t>(i);
    times[i] = 1'795'211'434LL * kNsPerSecond + static_cast<std::int64_t>(i) * 250 * kNsPerMs;
  }
  std::mt19937_64 random(11);
  std::normal_distribution<double> noise(0, 0.08);
  for (int curve = 0; curve < kCurves; ++curve) {
    for (std::size_t i = 0; i < points; ++i)
      values[i] = 1.5 + 0.03 * curve + 8 * std::exp(-static_cast<double>(i) / 60'000) + static_cast<float>(noise(random)) +
                  (i % 90'001 == 77 ? 3 : 0);
    const AttemptId attempt = writer->attempt({.run = writer->run({.name = "run-" + std::to_string(curve), .start = times[0]})});
    writer->scalars(writer->series({.attempt = attempt, .metric = "lm loss", .kind = SeriesKind::kScalar}), steps, times, values);
    if (!writer->flush().ok()) std::abort();
  }
  return path;
}

class Scene {
 public:
  explicit Scene(const std::string& path)
      : queries([path] { return openStore(path).reader(); }, kWorkers), view({&queries, &state}, nullptr) {
    view.resize(1920, 1080);
    view.show();
    view.applyState(state.state());
    finish();
    view.tags()->setHiddenRuns({});
    finish();
    plot = view.cards().front()->plot();
    plot->setFocus();
  }
  // Runs until nothing is queried, queued or to be painted.
  void finish() {
    do {
      QCoreApplication::processEvents(QEventLoop::AllEvents);
    } while (!view.isFinal());
    QCoreApplication::processEvents(QEventLoop::AllEvents);
  }
  void wheel(double share, int notches, Qt::KeyboardModifiers modifiers) {
    const QRect area = plot->plotArea();
    const QPointF at(area.left() + share * area.width(), area.center().y());
    QWheelEvent event(at, plot->mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(plot, &event);
  }
  void key(Qt::Key key) {
    QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
    QCoreApplication::sendEvent(plot, &event);
  }
  SharedState state;
  QueryService queries;
  CurvesView view;
  PlotWidget* plot = nullptr;
};

std::unique_ptr<Scene> the_scene;  // owned by main(): it must be destroyed before the application

Scene& scene() {
  if (!the_scene) the_scene = std::make_unique<Scene>(storePath());
  return *the_scene;
}

template <class Input>
void gesture(benchmark::State& state, Input input) {
  Scene& s = scene();
  s.key(Qt::Key_Home);
  s.finish();
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
  state.counters["frame_p50_ms"] = quantile(frames, 0.5);
  state.counters["frame_p99_ms"] = quantile(frames, 0.99);
  state.counters["fresh_p50_ms"] = quantile(fresh, 0.5);
  state.counters["fresh_p99_ms"] = quantile(fresh, 0.99);
  state.counters["curves"] = static_cast<double>(s.plot->data()->panels.front().curves.size());
  state.counters["points_per_curve"] = static_cast<double>(pointCount());
}

// Zooms in to about 2,000 steps at a spike and out again.
void zoomCurves(benchmark::State& state) {
  gesture(state, [](Scene& s, int step) { s.wheel(0.37, step % 56 < 28 ? 1 : -1, Qt::ControlModifier); });
}

// Pans across the whole run and back in windows of a tenth.
void panCurves(benchmark::State& state) {
  gesture(state, [](Scene& s, int step) {
    if (step == 0)
      for (int i = 0; i < 10; ++i) s.wheel(0.1, 1, Qt::ControlModifier);
    s.key(step % 120 < 60 ? Qt::Key_D : Qt::Key_A);
  });
}

void smoothCurves(benchmark::State& state) {
  gesture(state, [](Scene& s, int step) { s.view.setSmoothing(0.5 + 0.004 * (step % 100)); });
}

void crosshair(benchmark::State& state) {
  gesture(state, [](Scene& s, int step) {
    for (CurveCard* card : s.view.cards()) card->plot()->setCursor(1000 + 997 * (step % 900));
  });
}

// Only pixels: 64 curves of 1,600 columns into one image.
void rasterColumns(benchmark::State& state) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 0.05);
  std::vector<RasterCurve> curves(kCurves, RasterCurve{{}, QColor(76, 155, 214)});
  for (RasterCurve& curve : curves)
    for (int x = 0; x < 1600; ++x) {
      const double value = 0.5 + 0.3 * std::sin(x / 200.0) + noise(random);
      PixelColumn column;
      column.pixel = x;
      column.x = x + 0.5;
      column.first = value, column.last = value + noise(random) / 4;
      column.min = value - 0.05, column.max = value + 0.05;
      column.one = false;
      curve.columns.columns.push_back(column);
    }
  QImage image(1600, 400, QImage::Format_RGB32);
  const YMap y{0, 1, 0, 400, false};
  for (auto unused : state) {
    static_cast<void>(unused);
    image.fill(Qt::black);
    drawCurves(image, image.rect(), curves, y);
    benchmark::DoNotOptimize(image.constBits());
  }
}

// Plots with 10,000 findings behind three panels and in the event lane.
void manyFindings(benchmark::State& state) {
  constexpr std::int64_t kFindings = 10'000, kLasting = 400;
  auto data = std::make_shared<PlotData>();
  data->axis = XAxis::kStep;
  data->lane = true;
  data->panels.resize(3);
  for (std::int64_t i = 0; i < kFindings; ++i) {
    const Severity severity = i % 97 == 0 ? Severity::kError : Severity::kWarning;
    data->bands.push_back({i, i + kLasting, findingTint(severity), {}, severityShape(severity)});
    data->marks.push_back({i, severityShape(severity), severityGlyph(severity), {}});
  }
  const PlotPicture picture(data, 0, kFindings, QSize(1600, 900), 0, currentTheme());
  for (auto unused : state) {
    static_cast<void>(unused);
    const QImage image = picture.render(1);
    benchmark::DoNotOptimize(image.constBits());
  }
}

BENCHMARK(manyFindings)->Name("gui/findings_10000")->Unit(benchmark::kMillisecond)->Iterations(30);
BENCHMARK(rasterColumns)->Name("gui/raster_64x1600")->Unit(benchmark::kMillisecond);
BENCHMARK(zoomCurves)->Name("gui/zoom_64_curves")->Unit(benchmark::kMillisecond)->Iterations(168);
BENCHMARK(panCurves)->Name("gui/pan_64_curves")->Unit(benchmark::kMillisecond)->Iterations(240);
BENCHMARK(smoothCurves)->Name("gui/smooth_64_curves")->Unit(benchmark::kMillisecond)->Iterations(50);
BENCHMARK(crosshair)->Name("gui/crosshair_64_curves")->Unit(benchmark::kMillisecond)->Iterations(200);

}  // namespace
}  // namespace runglass

int main(int argc, char** argv) {
  return runglass::runGuiBenchmarks(argc, argv, [] { runglass::the_scene.reset(); });
}
