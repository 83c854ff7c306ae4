// SPDX-License-Identifier: Apache-2.0
// A small store with one of everything, for tests of code that reads stores.
//
// Threading:  one thread.
// Units:      TimeNs; the store's run lasts from kStoreStart for kStoreSamples ms.
// Errors:     a failure here fails the test.
// Cost:       milliseconds.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/support/temp_folder.h"

namespace runglass {

inline constexpr TimeNs kStoreStart = 1'700'000'000'000'000'000;
inline constexpr std::int64_t kStoreSamples = 20'000;  // five chunks

struct SampleStoreIds {
  RunId run;
  AttemptId first, second;
  SeriesId power, loss;
  TrackId kernels, thread;
};

// Two attempts (the second repeats steps from 60 on), a node with a GPU, a power series at 1 kHz, loss per step, spans of two tracks, an
// event, a log line, a fact, a checkpoint, a finding, a label and an issue.
inline SampleStoreIds fillSampleStore(Writer& writer) {
  SampleStoreIds ids;
  const NodeId node = writer.node({.uuid = "machine-1", .name = "node-a", .rack = "r1", .state = NodeState::kAlive});
  const DeviceId gpu =
      writer.device({.uuid = "GPU-1", .node = node, .index = 0, .kind = "gpu", .model = "H100", .memory_bytes = 80LL << 30});
  ids.run = writer.run({.uuid = "run-uuid-1",
                        .name = "pretrain",
                        .state = RunState::kFinished,
                        .start = kStoreStart,
                        .end = kStoreStart + kStoreSamples * kNsPerMs,
                        .framework = "megatron"});
  ids.first = writer.attempt({.run = ids.run, .key = "0", .start = kStoreStart, .layout = {.world = 2, .tp = 2, .pp = 1}});
  ids.second =
      writer.attempt({.run = ids.run, .key = "1", .planned = false, .resumed_from_step = 60, .layout = {.world = 2, .tp = 2, .pp = 1}});
  writer.rank({.attempt = ids.first, .rank = 0, .node = node, .device = gpu, .tp = 0, .pp = 0});
  writer.rank({.attempt = ids.first, .rank = 1, .node = node, .tp = 1, .pp = 0});
  writer.fact({.attempt = ids.first, .node = node, .rank = 0, .key = "argv", .value = "train.py --lr 3e-4"});
  writer.group({.attempt = ids.first, .id = 3, .kind = "tp", .name = "tensor", .ranks = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}});
  writer.checkpoint(
      {.attempt = ids.first, .step = 50, .begin = kStoreStart + 5, .durable = kStoreStart + 9, .bytes = 1000, .path = "ckpt/50"});
  ids.power = writer.series({.node = node, .device = gpu, .metric = "power_watts", .unit = "watts"});
  for (std::int64_t i = 0; i < kStoreSamples; ++i)
    writer.sample(ids.power, kStoreStart + i * kNsPerMs, 300.0 + std::round(100 * std::sin(static_cast<double>(i) / 50)) / 10);
  ids.loss = writer.series({.attempt = ids.first, .metric = "loss", .source = "train", .kind = SeriesKind::kScalar});
  for (std::int64_t step = 0; step < 100; ++step)
    writer.scalar(ids.loss, step, kStoreStart + step * 100 * kNsPerMs, 10.0 / (1.0 + static_cast<double>(step)));
  const SeriesId again = writer.series({.attempt = ids.second, .metric = "loss", .source = "train", .kind = SeriesKind::kScalar});
  for (std::int64_t step = 60; step < 119; ++step)
    writer.scalar(again, step, kStoreStart + (40 + step) * 100 * kNsPerMs, step == 70 ? std::nan("") : 0.125);
  writer.scalar(again, 119, {}, 0.0625);  // a point without a time
  ids.kernels = writer.track({.attempt = ids.first, .rank = 0, .kind = "gpu_stream", .name = "7"});
  ids.thread = writer.track({.attempt = ids.first, .rank = 0, .kind = "thread", .name = "main"});
  SpanColumns spans;
  spans.names = {"gemm", "all_reduce, \"x\""};
  for (int i = 0; i < 10; ++i) {
    spans.start.push_back(kStoreStart + i * 1000);
    spans.dur.push_back(i == 9 ? kAbsent : 700 + i);
    spans.name.push_back(static_cast<std::uint32_t>(i % 2));
    spans.category.push_back(i % 2 ? SpanCategory::kComm : SpanCategory::kCompute);
    spans.step.push_back(i / 5);
    spans.bytes.push_back(i % 2 ? 4096 : kAbsent);
    spans.args.emplace_back(i == 1 ? R"({"grid":[1,2,3]})" : "");
  }
  writer.spans(ids.kernels, spans);
  writer.spans(ids.thread, spans);
  writer.event({.time = kStoreStart + 77,
                .attempt = ids.first,
                .node = node,
                .device = gpu,
                .rank = 0,
                .step = 3,
                .kind = "xid",
                .severity = Severity::kCritical,
                .code = "79",
                .message = "fell off the bus"});
  writer.log({.time = kStoreStart + 78, .attempt = ids.first, .node = node, .rank = 1, .stream = "stdout", .text = "hello\nworld"});
  writer.progress({.attempt = ids.second, .rank = 0, .time = kStoreStart + 99, .step = 119, .phase = "steady", .op = "all_reduce"});
  writer.label({.attempt = ids.first, .kind = "slow_rank", .node = node, .rank = 1, .first_step = 10, .last_step = 20, .strength = 1.5});
  writer.issue({.code = "tfevents.bad_data_crc", .source = "a.tfevents", .count = 2, .detail = "offset 17"});
  writer.finding({.run = ids.run,
                  .attempt = ids.first,
                  .kind = "loss_spike",
                  .subject = "run",
                  .severity = Severity::kWarning,
                  .first_step = 10,
                  .score = 0.75,
                  .summary = "a spike",
                  .evidence = "{}"});
  return ids;
}

// Writes a closed store at `path`.
inline SampleStoreIds makeSampleStore(const std::string& path) {
  auto writer = openStore(path).writer();
  EXPECT_TRUE(writer.ok()) << writer.status().message();
  const SampleStoreIds ids = fillSampleStore(**writer);
  const Status closed = (*writer)->close();
  EXPECT_TRUE(closed.ok()) << closed.message();
  return ids;
}

}  // namespace runglass
