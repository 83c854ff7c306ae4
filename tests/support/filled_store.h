// SPDX-License-Identifier: Apache-2.0
// A store that holds one filled record (filled_record.h) of every type, and all the records that a Reader of it returns.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "storage/reader.h"
#include "storage/writer.h"
#include "tests/support/filled_record.h"

namespace runglass::test {

// The record as fillStore() records it; ids are those of `names`. Values that a store does not accept are changed here, for both sides.
template <class Record>
Record storedRecord(const Names& names) {
  Record record = filled<Record>(names);
  if constexpr (requires { record.run_uuid; }) record.run_uuid = filled<Run>({}).uuid;
  if constexpr (std::same_as<Record, Snooze>) record.cause.clear();  // either a rule or a cause
  if constexpr (std::same_as<Record, ClockAlignment>) record.attempt = 0;
  return record;
}

// Records others first, so that no id of the store is 1.
inline Names fillStore(Writer& writer) {
  const NodeId other = writer.node({.uuid = "other", .name = "other"});
  writer.device({.uuid = "other gpu", .node = other});
  writer.attempt({.run = writer.run({.name = "other"}), .key = "other"});
  Names names;
  names.node = writer.node(filled<Node>({}));
  names.device = writer.device(filled<Device>(names));
  names.run = writer.run(filled<Run>({}));
  names.attempt = writer.attempt(filled<Attempt>(names));
  writer.rank(storedRecord<Rank>(names));
  writer.fact(storedRecord<Fact>(names));
  writer.checkpoint(storedRecord<Checkpoint>(names));
  writer.group(storedRecord<CommGroup>(names));
  const SeriesKey key = storedRecord<SeriesKey>(names);
  writer.sample(writer.series(key), 1'000, 1);
  writer.spans(writer.track(storedRecord<TrackKey>(names)), storedRecord<SpanColumns>(names));
  writer.event(storedRecord<Event>(names));
  writer.log(storedRecord<LogLine>(names));
  writer.progress(storedRecord<Progress>(names));
  writer.issue(storedRecord<Issue>(names));
  writer.label(storedRecord<Label>(names));
  writer.capture(storedRecord<Capture>(names));
  Names of_other = names;
  of_other.node = other;
  writer.clock(storedRecord<ClockReading>(of_other));
  writer.finding(storedRecord<Finding>(names));
  const Alert alert = storedRecord<Alert>(names);
  for (const Status& status :
       {writer.flush(), writer.alerts({&alert, 1}), writer.incident(storedRecord<Incident>(names)), writer.edit(storedRecord<Note>(names)),
        writer.edit(storedRecord<Snooze>(names)), writer.edit(storedRecord<ClockAlignment>(names)), writer.flush()})
    EXPECT_TRUE(status.ok()) << status.message();
  return names;
}

// The ids that `reader` has for the records of fillStore().
inline Names namesIn(Reader& reader) {
  Names names;
  const auto nodes = reader.nodes();
  const auto devices = reader.devices();
  const auto runs = reader.runs();
  for (const Node& node : *nodes)
    if (node.uuid == filled<Node>({}).uuid) names.node = node.id;
  for (const Device& device : *devices)
    if (device.uuid == filled<Device>({}).uuid) names.device = device.id;
  for (const Run& run : *runs)
    if (run.uuid == filled<Run>({}).uuid) names.run = run.id;
  if (names.run) names.attempt = reader.attempts(names.run)->at(0).id;
  return names;
}

// Calls visit(record) for each record of the run and of its node and device that the reader returns, of every type and by every call that
// lists records. Alerts and snoozes do not belong to a run: `all`.
template <class Visit>
void eachRecordOf(Reader& reader, const Names& names, bool all, const Visit& visit) {
  const auto each = [&](const auto& records, const char* what) {
    ASSERT_TRUE(records.ok()) << what << ": " << records.status().message();
    EXPECT_FALSE(records->empty()) << what;
    for (const auto& record : *records) visit(record);
  };
  const auto one = [&](auto records, auto id, const char* what) {
    if (records.ok()) std::erase_if(*records, [id](const auto& record) { return record.id != id; });
    each(records, what);
  };
  one(reader.nodes(), names.node, "nodes");
  one(reader.devices(), names.device, "devices");
  one(reader.runs(), names.run, "runs");
  each(reader.attempts(names.run), "attempts");
  const auto run = reader.run(names.run);
  const auto attempt = reader.attempt(names.attempt);
  ASSERT_TRUE(run.ok() && attempt.ok());
  visit(*run);
  visit(*attempt);
  each(reader.ranks(names.attempt), "ranks");
  each(reader.facts(names.attempt), "facts");
  each(reader.groups(names.attempt), "groups");
  each(reader.checkpoints(names.run), "checkpoints");
  each(reader.progress(names.run), "progress");
  each(reader.series({.run = names.run}), "series");
  each(reader.events({.run = names.run}), "events");
  each(reader.logs({.run = names.run}), "logs");
  each(reader.issues(), "issues");
  each(reader.labels(names.run), "labels");
  each(reader.captures(names.run, {}), "captures");
  each(reader.findings(names.run), "findings");
  each(reader.publishedFindings(names.run), "tellings");
  each(reader.incidents(names.run), "incidents");
  each(reader.notes(names.run), "notes");
  const auto tracks = reader.tracks(names.attempt);
  each(tracks, "tracks");
  if (tracks.ok() && !tracks->empty()) {
    const auto spans = reader.spans(tracks->at(0).id, {});
    ASSERT_TRUE(spans.ok()) << spans.status().message();
    visit(*spans);
    const auto stored = reader.spansWith(spans->id.at(0), {});
    ASSERT_TRUE(stored.ok()) << stored.status().message();
    visit(stored->spans);
  }
  const auto lines = reader.searchLogs({.run = names.run});
  const auto events = reader.searchEvents({.run = names.run});
  ASSERT_TRUE(lines.ok() && lines->hits.size() == 1 && events.ok() && events->events.size() == 1);
  visit(lines->hits[0].line);
  visit(events->events[0]);
  if (!all) return;
  each(reader.alerts(10), "alerts");
  each(reader.snoozes(), "snoozes");
}

}  // namespace runglass::test
