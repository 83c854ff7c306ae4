// SPDX-License-Identifier: Apache-2.0
// What analyses read back from a store that anyone may have written.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>

#include "analysis/estimate/launch_options.h"
#include "analysis/goodput/ledger.h"
#include "analysis/hangs/hang_evidence.h"
#include "analysis/hangs/watchdog.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace runglass;

RG_FUZZ(hang_evidence) {
  const auto evidence = parseHangEvidence({reinterpret_cast<const char*>(data), size});
  // What was read can be printed and read again.
  if (evidence.ok()) RG_CHECK(parseHangEvidence(printHangEvidence(*evidence)).ok());
}

RG_FUZZ(watchdog_words) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)timeoutWords({.kind = "collective_timeout", .code = text.substr(0, text.size() / 2), .message = text});
  const Fact facts[] = {{.key = "argv", .value = text}, {.key = "ddp_timeout", .value = text}};
  (void)watchdogOf(facts);
}

RG_FUZZ(launch_options) {
  for (const auto& [name, value] : optionsOf(std::string_view(reinterpret_cast<const char*>(data), size))) {
    RG_CHECK(!name.empty());
    (void)numberOfText(value);
  }
}

// Whatever attempts and steps say, a row's segments tile its time in order.
RG_FUZZ(restart_ledger) {
  std::size_t at = 0;
  const auto next = [&] {
    std::int64_t value = 0;
    const std::size_t bytes = std::min(sizeof value, size - at);
    std::memcpy(&value, data + at, bytes);
    at += bytes;
    return value;
  };
  std::vector<AttemptRecord> attempts;
  while (at < size) {
    AttemptRecord attempt{.number = static_cast<std::int32_t>(next()), .start = next(), .end = next()};
    if (next() % 2 == 0) attempt.resumed_from = next(), attempt.first_step = next(), attempt.last_step = next();
    for (std::int64_t steps = next() & 7; steps > 0; --steps)
      attempt.steps.push_back({.step = next(), .count = next(), .begin = next(), .end = next(), .kind = static_cast<StepKind>(next() & 3)});
    attempt.known.push_back({{next(), next()}, static_cast<Spend>((next() & 0x7F) % kSpendCount)});
    attempts.push_back(std::move(attempt));
  }
  const Ledger ledger = makeLedger(std::move(attempts));
  DurNs sum = 0;
  TimeNs end = std::numeric_limits<TimeNs>::min();
  for (const LedgerRow& row : ledger.rows)
    for (const Segment& one : row.segments) {
      RG_CHECK(one.t0 >= end && one.t1 > one.t0);
      end = one.t1, sum += one.t1 - one.t0;
    }
  RG_CHECK(sum == ledger.wall.value_or(0));
}

}  // namespace
