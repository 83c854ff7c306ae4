// SPDX-License-Identifier: Apache-2.0
// Eponymous, innocuous, read-only virtual tables made from a declaration, a list of constraints that may be pushed down, and a cursor.
//
// Threading:  the connection's thread.
// Ownership:  the TableSpec and the Catalogue must outlive the connection they are registered on.
// Errors:     a cursor's Status becomes the query's error, with its message unchanged.
// Cost:       one heap-allocated cursor per scan. SQLite checks pushed constraints again (except arguments), so a cursor may return too
//             many rows, never too few.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "model/result.h"
#include "storage/sql/catalogue.h"

struct sqlite3;
struct sqlite3_context;
struct sqlite3_value;

namespace runglass::sql {

// A pushed constraint on a column: an exact value, or an inclusive range.
struct Wanted {
  int column = 0;
  std::optional<std::int64_t> exact;
  std::optional<std::string_view> text;
  std::optional<std::int64_t> at_least, at_most;
};

class Constraints {
 public:
  explicit Constraints(std::vector<Wanted> wanted, bool impossible) : m_wanted(std::move(wanted)), m_impossible(impossible) {}
  // An argument was NULL: no row can match.
  bool impossible() const { return m_impossible; }
  std::optional<std::int64_t> exact(int column) const;
  std::optional<std::string_view> text(int column) const;
  // Inclusive bounds; the ends of int64 without a constraint.
  std::int64_t atLeast(int column) const;
  std::int64_t atMost(int column) const;
  bool admits(int column, std::optional<std::int64_t> value) const;
  bool admits(int column, std::string_view value) const;

 private:
  std::vector<Wanted> m_wanted;
  bool m_impossible;
};

class Cursor {
 public:
  virtual ~Cursor() = default;
  // Starts a scan; the texts in the constraints are valid only during the call.
  virtual Status filter(const Constraints& constraints) = 0;
  virtual bool done() const = 0;
  virtual Status next() = 0;
  virtual void column(sqlite3_context* out, int column) const = 0;
};

// kKey: only equality, which matches at most one row and is found directly.
enum class Push : std::uint8_t { kInteger, kText, kKey, kArgument, kRequiredArgument, kRequiredText };

struct TableSpec {
  const char* name;
  const char* declaration;  // CREATE TABLE x(...)
  const char* usage;        // shown when a required argument is missing
  struct Pushed {
    int column;
    Push kind;
  };
  std::span<const Pushed> pushed;
  std::unique_ptr<Cursor> (*make)(Catalogue& catalogue);
};

// TableSpec::make of a cursor C(catalogue).
template <class C>
std::unique_ptr<Cursor> makeCursor(Catalogue& catalogue) {
  return std::make_unique<C>(catalogue);
}

Status registerTable(sqlite3* db, const TableSpec& spec, Catalogue& catalogue);

void resultInteger(sqlite3_context* out, std::optional<std::int64_t> value);
void resultText(sqlite3_context* out, std::string_view text);

}  // namespace runglass::sql
