// SPDX-License-Identifier: Apache-2.0
// What analyses read back from a store that anyone may have written.
#include <string_view>

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

}  // namespace
