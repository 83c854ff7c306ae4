// SPDX-License-Identifier: Apache-2.0
// A store of a job that has run for a year with restarts, and of the same job in its first attempt.
//
// Threading:  one thread.
// Units:      nodes, ranks, ns.
// Errors:     a store that cannot be written ends the program with the reason.
// Cost:       about 0.3 s per attempt of 10,000 ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "storage/writer.h"

namespace runglass::aged {

constexpr std::int32_t kGpus = 8;

struct YearPlan {
  std::int32_t nodes = 1'250;
  int slices = 400, attempts = 400;  // retention runs after each slice; an attempt has at least one slice
  DurNs slice = 365 * Retention::kDay / 400;
  std::int32_t recording_ranks = 100;  // the others are only in the catalogue: their steps would be the same
  std::int32_t ranks() const { return nodes * kGpus; }
};

// The data of a running job, on its own clock.
class Job {
 public:
  // `end` is the end time of the last slice; `attempt` the number of the first attempt.
  Job(Writer& writer, const YearPlan& plan, TimeNs end, int attempt = 0);
  // Records and commits the next slice.
  void slice();
  TimeNs now() const { return m_now; }
  AttemptId attempt() const { return m_attempt; }
  // Records one commit of a hub of this job: samples and clocks of all nodes, steps of the recording ranks, progress of all ranks.
  void moment();
  // Starts the next attempt, with its catalogue rows.
  void restart();

 private:
  void declareNode(std::int32_t place);
  void declareRanks();
  void samples(DurNs length);
  void steps(DurNs length);
  void rows(DurNs length);
  void clocks(DurNs length);

  struct Place {
    std::string uuid;
    NodeId node;
    std::vector<DeviceId> devices;
    SeriesId power;
    std::string gpu_uuids;
  };

  Writer& m_writer;
  const YearPlan m_plan;
  const TimeNs m_begin;
  TimeNs m_now;
  int m_slices = 0, m_number = 0, m_replaced = 0;
  RunId m_run;
  AttemptId m_attempt;
  std::vector<Place> m_places;
  std::vector<SeriesId> m_step_times, m_step_parts;
  SeriesId m_loss;
  std::int64_t m_step = 0;
  std::mt19937_64 m_random{3};
};

// Creates the store `path`, plays `plan` into it with the default retention after each slice, and closes it. The plan ends now.
void buildYear(const std::string& path, const YearPlan& plan);

}  // namespace runglass::aged
