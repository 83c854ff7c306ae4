// SPDX-License-Identifier: Apache-2.0
// Sections that several reports share.
#include <algorithm>
#include <map>
#include <set>

#include "analysis/incident/incident_words.h"
#include "analysis/logbook/read_logbook.h"
#include "analysis/report/read_report.h"
#include "analysis/report/report_builder.h"
#include "model/fault_catalog.h"
#include "model/number_text.h"
#include "model/time_text.h"

namespace runglass::report {
namespace {

constexpr std::size_t kMaxLine = 400;
constexpr std::size_t kMaxNoteLines = 400;

constexpr std::size_t kMaxPlaces = 6;

// Equal faults are one row, regardless of their places.
struct HardwareRow {
  const FaultInfo* fault = nullptr;
  std::set<std::string> places;
  std::vector<std::string> shown;  // of those, in order of occurrence
  std::optional<TimeNs> first;
  std::int64_t count = 0;
  Severity severity = Severity::kInfo;

  std::string placesText() const {
    std::string text;
    for (const std::string& place : shown) text += (text.empty() ? "" : "; ") + place;
    if (places.size() > shown.size()) text += " and " + countText(static_cast<std::int64_t>(places.size() - shown.size())) + " more";
    return text;
  }
};

std::string placeOfEvent(const Builder& build, const Event& event, const std::map<DeviceId, Device>& devices) {
  std::string text;
  NodeId node = event.node;
  if (const auto device = devices.find(event.device); device != devices.end()) {
    node = device->second.node;
    text = device->second.kind == "gpu" ? "GPU" : device->second.kind;
    if (device->second.index) text += " " + std::to_string(*device->second.index);
  }
  if (const std::string name = build.nodeText(node); !name.empty()) text += (text.empty() ? "" : " of ") + name;
  if (event.rank) text += (text.empty() ? "" : ", ") + ("rank " + std::to_string(*event.rank));
  return text;
}

std::string leftOut(std::size_t count, const char* what) {
  return count == 0 ? std::string() : countText(static_cast<std::int64_t>(count)) + " more " + what + " are not listed.";
}

}  // namespace

Status addHardware(Builder& build, std::optional<TimeRange> range, std::stop_token stop) {
  Section& section = build.section("Hardware events and their meaning", build.link("events", range));
  RG_ASSIGN(const auto devices, build.reader().devices());
  std::map<DeviceId, Device> by_id;
  for (const Device& one : devices) by_id[one.id] = one;
  RG_ASSIGN(const auto events,
            build.reader().events(
                {.range = range.value_or(TimeRange{}), .run = build.run().id, .at_least = Severity::kInfo, .kind = "", .limit = 10'000}));
  // Codes that the catalogue does not distinguish (the number of a collective) are one row.
  std::map<std::pair<std::string, std::string>, HardwareRow> rows;
  for (auto event = events.rbegin(); event != events.rend(); ++event) {
    if (stop.stop_requested()) return {Code::kCancelled, "report: superseded"};
    const FaultInfo* fault = findFault(event->kind, event->code);
    if (fault == nullptr) continue;
    HardwareRow& row = rows[{event->kind, fault->code.empty() && fault->kind != "xid" ? "" : event->code}];
    row.fault = fault, ++row.count;
    row.severity = std::max(row.severity, std::max(event->severity, fault->severity));
    if (!row.first) row.first = event->time;
    std::string place = placeOfEvent(build, *event, by_id);
    if (row.places.insert(place).second && !place.empty() && row.shown.size() < kMaxPlaces) row.shown.push_back(std::move(place));
  }
  std::vector<std::pair<std::string, const HardwareRow*>> sorted;
  for (const auto& [key, row] : rows) {
    std::string name = upperFirst(key.first);
    std::ranges::replace(name, '_', ' ');
    sorted.emplace_back(key.second.empty() ? name : name + " " + key.second, &row);
  }
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) {
    if (a.second->severity != b.second->severity) return a.second->severity > b.second->severity;
    return a.second->first.value_or(INT64_MIN) < b.second->first.value_or(INT64_MIN);
  });
  if (sorted.empty()) {
    section.blocks.push_back(
        Paragraph{"No event of this time is in the fault catalogue (Xid, ECC, NVLink, PCIe, link, out of memory, ...).", true});
    return {};
  }
  Table table{.name = "hardware-events",
              .caption = "Hardware events, the worst first",
              .columns = {{"When", "first_ns"},
                          {"Where", "place", false, 1.2},
                          {"Event", "event"},
                          {"Times", "count", true},
                          {"Meaning", "meaning", false, 2.4},
                          {"What to do", "advice", false, 2.4}},
              .rows = {},
              .left_out = leftOut(sorted.size() - std::min(sorted.size(), kMaxHardwareRows), "hardware events")};
  std::map<std::string_view, int> sources;
  for (const auto& [name, row] : sorted) {
    if (table.rows.size() == kMaxHardwareRows) break;
    if (const std::string_view source = faultSource(row->fault->kind); !source.empty()) ++sources[source];
    table.rows.push_back({build.timeCell(row->first), textCell(row->placesText()),
                          textCell(name + " (" + severityName(row->severity) + ")"), countCell(row->count),
                          textCell(std::string(row->fault->meaning)), textCell(std::string(row->fault->advice))});
  }
  section.blocks.push_back(std::move(table));
  std::string from;
  for (const auto& [source, count] : sources) from += (from.empty() ? "Meanings: " : "; ") + std::string(source);
  if (!from.empty()) section.blocks.push_back(Paragraph{from + ".", true});
  return {};
}

void addNextSteps(Builder& build, std::vector<std::string> steps, const char* none) {
  Section& section = build.section("What to do");
  if (steps.empty())
    section.blocks.push_back(Paragraph{none, true});
  else
    section.blocks.push_back(BulletList{std::move(steps)});
}

Status addLogbook(Builder& build, std::span<const Finding> findings, std::span<const Incident> incidents, std::optional<TimeRange> range,
                  std::stop_token stop) {
  RG_ASSIGN(const Logbook book, readLogbook(build.reader(), build.run(), findings, incidents, stop));
  Section& section = build.section(range ? "From the run log" : "Run log");
  std::vector<const LogbookEntry*> shown;
  for (const LogbookEntry& entry : book.entries)
    if (!range || (entry.time && *entry.time >= range->t0 && *entry.time < range->t1)) shown.push_back(&entry);
  if (shown.empty()) {
    section.blocks.push_back(Paragraph{range ? "The run log has no entry in this time." : "Nothing was recorded.", true});
    return {};
  }
  Table table{.name = "logbook",
              .caption = range ? "Entries of this time" : "What happened, in order",
              .columns = {{"When", "time_ns"}, {"Step", "step", true}, {"What", "what", false, 1.1}, {"Entry", "text", false, 4}},
              .rows = {},
              .left_out = leftOut(shown.size() - std::min(shown.size(), kMaxLogbookRows) + book.left_out, "entries")};
  for (const LogbookEntry* entry : shown) {
    if (table.rows.size() == kMaxLogbookRows) break;
    const std::string severity = entry->severity >= Severity::kWarning ? std::string(" (") + severityName(entry->severity) + ")" : "";
    table.rows.push_back({build.timeCell(entry->time), countCell(entry->step), textCell(entry->what.english + severity),
                          textCell(oneLineOf(entry->text.english, kMaxLine))});
  }
  section.blocks.push_back(std::move(table));
  return {};
}

Status addLogLines(Builder& build, std::optional<TimeRange> range, std::stop_token stop) {
  Section& section = build.section("Log lines", build.link("events", range));
  RG_ASSIGN(const LogPage page, build.reader().searchLogs({.range = range.value_or(TimeRange{}),
                                                           .run = build.run().id,
                                                           .at_least = Severity::kWarning,
                                                           .order = RowOrder::kOldestFirst,
                                                           .limit = kMaxLogLines},
                                                          stop));
  LogExcerpt excerpt{.caption = "Warning and above, oldest first", .lines = {}, .left_out = page.more ? "There are more." : ""};
  for (const LogHit& hit : page.hits) {
    std::string who = build.nodeText(hit.line.node);
    if (hit.line.rank) who += (who.empty() ? "rank " : " rank ") + std::to_string(*hit.line.rank);
    std::string when = hit.line.time ? build.timeText(*hit.line.time) : std::string();
    excerpt.lines.push_back({hit.line.time, std::move(when), std::move(who), oneLineOf(hit.line.text, kMaxLine), hit.line.severity});
  }
  if (excerpt.lines.empty())
    section.blocks.push_back(Paragraph{"No log line of this time is a warning or worse.", true});
  else
    section.blocks.push_back(std::move(excerpt));
  return {};
}

void addNotes(Builder& build, const std::string& notes, std::span<const runglass::Note> of_run, std::optional<TimeRange> range) {
  std::vector<Block> blocks;
  if (!notes.empty()) blocks.push_back(WrittenNote{"", notes});
  std::size_t lines = 0;
  for (const runglass::Note& note : of_run) {
    if (range && (!note.time || *note.time < range->t0 || *note.time >= range->t1)) continue;
    if (++lines > kMaxNoteLines) break;
    blocks.push_back(WrittenNote{(note.time ? build.timeText(*note.time) + ", " : std::string()) + note.author, note.text});
  }
  if (!blocks.empty()) build.section("Notes").blocks = std::move(blocks);
}

Table findingTable(const Builder& build, std::span<const Finding* const> findings, std::string name, std::string caption) {
  Table table{.name = std::move(name),
              .caption = std::move(caption),
              .columns = {{"Severity", "severity"},
                          {"Kind", "kind", false, 1},
                          {"From", "start_ns"},
                          {"Step", "first_step", true},
                          {"What was found", "summary", false, 4},
                          {"Sure", "confidence", true}},
              .rows = {},
              .left_out = leftOut(findings.size() - std::min(findings.size(), kMaxFindingRows), "findings")};
  for (const Finding* one : findings) {
    if (table.rows.size() == kMaxFindingRows) break;
    table.rows.push_back({textCell(severityName(one->severity)), textCell(findingKindWords(one->kind)), build.timeCell(one->start),
                          countCell(one->first_step), textCell(oneLineOf(one->summary, kMaxSummary)), ratioCell(one->confidence)});
  }
  return table;
}

}  // namespace runglass::report
