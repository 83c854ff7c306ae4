// SPDX-License-Identifier: Apache-2.0
// Calls of a parser to a Recorder, kept in batches so that they can be repeated on the store's Recorder in another thread.
//
// Threading:  a CallRecorder and a CallPlayer each on one thread; batches are passed from one to the other.
// Ownership:  batches own copies; the player borrows the next Recorder.
// Units:      as recorded; ids inside batches are the CallRecorder's own, from 1.
// Errors:     those of the player's Recorder.
// Cost:       a copy of everything; a batch is passed on at kBatchBytes. Batch boundaries depend on the calls only.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "model/recorder.h"

namespace runglass {

struct SamplesCall {
  SeriesId series;
  SampleColumns columns;
};
struct ScalarsCall {
  SeriesId series;
  ScalarColumns columns;
};
struct SpansCall {
  TrackId track;
  SpanColumns columns;
};
// Nodes, devices, runs, attempts, series and tracks carry the id that the parser got.
using RecordedCall = std::variant<Node, Device, Run, Attempt, Rank, Fact, Checkpoint, CommGroup, Series, Track, SamplesCall, ScalarsCall,
                                  SpansCall, Event, LogLine, Progress, Issue, Label, ClockReading, Capture>;
using RecordedCalls = std::vector<RecordedCall>;

class CallRecorder : public Recorder {
 public:
  static constexpr std::size_t kBatchBytes = 4U << 20;

  explicit CallRecorder(std::function<void(RecordedCalls)> take) : m_take(std::move(take)) {}

  NodeId node(const Node& value) override;
  DeviceId device(const Device& value) override;
  RunId run(const Run& value) override;
  AttemptId attempt(const Attempt& value) override;
  void rank(const Rank& value) override;
  void fact(const Fact& value) override;
  void checkpoint(const Checkpoint& value) override;
  void group(const CommGroup& value) override;
  SeriesId series(const SeriesKey& key) override;
  TrackId track(const TrackKey& key) override;
  void samples(SeriesId series, std::span<const TimeNs> time, std::span<const double> value) override;
  void scalars(SeriesId series, std::span<const std::int64_t> step, std::span<const TimeNs> time, std::span<const double> value) override;
  void spans(TrackId track, const SpanColumns& columns) override;
  void event(const Event& value) override;
  void log(const LogLine& value) override;
  void progress(const Progress& value) override;
  void issue(const Issue& value) override;
  void label(const Label& value) override;
  void clock(const ClockReading& value) override;
  void capture(const Capture& value) override;
  // Passes on the current batch.
  Status flush() override;

 private:
  template <class Record>
  void add(Record value);
  template <class Call>
  void add(Call call, std::size_t bytes) {
    m_calls.emplace_back(std::move(call));
    grow(sizeof(RecordedCall) + bytes);
  }
  void grow(std::size_t bytes);

  using SeriesIdentity = std::tuple<AttemptId, std::optional<std::int32_t>, NodeId, DeviceId, std::string, std::string, std::string>;
  using TrackIdentity = std::tuple<AttemptId, std::optional<std::int32_t>, std::string, std::string>;

  std::function<void(RecordedCalls)> m_take;
  RecordedCalls m_calls;
  std::size_t m_bytes = 0;
  std::map<std::string, NodeId> m_nodes;
  std::map<std::string, DeviceId> m_devices;
  std::map<std::pair<std::string, std::string>, RunId> m_runs;  // by uuid, or by name without one
  std::map<std::pair<RunId, std::string>, AttemptId> m_attempts;
  std::map<SeriesIdentity, SeriesId> m_series;
  std::map<TrackIdentity, TrackId> m_tracks;
};

class CallPlayer {
 public:
  explicit CallPlayer(Recorder& to) : m_to(to) {}
  void play(RecordedCalls calls);
  // The id in the player's Recorder of a run recorded by the parser.
  RunId run(RunId recorded) const { return std::get<RealIds<RunId>>(m_ids).at(recorded); }

 private:
  // By the recorded id, which counts from 1; 0 stays 0.
  template <class Id>
  class RealIds {
   public:
    Id at(Id recorded) const { return recorded.value == 0 || recorded.value > m_ids.size() ? Id{} : m_ids[recorded.value - 1]; }
    void put(Id recorded, Id real) {
      if (recorded.value > m_ids.size()) m_ids.push_back(real);
    }

   private:
    std::vector<Id> m_ids;
  };

  template <class Id>
  RealIds<Id>& of(Id) {
    return std::get<RealIds<Id>>(m_ids);
  }
  // Any record: replaces its ids by those of the player's Recorder.
  template <class Record>
  void say(Record& value);
  void say(Series& call);
  void say(Track& call);
  void say(SamplesCall& call) { m_to.samples(of(call.series).at(call.series), call.columns.time, call.columns.value); }
  void say(ScalarsCall& call) { m_to.scalars(of(call.series).at(call.series), call.columns.step, call.columns.time, call.columns.value); }
  void say(SpansCall& call) { m_to.spans(of(call.track).at(call.track), call.columns); }

  Recorder& m_to;
  std::tuple<RealIds<NodeId>, RealIds<DeviceId>, RealIds<RunId>, RealIds<AttemptId>, RealIds<SeriesId>, RealIds<TrackId>> m_ids;
};

}  // namespace runglass
