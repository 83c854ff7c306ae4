// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/row.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <fstream>

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

std::string loadAverage() {
  std::ifstream file("/proc/loadavg");
  std::string one;
  file >> one;
  return one;
}

namespace {

const char* word(Verdict verdict) { return verdict == Verdict::kPass ? "pass" : verdict == Verdict::kFail ? "FAIL" : "not tried"; }

void print(const Row& row) {
  std::printf("%-10s %-9s %s\n%20s target:   %s\n%20s measured: %s\n", row.id.c_str(), word(row.verdict), row.what.c_str(), "",
              row.target.c_str(), "", row.measured.c_str());
  if (!row.machine.empty()) std::printf("%20s machine:  %s\n", "", row.machine.c_str());
  std::fflush(stdout);
}

}  // namespace

void RowTable::add(const Row& row) {
  print(row);
  (row.verdict == Verdict::kPass ? m_passed : row.verdict == Verdict::kFail ? m_failed : m_not_tried)++;
  m_json["rows"].push_back({{"id", row.id},
                            {"what", row.what},
                            {"target", row.target},
                            {"measured", row.measured},
                            {"verdict", word(row.verdict)},
                            {"machine", row.machine}});
}

int RowTable::finish(const std::string& json_file) {
  m_json["load_average_after"] = loadAverage();
  std::printf("\n%d pass, %d fail, %d not tried; load average %s\n", m_passed, m_failed, m_not_tried, loadAverage().c_str());
  if (!json_file.empty()) std::ofstream(json_file) << m_json.dump(1) << "\n";
  return m_failed > 0 ? 1 : 0;
}

}  // namespace runglass::soak
