// SPDX-License-Identifier: Apache-2.0
// The columns of a payload: samples, scalars, spans. No memory is allocated by a number that the bytes merely claim.
#include <cstring>

#include "collectors/wire/payload_session.h"
#include "collectors/wire/wire_reader.h"

namespace runglass {
namespace {

bool readDeltas(std::string_view bytes, std::vector<std::int64_t>& column) {
  WireReader reader(bytes);
  std::uint64_t value = 0;
  while (!reader.done()) {
    value += static_cast<std::uint64_t>(reader.zigzag());
    column.push_back(static_cast<std::int64_t>(value));
  }
  return reader.ok();
}

template <class Field>
bool fillOptional(const Field& field, std::size_t rows, std::vector<std::int64_t>& column) {
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

}  // namespace

bool PayloadSession::readValues(std::string_view bytes) {
  if (bytes.size() % 8 != 0) return false;
  values.resize(bytes.size() / 8);
  if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return true;
}

// A refused series is defined as soon as the agent may define it: it may have joined the attempt since.
SeriesId PayloadSession::seriesAt(std::uint32_t wire, const char* what, std::int64_t count) {
  const SeriesId id = look(series, wire);
  const SeriesKey* const refused = id ? nullptr : guard.deferredSeries(wire);
  if (refused == nullptr) return id;
  if (!guard.mayDefine(*refused)) return refuse(refused->attempt, what, count), SeriesId();
  series[wire - 1] = out->series(*refused);
  guard.forgetSeries(wire);
  return series[wire - 1];
}

TrackId PayloadSession::trackAt(std::uint32_t wire, std::int64_t count) {
  const TrackId id = look(tracks, wire);
  const TrackKey* const refused = id ? nullptr : guard.deferredTrack(wire);
  if (refused == nullptr) return id;
  if (!guard.mayDefine(*refused)) return refuse(refused->attempt, "spans", count), TrackId();
  tracks[wire - 1] = out->track(*refused);
  guard.forgetTrack(wire);
  return tracks[wire - 1];
}

bool PayloadSession::sampleBlock(std::string_view bytes) {
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
    for (TimeNs& time : times) fix(time), bound(time);
    times_known = true;
  }
  const SeriesId series_id = seriesAt(id, "samples", static_cast<std::int64_t>(values.size()));
  if (!series_id) return id != 0;
  out->samples(series_id, times, values);
  counts.samples += static_cast<std::int64_t>(values.size());
  return true;
}

bool PayloadSession::scalarBlock(std::string_view bytes) {
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
  const SeriesId series_id = seriesAt(id, "scalars", static_cast<std::int64_t>(values.size()));
  if (!series_id) return id != 0;
  for (TimeNs& time : times) {
    if (series_has_wall_time[id - 1]) fix(time);
    bound(time);
  }
  out->scalars(series_id, steps, times, values);
  counts.samples += static_cast<std::int64_t>(values.size());
  return true;
}

bool PayloadSession::spanBlock(std::string_view bytes) {
  // A string element takes two bytes on the wire and forty in memory; a legitimate block has few rows and names.
  constexpr int kMaxRows = 16'384;
  v1::SpanBlock& block = span_block;
  block.Clear();
  if (!block.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return false;
  const auto rows = static_cast<std::size_t>(block.start_delta_ns_size());
  if (rows > kMaxRows || block.names_size() > kMaxRows || block.args_size() > kMaxRows) return false;
  if (static_cast<std::size_t>(block.name_size()) != rows || block.category().size() != rows) return false;
  if (block.depth_size() != 0 && static_cast<std::size_t>(block.depth_size()) != rows) return false;
  if (block.args_size() != 0 && static_cast<std::size_t>(block.args_size()) != rows) return false;
  if (static_cast<std::size_t>(block.dur_ns_size()) != rows || !fillOptional(block.dur_ns(), rows, columns.dur)) return false;
  if (!fillOptional(block.step(), rows, columns.step) || !fillOptional(block.microbatch(), rows, columns.microbatch) ||
      !fillOptional(block.group(), rows, columns.group) || !fillOptional(block.seq(), rows, columns.seq) ||
      !fillOptional(block.bytes(), rows, columns.bytes) || !fillOptional(block.correlation(), rows, columns.correlation) ||
      !fillOptional(block.external_id(), rows, columns.external_id)) {
    return false;
  }
  columns.start.clear();
  columns.category.clear();
  std::uint64_t start = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    start += static_cast<std::uint64_t>(block.start_delta_ns(static_cast<int>(i)));
    columns.start.push_back(static_cast<TimeNs>(start));
    columns.category.push_back(enumOr(static_cast<unsigned char>(block.category()[i]), SpanCategory::kOther, SpanCategory::kOther));
    if (block.name(static_cast<int>(i)) >= static_cast<std::uint32_t>(block.names_size())) return false;
  }
  columns.name.assign(block.name().begin(), block.name().end());
  columns.depth.assign(block.depth().begin(), block.depth().end());
  columns.args.assign(block.args().begin(), block.args().end());
  columns.names.assign(block.names().begin(), block.names().end());
  const TrackId track = trackAt(block.track(), static_cast<std::int64_t>(rows));
  if (!track) return block.track() != 0;
  for (std::size_t i = 0; i < rows; ++i) {
    TimeNs& time = columns.start[i];
    fix(time), bound(time);
    DurNs& dur = columns.dur[i];
    if (dur == kAbsent || (dur >= 0 && dur <= kFarTime - time)) continue;
    ++absurd;
    dur = dur < 0 ? 0 : kFarTime - time;
  }
  out->spans(track, columns);
  counts.spans += static_cast<std::int64_t>(rows);
  return true;
}

}  // namespace runglass
