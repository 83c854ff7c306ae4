// SPDX-License-Identifier: Apache-2.0
// The records of a payload: definitions extend the session's ids, everything else is said to the Recorder at once.
#include <algorithm>

#include "collectors/hub/payload_session.h"

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
          .last_heard = optionalOf(wire.has_last_heard_ns(), wire.last_heard_ns())};
}

Run runOf(const v1::Run& wire) {
  return {
      .uuid = wire.uuid(),
      .name = wire.name(),
      .time_domain = wire.has_time_domain() ? std::optional(enumOr(wire.time_domain(), TimeDomain::kNone, TimeDomain::kUtc)) : std::nullopt,
      .state = enumOr(wire.state(), RunState::kStalled, RunState::kUnknown),
      .start = optionalOf(wire.has_start_ns(), wire.start_ns()),
      .end = optionalOf(wire.has_end_ns(), wire.end_ns()),
      .framework = wire.framework(),
      .simulated = wire.simulated()};
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
          .node = look(nodes, wire.node()),
          .index = optionalOf(wire.has_index(), wire.index()),
          .kind = wire.kind(),
          .model = wire.model(),
          .memory_bytes = optionalOf(wire.has_memory_bytes(), wire.memory_bytes())};
}

Attempt PayloadSession::attemptOf(const v1::Attempt& wire) {
  Attempt attempt{.run = look(runs, wire.run()),
                  .key = wire.key(),
                  .start = optionalOf(wire.has_start_ns(), wire.start_ns()),
                  .end = optionalOf(wire.has_end_ns(), wire.end_ns()),
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
  if (isNext(nodes, wire.id(), limits.nodes, "nodes")) nodes.push_back(isForeign(wire) ? NodeId() : out->node(nodeOf(wire)));
}

void PayloadSession::define(const v1::Device& wire) {
  if (isNext(devices, wire.id(), limits.devices, "devices")) devices.push_back(out->device(deviceOf(wire)));
}

void PayloadSession::define(const v1::Run& wire) {
  if (isNext(runs, wire.id(), limits.runs, "runs")) {
    const Run run = runOf(wire);
    runs.push_back(out->run(run));
    run_has_wall_time.push_back(run.time_domain.value_or(TimeDomain::kUtc) == TimeDomain::kUtc);
  }
}

void PayloadSession::define(const v1::Attempt& wire) {
  if (isNext(attempts, wire.id(), limits.attempts, "attempts")) {
    attempts.push_back(out->attempt(attemptOf(wire)));
    attempt_has_wall_time.push_back(wire.run() == 0 || wire.run() > runs.size() || run_has_wall_time[wire.run() - 1]);
  }
}

void PayloadSession::define(const v1::Series& wire) {
  if (isNext(series, wire.id(), limits.series, "series")) {
    // Its samples fall away with it.
    series.push_back(isOfForeign(wire.node()) ? SeriesId()
                                              : out->series({.attempt = look(attempts, wire.attempt()),
                                                             .rank = optionalOf(wire.has_rank(), wire.rank()),
                                                             .node = look(nodes, wire.node()),
                                                             .device = look(devices, wire.device()),
                                                             .metric = wire.metric(),
                                                             .source = wire.source(),
                                                             .labels = wire.labels(),
                                                             .unit = wire.unit(),
                                                             .kind = enumOr(wire.kind(), SeriesKind::kScalar, SeriesKind::kGauge)}));
    series_has_wall_time.push_back(hasWallTime(wire.attempt()));
  }
}

void PayloadSession::define(const v1::Track& wire) {
  if (isNext(tracks, wire.id(), limits.tracks, "tracks"))
    tracks.push_back(out->track({.attempt = look(attempts, wire.attempt()),
                                 .rank = optionalOf(wire.has_rank(), wire.rank()),
                                 .kind = wire.kind(),
                                 .name = wire.name()}));
}

void PayloadSession::say(const v1::Node& wire) {
  if (look(nodes, wire.id())) out->node(nodeOf(wire));
}

void PayloadSession::say(const v1::Device& wire) {
  if (look(devices, wire.id())) out->device(deviceOf(wire));
}

void PayloadSession::say(const v1::Run& wire) {
  if (look(runs, wire.id())) out->run(runOf(wire));
}

void PayloadSession::say(const v1::Attempt& wire) {
  if (look(attempts, wire.id())) out->attempt(attemptOf(wire));
}

void PayloadSession::say(const v1::Rank& wire) {
  const AttemptId attempt = look(attempts, wire.attempt());
  if (!attempt) return;
  out->rank({.attempt = attempt,
             .rank = wire.rank(),
             .node = look(nodes, wire.node()),
             .device = look(devices, wire.device()),
             .local_rank = optionalOf(wire.has_local_rank(), wire.local_rank()),
             .pid = optionalOf(wire.has_pid(), wire.pid()),
             .tp = optionalOf(wire.has_tp(), wire.tp()),
             .pp = optionalOf(wire.has_pp(), wire.pp()),
             .dp = optionalOf(wire.has_dp(), wire.dp()),
             .cp = optionalOf(wire.has_cp(), wire.cp()),
             .ep = optionalOf(wire.has_ep(), wire.ep())});
}

void PayloadSession::say(const v1::Fact& wire) {
  if (const AttemptId attempt = look(attempts, wire.attempt()))
    out->fact({.attempt = attempt,
               .node = look(nodes, wire.node()),
               .rank = optionalOf(wire.has_rank(), wire.rank()),
               .key = wire.key(),
               .value = wire.value()});
}

void PayloadSession::say(const v1::Checkpoint& wire) {
  if (const AttemptId attempt = look(attempts, wire.attempt())) {
    const bool wall = hasWallTime(wire.attempt());
    out->checkpoint({.attempt = attempt,
                     .step = wire.step(),
                     .begin = fixed(wire.has_begin_ns(), wire.begin_ns(), wall),
                     .durable = fixed(wire.has_durable_ns(), wire.durable_ns(), wall),
                     .bytes = optionalOf(wire.has_bytes(), wire.bytes()),
                     .path = wire.path()});
  }
}

void PayloadSession::say(const v1::CommGroup& wire) {
  if (const AttemptId attempt = look(attempts, wire.attempt()))
    out->group({.attempt = attempt,
                .id = wire.id(),
                .kind = wire.kind(),
                .name = wire.name(),
                .ranks = {wire.ranks().begin(), wire.ranks().end()}});
}

void PayloadSession::say(const v1::Event& wire) {
  out->event({.time = fixed(wire.has_time_ns(), wire.time_ns(), hasWallTime(wire.attempt())),
              .attempt = look(attempts, wire.attempt()),
              .node = look(nodes, wire.node()),
              .device = look(devices, wire.device()),
              .rank = optionalOf(wire.has_rank(), wire.rank()),
              .step = optionalOf(wire.has_step(), wire.step()),
              .kind = wire.kind(),
              .severity = enumOr(wire.severity(), Severity::kCritical, Severity::kInfo),
              .code = wire.code(),
              .message = wire.message()});
}

void PayloadSession::say(const v1::LogLine& wire) {
  out->log({.time = fixed(wire.has_time_ns(), wire.time_ns(), hasWallTime(wire.attempt())),
            .attempt = look(attempts, wire.attempt()),
            .node = look(nodes, wire.node()),
            .rank = optionalOf(wire.has_rank(), wire.rank()),
            .stream = wire.stream(),
            .severity = enumOr(wire.severity(), Severity::kCritical, Severity::kInfo),
            .text = wire.text()});
}

void PayloadSession::say(const v1::Progress& wire) {
  if (const AttemptId attempt = look(attempts, wire.attempt()))
    out->progress({.attempt = attempt,
                   .rank = wire.rank(),
                   .time = *fixed(true, wire.time_ns()),
                   .step = optionalOf(wire.has_step(), wire.step()),
                   .microbatch = optionalOf(wire.has_microbatch(), wire.microbatch()),
                   .group = optionalOf(wire.has_group(), wire.group()),
                   .seq = optionalOf(wire.has_seq(), wire.seq()),
                   .phase = wire.phase(),
                   .op = wire.op(),
                   .since = fixed(wire.has_since_ns(), wire.since_ns())});
}

void PayloadSession::say(const v1::Issue& wire) {
  out->issue({.code = wire.code(),
              .source = wire.source(),
              .count = std::max<std::int64_t>(1, wire.count()),
              .first = optionalOf(wire.has_first_ns(), wire.first_ns()),
              .last = optionalOf(wire.has_last_ns(), wire.last_ns()),
              .detail = wire.detail()});
}

void PayloadSession::say(const v1::Label& wire) {
  if (const AttemptId attempt = look(attempts, wire.attempt()))
    out->label({.attempt = attempt,
                .kind = wire.kind(),
                .node = look(nodes, wire.node()),
                .device = look(devices, wire.device()),
                .rank = optionalOf(wire.has_rank(), wire.rank()),
                .start = optionalOf(wire.has_start_ns(), wire.start_ns()),
                .end = optionalOf(wire.has_end_ns(), wire.end_ns()),
                .first_step = optionalOf(wire.has_first_step(), wire.first_step()),
                .last_step = optionalOf(wire.has_last_step(), wire.last_step()),
                .strength = wire.strength()});
}

void PayloadSession::say(const v1::ClockReading& wire) {
  if (const NodeId node = look(nodes, wire.node()))
    out->clock({.node = node,
                .session = wire.session(),
                .raw = wire.raw_ns(),
                .offset = wire.offset_ns(),
                .error = wire.error_ns(),
                .source = wire.source()});
}

void PayloadSession::say(const v1::Capture& wire) {
  constexpr std::size_t kMostName = 256;  // the agent's text is bounded by the Recorder, its names here
  out->capture({.time = *fixed(true, wire.time_ns(), hasWallTime(wire.attempt())),
                .attempt = look(attempts, wire.attempt()),
                .node = look(nodes, wire.node()),
                .rank = optionalOf(wire.has_rank(), wire.rank()),
                .kind = wire.kind().substr(0, kMostName),
                .source = wire.source().substr(0, kMostName),
                .reason = wire.reason().substr(0, kMostName),
                .text = wire.text(),
                .truncated_bytes = std::max<std::int64_t>(0, wire.truncated_bytes())});
}

bool PayloadSession::entry(std::uint32_t field, std::string_view bytes) {
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
      if (only_node.empty()) only_node = bytes;
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
