// SPDX-License-Identifier: Apache-2.0
// PayloadSession: the mapping of one session's ids to a Recorder's, and the current payload. Internal to PayloadReplay.
//
// Threading:  one thread.
// Ownership:  borrows the Recorder during a payload.
// Units:      wire ids are dense per kind from 1; times are the session's clock.
// Errors:     entry() returns false for malformed bytes; everything else becomes counts and issues.
// Cost:       scratch columns are reused from block to block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/wire/payload_budget.h"
#include "collectors/wire/payload_replay.h"
#include "collectors/wire/record_decode.h"
#include "collectors/wire/run_guard.h"
#include "model/far_time.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {

struct PayloadSession {
  PayloadSession(std::string agent_name, PayloadLimits caps) : agent(std::move(agent_name)), limits(caps) {}

  // One field of a Payload.
  bool entry(std::uint32_t field, std::string_view bytes);
  void issue(const char* code, std::string detail, std::int64_t count = 1);
  void reportRefused();

  std::string agent;
  PayloadLimits limits;
  std::vector<NodeId> nodes;
  std::vector<DeviceId> devices;
  std::vector<RunId> runs;
  std::vector<AttemptId> attempts;
  std::vector<SeriesId> series;
  std::vector<TrackId> tracks;
  std::vector<bool> run_has_wall_time, attempt_has_wall_time, series_has_wall_time;

  // State of the current payload.
  Recorder* out = nullptr;
  MirrorRecorder* mirror = nullptr;  // the same, if the payload may contain judgements
  PayloadBudget* budget = nullptr;   // null: no limits
  PayloadCounts counts;
  TimeNs sealed = 0;
  bool trusted_sealed = false;  // received_ns replaced it
  bool times_known = false;     // `times` holds those of the previous sample block
  RunGuard guard;
  std::string only_node;  // uuid of the only node whose records are accepted; empty: any
  bool owned = true;      // the owners of the current record are known
  std::int64_t absurd = 0, unknown_ids = 0, foreign_records = 0, empty_records = 0, beyond_records = 0, beyond_issues = 0;
  std::vector<std::int64_t> times, steps;
  std::vector<double> values;
  SpanColumns columns;
  v1::SpanBlock span_block;

  // The Recorder's id; none for 0; none, and counted, for an undefined one.
  template <class Id>
  Id look(const std::vector<Id>& ids, std::uint32_t wire) {
    if (wire == 0) return {};
    if (wire <= ids.size()) return ids[wire - 1];
    ++unknown_ids;
    return {};
  }
  // Id of a record's owner: an undefined one is counted, and the record is dropped for lack of an owner.
  template <class Id>
  Id owner(const std::vector<Id>& ids, std::uint32_t wire) {
    const Id id = wire == 0 || wire > ids.size() ? Id() : ids[wire - 1];
    if (wire != 0 && !id) miss();
    return id;
  }
  // The same where an owner is required.
  template <class Id>
  Id ownerOf(const std::vector<Id>& ids, std::uint32_t wire) {
    if (wire == 0) miss();
    return owner(ids, wire);
  }
  void miss() { ++unknown_ids, owned = false; }
  std::vector<NodeId>& idsOf(NodeId) { return nodes; }
  std::vector<DeviceId>& idsOf(DeviceId) { return devices; }
  std::vector<RunId>& idsOf(RunId) { return runs; }
  std::vector<AttemptId>& idsOf(AttemptId) { return attempts; }
  // Counts a record of an attempt that this agent may not send.
  bool refuse(AttemptId attempt, const char* what, std::int64_t count = 1) {
    guard.refused(attempt, what, count);
    return false;
  }
  // For the current record, which is recorded only if it has its owners.
  bool mayRecord(AttemptId attempt, const char* what) { return owned && (guard.mayRecord(attempt) || refuse(attempt, what)); }
  bool mayAdd(AttemptId attempt, const char* what) { return owned && (guard.mayAdd(attempt) || refuse(attempt, what)); }
  bool isForeign(const v1::Node& wire) const { return !only_node.empty() && wire.uuid() != only_node; }
  bool isOfForeign(std::uint32_t node) const { return !only_node.empty() && node != 0 && node <= nodes.size() && !nodes[node - 1]; }
  bool hasWallTime(std::uint32_t attempt) const {
    return attempt == 0 || attempt > attempt_has_wall_time.size() || attempt_has_wall_time[attempt - 1];
  }

  bool isAbsurd(TimeNs time) const {
    if (mirror != nullptr) return false;  // the source store's own times
    return time <= 0 || (sealed > 0 && time > sealed && time - sealed > kMaxAhead);
  }
  void fix(TimeNs& time) {
    if (!isAbsurd(time)) return;
    ++absurd;
    time = sealed;
  }
  // For sources without a clock, and for replicas: limits times only so that sums of them do not overflow.
  void bound(TimeNs& time) {
    if (!isFar(time)) return;
    ++absurd;
    time = nearTime(time);
  }
  // Corrects a record's time; `wall`: of a source with a clock.
  void settle(TimeNs& time, bool wall = true) {
    if (wall) fix(time);
    bound(time);
  }
  void settle(std::optional<TimeNs>& time, bool wall = true) {
    if (time) settle(*time, wall);
  }
  // Where there is no better time: absent if it is wrong.
  void dropInsane(std::optional<TimeNs>& time, bool wall = true) {
    if (!time || (!isFar(*time) && !(wall && isAbsurd(*time)))) return;
    ++absurd;
    time.reset();
  }

  // payload_columns.cpp
  bool sampleBlock(std::string_view bytes);
  bool scalarBlock(std::string_view bytes);
  bool spanBlock(std::string_view bytes);
  bool readValues(std::string_view bytes);

  // payload_feed.cpp
  bool feedEntry(std::uint32_t field, std::string_view bytes);
  bool progressTable(std::string_view bytes);
  bool pointTable(std::string_view bytes);
  bool completeSeries(std::string_view bytes);
  bool summary(std::string_view bytes);
  bool judgements(std::string_view bytes);

  // payload_records.cpp
  template <class Id>
  bool isNext(const std::vector<Id>& ids, std::uint32_t id, std::size_t limit, const char* kind);
  void define(const v1::Node& wire);
  void define(const v1::Device& wire);
  void define(const v1::Run& wire);
  void define(const v1::Attempt& wire);
  void define(const v1::Series& wire);
  void define(const v1::Track& wire);
  void say(const v1::Node& wire);
  void say(const v1::Device& wire);
  void say(const v1::Run& wire);
  void say(const v1::Attempt& wire);
  void say(const v1::Rank& wire);
  void say(const v1::Fact& wire);
  void say(const v1::Checkpoint& wire);
  void say(const v1::CommGroup& wire);
  void say(const v1::Event& wire);
  void say(const v1::LogLine& wire);
  void say(const v1::Progress& wire);
  void say(const v1::Issue& wire);
  void say(const v1::Label& wire);
  void say(const v1::ClockReading& wire);
  void say(const v1::Capture& wire);
  // The record with the Recorder's ids in place of the wire's; sets `owned` to whether it has its owners.
  template <class Record>
  void translate(Record& record);
  template <class Message>
  auto translated(const Message& wire);
  Node nodeOf(const v1::Node& wire);
  Run runOf(const v1::Run& wire);
  SeriesId seriesAt(std::uint32_t wire, const char* what, std::int64_t count);
  TrackId trackAt(std::uint32_t wire, std::int64_t count);
  Attempt attemptOf(const v1::Attempt& wire);
};

}  // namespace runglass
