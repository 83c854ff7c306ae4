// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/session/recorded_calls.h"

#include <utility>

namespace runglass {
namespace {

// The id of a key, and of a new one the next number.
template <class Key, class Id>
Id idOf(std::map<Key, Id>& known, Key key, Id) {
  return known.try_emplace(std::move(key), Id{known.size() + 1}).first->second;
}

std::size_t bytesOf(const SpanColumns& columns) {
  std::size_t bytes = columns.size() * (sizeof(TimeNs) + sizeof(DurNs) + sizeof(std::uint32_t) + sizeof(SpanCategory));
  for (const auto column : {&SpanColumns::step, &SpanColumns::microbatch, &SpanColumns::group, &SpanColumns::seq, &SpanColumns::bytes,
                            &SpanColumns::correlation, &SpanColumns::external_id})
    bytes += (columns.*column).size() * sizeof(std::int64_t);
  for (const auto texts : {&SpanColumns::args, &SpanColumns::names})
    for (const std::string& text : columns.*texts) bytes += sizeof(std::string) + text.size();
  return bytes;
}

}  // namespace

void CallRecorder::grow(std::size_t bytes) {
  m_bytes += bytes;
  if (m_bytes >= kBatchBytes) static_cast<void>(flush());
}

Status CallRecorder::flush() {
  if (!m_calls.empty()) m_take(std::exchange(m_calls, {}));
  m_bytes = 0;
  return {};
}

NodeId CallRecorder::node(const Node& value) {
  Node call = value;
  call.id = idOf(m_nodes, value.uuid, NodeId{});
  add(call, 0);
  return call.id;
}

DeviceId CallRecorder::device(const Device& value) {
  Device call = value;
  call.id = idOf(m_devices, value.uuid, DeviceId{});
  add(call, 0);
  return call.id;
}

RunId CallRecorder::run(const Run& value) {
  Run call = value;
  call.id = idOf(m_runs, std::pair(value.uuid, value.uuid.empty() ? value.name : std::string()), RunId{});
  add(call, 0);
  return call.id;
}

AttemptId CallRecorder::attempt(const Attempt& value) {
  Attempt call = value;
  call.id = idOf(m_attempts, std::pair(value.run, value.key), AttemptId{});
  add(call, 0);
  return call.id;
}

SeriesId CallRecorder::series(const SeriesKey& key) {
  const std::size_t known = m_series.size();
  const SeriesId id =
      idOf(m_series, SeriesIdentity(key.attempt, key.rank, key.node, key.device, key.metric, key.source, key.labels), SeriesId{});
  if (m_series.size() > known) add(SeriesCall{id, key}, key.metric.size() + key.labels.size());
  return id;
}

TrackId CallRecorder::track(const TrackKey& key) {
  const std::size_t known = m_tracks.size();
  const TrackId id = idOf(m_tracks, TrackIdentity(key.attempt, key.rank, key.kind, key.name), TrackId{});
  if (m_tracks.size() > known) add(TrackCall{id, key}, key.name.size());
  return id;
}

void CallRecorder::samples(SeriesId series, std::span<const TimeNs> time, std::span<const double> value) {
  auto* const last = m_calls.empty() ? nullptr : std::get_if<SamplesCall>(&m_calls.back());
  if (last == nullptr || last->series != series) {
    add(SamplesCall{series, {{time.begin(), time.end()}, {value.begin(), value.end()}}}, time.size() * 2 * sizeof(double));
    return;
  }
  last->columns.time.insert(last->columns.time.end(), time.begin(), time.end());
  last->columns.value.insert(last->columns.value.end(), value.begin(), value.end());
  grow(time.size() * 2 * sizeof(double));
}

void CallRecorder::scalars(SeriesId series, std::span<const std::int64_t> step, std::span<const TimeNs> time,
                           std::span<const double> value) {
  add(ScalarsCall{series, {{step.begin(), step.end()}, {time.begin(), time.end()}, {value.begin(), value.end()}}},
      step.size() * 3 * sizeof(double));
}

void CallRecorder::spans(TrackId track, const SpanColumns& columns) { add(SpansCall{track, columns}, bytesOf(columns)); }

void CallPlayer::play(RecordedCalls calls) {
  for (RecordedCall& call : calls) std::visit([this](auto& said) { say(said); }, call);
}

void CallPlayer::say(Node& value) { m_nodes.put(value.id, m_to.node(value)); }

void CallPlayer::say(Device& value) {
  value.node = m_nodes.at(value.node);
  m_devices.put(value.id, m_to.device(value));
}

void CallPlayer::say(Run& value) { m_runs.put(value.id, m_to.run(value)); }

void CallPlayer::say(Attempt& value) {
  value.run = m_runs.at(value.run);
  m_attempts.put(value.id, m_to.attempt(value));
}

void CallPlayer::say(Rank& value) {
  value.attempt = m_attempts.at(value.attempt);
  value.node = m_nodes.at(value.node);
  value.device = m_devices.at(value.device);
  m_to.rank(value);
}

void CallPlayer::say(Fact& value) {
  value.attempt = m_attempts.at(value.attempt);
  value.node = m_nodes.at(value.node);
  m_to.fact(value);
}

void CallPlayer::say(Checkpoint& value) {
  value.attempt = m_attempts.at(value.attempt);
  m_to.checkpoint(value);
}

void CallPlayer::say(CommGroup& value) {
  value.attempt = m_attempts.at(value.attempt);
  m_to.group(value);
}

void CallPlayer::say(SeriesCall& call) {
  call.key.attempt = m_attempts.at(call.key.attempt);
  call.key.node = m_nodes.at(call.key.node);
  call.key.device = m_devices.at(call.key.device);
  m_series.put(call.id, m_to.series(call.key));
}

void CallPlayer::say(TrackCall& call) {
  call.key.attempt = m_attempts.at(call.key.attempt);
  m_tracks.put(call.id, m_to.track(call.key));
}

void CallPlayer::say(Event& value) {
  value.attempt = m_attempts.at(value.attempt);
  value.node = m_nodes.at(value.node);
  value.device = m_devices.at(value.device);
  m_to.event(value);
}

void CallPlayer::say(LogLine& value) {
  value.attempt = m_attempts.at(value.attempt);
  value.node = m_nodes.at(value.node);
  m_to.log(value);
}

void CallPlayer::say(Progress& value) {
  value.attempt = m_attempts.at(value.attempt);
  m_to.progress(value);
}

void CallPlayer::say(Label& value) {
  value.attempt = m_attempts.at(value.attempt);
  value.node = m_nodes.at(value.node);
  value.device = m_devices.at(value.device);
  m_to.label(value);
}

void CallPlayer::say(ClockReading& value) {
  value.node = m_nodes.at(value.node);
  m_to.clock(value);
}

void CallPlayer::say(Capture& value) {
  value.attempt = m_attempts.at(value.attempt);
  value.node = m_nodes.at(value.node);
  m_to.capture(value);
}

}  // namespace runglass
