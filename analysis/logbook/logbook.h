// SPDX-License-Identifier: Apache-2.0
// The run log: the run's history in order, with the notes of people, as values and as Markdown. The kernel.
//
// The form follows the handwritten log of OPT-175B (Zhang et al., "OPT: Open Pre-trained Transformer Language Models", arXiv 2205.01068,
// section 2.5; metaseq, projects/OPT/chronicles): one heading per day, one line per entry with time, step and text.
//
// Threading:  pure.
// Units:      TimeNs; UTC days. A run with a private clock counts its days; a run without a clock has entries by attempt and step.
// Errors:     unrecorded items are absent.
// Cost:       O(n log n) of findings, checkpoints, alerts and events.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/goodput/goodput.h"
#include "analysis/incident/incident_timeline.h"

namespace runglass {

struct LogbookEntry {
  std::optional<TimeNs> time;
  std::optional<std::int64_t> step;
  std::int32_t attempt = 0;
  std::optional<std::int32_t> rank;  // with node: of a finding
  NodeId node;
  std::string kind;  // "start", "restart", "end", "checkpoints", "alert", "incident", "note", "event", or a finding's
  Severity severity = Severity::kInfo;
  words::Sentence what;  // words for the kind: "loss spike"
  words::Sentence text;  // as recorded: not escaped
};

struct Logbook {
  Run run;
  words::Sentence summary;            // one sentence: attempts, steps, the share of the time that made progress
  std::vector<LogbookEntry> entries;  // those without a time first, by attempt and step; then by time
  std::size_t left_out = 0;           // events beyond kMaxEntries
};

struct LogbookSource {
  Run run;
  const RunPlaces& places;
  std::span<const Device> devices;
  std::map<AttemptId, std::vector<Fact>> facts;
  const Goodput* goodput = nullptr;  // null: not read
  std::span<const Finding> findings;
  std::span<const Checkpoint> checkpoints;
  std::span<const Alert> alerts;  // of the run
  std::span<const Note> notes;
  std::span<const Incident> incidents;
  std::span<const Event> events;
  std::function<std::optional<std::int64_t>(TimeNs)> step_at;
};

Logbook logbookOf(const LogbookSource& source);
std::string logbookMarkdown(const Logbook& logbook);

}  // namespace runglass
