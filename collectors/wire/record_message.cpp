// SPDX-License-Identifier: Apache-2.0
#include "collectors/wire/record_message.h"

#include "collectors/wire/wire_writer.h"

namespace runglass {
namespace {

template <class T>
std::uint64_t orAbsent(const T& value) {
  return wire::zigzag(value) + 1;
}

template <class Field>
void setColumn(const std::vector<std::int64_t>& column, std::size_t from, std::size_t to, Field* field) {
  if (column.empty()) return;
  field->Reserve(static_cast<int>(to - from));
  for (std::size_t i = from; i < to; ++i) field->Add(orAbsent(column[i]));
}

}  // namespace

v1::Node messageOf(NodeId id, const Node& node) {
  v1::Node record;
  record.set_id(wireId(id.value));
  record.set_uuid(node.uuid);
  record.set_name(node.name);
  record.set_rack(node.rack);
  record.set_fabric_switch(node.fabric_switch);
  record.set_state(static_cast<std::uint32_t>(node.state));
  if (node.last_heard) record.set_last_heard_ns(*node.last_heard);
  return record;
}

v1::Device messageOf(DeviceId id, const Device& device) {
  v1::Device record;
  record.set_id(wireId(id.value));
  record.set_uuid(device.uuid);
  record.set_node(wireId(device.node.value));
  record.set_kind(device.kind);
  if (device.index) record.set_index(*device.index);
  record.set_model(device.model);
  if (device.memory_bytes) record.set_memory_bytes(*device.memory_bytes);
  return record;
}

v1::Run messageOf(RunId id, const Run& run) {
  v1::Run record;
  record.set_id(wireId(id.value));
  record.set_uuid(run.uuid);
  record.set_name(run.name);
  if (run.time_domain) record.set_time_domain(static_cast<std::uint32_t>(*run.time_domain));
  record.set_simulated(run.simulated);
  record.set_state(static_cast<std::uint32_t>(run.state));
  if (run.start) record.set_start_ns(*run.start);
  if (run.end) record.set_end_ns(*run.end);
  record.set_framework(run.framework);
  return record;
}

v1::Attempt messageOf(AttemptId id, const Attempt& attempt) {
  v1::Attempt record;
  record.set_id(wireId(id.value));
  record.set_run(wireId(attempt.run.value));
  record.set_key(attempt.key);
  if (attempt.start) record.set_start_ns(*attempt.start);
  if (attempt.end) record.set_end_ns(*attempt.end);
  record.set_end_cause(attempt.end_cause);
  if (attempt.planned) record.set_planned(*attempt.planned);
  if (attempt.resumed_from_step) record.set_resumed_from_step(*attempt.resumed_from_step);
  const Layout& layout = attempt.layout;
  for (const std::int32_t size : {layout.world, layout.tp, layout.pp, layout.dp, layout.cp, layout.ep, layout.vpp}) record.add_layout(size);
  return record;
}

v1::Series messageOf(const SeriesKey& key) {
  v1::Series record;
  record.set_attempt(wireId(key.attempt.value));
  if (key.rank) record.set_rank(*key.rank);
  record.set_node(wireId(key.node.value));
  record.set_device(wireId(key.device.value));
  record.set_metric(key.metric);
  record.set_source(key.source);
  record.set_labels(key.labels);
  record.set_unit(key.unit);
  record.set_kind(static_cast<std::uint32_t>(key.kind));
  return record;
}

v1::Track messageOf(const TrackKey& key) {
  v1::Track record;
  record.set_attempt(wireId(key.attempt.value));
  if (key.rank) record.set_rank(*key.rank);
  record.set_kind(key.kind);
  record.set_name(key.name);
  return record;
}

v1::Rank messageOf(const Rank& rank) {
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
  return record;
}

v1::Fact messageOf(const Fact& fact) {
  v1::Fact record;
  record.set_attempt(wireId(fact.attempt.value));
  record.set_node(wireId(fact.node.value));
  if (fact.rank) record.set_rank(*fact.rank);
  record.set_key(fact.key);
  record.set_value(fact.value);
  return record;
}

v1::Checkpoint messageOf(const Checkpoint& checkpoint) {
  v1::Checkpoint record;
  record.set_attempt(wireId(checkpoint.attempt.value));
  record.set_step(checkpoint.step);
  if (checkpoint.begin) record.set_begin_ns(*checkpoint.begin);
  if (checkpoint.durable) record.set_durable_ns(*checkpoint.durable);
  if (checkpoint.bytes) record.set_bytes(*checkpoint.bytes);
  record.set_path(checkpoint.path);
  return record;
}

v1::CommGroup messageOf(const CommGroup& group) {
  v1::CommGroup record;
  record.set_attempt(wireId(group.attempt.value));
  record.set_id(group.id);
  record.set_kind(group.kind);
  record.set_name(group.name);
  for (const std::int32_t rank : group.ranks) record.add_ranks(rank);
  return record;
}

v1::Event messageOf(const Event& event) {
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
  record.set_message(event.message);
  return record;
}

v1::LogLine messageOf(const LogLine& line) {
  v1::LogLine record;
  if (line.time) record.set_time_ns(*line.time);
  record.set_attempt(wireId(line.attempt.value));
  record.set_node(wireId(line.node.value));
  if (line.rank) record.set_rank(*line.rank);
  record.set_stream(line.stream);
  record.set_severity(static_cast<std::uint32_t>(line.severity));
  record.set_text(line.text);
  return record;
}

v1::Progress messageOf(const Progress& progress) {
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
  return record;
}

v1::Issue messageOf(const Issue& issue) {
  v1::Issue record;
  record.set_code(issue.code);
  record.set_source(issue.source);
  record.set_count(issue.count);
  if (issue.first) record.set_first_ns(*issue.first);
  if (issue.last) record.set_last_ns(*issue.last);
  record.set_detail(issue.detail);
  return record;
}

v1::Label messageOf(const Label& label) {
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
  return record;
}

v1::ClockReading messageOf(const ClockReading& reading) {
  v1::ClockReading record;
  record.set_node(wireId(reading.node.value));
  record.set_session(reading.session);
  record.set_raw_ns(reading.raw);
  record.set_offset_ns(reading.offset);
  record.set_error_ns(reading.error);
  record.set_source(reading.source);
  return record;
}

v1::Capture messageOf(const Capture& bounded) {
  v1::Capture record;
  record.set_time_ns(bounded.time);
  record.set_attempt(wireId(bounded.attempt.value));
  record.set_node(wireId(bounded.node.value));
  if (bounded.rank) record.set_rank(*bounded.rank);
  record.set_kind(bounded.kind);
  record.set_source(bounded.source);
  record.set_reason(bounded.reason);
  record.set_text(bounded.text);
  record.set_truncated_bytes(bounded.truncated_bytes);
  return record;
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

}  // namespace runglass
