// SPDX-License-Identifier: Apache-2.0
// The records of a payload: definitions extend the session's ids, all others are passed to the Recorder at once.
#include <algorithm>

#include "collectors/wire/payload_session.h"
#include "model/recorder_fields.h"

namespace runglass {
namespace {

using Wire = v1::Payload;

template <class Message, class Use>
bool parsed(std::string_view bytes, const Use& use) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return false;
  use(message);
  return true;
}

void cut(std::string& text, std::size_t most) {
  if (text.size() > most) text.resize(most);
}

}  // namespace

// True if wire id `id` is the next one of its kind and can be defined.
template <class Id>
bool PayloadSession::isNext(const std::vector<Id>& ids, std::uint32_t id, std::size_t limit, const char* kind) {
  if (id != 0 && id <= ids.size()) return false;
  if (id == ids.size() + 1 && ids.size() < limit) return true;
  if (ids.size() >= limit)
    issue("wire.too_many_ids", std::string("session defines more than ") + std::to_string(limit) + " " + kind);
  else
    issue("wire.unknown_id", std::string(kind) + " defined out of order");
  return false;
}

template <class Record>
void PayloadSession::translate(Record& record) {
  mapIds(record, [this](auto id, FieldRole role) {
    const auto wire = static_cast<std::uint32_t>(id.value);
    return role == FieldRole::kOwner ? this->ownerOf(this->idsOf(id), wire) : this->owner(this->idsOf(id), wire);
  });
}

template <class Message>
auto PayloadSession::translated(const Message& wire) {
  auto record = recordOf(wire);
  translate(record);
  return record;
}

Node PayloadSession::nodeOf(const v1::Node& wire) {
  Node node = recordOf(wire);
  dropInsane(node.last_heard);
  return node;
}

Run PayloadSession::runOf(const v1::Run& wire) {
  Run run = recordOf(wire);
  const bool known_wall = wire.id() == 0 || wire.id() > runs.size() || run_has_wall_time[wire.id() - 1];
  const bool wall = run.time_domain ? *run.time_domain == TimeDomain::kUtc : known_wall;
  dropInsane(run.start, wall), dropInsane(run.end, wall);
  return run;
}

Attempt PayloadSession::attemptOf(const v1::Attempt& wire) {
  const bool wall = wire.run() == 0 || wire.run() > runs.size() || run_has_wall_time[wire.run() - 1];
  Attempt attempt = translated(wire);
  dropInsane(attempt.start, wall), dropInsane(attempt.end, wall);
  return attempt;
}

void PayloadSession::define(const v1::Node& wire) {
  if (isNext(nodes, wire.id(), limits.nodes, "nodes")) nodes.push_back(isForeign(wire) ? NodeId() : out->node(nodeOf(wire)));
}

void PayloadSession::define(const v1::Device& wire) {
  if (isNext(devices, wire.id(), limits.devices, "devices")) {
    const Device device = translated(wire);
    devices.push_back(owned ? out->device(device) : DeviceId());
  }
}

void PayloadSession::define(const v1::Run& wire) {
  if (isNext(runs, wire.id(), limits.runs, "runs")) {
    Run run = runOf(wire);
    if (guard.isBound()) {
      // The identity comes first: it determines which records are accepted.
      const RunId id = out->run({.uuid = run.uuid, .name = run.name});
      guard.named(id, run.name.empty() ? run.uuid : run.name);
      guard.strip(id, run);
    }
    runs.push_back(out->run(run));
    run_has_wall_time.push_back(run.time_domain.value_or(TimeDomain::kUtc) == TimeDomain::kUtc);
  }
}

void PayloadSession::define(const v1::Attempt& wire) {
  if (isNext(attempts, wire.id(), limits.attempts, "attempts")) {
    Attempt attempt = attemptOf(wire);
    if (owned && guard.isBound()) {
      const AttemptId id = out->attempt({.run = attempt.run, .key = attempt.key});
      guard.named(id, attempt.run);
      guard.strip(id, attempt);
    }
    attempts.push_back(owned ? out->attempt(attempt) : AttemptId());
    attempt_has_wall_time.push_back(wire.run() == 0 || wire.run() > runs.size() || run_has_wall_time[wire.run() - 1]);
  }
}

void PayloadSession::define(const v1::Series& wire) {
  if (isNext(series, wire.id(), limits.series, "series")) {
    SeriesKey key = recordOf(wire);
    if (isOfForeign(wire.node())) key.node = {};
    translate(key);
    const bool taken = budget == nullptr || budget->takes(key, monotonicNow());
    if (!taken)
      issue("wire.too_many_ids", "this agent defines more than " + std::to_string(PayloadBudget::kMaxSeries) + " series a node and day");
    // A series that is not defined drops its samples.
    const bool known = owned && taken && !isOfForeign(wire.node()), may = guard.mayDefine(key);
    series.push_back(known && may ? out->series(key) : SeriesId());
    if (known && !may) guard.defer(wire.id(), key);
    series_has_wall_time.push_back(hasWallTime(wire.attempt()));
  }
}

void PayloadSession::define(const v1::Track& wire) {
  if (isNext(tracks, wire.id(), limits.tracks, "tracks")) {
    const TrackKey key = translated(wire);
    const bool may = guard.mayDefine(key);
    tracks.push_back(owned && may ? out->track(key) : TrackId());
    if (owned && !may) guard.defer(wire.id(), key);
  }
}

void PayloadSession::say(const v1::Node& wire) {
  if (look(nodes, wire.id())) out->node(nodeOf(wire));
}

void PayloadSession::say(const v1::Device& wire) {
  if (!look(devices, wire.id())) return;
  const Device device = translated(wire);
  if (owned) out->device(device);
}

void PayloadSession::say(const v1::Run& wire) {
  const RunId id = look(runs, wire.id());
  if (!id) return;
  Run run = runOf(wire);
  guard.strip(id, run);
  out->run(run);
}

void PayloadSession::say(const v1::Attempt& wire) {
  const AttemptId id = look(attempts, wire.id());
  if (!id) return;
  Attempt attempt = attemptOf(wire);
  if (!owned) return;
  guard.strip(id, attempt);
  out->attempt(attempt);
}

void PayloadSession::say(const v1::Rank& wire) {
  const Rank rank = translated(wire);
  if (!owned) return;
  if (!guard.mayPlace(rank)) return void(refuse(rank.attempt, "ranks of other nodes"));
  out->rank(rank);
  if (!guard.isBound() || !guard.mayEnd(rank.attempt)) return;
  for (const Run& run : guard.takeRuns(rank.attempt)) out->run(run);
  for (const Attempt& attempt : guard.takeAttempts(rank.attempt)) out->attempt(attempt);
}

void PayloadSession::say(const v1::Fact& wire) {
  const Fact fact = translated(wire);
  if (owned && !guard.mayReplace(fact.attempt, fact.rank)) return void(refuse(fact.attempt, "facts"));
  if (owned) out->fact(fact);
}

void PayloadSession::say(const v1::Checkpoint& wire) {
  Checkpoint checkpoint = translated(wire);
  const bool wall = hasWallTime(wire.attempt());
  settle(checkpoint.begin, wall), settle(checkpoint.durable, wall);
  if (mayAdd(checkpoint.attempt, "checkpoints")) out->checkpoint(checkpoint);
}

void PayloadSession::say(const v1::CommGroup& wire) {
  const CommGroup group = translated(wire);
  if (mayRecord(group.attempt, "groups")) out->group(group);
}

void PayloadSession::say(const v1::Event& wire) {
  if (wire.kind().empty() && wire.message().empty()) {
    ++empty_records;
    return;
  }
  Event event = translated(wire);
  settle(event.time, hasWallTime(wire.attempt()));
  if (mayAdd(event.attempt, "events")) out->event(event);
}

void PayloadSession::say(const v1::LogLine& wire) {
  LogLine line = translated(wire);
  settle(line.time, hasWallTime(wire.attempt()));
  if (mayAdd(line.attempt, "log lines")) out->log(line);
}

void PayloadSession::say(const v1::Progress& wire) {
  Progress progress = translated(wire);
  settle(progress.time), settle(progress.since);
  if (owned && guard.isElsewhere(progress.attempt, progress.rank)) return void(refuse(progress.attempt, "progress"));
  if (mayRecord(progress.attempt, "progress")) out->progress(progress);
}

void PayloadSession::say(const v1::Issue& wire) {
  constexpr std::size_t kMaxCode = 128, kMaxSource = 1'024, kMaxDetail = 4'096;
  Issue issue = recordOf(wire);
  cut(issue.code, kMaxCode), cut(issue.source, kMaxSource), cut(issue.detail, kMaxDetail);
  issue.count = std::max<std::int64_t>(1, issue.count);
  dropInsane(issue.first), dropInsane(issue.last);
  if (budget == nullptr || budget->takesIssue(issue.code, issue.source, monotonicNow()))
    out->issue(issue);
  else
    ++beyond_issues;
}

void PayloadSession::say(const v1::Label& wire) {
  Label label = translated(wire);
  settle(label.start, false), settle(label.end, false);
  if (mayRecord(label.attempt, "labels")) out->label(label);
}

void PayloadSession::say(const v1::ClockReading& wire) {
  if (isFar(wire.raw_ns()) || isFar(wire.offset_ns()) || wire.error_ns() < 0 || isFar(wire.error_ns())) {
    ++absurd;
    return;
  }
  const ClockReading reading = translated(wire);
  if (owned) out->clock(reading);
}

void PayloadSession::say(const v1::Capture& wire) {
  constexpr std::size_t kMaxName = 256;  // the agent's text is limited by the Recorder, its names here
  Capture capture = translated(wire);
  settle(capture.time, hasWallTime(wire.attempt()));
  cut(capture.kind, kMaxName), cut(capture.source, kMaxName), cut(capture.reason, kMaxName);
  capture.truncated_bytes = std::max<std::int64_t>(0, capture.truncated_bytes);
  if (owned && !guard.mayReplace(capture.attempt, capture.rank)) return void(refuse(capture.attempt, "captures"));
  if (owned) out->capture(capture);
}

bool PayloadSession::entry(std::uint32_t field, std::string_view bytes) {
  owned = true;
  const auto defined = [&](const auto& wire) { define(wire); };
  const auto said = [&]<class Message>(const Message& wire) {
    bool foreign = false;
    if constexpr (std::is_same_v<Message, v1::Node>) {
      foreign = isForeign(wire);
    } else if constexpr (requires { wire.node(); }) {
      foreign = isOfForeign(wire.node());
    }
    if (foreign) {
      ++foreign_records;
      return;
    }
    ++counts.records;
    say(wire);
  };
  switch (field) {
    case Wire::kDefineNodeFieldNumber:
      return parsed<v1::Node>(bytes, defined);
    case Wire::kDefineDeviceFieldNumber:
      return parsed<v1::Device>(bytes, defined);
    case Wire::kDefineRunFieldNumber:
      return parsed<v1::Run>(bytes, defined);
    case Wire::kDefineAttemptFieldNumber:
      return parsed<v1::Attempt>(bytes, defined);
    case Wire::kDefineSeriesFieldNumber:
      return parsed<v1::Series>(bytes, defined);
    case Wire::kDefineTrackFieldNumber:
      return parsed<v1::Track>(bytes, defined);
    case Wire::kNodeFieldNumber:
      return parsed<v1::Node>(bytes, said);
    case Wire::kDeviceFieldNumber:
      return parsed<v1::Device>(bytes, said);
    case Wire::kRunFieldNumber:
      return parsed<v1::Run>(bytes, said);
    case Wire::kAttemptFieldNumber:
      return parsed<v1::Attempt>(bytes, said);
    case Wire::kRankFieldNumber:
      return parsed<v1::Rank>(bytes, said);
    case Wire::kFactFieldNumber:
      return parsed<v1::Fact>(bytes, said);
    case Wire::kCheckpointFieldNumber:
      return parsed<v1::Checkpoint>(bytes, said);
    case Wire::kGroupFieldNumber:
      return parsed<v1::CommGroup>(bytes, said);
    case Wire::kEventFieldNumber:
      return parsed<v1::Event>(bytes, said);
    case Wire::kLogFieldNumber:
      return parsed<v1::LogLine>(bytes, said);
    case Wire::kProgressFieldNumber:
      return parsed<v1::Progress>(bytes, said);
    case Wire::kIssueFieldNumber:
      return parsed<v1::Issue>(bytes, said);
    case Wire::kLabelFieldNumber:
      return parsed<v1::Label>(bytes, said);
    case Wire::kClockFieldNumber:
      return parsed<v1::ClockReading>(bytes, said);
    case Wire::kCaptureFieldNumber:
      return parsed<v1::Capture>(bytes, said);
    case Wire::kOnlyNodeFieldNumber:
      // The hub's field comes first; a later one from an agent has no effect.
      if (!only_node.empty()) return true;
      only_node = bytes;
      if (mirror == nullptr) guard.bind(out->node({.uuid = only_node}));
      return true;
    case Wire::kSamplesFieldNumber:
      return sampleBlock(bytes);
    case Wire::kScalarsFieldNumber:
      return scalarBlock(bytes);
    case Wire::kSpansFieldNumber:
      return spanBlock(bytes);
    case Wire::kProgressTableFieldNumber:
    case Wire::kPointTableFieldNumber:
    case Wire::kCompleteSeriesFieldNumber:
    case Wire::kIssueTotalFieldNumber:
    case Wire::kSummaryFieldNumber:
    case Wire::kJudgementsFieldNumber:
    case Wire::kMarkFieldNumber:
      return feedEntry(field, bytes);
    default:
      return true;  // unknown, from a newer agent
  }
}

}  // namespace runglass
