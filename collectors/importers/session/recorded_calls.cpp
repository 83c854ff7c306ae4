// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/session/recorded_calls.h"

#include <utility>

#include "model/record_call.h"
#include "model/recorder_fields.h"

namespace runglass {
namespace {

// The id of a key; a new key gets the next number.
template <class Key, class Id>
Id idOf(std::map<Key, Id>& known, Key key, Id) {
  return known.try_emplace(std::move(key), Id{known.size() + 1}).first->second;
}

}  // namespace

template <class Record>
void CallRecorder::add(Record value) {
  const std::size_t bytes = heapBytes(value);
  add(std::move(value), bytes);
}

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
  add(call);
  return call.id;
}

DeviceId CallRecorder::device(const Device& value) {
  Device call = value;
  call.id = idOf(m_devices, value.uuid, DeviceId{});
  add(call);
  return call.id;
}

RunId CallRecorder::run(const Run& value) {
  Run call = value;
  call.id = idOf(m_runs, std::pair(value.uuid, value.uuid.empty() ? value.name : std::string()), RunId{});
  add(call);
  return call.id;
}

AttemptId CallRecorder::attempt(const Attempt& value) {
  Attempt call = value;
  call.id = idOf(m_attempts, std::pair(value.run, value.key), AttemptId{});
  add(call);
  return call.id;
}

SeriesId CallRecorder::series(const SeriesKey& key) {
  const std::size_t known = m_series.size();
  const SeriesId id =
      idOf(m_series, SeriesIdentity(key.attempt, key.rank, key.node, key.device, key.metric, key.source, key.labels), SeriesId{});
  if (m_series.size() > known) add(Series{.id = id, .key = key, .run = {}, .first_time = {}, .last_time = {}});
  return id;
}

TrackId CallRecorder::track(const TrackKey& key) {
  const std::size_t known = m_tracks.size();
  const TrackId id = idOf(m_tracks, TrackIdentity(key.attempt, key.rank, key.kind, key.name), TrackId{});
  if (m_tracks.size() > known) add(Track{.id = id, .key = key, .run = {}});
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

void CallRecorder::spans(TrackId track, const SpanColumns& columns) { add(SpansCall{track, columns}, heapBytes(columns)); }

void CallRecorder::rank(const Rank& value) { add(value); }
void CallRecorder::fact(const Fact& value) { add(value); }
void CallRecorder::checkpoint(const Checkpoint& value) { add(value); }
void CallRecorder::group(const CommGroup& value) { add(value); }
void CallRecorder::event(const Event& value) { add(value); }
void CallRecorder::log(const LogLine& value) { add(value); }
void CallRecorder::progress(const Progress& value) { add(value); }
void CallRecorder::issue(const Issue& value) { add(value); }
void CallRecorder::label(const Label& value) { add(value); }
void CallRecorder::clock(const ClockReading& value) { add(value); }
void CallRecorder::capture(const Capture& value) { add(value); }

template <class Record>
void CallPlayer::say(Record& value) {
  mapIds(value, [this](auto id, FieldRole) { return this->of(id).at(id); });
  if constexpr (std::is_void_v<decltype(record(m_to, value))>)
    record(m_to, value);
  else
    of(value.id).put(value.id, record(m_to, value));
}

void CallPlayer::say(Series& call) {
  mapIds(call.key, [this](auto id, FieldRole) { return this->of(id).at(id); });
  of(call.id).put(call.id, m_to.series(call.key));
}

void CallPlayer::say(Track& call) {
  mapIds(call.key, [this](auto id, FieldRole) { return this->of(id).at(id); });
  of(call.id).put(call.id, m_to.track(call.key));
}

void CallPlayer::play(RecordedCalls calls) {
  for (RecordedCall& call : calls) std::visit([this](auto& one) { say(one); }, call);
}

}  // namespace runglass
