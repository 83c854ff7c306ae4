// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A definition holds identity only and never changes, so that sending it again is harmless at any time.
// 2. m_records grows by whole definitions, and a definition comes after those it refers to.
// 3. Ids of a kind are assigned in the order of their definitions, without gaps.
#include "collectors/wire/session_dictionary.h"

#include "collectors/wire/record_message.h"
#include "collectors/wire/wire_writer.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {

using Wire = v1::Payload;

template <class Record>
std::uint32_t SessionDictionary::idOf(Kind kind, std::uint32_t field, std::string identity, const Record& record) {
  const MutexLock lock(m_mutex);
  Ids& ids = m_ids[static_cast<std::size_t>(kind)];
  const auto [it, is_new] = ids.try_emplace(std::move(identity), static_cast<std::uint32_t>(ids.size() + 1));
  if (is_new) wire::appendBytes(m_records, field, record(it->second).SerializeAsString());
  return it->second;
}

NodeId SessionDictionary::node(const Node& node) {
  return {idOf(Kind::kNode, Wire::kDefineNodeFieldNumber, node.uuid, [&](std::uint32_t id) {
    v1::Node record;
    record.set_id(id);
    record.set_uuid(node.uuid);
    record.set_name(node.name);
    return record;
  })};
}

DeviceId SessionDictionary::device(const Device& device) {
  return {idOf(Kind::kDevice, Wire::kDefineDeviceFieldNumber, device.uuid, [&](std::uint32_t id) {
    v1::Device record;
    record.set_id(id);
    record.set_uuid(device.uuid);
    record.set_node(static_cast<std::uint32_t>(device.node.value));
    record.set_kind(device.kind);
    return record;
  })};
}

RunId SessionDictionary::run(const Run& run) {
  const std::string identity = run.uuid.empty() ? "n" + run.name : "u" + run.uuid;
  return {idOf(Kind::kRun, Wire::kDefineRunFieldNumber, identity, [&](std::uint32_t id) {
    v1::Run record;
    record.set_id(id);
    record.set_uuid(run.uuid);
    record.set_name(run.name);
    if (run.time_domain) record.set_time_domain(static_cast<std::uint32_t>(*run.time_domain));
    record.set_simulated(run.simulated);
    return record;
  })};
}

AttemptId SessionDictionary::attempt(const Attempt& attempt) {
  const std::string identity = std::to_string(attempt.run.value) + "/" + attempt.key;
  return {idOf(Kind::kAttempt, Wire::kDefineAttemptFieldNumber, identity, [&](std::uint32_t id) {
    v1::Attempt record;
    record.set_id(id);
    record.set_run(static_cast<std::uint32_t>(attempt.run.value));
    record.set_key(attempt.key);
    return record;
  })};
}

SeriesId SessionDictionary::series(const SeriesKey& key) {
  v1::Series record = messageOf(key);
  return {idOf(Kind::kSeries, Wire::kDefineSeriesFieldNumber, record.SerializeAsString(), [&](std::uint32_t id) {
    record.set_id(id);
    return record;
  })};
}

TrackId SessionDictionary::track(const TrackKey& key) {
  v1::Track record = messageOf(key);
  return {idOf(Kind::kTrack, Wire::kDefineTrackFieldNumber, record.SerializeAsString(), [&](std::uint32_t id) {
    record.set_id(id);
    return record;
  })};
}

std::size_t SessionDictionary::size() const {
  const MutexLock lock(m_mutex);
  return m_records.size();
}

std::string SessionDictionary::recordsFrom(std::size_t offset) const {
  const MutexLock lock(m_mutex);
  return m_records.substr(std::min(offset, m_records.size()));
}

}  // namespace runglass
