// SPDX-License-Identifier: Apache-2.0
// Encodes records as messages of a payload: the same for agents and for a hub's replicas.
//
// Threading:  pure.
// Units:      ids are those of the session's dictionary.
// Errors:     nothing is cut.
// Cost:       a copy of each text.
#pragma once

#include "model/captures.h"
#include "model/events.h"
#include "model/samples.h"
#include "model/spans.h"
#include "model/topology.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {

inline std::uint32_t wireId(std::uint64_t id) { return static_cast<std::uint32_t>(id); }

v1::Node messageOf(NodeId id, const Node& node);
v1::Device messageOf(DeviceId id, const Device& device);
v1::Run messageOf(RunId id, const Run& run);
v1::Attempt messageOf(AttemptId id, const Attempt& attempt);
// Without an id: two equal messages are the same object.
v1::Series messageOf(const SeriesKey& key);
v1::Track messageOf(const TrackKey& key);
v1::Rank messageOf(const Rank& rank);
v1::Fact messageOf(const Fact& fact);
v1::Checkpoint messageOf(const Checkpoint& checkpoint);
v1::CommGroup messageOf(const CommGroup& group);
v1::Event messageOf(const Event& event);
v1::LogLine messageOf(const LogLine& line);
v1::Progress messageOf(const Progress& progress);
v1::Issue messageOf(const Issue& issue);
v1::Label messageOf(const Label& label);
v1::ClockReading messageOf(const ClockReading& reading);
v1::Capture messageOf(const Capture& bounded);
// Spans [from, to) of a track.
v1::SpanBlock spanBlock(TrackId track, const SpanColumns& spans, std::size_t from, std::size_t to);

}  // namespace runglass
