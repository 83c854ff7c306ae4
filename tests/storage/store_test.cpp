// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "model/superseded.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::unique_ptr<Writer> openWriter(const std::string& path, WriterOptions options = {}) {
  auto writer = openStore(path).writer(std::move(options));
  EXPECT_TRUE(writer.ok()) << writer.status().message();
  return writer.ok() ? std::move(*writer) : nullptr;
}
std::unique_ptr<Reader> openReader(const std::string& path, const Writer* writer = nullptr) {
  auto reader = openStore(path).reader({writer == nullptr ? nullptr : writer->liveTail()});
  EXPECT_TRUE(reader.ok()) << reader.status().message();
  return reader.ok() ? std::move(*reader) : nullptr;
}
std::vector<std::uint64_t> bitsOf(const std::vector<double>& values) {
  std::vector<std::uint64_t> bits;
  for (const double v : values) bits.push_back(std::bit_cast<std::uint64_t>(v));
  return bits;
}
void expectOk(const Status& status) { EXPECT_TRUE(status.ok()) << status.message(); }

SeriesId gauge(Recorder& recorder, const std::string& metric = "power_watts") {
  SeriesKey key;
  key.node = recorder.node({.id = {}, .uuid = "n1", .name = "node-1"});
  key.metric = metric;
  key.unit = "watts";
  return recorder.series(key);
}

AttemptId attemptOf(Recorder& recorder, const std::string& key = "") {
  Attempt attempt;
  attempt.run = recorder.run({.id = {}, .uuid = "", .name = "run"});
  attempt.key = key;
  return recorder.attempt(attempt);
}

std::vector<double> nastyValues() {
  const auto nan = [](std::uint64_t payload) { return std::bit_cast<double>(0x7ff8000000000000ULL | payload); };
  return {0.0,
          -0.0,
          1.5,
          -1.5,
          1e300,
          -1e300,
          5e-324,
          -5e-324,
          std::numeric_limits<double>::infinity(),
          -std::numeric_limits<double>::infinity(),
          nan(0),
          nan(0x123456789abcULL),
          std::bit_cast<double>(0x7ff0000000000001ULL),
          std::bit_cast<double>(0xfff8000000000007ULL),
          std::numeric_limits<double>::max(),
          std::numeric_limits<double>::min(),
          0.1,
          0.001,
          1234567.891,
          3.14159265358979,
          2251799813685248.0,
          9007199254740993.0,
          static_cast<double>(0.1F)};
}

TEST(Store, GivesBackEverySampleBitEqualAfterAClose) {
  const TempStore store;
  std::vector<TimeNs> time;
  std::vector<double> value;
  std::mt19937_64 random(1);
  const auto nasty = nastyValues();
  for (int i = 0; i < 20'000; ++i) {
    time.push_back(i * 1'000'000LL + static_cast<TimeNs>(random() % 100));
    value.push_back(random() % 100 == 0 ? nasty[random() % nasty.size()] : std::round(1000 * std::sin(i * 0.01)) / 1000);
  }
  SeriesId id;
  {
    auto writer = openWriter(store.path());
    id = gauge(*writer);
    for (std::size_t i = 0; i < time.size(); i += 7) {
      const std::size_t n = std::min<std::size_t>(7, time.size() - i);
      writer->samples(id, std::span(time).subspan(i, n), std::span(value).subspan(i, n));
    }
    expectOk(writer->close());
  }
  EXPECT_FALSE(std::filesystem::exists(store.path() + "-wal"));
  EXPECT_FALSE(std::filesystem::exists(store.path() + "-lock"));
  EXPECT_FALSE(std::filesystem::exists(store.path() + "-ingest"));
  auto reader = openReader(store.path());
  const auto samples = reader->samples(id, {});
  ASSERT_TRUE(samples.ok()) << samples.status().message();
  EXPECT_EQ(samples->time, time);
  EXPECT_EQ(bitsOf(samples->value), bitsOf(value));
}

TEST(Store, KeepsEveryInt64TimeAndEveryDouble) {
  const TempStore store;
  const std::vector<TimeNs> time{
      std::numeric_limits<TimeNs>::min(), std::numeric_limits<TimeNs>::min() + 1, -1, 0, 0, 1, std::numeric_limits<TimeNs>::max() - 1,
      std::numeric_limits<TimeNs>::max(), std::numeric_limits<TimeNs>::max()};
  const auto nasty = nastyValues();
  const std::vector<double> value(nasty.begin(), nasty.begin() + 9);
  auto writer = openWriter(store.path());
  const SeriesId id = gauge(*writer);
  writer->samples(id, time, value);
  expectOk(writer->flush());
  const auto samples = openReader(store.path())->samples(id, {});
  ASSERT_TRUE(samples.ok());
  EXPECT_EQ(samples->time, time);
  EXPECT_EQ(bitsOf(samples->value), bitsOf(value));
}

TEST(Store, ReturnsLateAndEqualTimesSortedWithEqualOnesInOrderOfArrival) {
  const TempStore store;
  struct Point {
    TimeNs time;
    double value;
  };
  std::vector<Point> said;
  std::mt19937_64 random(2);
  {
    auto writer = openWriter(store.path());
    const SeriesId id = gauge(*writer);
    for (int i = 0; i < 30'000; ++i) {
      // Mostly forward, sometimes equal, sometimes far back.
      const TimeNs time = random() % 50 == 0 ? static_cast<TimeNs>(random() % 10'000) : i / 3;
      said.push_back({time, static_cast<double>(i)});
      writer->sample(id, time, i);
      if (i % 7000 == 0) expectOk(writer->flush());
    }
    expectOk(writer->close());
  }
  std::stable_sort(said.begin(), said.end(), [](const Point& a, const Point& b) { return a.time < b.time; });
  const auto samples = openReader(store.path())->samples({1}, {});
  ASSERT_TRUE(samples.ok());
  ASSERT_EQ(samples->size(), said.size());
  for (std::size_t i = 0; i < said.size(); ++i) {
    ASSERT_EQ(samples->time[i], said[i].time);
    ASSERT_EQ(samples->value[i], said[i].value);
  }
}

// As sent by an agent after an outage: earlier data, then new data interleaved with spooled data.
TEST(Store, WhatWaitedThroughAnOutageIsALateChunkAndNothingIsKeptRaw) {
  const TempStore store;
  const auto writer = openWriter(store.path());
  const SeriesId id = gauge(*writer);
  const auto record = [&](TimeNs from, TimeNs to) {
    for (TimeNs t = from; t < to; ++t) writer->sample(id, t * kNsPerSecond, static_cast<double>(t));
  };
  record(1, 700);
  for (TimeNs i = 0; i < 1'000; ++i) {
    record(2'000 + i / 10, 2'000 + i / 10 + (i % 10 == 0 ? 1 : 0));
    record(700 + i, 701 + i);
  }
  const auto check = [&](Reader& reader) {
    const auto samples = reader.samples(id, {});
    ASSERT_TRUE(samples.ok()) << samples.status().message();
    ASSERT_EQ(samples->size(), 1'799U);
    for (std::size_t i = 0; i < samples->size(); ++i) {
      const auto second = static_cast<TimeNs>(i < 1'699 ? i + 1 : 2'000 + i - 1'699);
      ASSERT_EQ(samples->time[i], second * kNsPerSecond);
      ASSERT_EQ(samples->value[i], static_cast<double>(second));
    }
    EXPECT_EQ(reader.latest(std::vector{id})->at(0).time, 2'099 * kNsPerSecond);
    EXPECT_THAT(*reader.verify(), IsEmpty());
  };
  check(*openReader(store.path(), writer.get()));
  expectOk(writer->flush());
  const auto reader = openReader(store.path());
  check(*reader);
  std::vector<std::string> chunks;
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(store.path().c_str(), &db), SQLITE_OK);
  const auto note = [](void* out, int, char** text, char**) {
    static_cast<std::vector<std::string>*>(out)->push_back(std::string(text[0]) + " late " + text[1]);
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(db, "SELECT n, late FROM rg_chunk ORDER BY chunk_id", note, &chunks, nullptr), SQLITE_OK);
  sqlite3_close(db);
  EXPECT_THAT(chunks, testing::UnorderedElementsAre("700 late 0", "99 late 0", "1000 late 1"));
}

TEST(Store, ContinuesAnOpenChunkAfterReopeningWithoutDoublingIt) {
  const TempStore store;
  std::vector<TimeNs> time;
  for (int round = 0; round < 5; ++round) {
    auto writer = openWriter(store.path());
    const SeriesId id = gauge(*writer);
    for (int i = 0; i < 1500; ++i) {
      time.push_back(static_cast<TimeNs>(time.size()) * 10);
      writer->sample(id, time.back(), static_cast<double>(time.size()));
    }
    EXPECT_EQ(openReader(store.path(), writer.get())->samples(id, {})->time, time) << "live, round " << round;
    expectOk(writer->close());
    EXPECT_EQ(openReader(store.path())->samples(id, {})->time, time) << "stored, round " << round;
  }
  EXPECT_EQ(openReader(store.path())->series({})->at(0).sample_count, 7500);
}

TEST(Store, ShowsUncommittedSamplesToReadersOfTheSameProcess) {
  const TempStore store;
  auto writer = openWriter(store.path());
  const SeriesId id = gauge(*writer);
  expectOk(writer->flush());
  auto live = openReader(store.path(), writer.get());
  const auto before = live->generation();
  writer->sample(id, 5, 1.25);
  EXPECT_GT(live->generation(), before);
  EXPECT_THAT(live->samples(id, {})->value, ElementsAre(1.25));
  EXPECT_THAT(openReader(store.path())->samples(id, {})->value, IsEmpty());
  const SeriesId ids[] = {id};
  EXPECT_EQ(live->latest(ids)->at(0).value, 1.25);
}

TEST(Store, KeepsScalarsWithAndWithoutAClock) {
  const TempStore store;
  SeriesId timed, untimed;
  {
    auto writer = openWriter(store.path());
    SeriesKey key;
    key.attempt = attemptOf(*writer);
    key.kind = SeriesKind::kScalar;
    key.metric = "lm loss";
    timed = writer->series(key);
    key.metric = "lr";
    untimed = writer->series(key);
    for (int i = 0; i < 5000; ++i) {
      writer->scalar(timed, i, 1'000'000LL * i, 2.5 / (i + 1));
      writer->scalar(untimed, i, std::nullopt, 1e-4);
    }
    expectOk(writer->close());
  }
  auto reader = openReader(store.path());
  const auto loss = reader->scalars(timed, 10, 13);
  ASSERT_TRUE(loss.ok());
  EXPECT_THAT(loss->step, ElementsAre(10, 11, 12));
  EXPECT_THAT(loss->time, ElementsAre(10'000'000, 11'000'000, 12'000'000));
  EXPECT_THAT(loss->value, ElementsAre(2.5 / 11, 2.5 / 12, 2.5 / 13));
  const auto lr = reader->scalars(untimed, 0, 2);
  EXPECT_THAT(lr->time, IsEmpty());
  EXPECT_THAT(lr->value, ElementsAre(1e-4, 1e-4));
  EXPECT_FALSE(reader->latest(std::vector{untimed})->at(0).time);
  EXPECT_EQ(reader->latest(std::vector{timed})->at(0).time, 4'999'000'000);
}

TEST(Store, TheNewestSampleIsThatOfTheGreatestTimeAlsoAfterReopening) {
  const TempStore store;
  const double odd = nastyValues().back();
  SeriesId id, silent;
  {
    auto writer = openWriter(store.path());
    id = gauge(*writer);
    silent = gauge(*writer, "never_watts");
    writer->sample(id, 9, 1.5);
    writer->sample(id, 9, odd);
    writer->sample(id, 4, 2.5);
    expectOk(writer->close());
  }
  const std::vector ids = {id, silent};
  const auto stored = openReader(store.path())->latest(ids);
  ASSERT_EQ(stored->size(), 1U) << "a series without samples has no newest one";
  EXPECT_EQ(stored->at(0).x, 9);
  EXPECT_EQ(bitsOf({stored->at(0).value}), bitsOf({odd}));
  auto writer = openWriter(store.path());
  writer->sample(id, 7, 3.5);
  EXPECT_EQ(openReader(store.path(), writer.get())->latest(ids)->at(0).x, 9) << "late data are not the newest";
  expectOk(writer->close());
  EXPECT_EQ(bitsOf({openReader(store.path())->latest(ids)->at(0).value}), bitsOf({odd}));
}

TEST(Store, UsageCountsEveryRowAndCanBeStopped) {
  const TempStore store;
  auto writer = openWriter(store.path());
  const SeriesId id = gauge(*writer);
  for (int i = 0; i < 20'000; ++i) writer->sample(id, i, i % 7);
  expectOk(writer->close());
  auto reader = openReader(store.path());
  const auto usage = reader->usage({});
  ASSERT_TRUE(usage.ok());
  EXPECT_GT(usage->sample_bytes, 500);
  EXPECT_LT(usage->sample_bytes, 20'000 * 3);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(reader->usage(stop.get_token()).status().code(), Code::kCancelled);
}

TEST(Store, UnderAHoldManyCallsReadOneStateWhichStaysFresh) {
  const TempStore store;
  auto writer = openWriter(store.path());
  const SeriesId id = gauge(*writer);
  const auto reader = openReader(store.path());
  const auto add = [&](TimeNs time) {
    writer->sample(id, time, 1);
    expectOk(writer->flush());
  };
  const auto count = [&] { return reader->samples(id, {})->size(); };
  std::size_t added = 1;
  add(1);
  ASSERT_TRUE(test::waitUntil([&] {
    const auto held = reader->hold();
    const TimeNs begin = monotonicNow();
    const std::size_t before = count();
    EXPECT_EQ(before, added);
    add(static_cast<TimeNs>(++added));
    const std::size_t under_hold = count();
    if (monotonicNow() - begin >= kHeldFor) return false;  // the machine was too slow; try again
    EXPECT_EQ(under_hold, before) << "as the first call under the hold saw it";
    EXPECT_TRUE(test::waitUntil([&] { return count() == added; })) << "a hold is no reason to show what is old";
    add(static_cast<TimeNs>(++added));
    return true;
  }));
  EXPECT_EQ(count(), added);
}

TEST(Store, UnderAHoldALiveStoreIsCompleteAtEveryCall) {
  const TempStore store;
  auto writer = openWriter(store.path());
  const SeriesId id = gauge(*writer);
  expectOk(writer->flush());
  const auto reader = openReader(store.path(), writer.get());
  const auto held = reader->hold();
  for (std::size_t i = 0; i < 10'000; ++i) {
    writer->sample(id, static_cast<TimeNs>(i), 1);
    if (i % 500 == 0) expectOk(writer->flush());
    if (i % 333 != 0) continue;
    const auto samples = reader->samples(id, {});
    ASSERT_TRUE(samples.ok()) << samples.status().message();
    ASSERT_EQ(samples->size(), i + 1) << "the file as it is held and the tail belong together";
  }
}

TEST(Store, ASeriesListFollowsWhatAnotherProcessCommits) {
  const TempStore store;
  auto writer = openWriter(store.path());
  const SeriesId id = gauge(*writer);
  expectOk(writer->flush());
  auto reader = openReader(store.path());
  EXPECT_EQ(reader->series({})->at(0).sample_count, 0);
  writer->sample(id, 5, 1);
  gauge(*writer, "another_watts");
  expectOk(writer->flush());
  const auto series = reader->series({});
  ASSERT_EQ(series->size(), 2U);
  EXPECT_EQ(series->at(0).sample_count, 1);
  EXPECT_EQ(reader->series({.metric = "another_watts"})->size(), 1U);
}

TEST(Store, SaysFromWhichStepALaterAttemptSupersedes) {
  const TempStore store;
  auto writer = openWriter(store.path());
  const AttemptId first = attemptOf(*writer, "a"), second = attemptOf(*writer, "b");
  for (const auto& [attempt, from, to] : {std::tuple(first, 0, 100), std::tuple(second, 60, 150)}) {
    SeriesKey key;
    key.attempt = attempt;
    key.metric = "loss";
    key.kind = SeriesKind::kScalar;
    const SeriesId id = writer->series(key);
    for (int step = from; step < to; ++step) writer->scalar(id, step, std::nullopt, 1);
  }
  expectOk(writer->flush());
  auto reader = openReader(store.path());
  const auto superseded = supersededFrom(*reader->series({}));
  EXPECT_EQ(superseded, (std::unordered_map<SeriesId, std::int64_t>{{reader->series({.attempt = first})->at(0).id, 60}}));
  const auto attempts = reader->attempts({1});
  EXPECT_EQ(attempts->at(0).last_step, 99);
  EXPECT_EQ(attempts->at(1).number, 1);
}

TEST(Store, GivesBackSpansOfARange) {
  const TempStore store;
  SpanColumns spans;
  spans.names = {"gemm", "all_reduce"};
  for (int i = 0; i < 10'000; ++i) {
    spans.start.push_back(i * 100);
    spans.dur.push_back(i == 9'999 ? kAbsent : 90);
    spans.name.push_back(i % 2);
    spans.category.push_back(i % 2 == 0 ? SpanCategory::kCompute : SpanCategory::kComm);
    spans.step.push_back(i % 3 == 0 ? kAbsent : i);
    spans.args.push_back(i % 1000 == 0 ? R"({"k":1})" : "");
  }
  TrackKey key;
  key.kind = "gpu_stream";
  key.name = "stream 7";
  TrackId id;
  {
    auto writer = openWriter(store.path());
    key.attempt = attemptOf(*writer);
    id = writer->track(key);
    writer->spans(id, spans);
    const auto live = openReader(store.path(), writer.get())->spans(id, {});
    ASSERT_TRUE(live.ok()) << live.status().message();
    EXPECT_EQ(live->start, spans.start);
    expectOk(writer->close());
  }
  auto reader = openReader(store.path());
  const auto all = reader->spans(id, {});
  ASSERT_TRUE(all.ok()) << all.status().message();
  EXPECT_EQ(all->start, spans.start);
  EXPECT_EQ(all->dur, spans.dur);
  EXPECT_EQ(all->step, spans.step);
  EXPECT_EQ(all->args, spans.args);
  EXPECT_EQ(all->category, spans.category);
  EXPECT_EQ(all->names[all->name[1]], "all_reduce");
  const auto some = reader->spans(id, {150, 301});
  EXPECT_THAT(some->start, ElementsAre(100, 200, 300));
  EXPECT_THAT(reader->spans(id, {5'000'000, 5'000'001})->start, ElementsAre(999'900)) << "an open span reaches to the end";
}

TEST(Store, CountsEqualIssuesTogetherAndKeepsEventsNewestFirst) {
  const TempStore store;
  auto writer = openWriter(store.path());
  auto live = openReader(store.path(), writer.get());
  writer->issue({.code = "import.truncated", .source = "f", .count = 2, .first = 5, .last = 9, .detail = "a"});
  expectOk(writer->flush());
  writer->issue({.code = "import.truncated", .source = "f", .count = 1, .first = 3, .last = 4, .detail = "b"});
  Event event;
  event.kind = "xid";
  event.time = 10;
  writer->event(event);
  expectOk(writer->flush());
  event.time = 20;
  writer->event(event);
  for (int again = 0; again < 2; ++again) {
    const auto issues = live->issues();
    ASSERT_EQ(issues->size(), 1U);
    EXPECT_EQ(issues->at(0).count, 3);
    EXPECT_EQ(issues->at(0).first, 3);
    const auto events = live->events({});
    ASSERT_EQ(events->size(), 2U);
    EXPECT_EQ(events->at(0).time, 20);
    expectOk(writer->flush());
  }
}

TEST(ClockMap, CorrectsTimesOfANodeWhoseClockIsOff) {
  const TempStore store;
  auto writer = openWriter(store.path());
  const SeriesId id = gauge(*writer);
  const NodeId node{1};
  // 5 s behind, then drifting to 6 s behind over 100 s; the readings have an error of 1 ms.
  constexpr TimeNs kSecond = kNsPerSecond;
  writer->clock({.node = node, .session = "s", .raw = 100 * kSecond, .offset = 5 * kSecond, .error = kNsPerMs, .source = "hello"});
  writer->clock({.node = node, .session = "s", .raw = 200 * kSecond, .offset = 6 * kSecond, .error = kNsPerMs, .source = "ack"});
  for (TimeNs t : {50, 100, 150, 200, 300}) writer->sample(id, t * kSecond, static_cast<double>(t));
  Event event;
  event.kind = "xid";
  event.node = node;
  event.time = 150 * kSecond;
  writer->event(event);
  expectOk(writer->flush());
  auto reader = openReader(store.path());
  EXPECT_THAT(reader->samples(id, {})->time, ElementsAre(55 * kSecond, 105 * kSecond, 155'500'000'000, 206 * kSecond, 306 * kSecond));
  EXPECT_THAT(reader->samples(id, {155'500'000'000, 206 * kSecond})->value, ElementsAre(150.0)) << "ranges are in corrected time";
  EXPECT_EQ(reader->series({})->at(0).last_x, 306 * kSecond);
  EXPECT_EQ(reader->latest(std::vector{id})->at(0).time, 306 * kSecond);
  EventFilter filter;
  filter.range = {155 * kSecond, 156 * kSecond};
  ASSERT_EQ(reader->events(filter)->size(), 1U);
  EXPECT_EQ(reader->events(filter)->at(0).time, 155'500'000'000);
  const auto bins = reader->bins(id, Axis::kX, 0, 400 * kSecond, 4);
  EXPECT_EQ(bins->at(0).x0, 0);
  EXPECT_EQ(bins->at(3).x1, 400 * kSecond);
  std::int64_t count = 0;
  for (const Bin& bin : *bins) count += bin.count;
  EXPECT_EQ(count, 5);
}

TEST(ClockMap, LeavesTimesAloneWhileTheOffsetIsWithinItsError) {
  const TempStore store;
  auto writer = openWriter(store.path());
  const SeriesId id = gauge(*writer);
  writer->clock({.node = {1}, .session = "s", .raw = 100, .offset = 20'000, .error = 50'000, .source = "hello"});
  writer->sample(id, 12'345, 1);
  expectOk(writer->flush());
  EXPECT_THAT(openReader(store.path())->samples(id, {})->time, ElementsAre(12'345));
}

// Series of several runs and attempts are declared in turns.
TEST(SeriesOf, ARunOrAttemptAreItsOwnInTheOrderOfTheirIds) {
  const TempStore store;
  std::vector<RunId> runs;
  std::vector<AttemptId> attempts;
  std::vector<std::vector<SeriesId>> of(4);
  {
    auto writer = store.writer().value();
    for (const char* name : {"a", "b"}) runs.push_back(writer->run({.uuid = name, .name = name}));
    for (int i = 0; i < 4; ++i)
      attempts.push_back(writer->attempt({.run = runs[static_cast<std::size_t>(i % 2)], .key = std::to_string(i)}));
    for (int turn = 0; turn < 5; ++turn) {
      writer->series({.metric = "of none " + std::to_string(turn)});
      for (std::size_t i = 0; i < 4; ++i)
        of[i].push_back(writer->series({.attempt = attempts[i], .rank = turn, .metric = "m", .kind = SeriesKind::kScalar}));
    }
    ASSERT_TRUE(writer->close().ok());
  }
  const auto reader = store.reader().value();
  const auto ids = [&](const SeriesFilter& filter) {
    std::vector<SeriesId> found;
    for (const Series& one : *reader->series(filter)) found.push_back(one.id);
    return found;
  };
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(ids({.attempt = attempts[i]}), of[i]);
    EXPECT_EQ(ids({.run = runs[i % 2], .attempt = attempts[i]}), of[i]);
    EXPECT_TRUE(ids({.run = runs[1 - i % 2], .attempt = attempts[i]}).empty());
  }
  for (std::size_t run = 0; run < 2; ++run) {
    std::vector<SeriesId> both = of[run];
    both.insert(both.end(), of[run + 2].begin(), of[run + 2].end());
    std::ranges::sort(both);
    EXPECT_EQ(ids({.run = runs[run]}), both);
  }
  EXPECT_EQ(ids({.run = RunId{}}).size(), 5U);
  EXPECT_EQ(ids({.metric = "m", .kind = SeriesKind::kScalar}).size(), 20U);
  EXPECT_EQ(ids({.attempt = attempts[0], .metric = "of none 1"}).size(), 0U);
  EXPECT_EQ(ids({.attempt = AttemptId{99}}).size(), 0U);
  EXPECT_EQ(ids({}).size(), 25U);
}

}  // namespace
}  // namespace runglass
