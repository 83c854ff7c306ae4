// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. idxStr lists one "column,op;" per argv entry, in argv order; it is written by bestIndex and read by filter only.
// 2. A constraint whose value is not of the column's own type is ignored: SQLite checks it again with its own rules.
#include "storage/sql/virtual_table.h"

#include <sqlite3.h>

#include <cstring>
#include <limits>
#include <new>
#include <string>

namespace runglass::sql {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
constexpr double kKeyCost = 10;  // compared with 1e9 for a whole relation: such a lookup is the inner loop of a join

struct Binding {
  const TableSpec* spec;
  Catalogue* catalogue;
};

struct Table : sqlite3_vtab {
  Binding binding{};
};

struct Scan : sqlite3_vtab_cursor {
  std::unique_ptr<Cursor> cursor;
  std::int64_t row = 0;
};

int fail(sqlite3_vtab* table, const Status& status) {
  sqlite3_free(table->zErrMsg);
  table->zErrMsg = sqlite3_mprintf("%s", status.message().c_str());
  switch (status.code()) {
    case Code::kCancelled:
      return SQLITE_INTERRUPT;
    case Code::kDataLoss:
      return SQLITE_CORRUPT;
    case Code::kUnavailable:
      return SQLITE_BUSY;
    case Code::kResourceExhausted:
      return SQLITE_FULL;
    default:
      return SQLITE_ERROR;
  }
}

int connect(sqlite3* db, void* aux, int, const char* const*, sqlite3_vtab** out, char**) {
  const auto* binding = static_cast<const Binding*>(aux);
  sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS);
  const int rc = sqlite3_declare_vtab(db, binding->spec->declaration);
  if (rc != SQLITE_OK) return rc;
  auto* table = new (std::nothrow) Table();
  if (!table) return SQLITE_NOMEM;
  table->binding = *binding;
  *out = table;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

const TableSpec::Pushed* pushedColumn(const TableSpec& spec, int column) {
  for (const auto& pushed : spec.pushed)
    if (pushed.column == column) return &pushed;
  return nullptr;
}

bool isRequired(const TableSpec::Pushed& pushed) { return pushed.kind == Push::kRequiredArgument || pushed.kind == Push::kRequiredText; }
bool isArgument(const TableSpec::Pushed& pushed) { return pushed.kind == Push::kArgument || isRequired(pushed); }

bool operatorFits(const TableSpec::Pushed& pushed, int op) {
  if (op == SQLITE_INDEX_CONSTRAINT_EQ) return true;
  if (pushed.kind != Push::kInteger) return false;
  return op == SQLITE_INDEX_CONSTRAINT_GE || op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_LE ||
         op == SQLITE_INDEX_CONSTRAINT_LT;
}

int bestIndex(sqlite3_vtab* base, sqlite3_index_info* info) {
  auto* table = static_cast<Table*>(base);
  const TableSpec& spec = *table->binding.spec;
  std::string plan;
  int arguments = 0;
  double cost = 1e9;
  bool have_required = false, have_key = false;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& constraint = info->aConstraint[i];
    const auto* pushed = pushedColumn(spec, constraint.iColumn);
    if (!pushed || !operatorFits(*pushed, constraint.op)) continue;
    if (!constraint.usable) {
      // The argument depends on a table that comes later in this join order, which is therefore impossible.
      if (isArgument(*pushed)) return SQLITE_CONSTRAINT;
      continue;
    }
    if (pushed->kind == Push::kText && std::strcmp(sqlite3_vtab_collation(info, i), "BINARY") != 0) continue;
    info->aConstraintUsage[i].argvIndex = ++arguments;
    info->aConstraintUsage[i].omit = isArgument(*pushed) ? 1 : 0;
    plan += std::to_string(constraint.iColumn) + ',' + std::to_string(constraint.op) + ';';
    cost /= constraint.op == SQLITE_INDEX_CONSTRAINT_EQ ? 100 : 2;
    have_required = have_required || isRequired(*pushed);
    have_key = have_key || pushed->kind == Push::kKey;
  }
  for (const auto& pushed : spec.pushed) {
    if (isRequired(pushed) && !have_required) {
      return fail(base, {Code::kInvalidArgument, std::string(spec.name) + " needs its arguments: " + spec.usage});
    }
  }
  info->idxStr = sqlite3_mprintf("%s", plan.c_str());
  if (!info->idxStr) return SQLITE_NOMEM;
  info->needToFreeIdxStr = 1;
  info->estimatedCost = have_key ? kKeyCost : cost;
  info->estimatedRows = have_key ? 1 : static_cast<sqlite3_int64>(cost / 100) + 1;
  if (have_key) info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
  return SQLITE_OK;
}

int open(sqlite3_vtab* table, sqlite3_vtab_cursor** out) {
  auto* scan = new (std::nothrow) Scan();
  if (!scan) return SQLITE_NOMEM;
  const Binding& binding = static_cast<Table*>(table)->binding;
  scan->cursor = binding.spec->make(*binding.catalogue);
  *out = scan;
  return SQLITE_OK;
}

int close(sqlite3_vtab_cursor* scan) {
  delete static_cast<Scan*>(scan);
  return SQLITE_OK;
}

// One pushed constraint as a Wanted; absent where it must be ignored.
std::optional<Wanted> wantedOf(const TableSpec::Pushed& pushed, int op, sqlite3_value* value) {
  Wanted wanted{.column = pushed.column};
  if (pushed.kind == Push::kText || pushed.kind == Push::kRequiredText) {
    // An argument is a text even if it was written as a number: log_search(79).
    if (pushed.kind == Push::kText && sqlite3_value_type(value) != SQLITE_TEXT) return std::nullopt;
    const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
    wanted.text = std::string_view(text, static_cast<std::size_t>(sqlite3_value_bytes(value)));
    return wanted;
  }
  if (isArgument(pushed)) {
    wanted.exact = sqlite3_value_int64(value);
    return wanted;
  }
  if (sqlite3_value_type(value) != SQLITE_INTEGER) return std::nullopt;
  const std::int64_t number = sqlite3_value_int64(value);
  switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
      wanted.exact = wanted.at_least = wanted.at_most = number;
      break;
    case SQLITE_INDEX_CONSTRAINT_GE:
    case SQLITE_INDEX_CONSTRAINT_GT:
      wanted.at_least = number;
      break;
    default:
      wanted.at_most = number;
  }
  return wanted;
}

int filter(sqlite3_vtab_cursor* base, int, const char* plan, int argc, sqlite3_value** argv) {
  auto* scan = static_cast<Scan*>(base);
  const TableSpec& spec = *static_cast<Table*>(base->pVtab)->binding.spec;
  std::vector<Wanted> wanted;
  bool impossible = false;
  for (int i = 0; i < argc; ++i) {
    char* end = nullptr;
    const int column = static_cast<int>(std::strtol(plan, &end, 10));
    const int op = static_cast<int>(std::strtol(end + 1, &end, 10));
    plan = end + 1;
    const auto* pushed = pushedColumn(spec, column);
    // Comparison with NULL matches no row; a NULL argument gives an empty result.
    if (sqlite3_value_type(argv[i]) == SQLITE_NULL) {
      impossible = true;
    } else if (auto one = wantedOf(*pushed, op, argv[i])) {
      wanted.push_back(*one);
    }
  }
  scan->row = 0;
  const Status status = scan->cursor->filter(Constraints(std::move(wanted), impossible));
  return status.ok() ? SQLITE_OK : fail(base->pVtab, status);
}

int next(sqlite3_vtab_cursor* base) {
  auto* scan = static_cast<Scan*>(base);
  ++scan->row;
  const Status status = scan->cursor->next();
  return status.ok() ? SQLITE_OK : fail(base->pVtab, status);
}

int eof(sqlite3_vtab_cursor* scan) { return static_cast<Scan*>(scan)->cursor->done() ? 1 : 0; }

int column(sqlite3_vtab_cursor* scan, sqlite3_context* out, int index) {
  static_cast<Scan*>(scan)->cursor->column(out, index);
  return SQLITE_OK;
}

int rowid(sqlite3_vtab_cursor* scan, sqlite3_int64* out) {
  *out = static_cast<Scan*>(scan)->row;
  return SQLITE_OK;
}

const sqlite3_module kModule = [] {
  sqlite3_module module{};
  module.iVersion = 3;
  module.xConnect = connect;  // no xCreate: eponymous only
  module.xBestIndex = bestIndex;
  module.xDisconnect = disconnect;
  module.xOpen = open;
  module.xClose = close;
  module.xFilter = filter;
  module.xNext = next;
  module.xEof = eof;
  module.xColumn = column;
  module.xRowid = rowid;
  return module;
}();

}  // namespace

std::optional<std::int64_t> Constraints::exact(int column) const {
  for (const Wanted& wanted : m_wanted)
    if (wanted.column == column && wanted.exact) return wanted.exact;
  return std::nullopt;
}

std::optional<std::string_view> Constraints::text(int column) const {
  for (const Wanted& wanted : m_wanted)
    if (wanted.column == column && wanted.text) return wanted.text;
  return std::nullopt;
}

std::int64_t Constraints::atLeast(int column) const {
  std::int64_t bound = kLowest;
  for (const Wanted& wanted : m_wanted)
    if (wanted.column == column && wanted.at_least) bound = std::max(bound, *wanted.at_least);
  return bound;
}

std::int64_t Constraints::atMost(int column) const {
  std::int64_t bound = kHighest;
  for (const Wanted& wanted : m_wanted)
    if (wanted.column == column && wanted.at_most) bound = std::min(bound, *wanted.at_most);
  return bound;
}

bool Constraints::admits(int column, std::optional<std::int64_t> value) const {
  const std::int64_t low = atLeast(column), high = atMost(column);
  if (!value) return low == kLowest && high == kHighest;
  return *value >= low && *value <= high;
}

bool Constraints::admits(int column, std::string_view value) const {
  const auto wanted = text(column);
  return !wanted || *wanted == value;
}

Status registerTable(sqlite3* db, const TableSpec& spec, Catalogue& catalogue) {
  auto* binding = new Binding{&spec, &catalogue};
  // SQLite frees the binding, also when this call fails.
  const int rc = sqlite3_create_module_v2(db, spec.name, &kModule, binding, [](void* aux) { delete static_cast<Binding*>(aux); });
  if (rc == SQLITE_OK) return {};
  return {Code::kInternal, std::string("cannot register relation: ") + spec.name + ": " + sqlite3_errmsg(db)};
}

void resultInteger(sqlite3_context* out, std::optional<std::int64_t> value) {
  if (value)
    sqlite3_result_int64(out, *value);
  else
    sqlite3_result_null(out);
}

void resultText(sqlite3_context* out, std::string_view text) {
  sqlite3_result_text64(out, text.data() ? text.data() : "", text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

}  // namespace runglass::sql
