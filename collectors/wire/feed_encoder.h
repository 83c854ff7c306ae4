// SPDX-License-Identifier: Apache-2.0
// FeedEncoder: a MirrorRecorder that encodes records as payload bytes. Progress and points are collected in tables, in which values that
// are nearly equal on all ranks take a few bytes.
//
// Threading:  one thread at a time.
// Ownership:  owns its dictionary.
// Units:      bytes; ids are those of the dictionary.
// Errors:     samples, spans and captures are not part of a feed: recording them is a bug.
// Cost:       memory: a payload, and 16 bytes a series.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "collectors/wire/session_dictionary.h"
#include "model/mirror_recorder.h"
#include "runglass/v1/payload.pb.h"

namespace runglass {

class FeedEncoder final : public MirrorRecorder {
 public:
  static constexpr std::size_t kPiece = std::size_t{192} << 10;
  // The payload is large enough to be sent.
  bool full() const { return pendingBytes() >= kPiece; }
  bool busy() const { return pendingBytes() >= kPiece / 4; }  // further records would be delayed by it
  bool empty() const { return pendingBytes() == 0; }
  // Definitions added since the last call, a Payload. Must be sent before takePayload()'s.
  std::string takeDefinitions();
  std::uint32_t seriesDefined() const { return m_series_defined; }
  std::string takePayload();

  NodeId node(const Node& node) override;
  DeviceId device(const Device& device) override;
  RunId run(const Run& run) override;
  AttemptId attempt(const Attempt& attempt) override;
  void rank(const Rank& rank) override;
  void fact(const Fact& fact) override;
  void checkpoint(const Checkpoint& checkpoint) override;
  void group(const CommGroup& group) override;
  SeriesId series(const SeriesKey& key) override;
  TrackId track(const TrackKey& key) override { return m_dictionary.track(key); }
  void samples(SeriesId, std::span<const TimeNs>, std::span<const double>) override { RG_CHECK(false); }
  void scalars(SeriesId series, std::span<const std::int64_t> step, std::span<const TimeNs> time, std::span<const double> value) override;
  void spans(TrackId, const SpanColumns&) override { RG_CHECK(false); }
  void event(const Event& event) override;
  void log(const LogLine& line) override;
  void progress(const Progress& progress) override { m_progress.push_back(progress); }
  void issue(const Issue& issue) override;
  void label(const Label& label) override;
  void clock(const ClockReading& reading) override;
  void capture(const Capture&) override { RG_CHECK(false); }
  Status flush() override { return {}; }
  void complete(SeriesId series, std::int64_t step0, std::int64_t step1, const ScalarColumns& points) override;
  void summaries(SeriesId series, const Summaries& summaries) override;
  void total(const Issue& issue) override;
  void judge(const Judgements& judgements) override;
  void mark(const MirrorMark& mark) override;

 private:
  std::size_t pendingBytes() const;
  struct Point {
    SeriesId series;
    std::int64_t step;
    std::optional<TimeNs> time;
    double value;
  };
  template <class Message>
  void put(std::uint32_t field, const Message& message);
  void putTables();
  void putProgress();
  void putPoints(std::vector<Point>& points, bool whole);

  SessionDictionary m_dictionary;
  std::size_t m_definitions_taken = 0;
  std::uint32_t m_series_defined = 0;
  std::string m_open;
  std::vector<Progress> m_progress;
  std::vector<Point> m_whole, m_other;  // whole numbers; series with other values
  std::unordered_map<std::string, std::uint32_t> m_kinds;
  std::vector<std::uint32_t> m_kind;      // by series
  std::vector<std::uint64_t> m_other_in;  // by series: the last table of m_other that has it
  std::uint64_t m_table = 1;
};

}  // namespace runglass
