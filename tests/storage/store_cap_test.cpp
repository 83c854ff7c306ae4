// SPDX-License-Identifier: Apache-2.0
// The cap on a store's size, filled with one kind of data at a time: the file stays within the cap and a tenth, and what is refused is
// counted by its kind.
#include <gmock/gmock.h>

#include <bit>
#include <filesystem>

#include "storage/reader.h"
#include "storage/writer.h"
#include "tests/support/sql_rows.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TimeNs kStart = 1'790'000'000'000'000'000;
constexpr std::int64_t kCap = 6 << 20;

// Records about 60 KB of one kind of data.
using Fill = void (*)(Writer& writer, RunId run, std::int64_t round);

// Bits that no codec shortens.
double noise(std::uint64_t at) {
  at = (at + 1) * 0x9e3779b97f4a7c15ULL;
  at = (at ^ (at >> 30)) * 0xbf58476d1ce4e5b9ULL;
  at = (at ^ (at >> 27)) * 0x94d049bb133111ebULL;
  return std::bit_cast<double>((at ^ (at >> 31)) >> 2);
}

AttemptId attemptOf(Writer& writer, RunId run) { return writer.attempt({.run = run, .key = "0", .start = kStart}); }

void points(Writer& writer, const SeriesKey& key, std::int64_t round) {
  const SeriesId id = writer.series(key);
  for (std::int64_t at = round * 4'000; at < (round + 1) * 4'000; ++at) {
    const double value = noise(static_cast<std::uint64_t>(at));
    if (key.kind == SeriesKind::kScalar)
      writer.scalar(id, at, kStart + at, value);
    else
      writer.sample(id, kStart + at, value);
  }
}

void samples(Writer& writer, RunId, std::int64_t round) {
  points(writer, {.node = writer.node({.uuid = "n", .name = "n"}), .metric = "m"}, round);
}
void scalars(Writer& writer, RunId run, std::int64_t round) {
  points(writer, {.attempt = attemptOf(writer, run), .rank = 3, .metric = "m", .kind = SeriesKind::kScalar}, round);
}
void losses(Writer& writer, RunId run, std::int64_t round) {
  points(writer, {.attempt = attemptOf(writer, run), .metric = "loss", .kind = SeriesKind::kScalar}, round);
}
void spans(Writer& writer, RunId run, std::int64_t round) {
  const TrackId track = writer.track({.attempt = attemptOf(writer, run), .rank = 0, .kind = "thread", .name = "t"});
  SpanColumns columns;
  columns.names = {"op"};
  for (std::int64_t at = 0; at < 600; ++at) {
    columns.start.push_back(kStart + (round * 600 + at) * 1'000);
    columns.dur.push_back(900);
    columns.name.push_back(0);
    columns.category.push_back(SpanCategory::kCompute);
    columns.args.push_back("{\"x\":\"" + std::to_string(noise(static_cast<std::uint64_t>(round * 600 + at))) + std::string(80, 'x') +
                           "\"}");
  }
  writer.spans(track, columns);
}
void captures(Writer& writer, RunId run, std::int64_t round) {
  for (std::int64_t at = 0; at < 15; ++at)
    writer.capture(
        {.time = kStart + round * 15 + at, .attempt = attemptOf(writer, run), .rank = 0, .kind = "stack", .text = std::string(4'000, 'x')});
}
void lines(Writer& writer, std::int64_t round, Severity severity) {
  for (std::int64_t at = round * 60; at < (round + 1) * 60; ++at)
    writer.log({.time = kStart + at, .stream = "s", .severity = severity, .text = "w" + std::to_string(at) + std::string(150, 'x')});
}
void plainLogs(Writer& writer, RunId, std::int64_t round) { lines(writer, round, Severity::kInfo); }
void severeLogs(Writer& writer, RunId, std::int64_t round) { lines(writer, round, Severity::kWarning); }
void events(Writer& writer, RunId, std::int64_t round) {
  for (std::int64_t at = round * 300; at < (round + 1) * 300; ++at)
    writer.event({.time = kStart + at, .kind = "e", .severity = Severity::kWarning, .message = std::to_string(at) + std::string(150, 'x')});
}
void catalogue(Writer& writer, RunId run, std::int64_t round) {
  const AttemptId attempt = attemptOf(writer, run);
  for (std::int64_t at = round * 200; at < (round + 1) * 200; ++at) {
    const NodeId node = writer.node({.uuid = "node-" + std::to_string(at), .name = "n" + std::to_string(at)});
    writer.rank({.attempt = attempt, .rank = static_cast<std::int32_t>(at), .node = node});
    writer.fact({.attempt = attempt, .node = node, .key = "k", .value = std::to_string(at) + std::string(60, 'x')});
  }
}

struct Kind {
  const char* name;
  Fill fill;
  const char* refused;  // source of the issue; "": the Writer never refuses it
};

class Cap : public ::testing::TestWithParam<Kind> {};

TEST_P(Cap, HoldsAndCountsWhatIsRefused) {
  const TempStore store;
  WriterOptions options;
  options.idle = 0;
  auto writer = std::move(store.writer(std::move(options))).value();
  const RunId run = writer->run({.uuid = "r", .name = "r"});
  std::int64_t largest = 0;
  // As a hub does, which takes nothing at kAll while retention continues. Losses, which retention may not delete, leave less and less room
  // for the rest.
  int full = 0;
  for (std::int64_t round = 0; round < 1'000 && full < 3; ++round) {
    full = writer->capRefuses() == CapRefuses::kAll ? full + 1 : 0;
    if (full == 0) {
      losses(*writer, run, round);
      if (GetParam().fill != losses) GetParam().fill(*writer, run, round);
      ASSERT_TRUE(writer->flush().ok());
    }
    const auto applied = writer->applyRetention({.max_bytes = kCap}, kStart + kNsPerSecond);
    ASSERT_TRUE(applied.ok()) << applied.status().message();
    largest = std::max(largest, static_cast<std::int64_t>(std::filesystem::file_size(store.path())));
  }
  EXPECT_EQ(writer->capRefuses(), CapRefuses::kAll);
  ASSERT_TRUE(writer->close().ok());
  largest = std::max(largest, static_cast<std::int64_t>(std::filesystem::file_size(store.path())));
  EXPECT_LE(largest, kCap * 11 / 10);
  EXPECT_GT(largest, kCap);
  const auto reader = std::move(store.reader()).value();
  EXPECT_THAT(*reader->verify(), IsEmpty());
  const auto refused =
      sqlRows(*reader, "SELECT source FROM ingest_issue WHERE code = 'store.over_cap' AND source <> 'store' AND count > 0");
  EXPECT_THAT(refused,
              *GetParam().refused == '\0' ? ::testing::Matcher<std::vector<std::string>>(IsEmpty()) : ElementsAre(GetParam().refused));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Cap,
                         ::testing::Values(Kind{"Samples", samples, "samples"}, Kind{"Scalars", scalars, "scalars of ranks"},
                                           Kind{"Spans", spans, "spans"}, Kind{"Captures", captures, "captures"},
                                           Kind{"PlainLogs", plainLogs, "log lines below warning"}, Kind{"SevereLogs", severeLogs, ""},
                                           Kind{"Losses", losses, ""}, Kind{"Events", events, ""}, Kind{"Catalogue", catalogue, ""}),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
}  // namespace runglass
