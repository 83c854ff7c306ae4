// SPDX-License-Identifier: Apache-2.0
// Rows of the catalogue tables as model values; the only place that knows their columns for reading. Internal to storage.
//
// Threading:  that of the connection.
// Units:      as stored.
// Errors:     those of SQLite.
// Cost:       one statement each.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/captures.h"
#include "model/edits.h"
#include "model/events.h"
#include "model/findings.h"
#include "model/incident.h"
#include "model/samples.h"
#include "model/spans.h"
#include "model/topology.h"
#include "storage/sqlite/connection.h"

namespace runglass::rows {

// "SELECT columns FROM table", to which a caller adds " WHERE … ORDER BY …".
template <class Row>
std::string_view select();
// The current row of such a statement.
template <class Row>
Row read(const sqlite::Statement& statement);

// With its text still packed.
struct StoredCapture {
  Capture capture;
  std::string body;
  bool packed = false;
  std::uint32_t crc = 0;
};

// With its lists still as JSON.
struct StoredIncident {
  Incident incident;
  std::string findings, evidence;
};

// Without the body, which SQLite then need not read.
struct CaptureHead : StoredCapture {};

// The types that have rows; the definitions are in rows.cpp.
template <>
std::string_view select<Node>();
template <>
Node read<Node>(const sqlite::Statement& statement);
template <>
std::string_view select<Device>();
template <>
Device read<Device>(const sqlite::Statement& statement);
template <>
std::string_view select<Run>();
template <>
Run read<Run>(const sqlite::Statement& statement);
template <>
std::string_view select<Attempt>();
template <>
Attempt read<Attempt>(const sqlite::Statement& statement);
template <>
std::string_view select<Rank>();
template <>
Rank read<Rank>(const sqlite::Statement& statement);
template <>
std::string_view select<Fact>();
template <>
Fact read<Fact>(const sqlite::Statement& statement);
template <>
std::string_view select<Checkpoint>();
template <>
Checkpoint read<Checkpoint>(const sqlite::Statement& statement);
template <>
std::string_view select<CommGroup>();
template <>
CommGroup read<CommGroup>(const sqlite::Statement& statement);
template <>
std::string_view select<Progress>();
template <>
Progress read<Progress>(const sqlite::Statement& statement);
template <>
std::string_view select<ClockReading>();
template <>
ClockReading read<ClockReading>(const sqlite::Statement& statement);
template <>
std::string_view select<Series>();
template <>
Series read<Series>(const sqlite::Statement& statement);
template <>
std::string_view select<Track>();
template <>
Track read<Track>(const sqlite::Statement& statement);
template <>
std::string_view select<Event>();
template <>
Event read<Event>(const sqlite::Statement& statement);
template <>
std::string_view select<LogLine>();
template <>
LogLine read<LogLine>(const sqlite::Statement& statement);
template <>
std::string_view select<Issue>();
template <>
Issue read<Issue>(const sqlite::Statement& statement);
template <>
std::string_view select<Label>();
template <>
Label read<Label>(const sqlite::Statement& statement);
template <>
std::string_view select<StoredCapture>();
template <>
StoredCapture read<StoredCapture>(const sqlite::Statement& statement);
template <>
std::string_view select<CaptureHead>();
template <>
CaptureHead read<CaptureHead>(const sqlite::Statement& statement);
template <>
std::string_view select<Note>();
template <>
Note read<Note>(const sqlite::Statement& statement);
template <>
std::string_view select<Finding>();
template <>
Finding read<Finding>(const sqlite::Statement& statement);
template <>
std::string_view select<StoredIncident>();
template <>
StoredIncident read<StoredIncident>(const sqlite::Statement& statement);
template <>
std::string_view select<Alert>();
template <>
Alert read<Alert>(const sqlite::Statement& statement);
template <>
std::string_view select<Snooze>();
template <>
Snooze read<Snooze>(const sqlite::Statement& statement);

// Calls `take` for each row; `rest` is appended to select<Row>() and may use ?1, ?2 for the numbers in `args` and the next parameter for
// `text`.
template <class Row, class Take>
Status each(sqlite::Connection& db, std::string_view rest, Take take, std::initializer_list<std::int64_t> args = {},
            std::optional<std::string_view> text = std::nullopt) {
  RG_ASSIGN(sqlite::Statement statement, db.prepare(std::string(select<Row>()).append(rest)));
  int index = 1;
  for (const std::int64_t arg : args) statement.bind(index++, arg);
  if (text) statement.bind(index, *text);
  while (true) {
    RG_ASSIGN(const bool row, statement.step());
    if (!row) return {};
    take(read<Row>(statement));
  }
}

Status eachText(sqlite::Connection& db, const std::function<void(std::int64_t id, std::string_view text)>& take);

}  // namespace runglass::rows
