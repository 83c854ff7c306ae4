// SPDX-License-Identifier: Apache-2.0
// ReportDocument: a report as values: what is said, in which order, with which numbers and from which SQL. Writers make files of it.
//
// Threading:  plain values.
// Ownership:  values. Texts are as they were told: each writer escapes for its own context.
// Units:      TimeNs; numbers in base units beside the text that is shown.
// Errors:     none: what is not known is absent and says why.
// Cost:       O(text).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/incident/incident_timeline.h"
#include "model/incident.h"

namespace runglass::report {

// Index into ReportDocument::queries, from 1 as it is printed; 0: no SQL tells it.
using SqlRef = std::size_t;

struct Paragraph {
  std::string text;
  bool muted = false;  // an aside: why something is missing, how something was reckoned
};

struct BulletList {
  std::vector<std::string> items;
};

struct KeyFigure {
  std::string name;
  std::optional<double> value;  // in base units; absent: `reason` says why
  std::string unit;             // "ns", "steps", "gpu_hours", ...
  std::string text;             // value and unit as people read it; "" where absent
  std::string reason;           // why it is absent, or what is missing in it
  bool at_least = false;
  SqlRef sql = 0;
};
struct KeyFigures {
  std::vector<KeyFigure> figures;
};

struct Cell {
  std::variant<std::monostate, std::int64_t, double, std::string> value;  // for machines
  std::string text;                                                       // for people
};
struct Column {
  std::string name;
  std::string key;       // for machines; snake_case with its unit
  bool numeric = false;  // right-aligned
  double width = 1;      // relative, of those that wrap
};
struct Table {
  std::string name;  // unique in the document, [a-z0-9-]: of a CSV file
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::string left_out;  // "... 40 more": "" none
};

// The two lanes of an incident: what happened, and what was known when.
struct Lanes {
  std::vector<TimelineEntry> entries;
  TimeRange range;
  TimeNs zero = 0;  // the first sign
};

// What an evidence card shows, or the lanes where there are some. Who can draw draws it; others tell caption and place.
struct FigureReference {
  IncidentEvidence card;
  RunId run;
  AttemptId attempt;  // 0: not known
  std::string link;   // back to the view
  std::optional<Lanes> lanes = {};
};

// A small chart of numbers that are in the report as a table, too: bars, one a label.
struct BarChart {
  std::string caption, unit;  // "ns", "ratio"
  struct Part {
    std::string name;
    std::vector<std::optional<double>> values;  // one a label
  };
  std::vector<std::string> labels;
  std::vector<Part> parts;  // several: stacked
  bool over_time = false;   // the labels follow each other
};

struct LogExcerpt {
  std::string caption;
  struct Line {
    std::optional<TimeNs> time;
    std::string when, who, text;  // `when`: the time as people read it
    Severity severity = Severity::kInfo;
  };
  std::vector<Line> lines;
  std::string left_out;
};

// What people wrote, in Markdown; writers show its blocks (note_blocks.h).
struct WrittenNote {
  std::string author, text;
};

struct Link {
  std::string text, target;  // runglass://
};

using Block = std::variant<Paragraph, BulletList, KeyFigures, Table, FigureReference, BarChart, LogExcerpt, WrittenNote, Link>;

struct Section {
  std::string title;
  std::string link;  // back to the view that shows the same; "": there is none
  std::vector<Block> blocks;
};

struct Query {
  std::string what, sql;
};

// A figure that no query gives, and by which rule it was reckoned.
struct Computed {
  std::string what, how;
};

// What was replaced before anything was written.
struct Redacted {
  std::string what;       // "hosts", "users", ...
  std::size_t count = 0;  // different ones
};

struct Provenance {
  std::string store_uuid, run_uuid, run, program;
  int schema_version = 0;
  TimeDomain clock = TimeDomain::kUtc;  // what the run's times mean
  std::optional<TimeNs> made;
  std::optional<TimeRange> range;    // that it speaks of
  std::vector<std::string> options;  // as they were chosen, one line each
  bool pseudonyms = false;           // nodes do not bear their own names: no link can name one
  std::vector<Redacted> redactions;  // of the classes that were chosen
};

struct ReportDocument {
  std::string kind;  // "incident", "finding", "run"
  std::string title;
  std::string link;     // to the place as a whole
  std::string summary;  // in plain words; may be edited
  bool summary_edited = false;
  std::vector<Section> sections;
  std::vector<Query> queries;
  std::vector<Computed> computed;
  Provenance provenance;
};

// Back into the store that it is of. `select` may say more than a place can be found by: that is left out.
std::string linkInto(const Provenance& provenance, std::string_view view, std::optional<TimeRange> range, std::string_view select);

// "12 hosts, 3 users; no addresses"; "nothing" where no class was chosen.
std::string redactionText(const Provenance& provenance);

// What to know before the SQL is asked; "" where nothing was replaced in it.
std::string replacedSqlText(const Provenance& provenance);

// What a query behind a picture gives.
inline constexpr const char* kPictureSql =
    "The query behind a picture gives the readings that it is painted from; means, medians and shares in its sentence are computed from "
    "those (docs/guide/evidence.md).";

// For who draws them and numbers them: in the order in which they are read.
std::vector<const FigureReference*> figuresOf(const ReportDocument& document);
std::vector<const BarChart*> chartsOf(const ReportDocument& document);
std::vector<const Table*> tablesOf(const ReportDocument& document);

}  // namespace runglass::report
