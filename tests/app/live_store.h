// SPDX-License-Identifier: GPL-3.0-or-later
// A store with one live run, and analyses that return the findings set by a test.
//
// Threading:  FakeAnalysis::say() and look() may be called on different threads.
// Ownership:  the fakes' answers are static: an AnalysisEntry holds a function.
// Units:      TimeNs.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "analysis/engine/analysis.h"
#include "storage/writer.h"

namespace runglass {

inline constexpr TimeNs kLiveStart = 1'700'000'000'000'000'000;

// Two analyses, with answers set by `say(which, …)`.
class FakeAnalysis : public Analysis {
 public:
  using Look = std::function<Result<std::vector<Finding>>(const Question&)>;
  explicit FakeAnalysis(std::size_t which) : m_which(which) {}
  Result<std::vector<Finding>> look(const Question& question) override {
    Look look;
    {
      const std::lock_guard lock(mutex());
      look = looks()[m_which];
    }
    return look ? look(question) : std::vector<Finding>();
  }
  static void say(std::size_t which, Look look) {
    const std::lock_guard lock(mutex());
    looks()[which] = std::move(look);
  }
  static void say(std::size_t which, std::vector<Finding> findings) {
    say(which, [findings = std::move(findings)](const Question&) { return findings; });
  }
  static void silence() {
    say(0, Look());
    say(1, Look());
  }
  static std::vector<AnalysisEntry> entries() {
    return {{"fake_first", []() -> std::unique_ptr<Analysis> { return std::make_unique<FakeAnalysis>(0); }},
            {"fake_second", []() -> std::unique_ptr<Analysis> { return std::make_unique<FakeAnalysis>(1); }}};
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static std::vector<Look>& looks() {
    static std::vector<Look> both(2);
    return both;
  }
  std::size_t m_which;
};

inline Finding findingOf(const std::string& kind, const std::string& subject, Severity severity, TimeNs start) {
  return {.kind = kind, .subject = subject, .severity = severity, .start = start, .first_step = 100, .summary = subject + " is " + kind};
}

// Nodes node-0…, each with eight ranks of a running run; a loss series shows that it is alive.
inline RunId recordLiveRun(Recorder& recorder, TimeNs start, int nodes = 1, const std::string& uuid = "live-uuid") {
  const RunId run = recorder.run({.uuid = uuid, .name = "live " + uuid, .state = RunState::kRunning, .start = start});
  const AttemptId attempt = recorder.attempt({.run = run, .key = "0", .start = start, .layout = {.world = nodes * 8}});
  for (int n = 0; n < nodes; ++n) {
    const std::string name = "node-" + std::to_string(n);
    const NodeId node = recorder.node({.uuid = "machine-" + std::to_string(n), .name = name, .state = NodeState::kAlive});
    for (int r = 0; r < 8; ++r) recorder.rank({.attempt = attempt, .rank = n * 8 + r, .node = node});
  }
  const SeriesId loss = recorder.series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
  for (std::int64_t step = 0; step < 10; ++step) recorder.scalar(loss, step, start + step * kNsPerSecond, 2.5);
  return run;
}

}  // namespace runglass
