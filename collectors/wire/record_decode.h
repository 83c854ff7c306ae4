// SPDX-License-Identifier: Apache-2.0
// Decodes messages of a payload into records: the inverse of record_message.h.
//
// Units:      ids are the wire's, times as sent: PayloadSession translates the ids and checks the times.
// Errors:     an unknown enumerator becomes the one for "unknown".
#pragma once

#include <cstdint>
#include <optional>

#include "model/captures.h"
#include "model/events.h"
#include "model/samples.h"
#include "model/spans.h"
#include "model/topology.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {

template <class Enum>
Enum enumOr(std::uint32_t value, Enum last, Enum otherwise) {
  return value <= static_cast<std::uint32_t>(last) ? static_cast<Enum>(value) : otherwise;
}
template <class T>
std::optional<T> optionalOf(bool has, T value) {
  return has ? std::optional<T>(value) : std::nullopt;
}

Node recordOf(const v1::Node& wire);
Device recordOf(const v1::Device& wire);
Run recordOf(const v1::Run& wire);
Attempt recordOf(const v1::Attempt& wire);
SeriesKey recordOf(const v1::Series& wire);
TrackKey recordOf(const v1::Track& wire);
Rank recordOf(const v1::Rank& wire);
Fact recordOf(const v1::Fact& wire);
Checkpoint recordOf(const v1::Checkpoint& wire);
CommGroup recordOf(const v1::CommGroup& wire);
Event recordOf(const v1::Event& wire);
LogLine recordOf(const v1::LogLine& wire);
Progress recordOf(const v1::Progress& wire);
Issue recordOf(const v1::Issue& wire);
Label recordOf(const v1::Label& wire);
ClockReading recordOf(const v1::ClockReading& wire);
Capture recordOf(const v1::Capture& wire);

}  // namespace runglass
