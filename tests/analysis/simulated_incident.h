// SPDX-License-Identifier: Apache-2.0
// A scenario that the simulator played into a separate store, with the findings of every analysis stored, for tests of incidents. Another
// one may precede it there, so that its run and findings have other numbers than in a slice of it.
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

  explicit SimulatedIncident(const sim::Scenario& scenario) : SimulatedIncident(std::vector{scenario}) {}
  // The last one is what the rest is about.
  explicit SimulatedIncident(const std::vector<sim::Scenario>& scenarios) {
    auto writer = openStore(path()).writer();
    EXPECT_TRUE(writer.ok()) << writer.status().message();
    for (std::size_t i = 0; i < scenarios.size(); ++i)
      EXPECT_TRUE(sim::play(scenarios[i], **writer, {.start = kStart + static_cast<TimeNs>(i) * 86'400 * kNsPerSecond, .speed = 0}).ok());
    EXPECT_TRUE((*writer)->flush().ok());
    {
      auto reader = openStore(path()).reader();
      for (const Run& run : *(*reader)->runs())
        for (const AnalysisEntry& entry : analyses()) {
          auto found = entry.make()->look({.reader = **reader, .run = run.id, .now = {}, .stop = {}});
          EXPECT_TRUE(found.ok()) << found.status().message();
          for (Finding& one : *found) {
            one.run = run.id;
            (*writer)->finding(one);
          }
        }
    }
    EXPECT_TRUE((*writer)->close().ok());
    auto reader = openStore(path()).reader();
    m_reader = std::move(*reader);
    for (const Run& run : *m_reader->runs())
      if (run.name == scenarios.back().name) m_run = run;
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
