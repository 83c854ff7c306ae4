// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/widgets/sample_data.h"

#include <cmath>

namespace runglass {
namespace {

constexpr TimeNs kStart = kSampleNow - 3 * 3600 * kNsPerSecond;

Attempt attemptOf(std::uint64_t id, std::uint64_t run, std::int32_t number, Layout layout) {
  Attempt attempt;
  attempt.id = {id};
  attempt.run = {run};
  attempt.number = number;
  attempt.layout = layout;
  return attempt;
}

void addScalar(FakeData& data, std::uint64_t run, std::uint64_t attempt, const char* tag, std::int64_t steps,
               double (*value)(std::int64_t)) {
  Series series;
  series.id = {data.series.size() + 1};
  series.run = {run};
  series.key.attempt = {attempt};
  series.key.metric = tag;
  series.key.kind = SeriesKind::kScalar;
  ScalarColumns columns;
  for (std::int64_t step = 0; step < steps; ++step) {
    columns.step.push_back(step);
    columns.value.push_back(value(step));
  }
  series.sample_count = steps;
  series.last_x = steps - 1;
  series.first_time = kStart;
  series.last_time = kSampleNow - kNsPerSecond / 2;
  data.series.push_back(series);
  data.scalars.push_back(std::move(columns));
}

void addRuns(FakeData& data) {
  Run live{{1}, "u-1", "gpt-8b-fineweb", TimeDomain::kUtc, RunState::kRunning, kStart, std::nullopt, "Megatron-LM", false};
  Run failed{{2},
             "u-2",
             "retry \x1b[31m\u202E<b>bold</b>",
             TimeDomain::kUtc,
             RunState::kFailed,
             kStart / 2,
             kStart,
             "a framework with a very long name indeed",
             false};
  Run bare{{3}, "u-3", "tfevents-import", TimeDomain::kNone, RunState::kUnknown, std::nullopt, std::nullopt, "", true};
  data.runs = {live, failed, bare};
  data.attempts = {attemptOf(1, 1, 0, {64, 8, 4, 2, 1, 1, 1}), attemptOf(2, 1, 1, {64, 8, 4, 2, 1, 1, 1}), attemptOf(3, 2, 0, {}),
                   attemptOf(4, 3, 0, {8, 2, 2, 2})};
  addScalar(data, 1, 2, "lm loss", 48'211, [](std::int64_t step) { return 1.9 + 8 * std::exp(-static_cast<double>(step) / 4000); });
  addScalar(data, 1, 2, "tokens_per_s", 48'211, [](std::int64_t step) { return step > 48'190 ? 1.0e6 : 1.054e6; });
  addScalar(data, 2, 3, "train/loss", 120, [](std::int64_t step) { return step == 119 ? std::nan("") : 3.0; });
}

}  // namespace

std::shared_ptr<FakeData> sampleData() {
  auto data = std::make_shared<FakeData>();
  addRuns(*data);
  for (std::uint64_t i = 1; i <= 8; ++i) {
    Node node{{i},       "m-" + std::to_string(i), "n00" + std::to_string(i), "rack1", "sw1", i == 5 ? NodeState::kLost : NodeState::kAlive,
              kSampleNow};
    data->nodes.push_back(node);
    Rank rank;
    rank.attempt = {2};
    rank.rank = static_cast<std::int32_t>(i - 1);
    rank.node = {i};
    data->ranks.push_back(rank);
  }
  Checkpoint checkpoint;
  checkpoint.attempt = {2};
  checkpoint.step = 48'000;
  checkpoint.begin = kSampleNow - 400 * kNsPerSecond;
  checkpoint.durable = kSampleNow - 390 * kNsPerSecond;
  data->checkpoints = {checkpoint};
  Finding slow;
  slow.id = 1;
  slow.run = {1};
  slow.kind = "slow_rank";
  slow.severity = Severity::kWarning;
  slow.start = kSampleNow - 1800 * kNsPerSecond;
  slow.rank = 37;
  slow.confidence = 0.9;
  slow.summary = "Rank 37 (n0005) is 20 % slower than its peers since step 47,100.";
  Finding fault = slow;
  fault.id = 2;
  fault.kind = "hardware_fault";
  fault.severity = Severity::kCritical;
  fault.summary = "GPU 3 of n0005 fell off the bus (Xid 79).";
  data->findings = {slow, fault};
  data->issues = {{"import.truncated", "events.out.tfevents.1", 2, kStart, kSampleNow, "events.out.tfevents.1: byte 40960: record cut off"},
                  {"store.damaged_chunk", "series 12", 1, kStart, kStart, "chunk 991 of series 12: crc 0x1234, wanted 0x9876"},
                  {"future.code", "agent n0001", 48'210, std::nullopt, std::nullopt, "<img src=x>\x1b[2J"}};
  data->info.path = "/data/runs/gpt-8b.rgl";
  data->info.store_uuid = "0e0a7f3c-2f54-4c7e-9d1c-0a4b5c6d7e8f";
  data->info.schema_version = 1;
  data->info.file_bytes = 1'288'490'188;
  data->info.sample_count = 512'000'000;
  data->usage.sample_bytes = 1'152'000'000;
  data->info.series_count = 6'144;
  data->info.first = kStart;
  data->info.last = kSampleNow;
  return data;
}

}  // namespace runglass
