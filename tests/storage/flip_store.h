// SPDX-License-Identifier: Apache-2.0
// A small store in which each kind of row fills some pages, to flip its bits one at a time.
//
// Threading:  one thread.
// Errors:     a failure here fails the test.
// Cost:       milliseconds.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "storage/open_store.h"
#include "tests/storage/sample_store.h"

namespace runglass {

inline constexpr std::size_t kFlipPage = 4096;
inline constexpr int kFlipSeries = 40, kFlipPoints = 500;

inline SeriesId flipSeries(Recorder& out, int number) {
  const NodeId node = out.node({.uuid = "machine-1", .name = "node-a", .rack = "r1", .state = NodeState::kAlive});
  return out.series({.node = node, .metric = "flip_" + std::to_string(number)});
}

// Series `number` has points first … last - 1, each with a different value.
inline void flipPoints(Recorder& out, int number, int first, int last) {
  const SeriesId id = flipSeries(out, number);
  for (int i = first; i < last; ++i) out.sample(id, kStoreStart + i * kNsPerSecond, number * 1000.5 + i * 0.37);
}

inline void makeFlipStore(const std::string& path) {
  auto writer = openStore(path).writer().value();
  const SampleStoreIds ids = fillSampleStore(*writer);
  const std::string words = "the quick brown fox jumps over the lazy dog and counts to a hundred before it jumps again ";
  for (int i = 0; i < 200; ++i) {
    const std::string number = std::to_string(i);
    writer->event({.time = kStoreStart + i, .attempt = ids.first, .rank = i % 2, .kind = "note", .message = words + number});
    writer->log({.time = kStoreStart + i, .attempt = ids.first, .stream = "stdout", .text = words + number});
    writer->fact({.attempt = ids.first, .node = {}, .rank = 0, .key = "key" + number, .value = words + number});
    writer->finding({.run = ids.run,
                     .attempt = ids.first,
                     .kind = "slow_rank",
                     .subject = "rank " + number,
                     .first_step = i,
                     .summary = words + number,
                     .evidence = "{}"});
    writer->setImportMark("/data/" + words + number, {.identity = words, .offset = i, .run = ids.run, .state = "done"});
  }
  writer->event({.time = kStoreStart, .kind = "long", .message = std::string(20'000, 'x')});  // has its own pages
  for (int number = 0; number < kFlipSeries; ++number) flipPoints(*writer, number, 0, kFlipPoints);
  const Status closed = writer->close();
  ASSERT_TRUE(closed.ok()) << closed.message();
}

inline std::string fileContent(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A copy of `content` at `path` with one bit changed.
inline void writeFlipped(const std::string& path, std::string content, std::size_t bit) {
  content[bit / 8] = static_cast<char>(content[bit / 8] ^ (1 << (bit % 8)));
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

}  // namespace runglass
