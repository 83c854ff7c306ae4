// SPDX-License-Identifier: Apache-2.0
// A scenario that the simulator played into a separate store, with the findings of every analysis stored, for tests of incidents.
//
// Threading:  one thread.
// Ownership:  removes the store at the end.
// Units:      as Scenario.
// Errors:     a failure here fails the test.
// Cost:       about a second.
#pragma once

#include <gtest/gtest.h>

#include "analysis/engine/analysis.h"
#include "collectors/sim/simulator.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/storage/sample_store.h"

namespace runglass {

// 16 ranks on four nodes in two racks, two-second steps, a checkpoint every 40.
inline sim::Scenario smallJob(const std::string& name) {
  sim::Scenario job;
  job.name = name, job.seed = 7, job.steps = 150;
  job.nodes = 4, job.gpus_per_node = 4, job.nodes_per_rack = 2, job.metrics_hertz = 0.5;
  job.tp = 2, job.pp = 2, job.dp = 4, job.step_seconds = 2, job.checkpoint_every_steps = 40;
  job.spans = sim::SpanDetail::kNone;
  return job;
}
inline sim::Scenario lostGpu() {
  sim::Scenario job = smallJob("lost");
  job.faults.push_back({.kind = "hardware_fault",
                        .target = {.kind = sim::Target::Kind::kGpu, .index = 2, .gpu = 1, .nic = {}},
                        .first_step = 100,
                        .last_step = 100,
                        .strength = 600,
                        .xid = 79});
  return job;
}
inline sim::Scenario slowRankOf(std::int32_t rank) {
  sim::Scenario job = smallJob("slow");
  job.steps = 400;
  job.faults.push_back({.kind = "slow_rank",
                        .target = {.kind = sim::Target::Kind::kRank, .index = rank, .gpu = 0, .nic = {}},
                        .first_step = 60,
                        .last_step = 400,
                        .strength = 1.3,
                        .xid = {}});
  return job;
}

class SimulatedIncident {
 public:
  static constexpr TimeNs kStart = 1'790'000'000'000'000'000;

  explicit SimulatedIncident(const sim::Scenario& scenario) {
    auto writer = openStore(m_folder.file("s.rgl")).writer();
    EXPECT_TRUE(writer.ok()) << writer.status().message();
    EXPECT_TRUE(sim::play(scenario, **writer, {.start = kStart, .speed = 0}).ok());
    EXPECT_TRUE((*writer)->flush().ok());
    const RunId run = openStore(m_folder.file("s.rgl")).reader().value()->runs()->front().id;
    {
      auto reader = openStore(m_folder.file("s.rgl")).reader();
      for (const AnalysisEntry& entry : analyses()) {
        auto found = entry.make()->look({.reader = **reader, .run = run, .now = {}, .stop = {}});
        EXPECT_TRUE(found.ok()) << found.status().message();
        for (Finding& one : *found) {
          one.run = run;
          (*writer)->finding(one);
        }
      }
    }
    EXPECT_TRUE((*writer)->close().ok());
    auto reader = openStore(m_folder.file("s.rgl")).reader();
    m_reader = std::move(*reader);
    m_run = m_reader->runs()->front();
    m_findings = *m_reader->findings(m_run.id);
  }
  std::string path() const { return m_folder.file("s.rgl"); }
  Reader& reader() { return *m_reader; }
  const Run& run() const { return m_run; }
  const std::vector<Finding>& findings() const { return m_findings; }

 private:
  test::TempFolder m_folder;
  std::unique_ptr<Reader> m_reader;
  Run m_run;
  std::vector<Finding> m_findings;
};

}  // namespace runglass
