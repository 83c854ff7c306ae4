// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/replica/feed.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "collectors/wire/feed_encoder.h"
#include "collectors/wire/feed_frame.h"
#include "collectors/wire/payload_replay.h"
#include "model/null_recorder.h"
#include "storage/open_store.h"
#include "storage/read/change_reader.h"
#include "storage/writer.h"
#include "tests/collectors/hub/feed/store_text.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr TimeNs kBegin = 1'760'000'000'000'000'000;

// A store that grows at random in every way that a feed replicates.
class Source {
 public:
  Source(const std::string& path, unsigned seed) : m_path(path), m_random(seed) { open(); }
  ReaderOptions reader() const { return {.live = m_writer->liveTail()}; }
  const std::string& path() const { return m_path; }
  void restart() {
    // Readers of this process may still be open: then the file is complete, but not folded.
    (void)m_writer->close();
    open();
  }
  void flush() { ASSERT_TRUE(m_writer->flush().ok()); }
  Writer& writer() { return *m_writer; }

  void act() {
    switch (below(27)) {
      case 0:
        m_writer->node({.uuid = "node" + number(3), .name = "n" + number(3), .state = NodeState::kAlive, .last_heard = time()});
        break;
      case 1:
        m_writer->event({.time = below(5) == 0 ? std::nullopt : std::optional(time()),
                         .attempt = attempt(),
                         .node = node(),
                         .rank = below(4),
                         .kind = "xid",
                         .message = "message " + number(1000)});
        break;
      case 2:
        m_writer->log(
            {.time = time(), .attempt = attempt(), .node = node(), .rank = below(4), .stream = "stdout", .text = "line " + number(1000)});
        break;
      case 3:
        m_writer->progress({.attempt = attempt(),
                            .rank = below(4),
                            .time = time(),
                            .step = m_step,
                            .seq = below(9),
                            .phase = "steady",
                            .op = "op" + number(3),
                            .since = time()});
        break;
      case 4:
        m_writer->issue({.code = "wire.gap",
                         .source = "s" + number(3),
                         .count = 1 + below(3),
                         .first = time(),
                         .last = time(),
                         .detail = "detail " + number(9)});
        break;
      case 5:
        m_writer->label({.attempt = attempt(), .kind = "hang", .node = node(), .rank = below(4), .start = time(), .strength = 1.5});
        break;
      case 6:
        m_writer->fact({.attempt = attempt(), .node = {}, .rank = below(4), .key = "key" + number(4), .value = number(1000)});
        break;
      case 7:
        m_writer->checkpoint({.attempt = attempt(), .step = m_step, .begin = time(), .durable = time(), .path = "p" + number(3)});
        break;
      case 8:
        m_writer->group({.attempt = attempt(), .id = 1 + below(4), .kind = "dp", .name = "g", .ranks = {0, 1, below(9)}});
        break;
      case 9:
        m_writer->clock({.node = node(),
                         .session = "s",
                         .raw = m_clock += kNsPerSecond,
                         .offset = below(1'000'000),
                         .error = 1000,
                         .source = "session"});
        break;
      case 10:
        m_writer->finding({.run = run(),
                           .attempt = attempt(),
                           .kind = "hang",
                           .subject = "rank:" + number(3),
                           .severity = Severity::kError,
                           .first_step = below(3),
                           .node = node(),
                           .score = 0.5,
                           .summary = "it hangs " + number(1000),
                           .evidence = "{}",
                           .published = below(4) == 0 ? std::nullopt : std::optional(m_clock += 20 * kNsPerSecond)});
        break;
      case 11:
        judge();
        break;
      case 12:
        m_attempt_count = std::min(m_attempt_count + 1, 3);
        break;
      case 13:
        m_step = std::max<std::int64_t>(0, m_step - below(40));  // a rewind
        break;
      case 14:
        flush();
        break;
      case 16:
      case 17:
      case 18:
        samples(below(3), below(9) == 0 ? 3'000 : 1 + below(300));
        break;
      case 15:  // seals chunks
        for (int i = 0; i < 3'000; ++i) point(0, m_step + i, static_cast<double>(i));
        m_step += 3'000;
        break;
      default:
        ++m_step;
        for (int series = 0; series < 6; ++series) point(series, m_step - (below(9) == 0 ? below(30) : 0), value());
    }
  }

  // Samples of a machine: sometimes late, and out of order.
  void samples(int machine, int n) {
    TimeNs& clock = m_clocks[machine];
    const bool late = below(5) == 0, mixed = below(9) == 0;
    const TimeNs begin = late ? clock - below(1'500) * kNsPerSecond : clock;
    std::vector<TimeNs> times;
    std::vector<double> values;
    for (int i = 0; i < n; ++i) {
      times.push_back(begin + (i + 1 - (mixed ? below(30) : 0)) * kNsPerSecond);
      values.push_back(value());
    }
    clock = std::max(clock, begin + n * kNsPerSecond);
    const NodeId node = m_writer->node({.uuid = "node" + std::to_string(machine)});
    m_writer->samples(m_writer->series({.node = node, .metric = "power_watts", .unit = "watts"}), times, values);
  }

 private:
  void open() {
    auto opened = openStore(m_path).writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    m_writer = std::move(opened).value();
  }
  int below(int n) { return static_cast<int>(m_random() % static_cast<unsigned>(n)); }
  std::string number(int n) { return std::to_string(below(n)); }
  TimeNs time() { return kBegin + m_step * kNsPerSecond + below(1'000'000'000); }
  double value() {
    if (below(20) == 0) return std::numeric_limits<double>::quiet_NaN();
    return below(2) == 0 ? below(1'000'000) : below(1'000'000) / 7.0;
  }
  NodeId node() { return m_writer->node({.uuid = "node" + number(3)}); }
  RunId run() {
    const std::string n = number(2);
    return m_writer->run({.uuid = "run" + n, .name = "run " + n, .time_domain = TimeDomain::kUtc, .start = kBegin});
  }
  AttemptId attempt() {
    const AttemptId id = m_writer->attempt({.run = run(), .key = "a" + number(m_attempt_count), .start = kBegin, .layout = {.world = 4}});
    m_writer->rank({.attempt = id,
                    .rank = below(4),
                    .node = node(),
                    .device = m_writer->device({.uuid = "gpu" + number(4), .node = node(), .kind = "gpu"}),
                    .dp = below(4)});
    return id;
  }
  void point(int series, std::int64_t step, double value) {
    const char* names[] = {"loss", "grad_norm", "step_time_ns", "step_part_ns", "step_part_ns", "no_clock"};
    const AttemptId of =
        m_writer->attempt({.run = m_writer->run({.uuid = "run0", .name = "run 0", .time_domain = TimeDomain::kUtc}), .key = "a0"});
    const SeriesId id = m_writer->series(
        {.attempt = of, .rank = series > 1 ? std::optional(series) : std::nullopt, .metric = names[series], .kind = SeriesKind::kScalar});
    const bool timed = series != 5 && below(200) != 0;
    m_writer->scalar(id, step, timed ? std::optional(time()) : std::nullopt, value);
    if (below(50) == 0) m_writer->scalar(id, step, timed ? std::optional(time()) : std::nullopt, value);  // a repeated point is a new one
    m_writer->sample(m_writer->series({.node = node(), .metric = "power_watts"}), time(), value);
  }
  void judge() {
    flush();
    const std::string uuid = "run0";
    m_writer->run({.uuid = uuid, .name = "run 0", .time_domain = TimeDomain::kUtc});
    attempt();
    const auto reader = openStore(m_path).reader(reader_options());
    ASSERT_TRUE(reader.ok());
    switch (below(6)) {
      case 0:
        (void)m_writer->edit(Note{.run_uuid = uuid, .time = time(), .author = "who", .text = "note " + number(1000)});
        break;
      case 1: {
        const auto runs = mustRead((*reader)->runs());
        for (const Run& run : runs) {
          const auto notes = mustRead((*reader)->notes(run.id));
          if (!notes.empty())
            (void)m_writer->edit(Note{.id = notes[0].id, .run_uuid = run.uuid, .author = "who", .text = below(2) == 0 ? "" : "changed"});
        }
        break;
      }
      case 2: {
        Incident incident{.uuid = "incident" + number(100),
                          .run = m_writer->run({.uuid = uuid, .name = "run 0"}),
                          .title = "title " + number(100),
                          .created = time(),
                          .updated = time(),
                          .notes = "text"};
        const auto findings = mustRead((*reader)->findings(std::nullopt));
        for (const Finding& finding : findings) incident.findings.push_back(finding.id);
        incident.evidence.push_back({.kind = "loss", .title = "card", .select = "step=3"});
        ASSERT_TRUE(m_writer->incident(incident).ok());
        break;
      }
      case 3: {
        const auto incidents = mustRead((*reader)->incidents(std::nullopt));
        for (const Incident& one : incidents)
          if (below(2) == 0) (void)m_writer->edit(IncidentEdit{.run_uuid = uuid, .attempt = {}, .incident = one, .remove = true});
        break;
      }
      case 4:
        (void)m_writer->edit(Snooze{
            .rule = "rule" + number(3), .cause = "", .until = below(3) == 0 ? std::nullopt : std::optional(time()), .author = "who"});
        break;
      default: {
        const Alert alert{.run = m_writer->run({.uuid = uuid, .name = "run 0"}),
                          .rule = "r" + number(3),
                          .cause = "c",
                          .since = kBegin,
                          .due = time(),
                          .count = below(9),
                          .summary = "s"};
        ASSERT_TRUE(m_writer->alerts({&alert, 1}).ok());
        ClockAlignment alignment{.run_uuid = uuid, .attempt = 0, .source = "manual", .shifts = {}};
        if (below(2) == 0) alignment.shifts.push_back({.rank = below(4), .at = kBegin, .shift = below(1000), .error = 5});
        (void)m_writer->edit(alignment);
      }
    }
  }
  ReaderOptions reader_options() const { return reader(); }

  const std::string m_path;
  std::mt19937 m_random;
  std::unique_ptr<Writer> m_writer;
  std::int64_t m_step = 0;
  int m_attempt_count = 1;
  TimeNs m_clock = kBegin;
  TimeNs m_clocks[3] = {kBegin, kBegin, kBegin};
};

// A replica of it, fed either directly or through payloads and frames.
class Copy {
 public:
  Copy(std::string path, bool encoded) : m_path(std::move(path)), m_encoded(encoded) { open(); }
  Writer& writer() { return *m_writer; }

  void begin(const Source& source, std::size_t most_sayings) {
    m_left = m_most = most_sayings;
    m_encoder = std::make_unique<FeedEncoder>();
    m_replay = std::make_unique<PayloadReplay>("feed");
    MirrorRecorder& target = m_encoded ? static_cast<MirrorRecorder&>(*m_encoder) : *m_writer;
    auto feed = Feed::open(source.path(), source.reader(), target, [this] { return m_left == 0 || --m_left == 0; },
                           {.from = "test", .clocks = 0, .summaries = 0, .old_attempts = 0});
    ASSERT_TRUE(feed.ok()) << feed.status().message();
    m_feed = std::move(feed).value();
    if (m_writer->mirror()) m_feed->resume(*m_writer->mirror());
  }
  bool begun() const { return m_feed != nullptr; }
  void end() { m_feed.reset(); }
  void restart() {
    end();
    (void)m_writer->close();
    open();
  }
  // Returns whether there is more. `lose`: the data of this step never arrives.
  bool step(bool lose = false) {
    m_left = m_most;
    m_now += kNsPerSecond;
    const Result<bool> more = m_feed->step(m_now, m_now);
    EXPECT_TRUE(more.ok()) << more.status().message();
    if (m_encoded) {
      const std::string definitions = passed(m_encoder->takeDefinitions()), payload = passed(m_encoder->takePayload());
      if (lose) return end(), true;
      EXPECT_TRUE(m_replay->playFeed(definitions, *m_writer).intact);
      EXPECT_TRUE(m_replay->playFeed(payload, *m_writer).intact);
    }
    const bool waits = m_feed->waitsForAnswer();
    if (waits) answer();
    return (more.ok() && *more) || waits;
  }
  void catchUp() {
    while (step()) {
    }
    step();
  }

 private:
  static std::string passed(const std::string& payload) {
    const Result<std::string> back = unpackFrame(packFrame(payload));
    EXPECT_TRUE(back.ok());
    return *back;
  }
  void open() {
    auto opened = openStore(m_path).writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    m_writer = std::move(opened).value();
  }
  void answer() {
    std::map<std::uint64_t, std::uint32_t> wire;
    for (std::uint32_t id = 1; id <= m_replay->seriesCount(); ++id) wire[m_replay->series(id).value] = id;
    ASSERT_TRUE(m_writer->flush().ok());
    const auto reader = openStore(m_path).reader({.live = m_writer->liveTail()});
    std::vector<Feed::Have> have;
    const auto series = mustRead((*reader)->series({.kind = SeriesKind::kScalar}));
    for (const Series& one : series) {
      if (one.sample_count == 0) continue;
      if (m_encoded && !wire.contains(one.id.value)) continue;
      have.push_back({m_encoded ? SeriesId{wire[one.id.value]} : one.id, one.sample_count, one.last_x});
    }
    const auto changes = openStore(m_path).changes();
    for (const auto& [id, position] : mustRead((*changes)->copied())) {
      if (m_encoded && !wire.contains(id.value)) continue;
      have.push_back({.series = m_encoded ? SeriesId{wire[id.value]} : id, .summaries = position});
    }
    m_feed->answer(have, m_encoded ? SeriesId{m_replay->seriesCount()} : SeriesId{~std::uint64_t{0}});
  }

  const std::string m_path;
  const bool m_encoded;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<FeedEncoder> m_encoder;
  std::unique_ptr<PayloadReplay> m_replay;
  std::unique_ptr<Feed> m_feed;
  std::size_t m_left = 0, m_most = 0;
  TimeNs m_now = kBegin;
};

std::vector<std::string> textOf(const std::string& path, Writer& writer) {
  EXPECT_TRUE(writer.flush().ok());
  const auto reader = openStore(path).reader({.live = writer.liveTail()});
  EXPECT_TRUE(reader.ok());
  return storeText(**reader);
}

// All blocks of the series over time, by owner.
std::map<std::string, std::vector<Bin>> blocksOf(const std::string& path, Writer& writer) {
  EXPECT_TRUE(writer.flush().ok());
  const ReaderOptions options{.live = writer.liveTail()};
  const auto reader = openStore(path).reader(options);
  const auto changes = openStore(path).changes(options);
  std::map<std::string, std::vector<Bin>> all;
  std::map<NodeId, std::string> nodes;
  for (const Node& node : mustRead((*reader)->nodes())) nodes[node.id] = node.uuid;
  for (const Series& one : mustRead((*reader)->series({.kind = SeriesKind::kGauge}))) {
    NewSummaries found = mustRead((*changes)->summaries(one.id, {}, true));
    if (!found.reported) continue;
    std::ranges::sort(found.reported->blocks, {},
                      [](const Bin& bin) { return std::tuple(bin.x0, bin.x1, bin.count, bin.first, bin.last); });
    all[nodes[one.key.node] + " " + one.key.metric] = std::move(found.reported->blocks);
  }
  return all;
}

void expectEqualBlocks(const std::string& source, Writer& there, const std::string& copy, Writer& here, const std::string& what) {
  const auto has = blocksOf(source, there), got = blocksOf(copy, here);
  ASSERT_EQ(has.size(), got.size()) << what;
  for (const auto& [name, blocks] : has) {
    ASSERT_TRUE(got.contains(name)) << what << ": " << name;
    const std::vector<Bin>& copied = got.at(name);
    ASSERT_EQ(blocks.size(), copied.size()) << what << ": " << name;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      Bin expected = blocks[i], found = copied[i];
      // Summed in another order, or as decimals.
      EXPECT_NEAR(expected.sum, found.sum, 1e-6 * (1 + std::abs(expected.sum))) << what << ": " << name << " " << i;
      expected.sum = found.sum = 0;
      if (expected.count == 0)
        expected.first = expected.last = expected.min = expected.max = found.first = found.last = found.min = found.max = 0;
      EXPECT_EQ(expected, found) << what << ": " << name << " block " << i << " of " << blocks.size();
    }
  }
  const auto reader = openStore(copy).reader();
  EXPECT_EQ(mustRead((*reader)->verify()), std::vector<std::string>()) << what;
}

void expectEqual(const std::vector<std::string>& source, const std::vector<std::string>& copy, const std::string& what) {
  if (source == copy) return;
  std::vector<std::string> lacks, extra;
  std::ranges::set_difference(source, copy, std::back_inserter(lacks));
  std::ranges::set_difference(copy, source, std::back_inserter(extra));
  lacks.resize(std::min<std::size_t>(lacks.size(), 8)), extra.resize(std::min<std::size_t>(extra.size(), 8));
  std::string text;
  for (const std::string& line : lacks) text += "\n  lacks " + line;
  for (const std::string& line : extra) text += "\n  extra " + line;
  ADD_FAILURE() << what << ": the copy differs:" << text;
}

class FeedCopies : public testing::TestWithParam<bool> {};

TEST_P(FeedCopies, WhateverIsRecordedWheneverAnyoneRestartsOrTheLineBreaks) {
  const char* rounds = std::getenv("RG_FEED_ROUNDS");
  const unsigned seeds = rounds == nullptr ? 12 : static_cast<unsigned>(std::atoi(rounds));
  for (unsigned seed = 1; seed <= seeds && !HasFailure(); ++seed) {
    TempStore there, here;
    Source source(there.path(), seed);
    Copy copy(here.path(), GetParam());
    std::mt19937 random(seed * 7919);
    for (int i = 0; i < 400; ++i) {
      const unsigned dice = random() % 100;
      if (dice < 55) {
        source.act();
      } else if (dice < 95) {
        if (!copy.begun()) copy.begin(source, 2 + random() % 200);
        copy.step(GetParam() && random() % 15 == 0);
      } else if (dice < 97) {
        copy.restart();
      } else if (dice < 98) {
        copy.end();  // an interruption that ended its session
      } else {
        copy.end();
        source.restart();
      }
    }
    source.flush();
    if (!copy.begun()) copy.begin(source, 1'000'000);
    copy.catchUp();
    copy.catchUp();
    copy.catchUp();  // samples that do not fill a block are sent once a series is silent
    expectEqual(textOf(there.path(), source.writer()), textOf(here.path(), copy.writer()), "seed " + std::to_string(seed));
    expectEqualBlocks(there.path(), source.writer(), here.path(), copy.writer(), "seed " + std::to_string(seed));
    ASSERT_TRUE(copy.writer().mirror());
    EXPECT_TRUE(copy.writer().mirror()->complete);
  }
}
INSTANTIATE_TEST_SUITE_P(Ways, FeedCopies, testing::Bool(), [](const auto& info) { return info.param ? "ThroughFrames" : "Directly"; });

// The catalogue is visible after a commit, an event at once.
TEST(Feed, MarksTheRowsThatItSentBeforeOneThatHasToWait) {
  TempStore there, here;
  Source source(there.path(), 1);
  Writer& writer = source.writer();
  const RunId run = writer.run({.uuid = "run", .name = "run"});
  writer.event({.time = kBegin, .attempt = writer.attempt({.run = run, .key = "a"}), .kind = "xid"});
  source.flush();
  writer.event({.time = kBegin, .attempt = writer.attempt({.run = run, .key = "b"}), .kind = "xid"});
  Copy copy(here.path(), false);
  copy.begin(source, 6);  // catalogue, run, attempt, progress, rows; the round does not end
  copy.step();
  copy.restart();
  source.flush();
  copy.begin(source, 1'000'000);
  copy.catchUp();
  expectEqual(textOf(there.path(), source.writer()), textOf(here.path(), copy.writer()), "copy");
}

TEST(Feed, TellsNothingTwiceToOneThatFollowsWithoutACut) {
  TempStore there, here;
  Source source(there.path(), 5);
  Copy copy(here.path(), true);
  copy.begin(source, 1'000'000);
  for (int i = 0; i < 200; ++i) {
    source.act();
    copy.step();
  }
  source.flush();
  copy.catchUp();
  expectEqual(textOf(there.path(), source.writer()), textOf(here.path(), copy.writer()), "live");
}

// Counts its calls.
class Listener : public NullOf<MirrorRecorder> {
 public:
  void complete(SeriesId, std::int64_t, std::int64_t, const ScalarColumns&) override {}
  void summaries(SeriesId, const Summaries&) override { ++summed; }
  void total(const Issue&) override {}
  void judge(const Judgements&) override {}
  void mark(const MirrorMark& mark) override { whole = mark.summarised.has_value(); }
  void progress(const Progress&) override { ++moved; }
  int summed = 0, moved = 0;
  bool whole = false;
};

TEST(Feed, KeepsWhatHasTimeForWhenThereIsRoomToSpare) {
  constexpr int kSeries = 100, kRounds = 5;
  TempStore there;
  const auto writer = there.writer().value();
  const AttemptId attempt = writer->attempt({.run = writer->run({.uuid = "run", .name = "run"}), .key = "a"});
  for (int s = 0; s < kSeries; ++s) {
    const SeriesId id = writer->series({.metric = "m" + std::to_string(s)});
    for (int i = 0; i < 64; ++i) writer->sample(id, kBegin + i * kNsPerSecond, i);
  }
  ASSERT_TRUE(writer->flush().ok());
  Listener copy;
  bool spare = false;
  const auto feed = mustRead(
      Feed::open(there.path(), {.live = writer->liveTail()}, copy, [] { return false; }, {.round = 10, .spare = [&] { return spare; }}));
  (void)mustRead(feed->step(kBegin, 0));
  feed->answer({}, SeriesId{~std::uint64_t{0}});
  DurNs now = 10;
  const auto step = [&] { return mustRead(feed->step(kBegin + now, now)); };
  int moved = copy.moved;
  for (int round = 0; round < kRounds; ++round, now += 10) {
    writer->progress({.attempt = attempt, .rank = 0, .time = kBegin + round, .step = round});
    ASSERT_TRUE(writer->flush().ok());
    for (int call = 0; call < 20; ++call) (void)step();
    EXPECT_GT(copy.moved, moved) << "what is going on is told meanwhile";
    moved = copy.moved;
  }
  EXPECT_TRUE(feed->hasTime());
  EXPECT_FALSE(copy.whole);
  EXPECT_GT(copy.summed, 0) << "it stands still where there never is room";
  EXPECT_LE(copy.summed, kRounds) << "one each round";
  spare = true;
  for (int round = 0; round < 2; ++round, now += 10) {  // in the second round, nothing is left
    while (step()) {
    }
  }
  EXPECT_EQ(copy.summed, kSeries);
  EXPECT_TRUE(copy.whole);
}

TEST(Feed, KeepsItsMarksInTheTransactionThatHoldsTheRows) {
  TempStore there, here;
  Source source(there.path(), 3);
  for (int i = 0; i < 200; ++i) source.act();
  source.flush();
  Copy copy(here.path(), false);
  copy.begin(source, 1'000'000);
  copy.catchUp();
  const auto before = textOf(here.path(), copy.writer());
  copy.restart();
  copy.begin(source, 1'000'000);
  copy.catchUp();
  expectEqual(before, textOf(here.path(), copy.writer()), "told again");
  const auto reader = here.reader();
  const StoreInfo info = mustRead((*reader)->info());
  ASSERT_TRUE(info.mirror);
  EXPECT_EQ(info.mirror->from, "test");
  EXPECT_TRUE(info.mirror->complete);
}

TEST(FeedFrame, RefusesWhatClaimsToBeLargerThanItIs) {
  v1::Frame frame = packFrame(std::string(1000, 'x'));
  EXPECT_TRUE(unpackFrame(frame).ok());
  v1::Frame wrong = frame;
  wrong.set_size(999);
  EXPECT_EQ(unpackFrame(wrong).status().code(), Code::kDataLoss);
  wrong = frame;
  wrong.set_crc32c(1);
  EXPECT_EQ(unpackFrame(wrong).status().code(), Code::kDataLoss);
  EXPECT_EQ(unpackFrame(packFrame(std::string(kMaxFrame + 1, 'x'))).status().code(), Code::kDataLoss);
  wrong.set_packed("no frame at all");
  EXPECT_EQ(unpackFrame(wrong).status().code(), Code::kDataLoss);
}

TEST(Feed, IsNotTakenFromAnAgent) {
  TempStore here;
  auto writer = here.writer();
  FeedEncoder encoder;
  encoder.judge({.notes = std::vector<Note>()});
  encoder.total({.code = "wire.gap", .source = "x", .count = 1000});
  PayloadReplay agent("agent");
  agent.play(encoder.takePayload(), **writer);
  ASSERT_TRUE((*writer)->flush().ok());
  const auto issues = mustRead(mustRead(here.reader())->issues());
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].code, "wire.not_an_agents");
  EXPECT_EQ(issues[0].count, 2);
}

}  // namespace
}  // namespace runglass
