// SPDX-License-Identifier: Apache-2.0
// ReportDocument: a report as values: its texts, their order, numbers and SQL. Writers turn it into files.
//
// Ownership:  texts are as recorded: each writer escapes for its own context.
// Units:      TimeNs; numbers in base units next to the displayed text.
// Errors:     unknown values are absent with a reason.
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

// Index into ReportDocument::queries, from 1 as printed; 0: no SQL.
using SqlRef = std::size_t;

struct Paragraph {
  std::string text;
  bool muted = false;  // a remark: why a value is missing, or how it was computed
};

struct BulletList {
  std::vector<std::string> items;
};

struct KeyFigure {
  std::string name;
  std::optional<double> value;  // in base units; absent: see `reason`
  std::string unit;             // "ns", "steps", "gpu_hours", ...
  std::string text;             // value and unit for people; "" if absent
  std::string reason;           // why it is absent, or which part is missing
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
  std::string key;       // for machines; snake_case including its unit
  bool numeric = false;  // right-aligned
  double width = 1;      // relative, for columns that wrap
};
struct Table {
  std::string name;  // unique in the document, [a-z0-9-]: the name of a CSV file
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::string left_out;  // "... 40 more"; "": none
};

// The two lanes of an incident: what happened, and what was known when.
struct Lanes {
  std::vector<TimelineEntry> entries;
  TimeRange range;
  TimeNs zero = 0;  // when the incident was first visible
};

// The content of an evidence card, or the lanes if set. Writers that can draw do so; others print caption and place.
struct FigureReference {
  IncidentEvidence card;
  RunId run;
  AttemptId attempt;  // 0: unknown
  std::string link;   // back to the view
  std::optional<Lanes> lanes = {};
};

// A small bar chart of numbers that are also in a table of the report; one bar per label.
struct BarChart {
  std::string caption, unit;  // "ns", "ratio"
  struct Part {
    std::string name;
    std::vector<std::optional<double>> values;  // one per label
  };
  std::vector<std::string> labels;
  std::vector<Part> parts;  // several: stacked
  bool over_time = false;   // consecutive labels are consecutive in time
};

struct LogExcerpt {
  std::string caption;
  struct Line {
    std::optional<TimeNs> time;
    std::string when, who, text;  // `when`: the time for people
    Severity severity = Severity::kInfo;
  };
  std::vector<Line> lines;
  std::string left_out;
};

// A person's text in Markdown; writers format its blocks (note_blocks.h).
struct WrittenNote {
  std::string author, text;
};

struct Link {
  std::string text, target;  // runglass://
};

using Block = std::variant<Paragraph, BulletList, KeyFigures, Table, FigureReference, BarChart, LogExcerpt, WrittenNote, Link>;

struct Section {
  std::string title;
  std::string link;  // to the view with the same data; "": none
  std::vector<Block> blocks;
};

struct Query {
  std::string what, sql;
};

// A figure that no query gives, and the rule by which it was computed.
struct Computed {
  std::string what, how;
};

// Replacements made before writing.
struct Redacted {
  std::string what;       // "hosts", "users", ...
  std::size_t count = 0;  // distinct
};

struct Provenance {
  std::string store_uuid, run_uuid, run, program;
  int schema_version = 0;
  TimeDomain clock = TimeDomain::kUtc;  // the meaning of the run's times
  std::optional<TimeNs> made;
  std::optional<TimeRange> range;    // covered by the report
  std::vector<std::string> options;  // as chosen, one line each
  bool pseudonyms = false;           // nodes do not have their real names: no link can name one
  std::vector<Redacted> redactions;  // of the chosen classes
};

struct ReportDocument {
  std::string kind;  // "incident", "finding", "run"
  std::string title;
  std::string link;     // to the place as a whole
  std::string summary;  // for people; may be edited
  bool summary_edited = false;
  std::vector<Section> sections;
  std::vector<Query> queries;
  std::vector<Computed> computed;
  Provenance provenance;
};

// A link into the report's store. Parts of `select` that cannot identify a place are left out.
std::string linkInto(const Provenance& provenance, std::string_view view, std::optional<TimeRange> range, std::string_view select);

// "12 hosts, 3 users; no addresses"; "nothing" if no class was chosen.
std::string redactionText(const Provenance& provenance);

// A note on running the SQL; "" if nothing in it was replaced.
std::string replacedSqlText(const Provenance& provenance);

// The answer of a query behind a picture.
inline constexpr const char* kPictureSql =
    "The query behind a picture gives the readings that it is painted from; means, medians and shares in its sentence are computed from "
    "those (docs/guide/evidence.md).";

// In reading order, for drawing and numbering.
std::vector<const FigureReference*> figuresOf(const ReportDocument& document);
std::vector<const BarChart*> chartsOf(const ReportDocument& document);
std::vector<const Table*> tablesOf(const ReportDocument& document);

}  // namespace runglass::report
