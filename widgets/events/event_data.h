// SPDX-License-Identifier: GPL-3.0-or-later
// EventData: one time line of events, log lines, findings and notes, in pages, newest first; and how dense they are when.
//
// Threading:  readEvents() and readEventDetail() on a query worker; the values are immutable afterwards.
// Ownership:  values.
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

// Places of a row's key in the order of all rows: by time, then source, then id.
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
  std::optional<TimeNs> end;  // of a finding
  QString where;              // "n0412 GPU 3 · rank 37"
};

// What of the time line is wanted. kUsual: everything that happened, and log lines from warning on; all of them where words are asked for.
enum class EventLevel : std::uint8_t { kUsual, kAll, kWarning, kError, kCritical };

struct EventFilters {
  std::string words;  // as typed; node:NAME, rank:N and kind:NAME in it are filters
  EventLevel level = EventLevel::kUsual;
  std::optional<EventSource> source;  // only these
  friend bool operator==(const EventFilters&, const EventFilters&) = default;
};
// The filters that were typed among the words.
struct TypedFilters {
  std::string words, node, kind;
  std::optional<std::int32_t> rank;
};
TypedFilters typedFilters(std::string_view typed);

// Where the next page goes on.
struct EventPosition {
  std::optional<RowKey> event, log;
  std::size_t findings = 0, notes = 0;  // newest first, how many were shown
};

struct EventQuestion {
  RunId run;  // chooseRun()'s where 0
  EventFilters filters;
  TimeRange range;
  EventPosition from;
  std::size_t limit = 2'000;
};

// The code of the issue that counts batches of agents, not rows.
inline constexpr std::string_view kLostBatches = "wire.gap";

struct EventPageData {
  std::vector<EventRow> rows;  // newest first
  EventPosition next;
  bool more = false;
  bool anything = false;           // the store has something that no filter asked for
  QString unknown;                 // a node that was typed and is not there
  std::vector<Issue> not_kept;     // log lines and events that are not in the store, and why
  std::optional<TimeRange> range;  // of what the filters want, where no range was asked for
};
Result<EventPageData> readEvents(Reader& reader, const EventQuestion& question, std::stop_token stop);

struct EventDensity {
  TimeRange range;
  std::vector<SeverityCounts> counts;
  std::vector<EventRow> marks;  // findings and notes
};
Result<EventDensity> readDensity(Reader& reader, const EventQuestion& question, std::size_t parts, std::stop_token stop);

// Around one row.
struct EventDetail {
  EventKey of;
  std::vector<LogHit> lines;           // the same stream's around a log line; those of its node at about its time around an event
  std::optional<std::size_t> at;       // the line itself
  std::optional<std::int32_t> number;  // of its attempt
};
Result<EventDetail> readEventDetail(Reader& reader, const EventRow& row, std::stop_token stop);

// What a terminal would act on and people cannot read is left out: colours, cursor moves, titles.
std::string withoutEscapes(std::string_view text);

}  // namespace runglass
