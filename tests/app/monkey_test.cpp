// SPDX-License-Identifier: GPL-3.0-or-later
// Random events on the console: the same sequence each time, so that a slow machine gets no others. `./dev bench monkey` runs thousands of
// new ones on real windows.
#include <gtest/gtest.h>

#include "tests/app/monkey.h"
#include "tests/app/monkey_console.h"
#include "tests/support/seed.h"

namespace runglass {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr int kEvents = 400;
constexpr TimeNs kTime = 40 * kNsPerSecond;  // time limit of a run
// The bench limits an event to a second; here other tests use the same cores.
constexpr TimeNs kLimit = 10 * kNsPerSecond;

class MonkeyTest : public testing::TestWithParam<test::MonkeyStore> {};

TEST_P(MonkeyTest, WhateverIsClickedAndTypedTheConsoleStands) {
  test::MonkeyConsole console(GetParam());
  test::Monkey monkey({.seed = test::seed(kSeed),
                       .limit = kLimit,
                       .window = [&]() -> MainWindow& { return console.window(); },
                       .restart = [&] { console.restart(); }});
  EXPECT_TRUE(monkey.run(kEvents, kTime)) << monkey.failure().toStdString();
  std::cout << monkey.totals().checks << " events, the longest took " << monkey.totals().longest / 1'000'000
            << " ms: " << monkey.totals().longest_event.toStdString() << '\n';
}

INSTANTIATE_TEST_SUITE_P(Stores, MonkeyTest,
                         testing::Values(test::MonkeyStore::kLive, test::MonkeyStore::kStored, test::MonkeyStore::kEmpty),
                         [](const auto& store) {
                           return store.param == test::MonkeyStore::kLive     ? "Live"
                                  : store.param == test::MonkeyStore::kStored ? "Stored"
                                                                              : "Empty";
                         });

}  // namespace
}  // namespace runglass
