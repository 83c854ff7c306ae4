// SPDX-License-Identifier: GPL-3.0-or-later
// EventData: one timeline of events, log lines, findings and notes, in pages, newest first; and their density over time.
//
// Threading:  readEvents() and readEventDetail() on a query worker; the values are immutable afterwards.
// Units:      TimeNs, corrected; half-open ranges.
// Errors:     the Reader's.
// Cost:       a page reads a page of events and one of log lines, and all findings and notes of the run.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/findings.h"
#include "storage/reader.h"

namespace runglass {

struct EventText {
  Q_DECLARE_TR_FUNCTIONS(Events)
};

enum class EventSource : std::uint8_t { kEvent, kLog, kFinding, kNote };

// A row's key in the order of all rows: by time, then source, then id.
struct EventKey {
  TimeNs time = 0;
  EventSource source = EventSource::kEvent;
  std::int64_t id = 0;
  friend auto operator<=>(const EventKey&, const EventKey&) = default;
};

struct EventRow {
  EventKey key;
  bool timed = true;
  Severity severity = Severity::kInfo;
  std::string kind;  // of an event or finding; the stream of a log line; "note"
  std::string code;
  std::string text;
  RunId run;
  AttemptId attempt;
  NodeId node;
  DeviceId device;
  std::optional<std::int32_t> rank;
  std::optional<std::int64_t> step;
  std::optional<TimeNs> end;               // of a finding
  std::shared_ptr<const Finding> finding;  // of a finding
  QString where;                           // "n0412 GPU 3 · rank 37"
};

// Filter by severity. kUsual: all events, and log lines of severity warning and above; all log lines if search words are given.
enum class EventLevel : std::uint8_t { kUsual, kAll, kWarning, kError, kCritical };

struct EventFilters {
  std::string words;  // as typed; node:NAME, rank:N and kind:NAME in it are filters
  EventLevel level = EventLevel::kUsual;
  std::optional<EventSource> source;  // only these
  friend bool operator==(const EventFilters&, const EventFilters&) = default;
};
// The filters typed among the search words.
struct TypedFilters {
  std::string words, node, kind;
  std::optional<std::int32_t> rank;
};
TypedFilters typedFilters(std::string_view typed);

// Where the next page continues.
struct EventPosition {
  std::optional<RowKey> event, log;
  std::size_t findings = 0, notes = 0;  // newest first, number already shown
};

struct EventQuestion {
  RunId run;  // 0: that of chooseRun()
  EventFilters filters;
  TimeRange range;
  EventPosition from;
  std::size_t limit = 2'000;
};

// The code of the issue that counts agents' batches, not rows.
inline constexpr std::string_view kLostBatches = "wire.gap";

struct EventPageData {
  std::vector<EventRow> rows;  // newest first
  EventPosition next;
  bool more = false;
  bool anything = false;           // the store has rows that no filter matched
  QString unknown;                 // a node that was typed and does not exist
  std::vector<Issue> not_kept;     // log lines and events missing from the store, with the reason
  std::optional<TimeRange> range;  // of the matching rows, if no range was given
};
Result<EventPageData> readEvents(Reader& reader, const EventQuestion& question, std::stop_token stop);

struct EventDensity {
  TimeRange range;
  std::vector<SeverityCounts> counts;
  std::vector<EventRow> marks;  // findings and notes
};
Result<EventDensity> readDensity(Reader& reader, const EventQuestion& question, std::size_t parts, std::stop_token stop);

// Context of one row.
struct EventDetail {
  EventKey of;
  std::vector<LogHit> lines;           // for a log line its neighbours in the stream; for an event lines of its node at about its time
  std::optional<std::size_t> at;       // index of the line itself
  std::optional<std::int32_t> number;  // of its attempt
};
Result<EventDetail> readEventDetail(Reader& reader, const EventRow& row, std::stop_token stop);

// Removes terminal escape sequences: colours, cursor moves, titles.
std::string withoutEscapes(std::string_view text);

}  // namespace runglass
