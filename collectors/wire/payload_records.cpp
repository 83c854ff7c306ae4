// SPDX-License-Identifier: Apache-2.0
// The records of a payload: definitions extend the session's ids, everything else is said to the Recorder at once.
#include <algorithm>

#include "collectors/wire/payload_session.h"

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

Node nodeOf(const v1::Node& wire) {
  return {.uuid = wire.uuid(),
          .name = wire.name(),
          .rack = wire.rack(),
          .fabric_switch = wire.fabric_switch(),
          .state = enumOr(wire.state(), NodeState::kLeft, NodeState::kUnknown),
          .last_heard = {}};
}

}  // namespace

// True if wire id `id` is the next one of its kind and may be defined.
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

Device PayloadSession::deviceOf(const v1::Device& wire) {
  return {.uuid = wire.uuid(),
          .node = owner(nodes, wire.node()),
          .index = optionalOf(wire.has_index(), wire.index()),
          .kind = wire.kind(),
          .model = wire.model(),
          .memory_bytes = optionalOf(wire.has_memory_bytes(), wire.memory_bytes())};
}

Node PayloadSession::nodeWithTimes(const v1::Node& wire) {
  Node node = nodeOf(wire);
  node.last_heard = sane(wire.has_last_heard_ns(), wire.last_heard_ns());
  return node;
}

Run PayloadSession::runOf(const v1::Run& wire) {
  const auto domain =
      wire.has_time_domain() ? std::optional(enumOr(wire.time_domain(), TimeDomain::kNone, TimeDomain::kUtc)) : std::nullopt;
  const bool wall = domain ? *domain == TimeDomain::kUtc : wire.id() == 0 || wire.id() > runs.size() || run_has_wall_time[wire.id() - 1];
  return {.uuid = wire.uuid(),
          .name = wire.name(),
          .time_domain = domain,
          .state = enumOr(wire.state(), RunState::kStalled, RunState::kUnknown),
          .start = sane(wire.has_start_ns(), wire.start_ns(), wall),
          .end = sane(wire.has_end_ns(), wire.end_ns(), wall),
          .framework = wire.framework(),
          .simulated = wire.simulated()};
}

Attempt PayloadSession::attemptOf(const v1::Attempt& wire) {
  const bool wall = wire.run() == 0 || wire.run() > runs.size() || run_has_wall_time[wire.run() - 1];
  Attempt attempt{.run = ownerOf(runs, wire.run()),
                  .key = wire.key(),
                  .start = sane(wire.has_start_ns(), wire.start_ns(), wall),
                  .end = sane(wire.has_end_ns(), wire.end_ns(), wall),
                  .end_cause = wire.end_cause(),
                  .planned = optionalOf(wire.has_planned(), wire.planned()),
                  .resumed_from_step = optionalOf(wire.has_resumed_from_step(), wire.resumed_from_step())};
  if (wire.layout_size() >= 7) {
    const auto size = [&](int i) { return std::max(0, wire.layout(i)); };
    attempt.layout = {size(0), size(1), size(2), size(3), size(4), size(5), size(6)};
  }
  return attempt;
}

void PayloadSession::define(const v1::Node& wire) {
  if (isNext(nodes, wire.id(), limits.nodes, "nodes")) nodes.push_back(isForeign(wire) ? NodeId() : out->node(nodeWithTimes(wire)));
}

void PayloadSession::define(const v1::Device& wire) {
  if (isNext(devices, wire.id(), limits.devices, "devices")) {
    const Device device = deviceOf(wire);
    devices.push_back(owned ? out->device(device) : DeviceId());
  }
}

void PayloadSession::define(const v1::Run& wire) {
  if (isNext(runs, wire.id(), limits.runs, "runs")) {
    Run run = runOf(wire);
    if (guard.isBound()) {
      // Who it is comes first: what it may say depends on it.
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
    const SeriesKey key{.attempt = owner(attempts, wire.attempt()),
                        .rank = optionalOf(wire.has_rank(), wire.rank()),
                        .node = isOfForeign(wire.node()) ? NodeId() : owner(nodes, wire.node()),
                        .device = owner(devices, wire.device()),
                        .metric = wire.metric(),
                        .source = wire.source(),
                        .labels = wire.labels(),
                        .unit = wire.unit(),
                        .kind = enumOr(wire.kind(), SeriesKind::kScalar, SeriesKind::kGauge)};
    const bool taken = budget == nullptr || budget->takes(key, monotonicNow());
    if (!taken)
      issue("wire.too_many_ids", "this agent defines more than " + std::to_string(PayloadBudget::kMaxSeries) + " series a node and day");
    // Its samples fall away with it.
    const bool known = owned && taken && !isOfForeign(wire.node()), may = guard.mayDefine(key);
    series.push_back(known && may ? out->series(key) : SeriesId());
    if (known && !may) guard.defer(wire.id(), key);
    series_has_wall_time.push_back(hasWallTime(wire.attempt()));
  }
}

void PayloadSession::define(const v1::Track& wire) {
  if (isNext(tracks, wire.id(), limits.tracks, "tracks")) {
    const TrackKey key{.attempt = ownerOf(attempts, wire.attempt()),
                       .rank = optionalOf(wire.has_rank(), wire.rank()),
                       .kind = wire.kind(),
                       .name = wire.name()};
    const bool may = guard.mayDefine(key);
    tracks.push_back(owned && may ? out->track(key) : TrackId());
    if (owned && !may) guard.defer(wire.id(), key);
  }
}

void PayloadSession::say(const v1::Node& wire) {
  if (look(nodes, wire.id())) out->node(nodeWithTimes(wire));
}

void PayloadSession::say(const v1::Device& wire) {
  if (!look(devices, wire.id())) return;
  const Device device = deviceOf(wire);
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
  const Rank rank{.attempt = ownerOf(attempts, wire.attempt()),
                  .rank = wire.rank(),
                  .node = owner(nodes, wire.node()),
                  .device = owner(devices, wire.device()),
                  .local_rank = optionalOf(wire.has_local_rank(), wire.local_rank()),
                  .pid = optionalOf(wire.has_pid(), wire.pid()),
                  .tp = optionalOf(wire.has_tp(), wire.tp()),
                  .pp = optionalOf(wire.has_pp(), wire.pp()),
                  .dp = optionalOf(wire.has_dp(), wire.dp()),
                  .cp = optionalOf(wire.has_cp(), wire.cp()),
                  .ep = optionalOf(wire.has_ep(), wire.ep())};
  if (!owned) return;
  if (!guard.mayPlace(rank)) return void(refuse(rank.attempt, "ranks of other nodes"));
  out->rank(rank);
  if (!guard.isBound() || !guard.mayEnd(rank.attempt)) return;
  for (const Run& run : guard.takeRuns(rank.attempt)) out->run(run);
  for (const Attempt& attempt : guard.takeAttempts(rank.attempt)) out->attempt(attempt);
}

void PayloadSession::say(const v1::Fact& wire) {
  const Fact fact{.attempt = ownerOf(attempts, wire.attempt()),
                  .node = owner(nodes, wire.node()),
                  .rank = optionalOf(wire.has_rank(), wire.rank()),
                  .key = wire.key(),
                  .value = wire.value()};
  if (owned && !guard.mayReplace(fact.attempt, fact.rank)) return void(refuse(fact.attempt, "facts"));
  if (owned) out->fact(fact);
}

void PayloadSession::say(const v1::Checkpoint& wire) {
  const bool wall = hasWallTime(wire.attempt());
  const Checkpoint checkpoint{.attempt = ownerOf(attempts, wire.attempt()),
                              .step = wire.step(),
                              .begin = fixed(wire.has_begin_ns(), wire.begin_ns(), wall),
                              .durable = fixed(wire.has_durable_ns(), wire.durable_ns(), wall),
                              .bytes = optionalOf(wire.has_bytes(), wire.bytes()),
                              .path = wire.path()};
  if (mayAdd(checkpoint.attempt, "checkpoints")) out->checkpoint(checkpoint);
}

void PayloadSession::say(const v1::CommGroup& wire) {
  const CommGroup group{.attempt = ownerOf(attempts, wire.attempt()),
                        .id = wire.id(),
                        .kind = wire.kind(),
                        .name = wire.name(),
                        .ranks = {wire.ranks().begin(), wire.ranks().end()}};
  if (mayRecord(group.attempt, "groups")) out->group(group);
}

void PayloadSession::say(const v1::Event& wire) {
  if (wire.kind().empty() && wire.message().empty()) {
    ++empty_records;
    return;
  }
  const Event event{.time = fixed(wire.has_time_ns(), wire.time_ns(), hasWallTime(wire.attempt())),
                    .attempt = owner(attempts, wire.attempt()),
                    .node = owner(nodes, wire.node()),
                    .device = owner(devices, wire.device()),
                    .rank = optionalOf(wire.has_rank(), wire.rank()),
                    .step = optionalOf(wire.has_step(), wire.step()),
                    .kind = wire.kind(),
                    .severity = enumOr(wire.severity(), Severity::kCritical, Severity::kInfo),
                    .code = wire.code(),
                    .message = wire.message()};
  if (mayAdd(event.attempt, "events")) out->event(event);
}

void PayloadSession::say(const v1::LogLine& wire) {
  const LogLine line{.time = fixed(wire.has_time_ns(), wire.time_ns(), hasWallTime(wire.attempt())),
                     .attempt = owner(attempts, wire.attempt()),
                     .node = owner(nodes, wire.node()),
                     .rank = optionalOf(wire.has_rank(), wire.rank()),
                     .stream = wire.stream(),
                     .severity = enumOr(wire.severity(), Severity::kCritical, Severity::kInfo),
                     .text = wire.text()};
  if (mayAdd(line.attempt, "log lines")) out->log(line);
}

void PayloadSession::say(const v1::Progress& wire) {
  const Progress progress{.attempt = ownerOf(attempts, wire.attempt()),
                          .rank = wire.rank(),
                          .time = *fixed(true, wire.time_ns()),
                          .step = optionalOf(wire.has_step(), wire.step()),
                          .microbatch = optionalOf(wire.has_microbatch(), wire.microbatch()),
                          .group = optionalOf(wire.has_group(), wire.group()),
                          .seq = optionalOf(wire.has_seq(), wire.seq()),
                          .phase = wire.phase(),
                          .op = wire.op(),
                          .since = fixed(wire.has_since_ns(), wire.since_ns())};
  if (owned && guard.isElsewhere(progress.attempt, progress.rank)) return void(refuse(progress.attempt, "progress"));
  if (mayRecord(progress.attempt, "progress")) out->progress(progress);
}

void PayloadSession::say(const v1::Issue& wire) {
  constexpr std::size_t kMostCode = 128, kMostSource = 1'024, kMostDetail = 4'096;
  Issue issue{.code = wire.code().substr(0, kMostCode),
              .source = wire.source().substr(0, kMostSource),
              .count = std::max<std::int64_t>(1, wire.count()),
              .first = sane(wire.has_first_ns(), wire.first_ns()),
              .last = sane(wire.has_last_ns(), wire.last_ns()),
              .detail = wire.detail().substr(0, kMostDetail)};
  if (budget == nullptr || budget->takesIssue(issue.code, issue.source, monotonicNow()))
    out->issue(issue);
  else
    ++beyond_issues;
}

void PayloadSession::say(const v1::Label& wire) {
  const Label label{.attempt = ownerOf(attempts, wire.attempt()),
                    .kind = wire.kind(),
                    .node = owner(nodes, wire.node()),
                    .device = owner(devices, wire.device()),
                    .rank = optionalOf(wire.has_rank(), wire.rank()),
                    .start = fixed(wire.has_start_ns(), wire.start_ns(), false),
                    .end = fixed(wire.has_end_ns(), wire.end_ns(), false),
                    .first_step = optionalOf(wire.has_first_step(), wire.first_step()),
                    .last_step = optionalOf(wire.has_last_step(), wire.last_step()),
                    .strength = wire.strength()};
  if (mayRecord(label.attempt, "labels")) out->label(label);
}

void PayloadSession::say(const v1::ClockReading& wire) {
  if (isFar(wire.raw_ns()) || isFar(wire.offset_ns()) || wire.error_ns() < 0 || isFar(wire.error_ns())) {
    ++absurd;
    return;
  }
  const ClockReading reading{.node = ownerOf(nodes, wire.node()),
                             .session = wire.session(),
                             .raw = wire.raw_ns(),
                             .offset = wire.offset_ns(),
                             .error = wire.error_ns(),
                             .source = wire.source()};
  if (owned) out->clock(reading);
}

void PayloadSession::say(const v1::Capture& wire) {
  constexpr std::size_t kMostName = 256;  // the agent's text is bounded by the Recorder, its names here
  const Capture capture{.time = *fixed(true, wire.time_ns(), hasWallTime(wire.attempt())),
                        .attempt = owner(attempts, wire.attempt()),
                        .node = owner(nodes, wire.node()),
                        .rank = optionalOf(wire.has_rank(), wire.rank()),
                        .kind = wire.kind().substr(0, kMostName),
                        .source = wire.source().substr(0, kMostName),
                        .reason = wire.reason().substr(0, kMostName),
                        .text = wire.text(),
                        .truncated_bytes = std::max<std::int64_t>(0, wire.truncated_bytes())};
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
      // The hub's comes first; what an agent says after it lifts nothing.
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
      return true;  // from a newer agent: not ours to judge
  }
}

}  // namespace runglass
