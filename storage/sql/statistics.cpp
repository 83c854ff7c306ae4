// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. NULL is not a value, and neither is NaN, which SQLite turns into NULL: an aggregate over no values is NULL.
// 2. SQLite calls an aggregate's final function once for each aggregate that it began, also when the query ends with an error: it frees the
//    state.
#include "storage/sql/statistics.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "storage/sqlite/connection.h"

namespace runglass::sql {
namespace {

struct Percentile {
  double p = 0;  // 0 … 100
  std::vector<double> values;
};

// Welford's sums (Technometrics, 1962): no cancellation where the mean is large compared with the deviation, as for times in ns.
struct Deviation {
  double count = 0, mean = 0, squares = 0;
};

void fail(sqlite3_context* out, const std::string& why) { sqlite3_result_error(out, why.c_str(), static_cast<int>(why.size())); }

// False: the row has no value, or an error was reported.
bool numberOf(sqlite3_context* out, sqlite3_value* value, const char* function, double& number) {
  if (sqlite3_value_type(value) == SQLITE_NULL) return false;
  const int type = sqlite3_value_numeric_type(value);
  if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
    fail(out, std::string(function) + "(): a value is not a number");
    return false;
  }
  number = sqlite3_value_double(value);
  return true;
}

// The state of the aggregate, created at its first row; null: out of memory, already reported.
template <typename State>
State* stateOf(sqlite3_context* out) {
  auto** const slot = static_cast<State**>(sqlite3_aggregate_context(out, sizeof(State*)));
  if (slot && !*slot) *slot = new (std::nothrow) State;
  if (slot && *slot) return *slot;
  sqlite3_result_error_nomem(out);
  return nullptr;
}

template <typename State>
std::unique_ptr<State> takeState(sqlite3_context* out) {
  auto** const slot = static_cast<State**>(sqlite3_aggregate_context(out, 0));
  return std::unique_ptr<State>(slot ? std::exchange(*slot, nullptr) : nullptr);
}

void addValue(sqlite3_context* out, double value, double p, const char* function) {
  auto* const state = stateOf<Percentile>(out);
  if (!state) return;
  if (!state->values.empty() && p != state->p) return fail(out, std::string(function) + "(): p is not the same in all rows");
  if (state->values.size() == kMaxValues) return fail(out, std::string(function) + "(): more than 67,108,864 values");
  state->p = p;
  try {
    state->values.push_back(value);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(out);
  }
}

void addPercentile(sqlite3_context* out, int, sqlite3_value** argv) {
  double value = 0, p = 0;
  if (!numberOf(out, argv[0], "percentile", value)) return;
  if (sqlite3_value_type(argv[1]) == SQLITE_NULL) return fail(out, "percentile(): p is NULL");
  if (!numberOf(out, argv[1], "percentile", p)) return;
  if (!(p >= 0 && p <= 100)) return fail(out, "percentile(): p is not between 0 and 100");
  addValue(out, value, p, "percentile");
}

void addMedian(sqlite3_context* out, int, sqlite3_value** argv) {
  double value = 0;
  if (numberOf(out, argv[0], "median", value)) addValue(out, value, 50, "median");
}

// Linear interpolation between the two nearest values (type 7 of Hyndman and Fan, 1996; PostgreSQL's percentile_cont, numpy's default).
void endPercentile(sqlite3_context* out) {
  const auto state = takeState<Percentile>(out);
  if (!state || state->values.empty()) return;
  auto& values = state->values;
  const double place = state->p / 100 * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), below, values.end());
  const double part = place - std::floor(place);
  if (part == 0 || below + 1 == values.end()) return sqlite3_result_double(out, *below);
  const double above = *std::min_element(below + 1, values.end());
  sqlite3_result_double(out, *below == above ? above : std::lerp(*below, above, part));
}

void addDeviation(sqlite3_context* out, int, sqlite3_value** argv) {
  double value = 0;
  if (!numberOf(out, argv[0], "stddev", value)) return;
  auto* const state = stateOf<Deviation>(out);
  if (!state) return;
  const double from_mean = value - state->mean;
  state->mean += from_mean / ++state->count;
  state->squares += from_mean * (value - state->mean);
}

void endDeviation(sqlite3_context* out) {
  const auto state = takeState<Deviation>(out);
  if (state && state->count > 1) sqlite3_result_double(out, std::sqrt(state->squares / (state->count - 1)));
}

}  // namespace

Status addStatistics(sqlite3* db, const std::string& path) {
  constexpr int kPlain = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  const auto add = [db](const char* name, int arguments, auto step, auto end) {
    return sqlite3_create_function_v2(db, name, arguments, kPlain, nullptr, nullptr, step, end, nullptr);
  };
  int rc = add("percentile", 2, addPercentile, endPercentile);
  if (rc == SQLITE_OK) rc = add("median", 1, addMedian, endPercentile);
  if (rc == SQLITE_OK) rc = add("stddev", 1, addDeviation, endDeviation);
  return rc == SQLITE_OK ? Status() : sqlite::sqliteStatus(db, rc, "cannot prepare SQL", path);
}

}  // namespace runglass::sql
