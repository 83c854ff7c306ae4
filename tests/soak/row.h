// SPDX-License-Identifier: Apache-2.0
// Row: one line of the soak's table, and data shared by the rows: duration, scale, and folder.
//
// Units:      seconds where a name has that unit.
// Errors:     a row that cannot be tried gives the reason; it never passes.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/time.h"

namespace runglass::soak {

enum class Verdict : std::uint8_t { kPass, kFail, kNotTried };

struct Row {
  std::string id, what, target, measured;
  Verdict verdict = Verdict::kNotTried;
  std::string machine;  // processor time of other programs during the row
};

// The scale of a row. At full scale (30 minutes) durations are those of docs/contribute/soak.md.
struct Scale {
  double share = 1;
  bool quick = false;  // tests the program itself: few agents, a second or two each
  std::string directory;
  std::string store;  // the kills happen in a copy of it; empty: in a new one

  double seconds(double full, double min_seconds) const { return quick ? 0.6 : std::max(min_seconds, full * share); }
  int agents(int full) const { return quick ? std::max(2, full / 32) : full; }
};

std::string text(const char* format, ...) __attribute__((format(printf, 1, 2)));
std::string loadAverage();  // of the last minute

// The rows of one run of soak or aged: the selected rows, the table on standard output, the file of --json, the exit code.
class RowTable {
 public:
  // `rows`: "ID,ID"; empty: all.
  explicit RowTable(const std::string& rows, nlohmann::json json = {}) : m_rows(rows), m_json(std::move(json)) {}
  bool includes(const std::string& id) const { return m_rows.empty() || ("," + m_rows + ",").find("," + id + ",") != std::string::npos; }
  void add(const Row& row);
  // Prints the number of passed rows, and writes `json_file` unless it is empty. 1: a row failed.
  int finish(const std::string& json_file);

 private:
  const std::string m_rows;
  nlohmann::json m_json;
  int m_passed = 0, m_failed = 0, m_not_tried = 0;
};

// One entry per checked requirement, joined; the row passes if all hold.
class Findings {
 public:
  void say(const std::string& what) { m_parts += (m_parts.empty() ? "" : "; ") + what; }
  void need(bool holds, const std::string& what) {
    say((holds ? "" : "NOT: ") + what);
    m_all = m_all && holds;
  }
  std::string text() const { return m_parts; }
  Verdict verdict() const { return m_all ? Verdict::kPass : Verdict::kFail; }

 private:
  std::string m_parts;
  bool m_all = true;
};

using RowMaker = Row (*)(const Scale&);
struct NamedRow {
  const char* id;
  RowMaker make;
};
const std::vector<NamedRow>& allRows();

// load_rows.cpp
Row loadFast(const Scale& scale);
Row loadWide(const Scale& scale);
Row steady(const Scale& scale);
Row burst(const Scale& scale);
Row loneAgent(const Scale& scale);
Row retention(const Scale& scale);
// fault_rows.cpp
Row storm(const Scale& scale);
Row kills(const Scale& scale);
Row outage(const Scale& scale);
Row stop(const Scale& scale);
// disk_rows.cpp
Row diskFull(const Scale& scale);
Row powerLoss(const Scale& scale);
// long_rows.cpp
Row clocks(const Scale& scale);
Row longRun(const Scale& scale);
// hostile_row.cpp
Row hostile(const Scale& scale);
// guard_rows.cpp
Row descriptors(const Scale& scale);
Row flood(const Scale& scale);

// The agent of loneAgent(), in a separate process: records at 1 kHz, then prints its records and resource use.
int runLoneAgent(const std::string& hub, const std::string& state_dir, double seconds);

}  // namespace runglass::soak
