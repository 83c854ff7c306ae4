// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. ids[k] of a kind is the Recorder's id for wire id k + 1; a definition either extends it by one or is already known and ignored.
// 2. Nothing is allocated by a number that the bytes merely claim: columns are bounded by the bytes they occupy.
// 3. What a payload does to the Recorder depends on its bytes and the session's earlier ones only, so that replaying a journal gives what
//    the first time gave.
#include "collectors/hub/payload_replay.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "collectors/proto/wire_reader.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {
namespace {

using Wire = v1::Payload;

template <class Enum>
Enum enumOr(std::uint32_t value, Enum last, Enum otherwise) {
  return value <= static_cast<std::uint32_t>(last) ? static_cast<Enum>(value) : otherwise;
}

template <class T>
std::optional<T> optionalOf(bool has, T value) {
  return has ? std::optional<T>(value) : std::nullopt;
}

}  // namespace

struct PayloadReplay::State {
  State(std::string agent_name, PayloadLimits caps) : agent(std::move(agent_name)), limits(caps) {}

  std::string agent;
  PayloadLimits limits;
  std::vector<NodeId> nodes;
  std::vector<DeviceId> devices;
  std::vector<RunId> runs;
  std::vector<AttemptId> attempts;
  std::vector<SeriesId> series;
  std::vector<TrackId> tracks;
  std::vector<bool> run_has_wall_time, attempt_has_wall_time, series_has_wall_time;

  // Of the payload in hand.
  Recorder* out = nullptr;
  PayloadCounts counts;
  TimeNs sealed = 0;
  bool trusted_sealed = false;  // received_ns replaced it
  bool times_known = false;
  std::int64_t absurd = 0, unknown_ids = 0;
  std::vector<std::int64_t> times, steps;
  std::vector<double> values;
  SpanColumns spans;
  v1::SpanBlock span_block;

  void issue(const char* code, std::string detail, std::int64_t count = 1) {
    out->issue({.code = code,
                .source = agent,
                .count = count,
                .first = optionalOf(sealed > 0, sealed),
                .last = optionalOf(sealed > 0, sealed),
                .detail = std::move(detail)});
  }

  // --- ids -----------------------------------------------------------------------------------------------------------
  template <class Id>
  Id look(const std::vector<Id>& ids, std::uint32_t wire) {
    if (wire == 0) return {};
    if (wire <= ids.size()) return ids[wire - 1];
    ++unknown_ids;
    return {};
  }
  // True if wire id `id` is the next one of its kind and may be defined.
  template <class Id>
  bool isNext(const std::vector<Id>& ids, std::uint32_t id, std::size_t limit, const char* kind) {
    if (id != 0 && id <= ids.size()) return false;
    if (id == ids.size() + 1 && ids.size() < limit) return true;
    if (ids.size() >= limit)
      issue("wire.too_many_ids", std::string("session defines more than ") + std::to_string(limit) + " " + kind);
    else
      issue("wire.unknown_id", std::string(kind) + " defined out of order");
    return false;
  }
  bool hasWallTime(std::uint32_t attempt) const {
    return attempt == 0 || attempt > attempt_has_wall_time.size() || attempt_has_wall_time[attempt - 1];
  }

  // --- time ----------------------------------------------------------------------------------------------------------
  bool isAbsurd(TimeNs time) const { return time <= 0 || (sealed > 0 && time > sealed && time - sealed > kMaxAhead); }
  void fix(TimeNs& time) {
    if (!isAbsurd(time)) return;
    ++absurd;
    time = sealed;
  }
  std::optional<TimeNs> fixed(bool has, TimeNs time, bool wall = true) {
    if (!has) return std::nullopt;
    if (wall) fix(time);
    return time;
  }

  // --- columns -------------------------------------------------------------------------------------------------------
  static bool readDeltas(std::string_view bytes, std::vector<std::int64_t>& column) {
    WireReader reader(bytes);
    std::uint64_t value = 0;
    while (!reader.done()) {
      value += static_cast<std::uint64_t>(reader.zigzag());
      column.push_back(static_cast<std::int64_t>(value));
    }
    return reader.ok();
  }
  bool readValues(std::string_view bytes) {
    if (bytes.size() % 8 != 0) return false;
    values.resize(bytes.size() / 8);
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return true;
  }

  bool sampleBlock(std::string_view bytes) {
    WireReader reader(bytes);
    std::uint32_t id = 0;
    bool own_times = false;
    values.clear();
    while (reader.next()) {
      if (reader.field() == 1 && reader.wireType() == 0) {
        id = static_cast<std::uint32_t>(reader.varint());
      } else if (reader.field() == 2 && reader.wireType() == 2) {
        if (!own_times) times.clear();
        own_times = true;
        if (!readDeltas(reader.bytes(), times)) return false;
      } else if (reader.field() == 3 && reader.wireType() == 2) {
        if (!readValues(reader.bytes())) return false;
      } else {
        reader.skip();
      }
    }
    if (!reader.ok() || (!own_times && !times_known) || times.size() != values.size()) return false;
    if (own_times) {
      for (TimeNs& time : times) fix(time);
      times_known = true;
    }
    const SeriesId series_id = look(series, id);
    if (!series_id) return id != 0;
    out->samples(series_id, times, values);
    counts.samples += static_cast<std::int64_t>(values.size());
    return true;
  }

  bool scalarBlock(std::string_view bytes) {
    WireReader reader(bytes);
    std::uint32_t id = 0;
    times_known = false;  // the scratch column is shared with sampleBlock
    steps.clear();
    times.clear();
    values.clear();
    while (reader.next()) {
      if (reader.field() == 1 && reader.wireType() == 0) {
        id = static_cast<std::uint32_t>(reader.varint());
      } else if (reader.field() == 2 && reader.wireType() == 2) {
        if (!readDeltas(reader.bytes(), steps)) return false;
      } else if (reader.field() == 3 && reader.wireType() == 2) {
        if (!readDeltas(reader.bytes(), times)) return false;
      } else if (reader.field() == 4 && reader.wireType() == 2) {
        if (!readValues(reader.bytes())) return false;
      } else {
        reader.skip();
      }
    }
    if (!reader.ok() || steps.size() != values.size() || (!times.empty() && times.size() != steps.size())) return false;
    const SeriesId series_id = look(series, id);
    if (!series_id) return id != 0;
    if (series_has_wall_time[id - 1])
      for (TimeNs& time : times) fix(time);
    out->scalars(series_id, steps, times, values);
    counts.samples += static_cast<std::int64_t>(values.size());
    return true;
  }

  template <class Field>
  static bool fillOptional(const Field& field, std::size_t rows, std::vector<std::int64_t>& column) {
    column.clear();
    if (field.empty()) return true;
    if (static_cast<std::size_t>(field.size()) != rows) return false;
    column.reserve(rows);
    for (const std::uint64_t raw : field) {
      const std::uint64_t zigzag = raw - 1;
      column.push_back(static_cast<std::int64_t>((zigzag >> 1) ^ (~(zigzag & 1U) + 1)));
    }
    return true;
  }

  bool spanBlock(std::string_view bytes) {
    // A string element costs two bytes on the wire and forty in memory; rows and names are few in an honest block.
    constexpr int kMaxRows = 16'384;
    v1::SpanBlock& block = span_block;
    block.Clear();
    if (!block.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return false;
    const auto rows = static_cast<std::size_t>(block.start_delta_ns_size());
    if (rows > kMaxRows || block.names_size() > kMaxRows || block.args_size() > kMaxRows) return false;
    if (static_cast<std::size_t>(block.name_size()) != rows || block.category().size() != rows) return false;
    if (block.depth_size() != 0 && static_cast<std::size_t>(block.depth_size()) != rows) return false;
    if (block.args_size() != 0 && static_cast<std::size_t>(block.args_size()) != rows) return false;
    if (static_cast<std::size_t>(block.dur_ns_size()) != rows || !fillOptional(block.dur_ns(), rows, spans.dur)) return false;
    if (!fillOptional(block.step(), rows, spans.step) || !fillOptional(block.microbatch(), rows, spans.microbatch) ||
        !fillOptional(block.group(), rows, spans.group) || !fillOptional(block.seq(), rows, spans.seq) ||
        !fillOptional(block.bytes(), rows, spans.bytes) || !fillOptional(block.correlation(), rows, spans.correlation) ||
        !fillOptional(block.external_id(), rows, spans.external_id)) {
      return false;
    }
    spans.start.clear();
    spans.category.clear();
    std::uint64_t start = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      start += static_cast<std::uint64_t>(block.start_delta_ns(static_cast<int>(i)));
      spans.start.push_back(static_cast<TimeNs>(start));
      spans.category.push_back(enumOr(static_cast<unsigned char>(block.category()[i]), SpanCategory::kOther, SpanCategory::kOther));
      if (block.name(static_cast<int>(i)) >= static_cast<std::uint32_t>(block.names_size())) return false;
    }
    spans.name.assign(block.name().begin(), block.name().end());
    spans.depth.assign(block.depth().begin(), block.depth().end());
    spans.args.assign(block.args().begin(), block.args().end());
    spans.names.assign(block.names().begin(), block.names().end());
    const TrackId track = look(tracks, block.track());
    if (!track) return block.track() != 0;
    for (TimeNs& time : spans.start) fix(time);
    out->spans(track, spans);
    counts.spans += static_cast<std::int64_t>(rows);
    return true;
  }

  // --- definitions and updates ---------------------------------------------------------------------------------------
  Node nodeOf(const v1::Node& wire) {
    return {.uuid = wire.uuid(),
            .name = wire.name(),
            .rack = wire.rack(),
            .fabric_switch = wire.fabric_switch(),
            .state = enumOr(wire.state(), NodeState::kLeft, NodeState::kUnknown),
            .last_heard = optionalOf(wire.has_last_heard_ns(), wire.last_heard_ns())};
  }
  Device deviceOf(const v1::Device& wire) {
    return {.uuid = wire.uuid(),
            .node = look(nodes, wire.node()),
            .index = optionalOf(wire.has_index(), wire.index()),
            .kind = wire.kind(),
            .model = wire.model(),
            .memory_bytes = optionalOf(wire.has_memory_bytes(), wire.memory_bytes())};
  }
  Run runOf(const v1::Run& wire) {
    return {.uuid = wire.uuid(),
            .name = wire.name(),
            .time_domain = enumOr(wire.time_domain(), TimeDomain::kNone, TimeDomain::kUtc),
            .state = enumOr(wire.state(), RunState::kStalled, RunState::kUnknown),
            .start = optionalOf(wire.has_start_ns(), wire.start_ns()),
            .end = optionalOf(wire.has_end_ns(), wire.end_ns()),
            .framework = wire.framework(),
            .simulated = wire.simulated()};
  }
  Attempt attemptOf(const v1::Attempt& wire) {
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

  bool define(std::uint32_t field, std::string_view bytes);
  bool record(std::uint32_t field, std::string_view bytes);
  bool entry(std::uint32_t field, std::string_view bytes);
};

namespace {
template <class Message>
bool parse(Message& message, std::string_view bytes) {
  return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}
}  // namespace

bool PayloadReplay::State::define(std::uint32_t field, std::string_view bytes) {
  switch (field) {
    case Wire::kDefineNodeFieldNumber: {
      v1::Node wire;
      if (!parse(wire, bytes)) return false;
      if (isNext(nodes, wire.id(), limits.nodes, "nodes")) nodes.push_back(out->node(nodeOf(wire)));
      return true;
    }
    case Wire::kDefineDeviceFieldNumber: {
      v1::Device wire;
      if (!parse(wire, bytes)) return false;
      if (isNext(devices, wire.id(), limits.devices, "devices")) devices.push_back(out->device(deviceOf(wire)));
      return true;
    }
    case Wire::kDefineRunFieldNumber: {
      v1::Run wire;
      if (!parse(wire, bytes)) return false;
      if (isNext(runs, wire.id(), limits.runs, "runs")) {
        const Run run = runOf(wire);
        runs.push_back(out->run(run));
        run_has_wall_time.push_back(run.time_domain == TimeDomain::kUtc);
      }
      return true;
    }
    case Wire::kDefineAttemptFieldNumber: {
      v1::Attempt wire;
      if (!parse(wire, bytes)) return false;
      if (isNext(attempts, wire.id(), limits.attempts, "attempts")) {
        attempts.push_back(out->attempt(attemptOf(wire)));
        attempt_has_wall_time.push_back(wire.run() == 0 || wire.run() > runs.size() || run_has_wall_time[wire.run() - 1]);
      }
      return true;
    }
    case Wire::kDefineSeriesFieldNumber: {
      v1::Series wire;
      if (!parse(wire, bytes)) return false;
      if (isNext(series, wire.id(), limits.series, "series")) {
        series.push_back(out->series({.attempt = look(attempts, wire.attempt()),
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
      return true;
    }
    default: {
      v1::Track wire;
      if (!parse(wire, bytes)) return false;
      if (isNext(tracks, wire.id(), limits.tracks, "tracks"))
        tracks.push_back(out->track({.attempt = look(attempts, wire.attempt()),
                                     .rank = optionalOf(wire.has_rank(), wire.rank()),
                                     .kind = wire.kind(),
                                     .name = wire.name()}));
      return true;
    }
  }
}

bool PayloadReplay::State::record(std::uint32_t field, std::string_view bytes) {
  ++counts.records;
  switch (field) {
    case Wire::kNodeFieldNumber: {
      v1::Node wire;
      if (!parse(wire, bytes)) return false;
      if (look(nodes, wire.id())) out->node(nodeOf(wire));
      return true;
    }
    case Wire::kDeviceFieldNumber: {
      v1::Device wire;
      if (!parse(wire, bytes)) return false;
      if (look(devices, wire.id())) out->device(deviceOf(wire));
      return true;
    }
    case Wire::kRunFieldNumber: {
      v1::Run wire;
      if (!parse(wire, bytes)) return false;
      if (look(runs, wire.id())) out->run(runOf(wire));
      return true;
    }
    case Wire::kAttemptFieldNumber: {
      v1::Attempt wire;
      if (!parse(wire, bytes)) return false;
      if (look(attempts, wire.id())) out->attempt(attemptOf(wire));
      return true;
    }
    case Wire::kRankFieldNumber: {
      v1::Rank wire;
      if (!parse(wire, bytes)) return false;
      const AttemptId attempt = look(attempts, wire.attempt());
      if (!attempt) return true;
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
      return true;
    }
    case Wire::kFactFieldNumber: {
      v1::Fact wire;
      if (!parse(wire, bytes)) return false;
      if (const AttemptId attempt = look(attempts, wire.attempt()))
        out->fact({.attempt = attempt,
                   .node = look(nodes, wire.node()),
                   .rank = optionalOf(wire.has_rank(), wire.rank()),
                   .key = wire.key(),
                   .value = wire.value()});
      return true;
    }
    case Wire::kCheckpointFieldNumber: {
      v1::Checkpoint wire;
      if (!parse(wire, bytes)) return false;
      if (const AttemptId attempt = look(attempts, wire.attempt())) {
        const bool wall = hasWallTime(wire.attempt());
        out->checkpoint({.attempt = attempt,
                         .step = wire.step(),
                         .begin = fixed(wire.has_begin_ns(), wire.begin_ns(), wall),
                         .durable = fixed(wire.has_durable_ns(), wire.durable_ns(), wall),
                         .bytes = optionalOf(wire.has_bytes(), wire.bytes()),
                         .path = wire.path()});
      }
      return true;
    }
    case Wire::kEventFieldNumber: {
      v1::Event wire;
      if (!parse(wire, bytes)) return false;
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
      return true;
    }
    case Wire::kLogFieldNumber: {
      v1::LogLine wire;
      if (!parse(wire, bytes)) return false;
      out->log({.time = fixed(wire.has_time_ns(), wire.time_ns(), hasWallTime(wire.attempt())),
                .attempt = look(attempts, wire.attempt()),
                .node = look(nodes, wire.node()),
                .rank = optionalOf(wire.has_rank(), wire.rank()),
                .stream = wire.stream(),
                .severity = enumOr(wire.severity(), Severity::kCritical, Severity::kInfo),
                .text = wire.text()});
      return true;
    }
    case Wire::kProgressFieldNumber: {
      v1::Progress wire;
      if (!parse(wire, bytes)) return false;
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
      return true;
    }
    case Wire::kIssueFieldNumber: {
      v1::Issue wire;
      if (!parse(wire, bytes)) return false;
      out->issue({.code = wire.code(),
                  .source = wire.source(),
                  .count = std::max<std::int64_t>(1, wire.count()),
                  .first = optionalOf(wire.has_first_ns(), wire.first_ns()),
                  .last = optionalOf(wire.has_last_ns(), wire.last_ns()),
                  .detail = wire.detail()});
      return true;
    }
    case Wire::kLabelFieldNumber: {
      v1::Label wire;
      if (!parse(wire, bytes)) return false;
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
      return true;
    }
    default: {
      v1::ClockReading wire;
      if (!parse(wire, bytes)) return false;
      if (const NodeId node = look(nodes, wire.node()))
        out->clock({.node = node,
                    .session = wire.session(),
                    .raw = wire.raw_ns(),
                    .offset = wire.offset_ns(),
                    .error = wire.error_ns(),
                    .source = wire.source()});
      return true;
    }
  }
}

bool PayloadReplay::State::entry(std::uint32_t field, std::string_view bytes) {
  switch (field) {
    case Wire::kSamplesFieldNumber:
      return sampleBlock(bytes);
    case Wire::kScalarsFieldNumber:
      return scalarBlock(bytes);
    case Wire::kSpansFieldNumber:
      return spanBlock(bytes);
    default:
      break;
  }
  if (field >= Wire::kDefineNodeFieldNumber && field <= Wire::kDefineTrackFieldNumber) return define(field, bytes);
  if (field >= Wire::kNodeFieldNumber && field <= Wire::kClockFieldNumber) return record(field, bytes);
  return true;  // from a newer agent: not ours to judge
}

PayloadReplay::PayloadReplay(std::string agent, PayloadLimits limits) : m_state(std::make_unique<State>(std::move(agent), limits)) {}
PayloadReplay::~PayloadReplay() = default;
PayloadReplay::PayloadReplay(PayloadReplay&&) noexcept = default;

PayloadCounts PayloadReplay::play(std::string_view payload, Recorder& out) {
  State& s = *m_state;
  s.out = &out;
  s.counts = {};
  s.sealed = 0;
  s.trusted_sealed = s.times_known = false;
  s.absurd = s.unknown_ids = 0;
  WireReader reader(payload);
  bool ok = true;
  while (ok && reader.next()) {
    if (reader.wireType() == 1 && reader.field() == Wire::kReceivedNsFieldNumber) {
      s.sealed = reader.fixed64();
      s.trusted_sealed = true;
    } else if (reader.wireType() == 1 && reader.field() == Wire::kSealedNsFieldNumber) {
      const TimeNs sealed = reader.fixed64();
      if (!s.trusted_sealed) s.sealed = sealed;
      s.times_known = false;
    } else if (reader.wireType() == 2) {
      const std::string_view bytes = reader.bytes();
      ok = reader.ok() && s.entry(reader.field(), bytes);
    } else {
      reader.skip();
    }
  }
  s.counts.intact = ok && reader.ok();
  if (!s.counts.intact)
    s.issue("wire.bad_payload", "field " + std::to_string(reader.field()) + ", " + std::to_string(reader.left()) + " of " +
                                    std::to_string(payload.size()) + " bytes not read");
  if (s.unknown_ids > 0) s.issue("wire.unknown_id", "records refer to ids that were never defined", s.unknown_ids);
  if (s.absurd > 0) s.issue("wire.absurd_time", "replaced by the time of sending", s.absurd);
  return s.counts;
}

JournalReplay makeJournalReplay() {
  auto sessions = std::make_shared<std::map<std::pair<std::string, std::string>, PayloadReplay>>();
  return [sessions](const StreamKey& stream, std::uint64_t, std::string_view payload, Writer& writer) -> Status {
    auto it = sessions->try_emplace({stream.agent, stream.session}, stream.agent).first;
    it->second.play(payload, writer);
    return {};
  };
}

}  // namespace runglass
