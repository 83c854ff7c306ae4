// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Every piece is a Payload by itself: it begins with sealed_ns, and "same times as before" never reaches across pieces.
// 2. A record is in one piece as a whole; blocks of more than kMaxBlock rows are split, so that a piece stays near kPiece.
// 3. m_told remembers what this Recorder said last about an id, so that a repeated declaration costs nothing on the wire.
#include "collectors/agent/wire_recorder.h"

#include <algorithm>
#include <cstring>

#include "collectors/proto/wire_writer.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {
namespace {

using Wire = v1::Payload;
constexpr std::size_t kMaxBlock = 4096;
constexpr std::size_t kMaxText = 64U << 10;  // of a log line, message or fact
constexpr std::size_t kSealedSize = 10;      // two tag bytes and the fixed64

std::uint32_t wireId(std::uint64_t id) { return static_cast<std::uint32_t>(id); }

template <class T>
std::uint64_t orAbsent(const T& value) {
  return wire::zigzag(value) + 1;
}

std::size_t packedDeltaSize(std::span<const std::int64_t> values) {
  std::size_t size = 0;
  std::uint64_t last = 0;
  for (const std::int64_t value : values) {
    size += wire::varintSize(wire::zigzag(static_cast<std::int64_t>(static_cast<std::uint64_t>(value) - last)));
    last = static_cast<std::uint64_t>(value);
  }
  return size;
}

char* putDeltas(char* at, std::span<const std::int64_t> values) {
  std::uint64_t last = 0;
  for (const std::int64_t value : values) {
    at = wire::putVarint(at, wire::zigzag(static_cast<std::int64_t>(static_cast<std::uint64_t>(value) - last)));
    last = static_cast<std::uint64_t>(value);
  }
  return at;
}

// A block of columns: id (field 1), up to two delta columns, then doubles. Absent columns are empty.
struct BlockColumns {
  std::uint32_t id;
  std::span<const std::int64_t> first, second;  // fields 2 and 3 (or only 2)
  std::uint32_t value_field;
  std::span<const double> values;
};

void appendBlock(std::string& out, std::uint32_t field, const BlockColumns& block) {
  const std::size_t first = packedDeltaSize(block.first), second = packedDeltaSize(block.second);
  const std::size_t values = block.values.size_bytes();
  const auto columnSize = [](std::size_t size) { return size == 0 ? 0 : 1 + wire::varintSize(size) + size; };
  const std::size_t size = 1 + wire::varintSize(block.id) + columnSize(first) + columnSize(second) + columnSize(values);
  wire::appendTag(out, field, 2);
  wire::appendVarint(out, size);
  const std::size_t at_size = out.size();
  out.resize(at_size + size);
  char* at = out.data() + at_size;
  *at++ = 1 << 3;
  at = wire::putVarint(at, block.id);
  const auto header = [&](std::uint32_t number, std::size_t bytes) {
    *at++ = static_cast<char>(number << 3 | 2U);
    at = wire::putVarint(at, bytes);
  };
  if (first != 0) header(2, first), at = putDeltas(at, block.first);
  if (second != 0) header(3, second), at = putDeltas(at, block.second);
  if (values != 0) header(block.value_field, values), std::memcpy(at, block.values.data(), values);
}

template <class Field>
void setColumn(const std::vector<std::int64_t>& column, std::size_t from, std::size_t to, Field* field) {
  if (column.empty()) return;
  field->Reserve(static_cast<int>(to - from));
  for (std::size_t i = from; i < to; ++i) field->Add(orAbsent(column[i]));
}

v1::SpanBlock spanBlock(TrackId track, const SpanColumns& spans, std::size_t from, std::size_t to) {
  v1::SpanBlock block;
  block.set_track(wireId(track.value));
  std::uint64_t last = 0;
  // Names are renumbered so that a block carries only those it uses.
  std::vector<std::int64_t> renumbered(spans.names.size(), -1);
  const bool has_args = !spans.args.empty();
  for (std::size_t i = from; i < to; ++i) {
    block.add_start_delta_ns(static_cast<std::int64_t>(static_cast<std::uint64_t>(spans.start[i]) - last));
    last = static_cast<std::uint64_t>(spans.start[i]);
    block.add_dur_ns(orAbsent(spans.dur[i]));
    std::int64_t& name = renumbered[spans.name[i]];
    if (name < 0) {
      name = block.names_size();
      block.add_names(spans.names[spans.name[i]]);
    }
    block.add_name(static_cast<std::uint32_t>(name));
    block.mutable_category()->push_back(static_cast<char>(spans.category[i]));
    if (!spans.depth.empty()) block.add_depth(spans.depth[i]);
    if (has_args) block.add_args(spans.args[i]);
  }
  setColumn(spans.step, from, to, block.mutable_step());
  setColumn(spans.microbatch, from, to, block.mutable_microbatch());
  setColumn(spans.group, from, to, block.mutable_group());
  setColumn(spans.seq, from, to, block.mutable_seq());
  setColumn(spans.bytes, from, to, block.mutable_bytes());
  setColumn(spans.correlation, from, to, block.mutable_correlation());
  setColumn(spans.external_id, from, to, block.mutable_external_id());
  return block;
}

}  // namespace

WireRecorder::WireRecorder(SessionDictionary& dictionary, std::function<TimeNs()> now, std::function<void()> seal)
    : m_dictionary(dictionary), m_now(std::move(now)), m_seal(std::move(seal)) {}

template <class Write>
void WireRecorder::put(StreamClass stream, const Write& write) {
  bool want_seal = false;
  {
    const std::lock_guard lock(m_mutex);
    Pending& pending = m_pending[static_cast<std::size_t>(stream)];
    if (pending.bytes > kMaxPending) {
      ++m_dropped;
      m_dropping = true;
      return;
    }
    if (pending.open.empty()) {
      pending.open.reserve(kPiece / 4);
      wire::appendFixed64(pending.open, Wire::kSealedNsFieldNumber, 0);
    }
    const std::size_t before = pending.open.size();
    write(pending);
    pending.bytes += pending.open.size() - before;
    if (pending.open.size() >= kPiece) {
      const TimeNs now = m_now();
      std::memcpy(pending.open.data() + kSealedSize - 8, &now, 8);
      pending.full.push_back(std::move(pending.open));
      pending.open = {};
      pending.times.clear();
      want_seal = true;
    }
  }
  if (want_seal) m_seal();
}

template <class Message>
void WireRecorder::putMessage(StreamClass stream, std::uint32_t field, const Message& message) {
  put(stream, [&](Pending& pending) {
    wire::appendTag(pending.open, field, 2);
    wire::appendVarint(pending.open, message.ByteSizeLong());
    message.AppendToString(&pending.open);
  });
}

template <class Message>
void WireRecorder::putUpdate(std::uint32_t field, const Message& message) {
  std::string bytes = message.SerializeAsString();
  std::string& told = m_told[static_cast<std::uint64_t>(field) << 32 | message.id()];
  if (told == bytes) return;
  putMessage(StreamClass::kEvents, field, message);
  told = std::move(bytes);
}

NodeId WireRecorder::node(const Node& node) {
  const NodeId id = m_dictionary.node(node);
  v1::Node update;
  update.set_id(wireId(id.value));
  update.set_uuid(node.uuid);
  update.set_name(node.name);
  update.set_rack(node.rack);
  update.set_fabric_switch(node.fabric_switch);
  update.set_state(static_cast<std::uint32_t>(node.state));
  if (node.last_heard) update.set_last_heard_ns(*node.last_heard);
  putUpdate(Wire::kNodeFieldNumber, update);
  return id;
}

DeviceId WireRecorder::device(const Device& device) {
  const DeviceId id = m_dictionary.device(device);
  v1::Device update;
  update.set_id(wireId(id.value));
  update.set_uuid(device.uuid);
  update.set_node(wireId(device.node.value));
  update.set_kind(device.kind);
  if (device.index) update.set_index(*device.index);
  update.set_model(device.model);
  if (device.memory_bytes) update.set_memory_bytes(*device.memory_bytes);
  putUpdate(Wire::kDeviceFieldNumber, update);
  return id;
}

RunId WireRecorder::run(const Run& run) {
  const RunId id = m_dictionary.run(run);
  v1::Run update;
  update.set_id(wireId(id.value));
  update.set_uuid(run.uuid);
  update.set_name(run.name);
  if (run.time_domain) update.set_time_domain(static_cast<std::uint32_t>(*run.time_domain));
  update.set_simulated(run.simulated);
  update.set_state(static_cast<std::uint32_t>(run.state));
  if (run.start) update.set_start_ns(*run.start);
  if (run.end) update.set_end_ns(*run.end);
  update.set_framework(run.framework);
  putUpdate(Wire::kRunFieldNumber, update);
  return id;
}

AttemptId WireRecorder::attempt(const Attempt& attempt) {
  const AttemptId id = m_dictionary.attempt(attempt);
  v1::Attempt update;
  update.set_id(wireId(id.value));
  update.set_run(wireId(attempt.run.value));
  update.set_key(attempt.key);
  if (attempt.start) update.set_start_ns(*attempt.start);
  if (attempt.end) update.set_end_ns(*attempt.end);
  update.set_end_cause(attempt.end_cause);
  if (attempt.planned) update.set_planned(*attempt.planned);
  if (attempt.resumed_from_step) update.set_resumed_from_step(*attempt.resumed_from_step);
  const Layout& layout = attempt.layout;
  for (const std::int32_t size : {layout.world, layout.tp, layout.pp, layout.dp, layout.cp, layout.ep, layout.vpp}) update.add_layout(size);
  putUpdate(Wire::kAttemptFieldNumber, update);
  return id;
}

void WireRecorder::rank(const Rank& rank) {
  v1::Rank record;
  record.set_attempt(wireId(rank.attempt.value));
  record.set_rank(rank.rank);
  record.set_node(wireId(rank.node.value));
  record.set_device(wireId(rank.device.value));
  if (rank.local_rank) record.set_local_rank(*rank.local_rank);
  if (rank.pid) record.set_pid(*rank.pid);
  if (rank.tp) record.set_tp(*rank.tp);
  if (rank.pp) record.set_pp(*rank.pp);
  if (rank.dp) record.set_dp(*rank.dp);
  if (rank.cp) record.set_cp(*rank.cp);
  if (rank.ep) record.set_ep(*rank.ep);
  putMessage(StreamClass::kEvents, Wire::kRankFieldNumber, record);
}

void WireRecorder::fact(const Fact& fact) {
  v1::Fact record;
  record.set_attempt(wireId(fact.attempt.value));
  record.set_node(wireId(fact.node.value));
  if (fact.rank) record.set_rank(*fact.rank);
  record.set_key(fact.key);
  record.set_value(cut(fact.value));
  putMessage(StreamClass::kEvents, Wire::kFactFieldNumber, record);
}

void WireRecorder::checkpoint(const Checkpoint& checkpoint) {
  v1::Checkpoint record;
  record.set_attempt(wireId(checkpoint.attempt.value));
  record.set_step(checkpoint.step);
  if (checkpoint.begin) record.set_begin_ns(*checkpoint.begin);
  if (checkpoint.durable) record.set_durable_ns(*checkpoint.durable);
  if (checkpoint.bytes) record.set_bytes(*checkpoint.bytes);
  record.set_path(checkpoint.path);
  putMessage(StreamClass::kEvents, Wire::kCheckpointFieldNumber, record);
}

void WireRecorder::group(const CommGroup& group) {
  v1::CommGroup record;
  record.set_attempt(wireId(group.attempt.value));
  record.set_id(group.id);
  record.set_kind(group.kind);
  record.set_name(group.name);
  for (const std::int32_t rank : group.ranks) record.add_ranks(rank);
  putMessage(StreamClass::kEvents, Wire::kGroupFieldNumber, record);
}

void WireRecorder::samples(SeriesId series, std::span<const TimeNs> time, std::span<const double> value) {
  for (std::size_t from = 0; from < time.size(); from += kMaxBlock) {
    const std::size_t count = std::min(kMaxBlock, time.size() - from);
    const auto times = time.subspan(from, count);
    put(StreamClass::kMetrics, [&](Pending& pending) {
      const bool same = std::ranges::equal(times, pending.times);
      if (!same) pending.times.assign(times.begin(), times.end());
      appendBlock(pending.open, Wire::kSamplesFieldNumber,
                  {.id = wireId(series.value),
                   .first = same ? std::span<const TimeNs>() : times,
                   .value_field = 3,
                   .values = value.subspan(from, count)});
    });
  }
}

void WireRecorder::scalars(SeriesId series, std::span<const std::int64_t> step, std::span<const TimeNs> time,
                           std::span<const double> value) {
  for (std::size_t from = 0; from < step.size(); from += kMaxBlock) {
    const std::size_t count = std::min(kMaxBlock, step.size() - from);
    put(StreamClass::kLoss, [&](Pending& pending) {
      appendBlock(pending.open, Wire::kScalarsFieldNumber,
                  {.id = wireId(series.value),
                   .first = step.subspan(from, count),
                   .second = time.empty() ? time : time.subspan(from, count),
                   .value_field = 4,
                   .values = value.subspan(from, count)});
    });
  }
}

void WireRecorder::spans(TrackId track, const SpanColumns& spans) {
  // Rows are bounded by count and, where they carry arguments, by bytes.
  for (std::size_t from = 0; from < spans.size();) {
    std::size_t to = from, bytes = 0;
    while (to < spans.size() && to - from < kMaxBlock && bytes < kPiece) {
      bytes += 32 + (spans.args.empty() ? 0 : spans.args[to].size()) + spans.names[spans.name[to]].size() / 16;
      ++to;
    }
    putMessage(StreamClass::kKernels, Wire::kSpansFieldNumber, spanBlock(track, spans, from, to));
    from = to;
  }
}

void WireRecorder::event(const Event& event) {
  v1::Event record;
  if (event.time) record.set_time_ns(*event.time);
  record.set_attempt(wireId(event.attempt.value));
  record.set_node(wireId(event.node.value));
  record.set_device(wireId(event.device.value));
  if (event.rank) record.set_rank(*event.rank);
  if (event.step) record.set_step(*event.step);
  record.set_kind(event.kind);
  record.set_severity(static_cast<std::uint32_t>(event.severity));
  record.set_code(event.code);
  record.set_message(cut(event.message));
  putMessage(StreamClass::kEvents, Wire::kEventFieldNumber, record);
}

void WireRecorder::log(const LogLine& line) {
  const TimeNs now = m_now();
  const bool kept = m_log_budget.take(line.severity, now);
  if (!kept) m_log_stream = line.stream;
  if (const std::int64_t refused = m_log_budget.refusedToTell(now); refused > 0) tellRefused(refused);
  if (!kept) return;
  v1::LogLine record;
  if (line.time) record.set_time_ns(*line.time);
  record.set_attempt(wireId(line.attempt.value));
  record.set_node(wireId(line.node.value));
  if (line.rank) record.set_rank(*line.rank);
  record.set_stream(line.stream);
  record.set_severity(static_cast<std::uint32_t>(line.severity));
  record.set_text(cut(line.text));
  putMessage(StreamClass::kLogs, Wire::kLogFieldNumber, record);
}

void WireRecorder::progress(const Progress& progress) {
  v1::Progress record;
  record.set_attempt(wireId(progress.attempt.value));
  record.set_rank(progress.rank);
  record.set_time_ns(progress.time);
  if (progress.step) record.set_step(*progress.step);
  if (progress.microbatch) record.set_microbatch(*progress.microbatch);
  if (progress.group) record.set_group(*progress.group);
  if (progress.seq) record.set_seq(*progress.seq);
  record.set_phase(progress.phase);
  record.set_op(progress.op);
  if (progress.since) record.set_since_ns(*progress.since);
  putMessage(StreamClass::kProgress, Wire::kProgressFieldNumber, record);
}

void WireRecorder::issue(const Issue& issue) {
  v1::Issue record;
  record.set_code(issue.code);
  record.set_source(issue.source);
  record.set_count(issue.count);
  if (issue.first) record.set_first_ns(*issue.first);
  if (issue.last) record.set_last_ns(*issue.last);
  record.set_detail(issue.detail.substr(0, kMaxText));
  putMessage(StreamClass::kEvents, Wire::kIssueFieldNumber, record);
}

void WireRecorder::label(const Label& label) {
  v1::Label record;
  record.set_attempt(wireId(label.attempt.value));
  record.set_kind(label.kind);
  record.set_node(wireId(label.node.value));
  record.set_device(wireId(label.device.value));
  if (label.rank) record.set_rank(*label.rank);
  if (label.start) record.set_start_ns(*label.start);
  if (label.end) record.set_end_ns(*label.end);
  if (label.first_step) record.set_first_step(*label.first_step);
  if (label.last_step) record.set_last_step(*label.last_step);
  record.set_strength(label.strength);
  putMessage(StreamClass::kEvents, Wire::kLabelFieldNumber, record);
}

void WireRecorder::clock(const ClockReading& reading) {
  v1::ClockReading record;
  record.set_node(wireId(reading.node.value));
  record.set_session(reading.session);
  record.set_raw_ns(reading.raw);
  record.set_offset_ns(reading.offset);
  record.set_error_ns(reading.error);
  record.set_source(reading.source);
  putMessage(StreamClass::kEvents, Wire::kClockFieldNumber, record);
}

void WireRecorder::capture(const Capture& capture) {
  Capture bounded = capture;
  boundCapture(bounded);
  v1::Capture record;
  record.set_time_ns(bounded.time);
  record.set_attempt(wireId(bounded.attempt.value));
  record.set_node(wireId(bounded.node.value));
  if (bounded.rank) record.set_rank(*bounded.rank);
  record.set_kind(bounded.kind);
  record.set_source(bounded.source);
  record.set_reason(bounded.reason);
  record.set_text(std::move(bounded.text));
  record.set_truncated_bytes(bounded.truncated_bytes);
  putMessage(StreamClass::kLogs, Wire::kCaptureFieldNumber, record);
}

void WireRecorder::tellRefused(std::int64_t lines) {
  issue({.code = "agent.log_limit",
         .source = m_log_stream.substr(0, 200),
         .count = lines,
         .first = m_now(),
         .last = m_now(),
         .detail = "more than " + std::to_string(LogBudget::kLinesPerSecond) + " log lines a second from one source"});
}

std::string WireRecorder::cut(const std::string& text) {
  if (text.size() <= kMaxText) return text;
  issue({.code = "agent.text_cut", .source = "agent", .first = m_now(), .last = m_now(), .detail = text.substr(0, 80) + "..."});
  return text.substr(0, kMaxText);
}

Status WireRecorder::flush() {
  if (const std::int64_t refused = m_log_budget.takeRefused(); refused > 0) tellRefused(refused);
  m_seal();
  const std::lock_guard lock(m_mutex);
  if (!m_dropping) return {};
  m_dropping = false;
  return Status(Code::kResourceExhausted, "record: wire buffer: full because nothing takes from it; newer records were dropped");
}

std::string WireRecorder::take(StreamClass stream) {
  const std::lock_guard lock(m_mutex);
  Pending& pending = m_pending[static_cast<std::size_t>(stream)];
  std::string piece;
  if (!pending.full.empty()) {
    piece = std::move(pending.full.front());
    pending.full.pop_front();
  } else if (!pending.open.empty()) {
    const TimeNs now = m_now();
    std::memcpy(pending.open.data() + kSealedSize - 8, &now, 8);
    piece = std::move(pending.open);
    pending.open = {};
    pending.times.clear();
  }
  if (!piece.empty()) pending.bytes -= piece.size() - kSealedSize;
  return piece;
}

std::size_t WireRecorder::pendingBytes() const {
  const std::lock_guard lock(m_mutex);
  std::size_t bytes = 0;
  for (const Pending& pending : m_pending) bytes += pending.bytes;
  return bytes;
}

std::int64_t WireRecorder::takeDropped() {
  const std::lock_guard lock(m_mutex);
  return std::exchange(m_dropped, 0);
}

}  // namespace runglass
