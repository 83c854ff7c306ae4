// SPDX-License-Identifier: Apache-2.0
// Fleet: many shipped Agents in one process, driven by one thread from prepared columns, and a comparison of the store with all their
// records.
//
// Threading:  one thread; the generator and the agents have their own.
// Ownership:  owns agents and the content of their state directories.
// Units:      ms for latencies; points are samples and scalars.
// Errors:     an agent that cannot start aborts the soak.
// Cost:       about 0.1 us per sample in the generator; three threads per agent.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "collectors/agent/agent.h"

namespace runglass {
class Reader;
}

namespace runglass::soak {

struct FleetPlan {
  std::string name = "soak";
  int agents = 1, gpus = 8, metrics = 12;
  double hertz = 10;
  int block = 1;          // samples of a series at a time, as from a counter's buffer; polls happen at hertz / block
  bool training = false;  // progress of every rank with each poll, a step of every rank with each fourth
  std::string token_file = {};
  DurNs longest_pause = 10 * kNsPerSecond;  // between attempts to connect
};

// Latencies of batches, from sealing to acknowledgement.
class Latency {
 public:
  void add(const std::vector<DurNs>& delays) { m_delays.insert(m_delays.end(), delays.begin(), delays.end()); }
  void add(const Latency& other) { add(other.m_delays); }
  std::size_t count() const { return m_delays.size(); }
  double ms(double share);

 private:
  std::vector<DurNs> m_delays;
};

class Fleet {
 public:
  Fleet(FleetPlan plan, const std::string& hub, const std::string& directory);
  ~Fleet();
  Fleet(const Fleet&) = delete;
  Fleet& operator=(const Fleet&) = delete;

  void play(double times = 1);  // at this multiple of the plan's rate; when called again: from now on
  void rest();
  Latency listen(double seconds, const std::function<bool()>& enough = {});  // collects latencies meanwhile
  int connected() const;
  // No batch has waited longer than the time after which it is spooled.
  bool drained() const;
  bool waitFor(const std::function<bool()>& what, double seconds) const;
  // For the agent with the largest lag: the time since any of its data was acknowledged, and so visible to the hub's own readers.
  double silence() const;
  bool isComplete() const { return connected() == m_plan.agents; }
  // Rests, waits until everything is acknowledged, signs off. False: something was left after `seconds`.
  bool leave(double seconds);
  const FleetPlan& plan() const { return m_plan; }
  std::int64_t recorded() const;  // points; call while it rests
  std::uint64_t droppedBatches() const;
  double worstLateness() const { return static_cast<double>(m_worst_late) / 1e9; }  // of the generator, in seconds

  struct Comparison {
    std::int64_t recorded = 0, stored = 0;
    std::int64_t wrong_series = 0;
    std::uint64_t dropped_batches = 0;
    std::string first_wrong;
    void differ(const std::string& what) {
      if (wrong_series++ == 0) first_wrong = what;
    }
    bool exact() const { return wrong_series == 0 && recorded == stored && dropped_batches == 0; }
    std::string text() const;
  };
  Comparison compare(const std::string& store) const;
  // Age in seconds of the newest sample of a few series visible to another process; absent: none is visible.
  class Watcher {
   public:
    explicit Watcher(const std::string& store);
    ~Watcher();
    std::optional<double> age();

   private:
    std::unique_ptr<Reader> m_reader;
    std::vector<SeriesId> m_series;
  };

 private:
  struct Member {
    std::unique_ptr<Agent> agent;
    Recorder* out = nullptr;
    AttemptId attempt;
    std::vector<SeriesId> samples;
    std::vector<std::vector<SeriesId>> scalars;  // by GPU
    std::int32_t first_rank = 0;
    std::int64_t polls = 0, steps = 0;
    TimeNs first = 0;
  };
  std::unique_ptr<Member> join(int number, const std::string& hub, const std::string& directory) const;
  void run();
  void poll(Member& member) const;
  void pollBlock(Member& member) const;
  void compareSamples(Reader& reader, Comparison& out) const;
  void compareTraining(Reader& reader, Comparison& out) const;

  FleetPlan m_plan;
  std::vector<std::unique_ptr<Member>> m_members;
  std::atomic<bool> m_stop = false;
  std::atomic<DurNs> m_worst_late = 0;
  double m_times = 1;
  std::thread m_generator;
};

}  // namespace runglass::soak
