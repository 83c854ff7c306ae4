// SPDX-License-Identifier: GPL-3.0-or-later
// bin/monkey [--store live|stored|empty] [--events N] [--limit MS], run by ./dev bench monkey on real windows: random events on the console
// over each kind of store, or over one, and their totals.
// --limit: how long an event may block the window (1,000); more where other programs use the machine.
// Exit 1: an invariant failed; the seed and the last events are printed.
#include <QApplication>
#include <QStandardPaths>
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tests/app/monkey.h"
#include "tests/app/monkey_console.h"
#include "tests/support/seed.h"

namespace runglass {
namespace {

constexpr TimeNs kForever = 24 * 3'600 * kNsPerSecond;

bool play(test::MonkeyStore store, const char* name, std::uint64_t seed, int events, TimeNs limit) {
  test::MonkeyConsole console(store);
  test::Monkey monkey(
      {.seed = seed, .limit = limit, .window = [&]() -> MainWindow& { return console.window(); }, .restart = [&] { console.restart(); }});
  const TimeNs begun = monotonicNow();
  const bool stands = monkey.run(events, kForever);
  const test::MonkeyTotals& totals = monkey.totals();
  std::printf("%-7s %7d events %7d pictures %6.0f s   longest %4.0f ms (%s)\n", name, totals.checks, totals.pictures,
              static_cast<double>(monotonicNow() - begun) / 1e9, static_cast<double>(totals.longest) / 1e6,
              qPrintable(totals.longest_event));
  std::string kinds;
  for (const auto& [kind, count] : totals.events) kinds += ' ' + kind.toStdString() + ' ' + std::to_string(count) + ',';
  std::printf("       %s\n", kinds.substr(0, kinds.size() - 1).c_str());
  if (!stands) std::printf("FAILED: %s\n", qPrintable(monkey.failure()));
  std::fflush(stdout);
  return stands;
}

}  // namespace
}  // namespace runglass

int main(int argc, char** argv) {
  using namespace runglass;
  constexpr std::array kStores = {std::pair{test::MonkeyStore::kLive, "live"}, std::pair{test::MonkeyStore::kStored, "stored"},
                                  std::pair{test::MonkeyStore::kEmpty, "empty"}};
  int events = 10'000;
  TimeNs limit = kNsPerSecond;
  const char* only = nullptr;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--events") == 0) events = std::max(std::atoi(argv[i + 1]), 3);
    if (std::strcmp(argv[i], "--limit") == 0) limit = std::max(std::atoi(argv[i + 1]), 1) * (kNsPerSecond / 1000);
    if (std::strcmp(argv[i], "--store") == 0) only = argv[i + 1];
  }
  const QTemporaryDir runtime;
  qputenv("XDG_RUNTIME_DIR", runtime.path().toUtf8());
  QApplication app(argc, argv);
  applyTheme(app, ThemeName::kDark);
  const std::uint64_t seed = test::seed();
  bool stands = true;
  for (const auto& [store, name] : kStores)
    if (only == nullptr || std::strcmp(only, name) == 0)
      stands = play(store, name, seed, only != nullptr ? events : events / static_cast<int>(kStores.size()), limit) && stands;
  return stands ? 0 : 1;
}
