// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of a key press in the palette: from the letter to the list of matches on screen, with 100,000 names. The budget is 30 ms.
#include <benchmark/benchmark.h>

#include <QCoreApplication>
#include <QLineEdit>
#include <memory>

#include "tests/bench/calibration.h"
#include "tests/bench/timed_application.h"
#include "widgets/frame/palette.h"

namespace runglass {
namespace {

constexpr int kNames = 100'000;

std::shared_ptr<const PaletteNames> names() {
  auto made = std::make_shared<PaletteNames>();
  for (int i = 0; i < kNames; ++i) {
    if (i % 2 == 0)
      made->add({.kind = ObjectKind::kCurve,
                 .name = QStringLiteral("model/layers.%1/attention.grad_norm").arg(i),
                 .detail = QStringLiteral("1 series")});
    else
      made->add(
          {.kind = ObjectKind::kRank,
           .name = QStringLiteral("Rank %1").arg(i),
           .detail = QStringLiteral("node-%1 · GPU %2 · dp %3 pp %4 tp %5").arg(i / 8).arg(i % 8).arg(i / 64).arg(i / 8 % 8).arg(i % 8)});
  }
  return made;
}

void keyPress(benchmark::State& state, const char* pattern) {
  QWidget window;
  window.resize(1'280, 800);
  window.show();
  Palette palette({.entries = {}, .names = names(), .typed = {}, .open = [](const Object&) {}, .recent = {}, .remember = {}}, &window);
  palette.setAttribute(Qt::WA_DeleteOnClose, false);
  palette.show();
  auto* edit = palette.findChild<QLineEdit*>();
  const QString whole = QString::fromLatin1(pattern);
  qsizetype typed = 0;
  for (auto unused : state) {
    static_cast<void>(unused);
    typed = typed % whole.size() + 1;
    edit->setText(whole.left(typed));
    palette.repaint();
  }
}

BENCHMARK_CAPTURE(keyPress, rank, "rank 48211")->Name("palette/rank")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(keyPress, curve, "layers.4820 grad")->Name("palette/curve")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(keyPress, none, "no such name at all")->Name("palette/none")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace runglass

int main(int argc, char** argv) { return runglass::runGuiBenchmarks(argc, argv); }
