// SPDX-License-Identifier: Apache-2.0
// Building blocks of the sections of all reports: texts of numbers and times, links into the store, references to SQL.
//
// Threading:  that of the Reader.
// Ownership:  borrows the Reader, the run and the places; the document is a value.
// Units:      TimeNs, DurNs; ratios 0..1.
// Errors:     an absent value is "–".
// Cost:       O(text).
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <string_view>

#include "analysis/incident/incident_answer.h"
#include "analysis/incident/incident_cost.h"
#include "analysis/report/report_document.h"
#include "storage/reader.h"

namespace runglass::report {

inline constexpr std::string_view kAbsent = "–";

// In the format of documents.
std::string countText(std::int64_t count);
std::string shortCountText(double count);
std::string upperFirst(std::string text);

Cell textCell(std::string text);
Cell countCell(std::optional<std::int64_t> value);
Cell durationCell(std::optional<DurNs> value);
Cell ratioCell(std::optional<double> value);
Cell numberCell(std::optional<double> value);

class Builder {
 public:
  Builder(Reader& reader, const Run& run, const RunPlaces& places, ReportDocument& out, std::stop_token stop)
      : m_reader(reader), m_run(run), m_places(places), m_out(out), m_stop(std::move(stop)) {}

  Reader& reader() const { return m_reader; }
  const Run& run() const { return m_run; }
  const RunPlaces& places() const { return m_places; }
  ReportDocument& document() const { return m_out; }

  Section& section(std::string title, std::string link = {}) {
    m_out.sections.push_back({std::move(title), std::move(link), {}});
    return m_out.sections.back();
  }
  // Equal SQL is listed once. "" is 0.
  SqlRef query(std::string_view what, const std::string& sql);
  // For a figure: runs the query immediately. If its answer differs from `value`, or without SQL, it is not printed; `how` then describes
  // the rule by which the figure was computed.
  SqlRef query(const std::string& what, const std::string& sql, std::optional<double> value, std::string_view how);
  std::string link(std::string_view view, std::optional<TimeRange> range, std::string_view select = {}) const;
  // By the run's clock: UTC, or "+1 h 2 min" since its own zero.
  std::string timeText(TimeNs time) const;
  Cell timeCell(std::optional<TimeNs> time) const;
  std::string nodeText(NodeId node) const;

  template <class T>
  KeyFigure figure(std::string name, const Reported<T>& reported, std::string unit, std::string text, std::string_view how) {
    return {.name = name,
            .value = reported.value ? std::optional(static_cast<double>(*reported.value)) : std::nullopt,
            .unit = std::move(unit),
            .text = reported.value ? std::move(text) : std::string(),
            .reason = reported.value && !reported.at_least ? std::string() : reported.reason,
            .at_least = reported.at_least,
            .sql = query(name, reported.sql, reported.value ? std::optional(static_cast<double>(*reported.value)) : std::nullopt, how)};
  }

 private:
  std::optional<double> answerOf(const std::string& sql) const;

  Reader& m_reader;
  const Run& m_run;
  const RunPlaces& m_places;
  ReportDocument& m_out;
  std::stop_token m_stop;
};

// Sections that several reports share.
Status addHardware(Builder& build, std::optional<TimeRange> range, std::stop_token stop);
Status addLogbook(Builder& build, std::span<const Finding> findings, std::span<const Incident> incidents, std::optional<TimeRange> range,
                  std::stop_token stop);
Status addLogLines(Builder& build, std::optional<TimeRange> range, std::stop_token stop);
void addNotes(Builder& build, const std::string& notes, std::span<const runglass::Note> of_run, std::optional<TimeRange> range);
void addNextSteps(Builder& build, std::vector<std::string> steps, const char* none);
void addQuality(Builder& build, const DataQuality& quality);
void addEnvironment(Builder& build, std::span<const EnvironmentFact> facts);
Status addStepBreakdown(Builder& build, const Attempt& attempt, std::stop_token stop);
Table findingTable(const Builder& build, std::span<const Finding* const> findings, std::string name, std::string caption);

// The parts of `readReport`; `places` and the lists are the run's.
struct Known {
  std::vector<Finding> findings;
  std::vector<Incident> incidents;
};
Status addIncident(Builder& build, const Incident& incident, const Known& known, std::optional<double> price, std::stop_token stop);
Status addRun(Builder& build, const Known& known, std::optional<double> price, std::stop_token stop);

}  // namespace runglass::report
