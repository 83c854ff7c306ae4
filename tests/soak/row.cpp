// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/row.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace runglass::soak {

std::string text(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char* made = nullptr;
  const int size = vasprintf(&made, format, arguments);
  va_end(arguments);
  const std::string out(made, static_cast<std::size_t>(std::max(0, size)));
  free(made);
  return out;
}

const char* word(Verdict verdict) { return verdict == Verdict::kPass ? "pass" : verdict == Verdict::kFail ? "FAIL" : "not tried"; }

void print(const Row& row) {
  std::printf("%-10s %-9s %s\n%20s target:   %s\n%20s measured: %s\n", row.id.c_str(), word(row.verdict), row.what.c_str(), "",
              row.target.c_str(), "", row.measured.c_str());
  if (!row.machine.empty()) std::printf("%20s machine:  %s\n", "", row.machine.c_str());
  std::fflush(stdout);
}

}  // namespace runglass::soak
