// SPDX-License-Identifier: Apache-2.0
// Data quality and environment: the sections by which a reader judges how far to trust the others.
#include "analysis/report/report_builder.h"
#include "model/number_text.h"
#include "model/time_text.h"

namespace runglass::report {
namespace {

constexpr std::string_view kHow = "a count over the window (docs/guide/incident_answers.md); runglassctl incident show";

}  // namespace

void addQuality(Builder& build, const DataQuality& quality) {
  Section& section = build.section("Data quality", build.link("health", std::nullopt));
  const auto of = [](const std::optional<std::int64_t>& part, std::int64_t all) {
    return part ? countText(*part) + " of " + countText(all) : std::string();
  };
  KeyFigures figures;
  figures.figures.push_back(
      build.figure("Ranks with recorded steps", quality.ranks_reported, "ranks", of(quality.ranks_reported.value, quality.ranks), kHow));
  figures.figures.push_back(
      build.figure("Series with samples", quality.series_reported, "series", of(quality.series_reported.value, quality.series), kHow));
  figures.figures.push_back(
      build.figure("Times data was lost", quality.lost, "count", quality.lost.value ? countText(*quality.lost.value) : "", kHow));
  KeyFigure clock = build.figure("Largest clock error", quality.clock_error, "ns",
                                 quality.clock_error.value ? "± " + shortDurationText(*quality.clock_error.value) : "",
                                 "the maps of the nodes' clocks (docs/guide/clocks.md); runglassctl info");
  if (quality.clock_error.value && !quality.clock_node.empty()) clock.reason = "of " + quality.clock_node;
  figures.figures.push_back(std::move(clock));
  figures.figures.push_back({.name = "Least coverage of a finding",
                             .value = quality.least_coverage,
                             .unit = "ratio",
                             .text = quality.least_coverage ? percentText(*quality.least_coverage) : "",
                             .reason = quality.least_coverage ? "" : "no finding has a coverage"});
  section.blocks.push_back(std::move(figures));
  if (quality.nodes_without_clock > 0)
    section.blocks.push_back(Paragraph{"The clocks of " + countText(quality.nodes_without_clock) +
                                           (quality.nodes_without_clock == 1 ? " node was" : " nodes were") + " never compared.",
                                       true});
  if (quality.issues.empty()) {
    section.blocks.push_back(Paragraph{"No issue of ingest overlaps this time.", true});
    return;
  }
  Table table{.name = "data-issues",
              .caption = "Odd or lost data of this time; counts are of the whole store",
              .columns = {{"Severity", "severity"}, {"Issue", "code", false, 1.2}, {"Times", "count", true}, {"Meaning", "help", false, 4}},
              .rows = {},
              .left_out = {}};
  for (const QualityIssue& issue : quality.issues)
    table.rows.push_back({textCell(severityName(issue.severity)), textCell(issue.code), countCell(issue.count), textCell(issue.help)});
  section.blocks.push_back(std::move(table));
}

void addEnvironment(Builder& build, std::span<const EnvironmentFact> facts) {
  Section& section = build.section("Environment");
  if (facts.empty()) {
    section.blocks.push_back(Paragraph{"The attempt recorded no settings.", true});
    return;
  }
  Table table{.name = "environment",
              .caption = "Layout and settings of the attempt; names that look secret are never stored",
              .columns = {{"Setting", "key", false, 1.3}, {"Value", "value", false, 4}},
              .rows = {},
              .left_out = {}};
  for (const EnvironmentFact& fact : facts) {
    std::string value = fact.value.empty() ? "(empty)" : fact.value;
    if (fact.values > 1) value += " (and " + countText(static_cast<std::int64_t>(fact.values) - 1) + " other values)";
    table.rows.push_back({textCell(fact.key), Cell{fact.value, std::move(value)}});
  }
  section.blocks.push_back(std::move(table));
}

}  // namespace runglass::report
