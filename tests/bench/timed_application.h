// SPDX-License-Identifier: GPL-3.0-or-later
// TimedApplication: a QApplication that times every paint of a top-level window; shared by benches of the console.
//
// Threading:  GUI thread.
// Units:      ms.
// Cost:       two clock reads per frame.
#pragma once

#include <benchmark/benchmark.h>

#include <QApplication>
#include <QTemporaryDir>
#include <QWidget>
#include <algorithm>
#include <functional>
#include <vector>

#include "model/time.h"
#include "widgets/core/theme.h"

namespace runglass {

class TimedApplication : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override {
    const bool frame = event->type() == QEvent::UpdateRequest && receiver->isWidgetType() && static_cast<QWidget*>(receiver)->isWindow();
    const TimeNs begun = frame ? monotonicNow() : 0;
    const bool done = QApplication::notify(receiver, event);
    if (frame) frames.push_back(static_cast<double>(monotonicNow() - begun) / 1e6);
    if (frame && painted) painted();
    return done;
  }
  std::vector<double> frames;
  std::function<void()> painted;  // after each frame
};

inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// The main() of such a bench: software rendering, without the user's settings. `before_end` drops objects that must not outlive the
// application.
inline int runGuiBenchmarks(int argc, char** argv, const std::function<void()>& before_end = {}) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QTemporaryDir runtime;
  qputenv("XDG_RUNTIME_DIR", runtime.path().toUtf8());
  qputenv("XDG_CONFIG_HOME", runtime.path().toUtf8());
  TimedApplication app(argc, argv);
  applyTheme(app, ThemeName::kDark);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  if (before_end) before_end();
  benchmark::Shutdown();
  return 0;
}

}  // namespace runglass
