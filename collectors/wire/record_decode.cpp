// SPDX-License-Identifier: Apache-2.0
#include "collectors/wire/record_decode.h"

#include <algorithm>

namespace runglass {

Node recordOf(const v1::Node& wire) {
  return {.uuid = wire.uuid(),
          .name = wire.name(),
          .rack = wire.rack(),
          .fabric_switch = wire.fabric_switch(),
          .state = enumOr(wire.state(), NodeState::kLeft, NodeState::kUnknown),
          .last_heard = optionalOf(wire.has_last_heard_ns(), wire.last_heard_ns())};
}

Device recordOf(const v1::Device& wire) {
  return {.uuid = wire.uuid(),
          .node = {wire.node()},
          .index = optionalOf(wire.has_index(), wire.index()),
          .kind = wire.kind(),
          .model = wire.model(),
          .memory_bytes = optionalOf(wire.has_memory_bytes(), wire.memory_bytes())};
}

Run recordOf(const v1::Run& wire) {
  return {.uuid = wire.uuid(),
          .name = wire.name(),
          .time_domain = optionalOf(wire.has_time_domain(), enumOr(wire.time_domain(), TimeDomain::kNone, TimeDomain::kUtc)),
          .state = enumOr(wire.state(), RunState::kStalled, RunState::kUnknown),
          .start = optionalOf(wire.has_start_ns(), wire.start_ns()),
          .end = optionalOf(wire.has_end_ns(), wire.end_ns()),
          .framework = wire.framework(),
          .simulated = wire.simulated()};
}

Attempt recordOf(const v1::Attempt& wire) {
  Attempt attempt{.run = {wire.run()},
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

SeriesKey recordOf(const v1::Series& wire) {
  return {.attempt = {wire.attempt()},
          .rank = optionalOf(wire.has_rank(), wire.rank()),
          .node = {wire.node()},
          .device = {wire.device()},
          .metric = wire.metric(),
          .source = wire.source(),
          .labels = wire.labels(),
          .unit = wire.unit(),
          .kind = enumOr(wire.kind(), SeriesKind::kScalar, SeriesKind::kGauge)};
}

TrackKey recordOf(const v1::Track& wire) {
  return {.attempt = {wire.attempt()}, .rank = optionalOf(wire.has_rank(), wire.rank()), .kind = wire.kind(), .name = wire.name()};
}

Rank recordOf(const v1::Rank& wire) {
  return {.attempt = {wire.attempt()},
          .rank = wire.rank(),
          .node = {wire.node()},
          .device = {wire.device()},
          .local_rank = optionalOf(wire.has_local_rank(), wire.local_rank()),
          .pid = optionalOf(wire.has_pid(), wire.pid()),
          .tp = optionalOf(wire.has_tp(), wire.tp()),
          .pp = optionalOf(wire.has_pp(), wire.pp()),
          .dp = optionalOf(wire.has_dp(), wire.dp()),
          .cp = optionalOf(wire.has_cp(), wire.cp()),
          .ep = optionalOf(wire.has_ep(), wire.ep())};
}

Fact recordOf(const v1::Fact& wire) {
  return {.attempt = {wire.attempt()},
          .node = {wire.node()},
          .rank = optionalOf(wire.has_rank(), wire.rank()),
          .key = wire.key(),
          .value = wire.value()};
}

Checkpoint recordOf(const v1::Checkpoint& wire) {
  return {.attempt = {wire.attempt()},
          .step = wire.step(),
          .begin = optionalOf(wire.has_begin_ns(), wire.begin_ns()),
          .durable = optionalOf(wire.has_durable_ns(), wire.durable_ns()),
          .bytes = optionalOf(wire.has_bytes(), wire.bytes()),
          .path = wire.path()};
}

CommGroup recordOf(const v1::CommGroup& wire) {
  return {.attempt = {wire.attempt()},
          .id = wire.id(),
          .kind = wire.kind(),
          .name = wire.name(),
          .ranks = {wire.ranks().begin(), wire.ranks().end()}};
}

Event recordOf(const v1::Event& wire) {
  return {.time = optionalOf(wire.has_time_ns(), wire.time_ns()),
          .attempt = {wire.attempt()},
          .node = {wire.node()},
          .device = {wire.device()},
          .rank = optionalOf(wire.has_rank(), wire.rank()),
          .step = optionalOf(wire.has_step(), wire.step()),
          .kind = wire.kind(),
          .severity = enumOr(wire.severity(), Severity::kCritical, Severity::kInfo),
          .code = wire.code(),
          .message = wire.message()};
}

LogLine recordOf(const v1::LogLine& wire) {
  return {.time = optionalOf(wire.has_time_ns(), wire.time_ns()),
          .attempt = {wire.attempt()},
          .node = {wire.node()},
          .rank = optionalOf(wire.has_rank(), wire.rank()),
          .stream = wire.stream(),
          .severity = enumOr(wire.severity(), Severity::kCritical, Severity::kInfo),
          .text = wire.text()};
}

Progress recordOf(const v1::Progress& wire) {
  return {.attempt = {wire.attempt()},
          .rank = wire.rank(),
          .time = wire.time_ns(),
          .step = optionalOf(wire.has_step(), wire.step()),
          .microbatch = optionalOf(wire.has_microbatch(), wire.microbatch()),
          .group = optionalOf(wire.has_group(), wire.group()),
          .seq = optionalOf(wire.has_seq(), wire.seq()),
          .phase = wire.phase(),
          .op = wire.op(),
          .since = optionalOf(wire.has_since_ns(), wire.since_ns())};
}

Issue recordOf(const v1::Issue& wire) {
  return {.code = wire.code(),
          .source = wire.source(),
          .count = wire.count(),
          .first = optionalOf(wire.has_first_ns(), wire.first_ns()),
          .last = optionalOf(wire.has_last_ns(), wire.last_ns()),
          .detail = wire.detail()};
}

Label recordOf(const v1::Label& wire) {
  return {.attempt = {wire.attempt()},
          .kind = wire.kind(),
          .node = {wire.node()},
          .device = {wire.device()},
          .rank = optionalOf(wire.has_rank(), wire.rank()),
          .start = optionalOf(wire.has_start_ns(), wire.start_ns()),
          .end = optionalOf(wire.has_end_ns(), wire.end_ns()),
          .first_step = optionalOf(wire.has_first_step(), wire.first_step()),
          .last_step = optionalOf(wire.has_last_step(), wire.last_step()),
          .strength = wire.strength()};
}

ClockReading recordOf(const v1::ClockReading& wire) {
  return {.node = {wire.node()},
          .session = wire.session(),
          .raw = wire.raw_ns(),
          .offset = wire.offset_ns(),
          .error = wire.error_ns(),
          .source = wire.source()};
}

Capture recordOf(const v1::Capture& wire) {
  return {.time = wire.time_ns(),
          .attempt = {wire.attempt()},
          .node = {wire.node()},
          .rank = optionalOf(wire.has_rank(), wire.rank()),
          .kind = wire.kind(),
          .source = wire.source(),
          .reason = wire.reason(),
          .text = wire.text(),
          .truncated_bytes = wire.truncated_bytes()};
}

}  // namespace runglass
