// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/demo_store.h"

#include <cmath>
#include <string>

namespace runglass {
namespace {

constexpr std::int64_t kRewindTo = 400;  // first step of the second attempt

struct Cluster {
  NodeId node[2];
  DeviceId gpu[2];
};

Cluster recordCluster(Recorder& recorder, TimeNs end) {
  Cluster cluster;
  for (int i = 0; i < 2; ++i) {
    Node node;
    node.uuid = "demo-machine-" + std::to_string(i);
    node.name = "n000" + std::to_string(i);
    node.rack = "rack0";
    node.state = NodeState::kAlive;
    node.last_heard = end;
    cluster.node[i] = recorder.node(node);
    Device gpu;
    gpu.uuid = "GPU-demo-" + std::to_string(i);
    gpu.node = cluster.node[i];
    gpu.index = 0;
    gpu.kind = "gpu";
    gpu.model = "NVIDIA H100 80GB HBM3";
    gpu.memory_bytes = 80LL << 30;
    cluster.gpu[i] = recorder.device(gpu);
    SeriesKey power;
    power.node = cluster.node[i];
    power.device = cluster.gpu[i];
    power.metric = "power_watts";
    power.unit = "watts";
    const SeriesId series = recorder.series(power);
    for (std::int64_t s = 0; s < kDemoSteps; ++s)
      recorder.sample(series, end - (kDemoSteps - s) * kNsPerSecond, 640 + 40 * std::sin(static_cast<double>(s) / 9 + i));
  }
  return cluster;
}

void recordScalars(Recorder& recorder, AttemptId attempt, std::int64_t step0, std::int64_t step1, TimeNs begin) {
  const auto series = [&](const char* tag, const char* unit) {
    SeriesKey key;
    key.attempt = attempt;
    key.metric = tag;
    key.unit = unit;
    key.kind = SeriesKind::kScalar;
    return recorder.series(key);
  };
  const SeriesId loss = series("loss", ""), tokens = series("tokens_per_s", "per_s"), norm = series("grad_norm", "");
  for (std::int64_t step = step0; step < step1; ++step) {
    const TimeNs time = begin + (step - step0) * kNsPerSecond;
    const auto x = static_cast<double>(step);
    recorder.scalar(loss, step, time, 2 + 8 * std::exp(-x / 120) + (step == 450 ? 3 : 0));
    recorder.scalar(tokens, step, time, 1.05e6 + 4e3 * std::sin(x));
    recorder.scalar(norm, step, time, 0.8 + 0.1 * std::cos(x / 5));
  }
}

AttemptId recordAttempt(Recorder& recorder, RunId run, const Cluster& cluster, int number, TimeNs begin) {
  Attempt attempt;
  attempt.run = run;
  attempt.key = "restart-" + std::to_string(number);
  attempt.start = begin;
  attempt.layout = {8, 2, 2, 2, 1, 1, 1};
  if (number > 0) attempt.resumed_from_step = kRewindTo;
  const AttemptId id = recorder.attempt(attempt);
  for (std::int32_t r = 0; r < 8; ++r) {
    Rank rank;
    rank.attempt = id;
    rank.rank = r;
    rank.node = cluster.node[r / 4];
    rank.tp = r % 2;
    rank.pp = r / 2 % 2;
    rank.dp = r / 4;
    recorder.rank(rank);
  }
  return id;
}

}  // namespace

void recordDemo(Recorder& recorder, TimeNs end) {
  const TimeNs begin = end - kDemoSteps * kNsPerSecond;
  const TimeNs restart = begin + 450 * kNsPerSecond;
  const Cluster cluster = recordCluster(recorder, end);
  Run run;
  run.name = "demo";
  run.state = RunState::kRunning;
  run.start = begin;
  run.framework = "example";
  const RunId id = recorder.run(run);
  const AttemptId first = recordAttempt(recorder, id, cluster, 0, begin);
  recordScalars(recorder, first, 0, 450, begin);
  const AttemptId second = recordAttempt(recorder, id, cluster, 1, restart);
  recordScalars(recorder, second, kRewindTo, kRewindTo + 150, restart);
  Checkpoint checkpoint;
  checkpoint.attempt = first;
  checkpoint.step = kRewindTo;
  checkpoint.begin = begin + 400 * kNsPerSecond;
  checkpoint.durable = begin + 405 * kNsPerSecond;
  checkpoint.path = "/checkpoints/400";
  recorder.checkpoint(checkpoint);
  recorder.issue({"import.truncated", "events.out.tfevents.demo", 2, begin, end, "events.out.tfevents.demo: byte 40960: record cut off"});
}

}  // namespace runglass
