// SPDX-License-Identifier: Apache-2.0
// A Reader of a replica that queries the hub: its answers are those of the hub's own Reader.
#include "collectors/hub/replica/followed_reader.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <bit>
#include <future>
#include <map>
#include <random>

#include "collectors/hub/access/access_file.h"
#include "collectors/hub/access/pass.h"
#include "collectors/hub/replica/mirror.h"
#include "collectors/hub/server/hub.h"
#include "collectors/sim/simulator.h"
#include "collectors/wire/answer_message.h"
#include "runglass/v1/ask.grpc.pb.h"
#include "storage/open_store.h"
#include "tests/collectors/hub/feed/store_text.h"
#include "tests/collectors/hub/replica/slow_proxy.h"
#include "tests/support/reserved_port.h"
#include "tests/support/temp_folder.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::SlowProxy;
using test::waitUntil;
using testing::HasSubstr;

constexpr TimeNs kStart = 1'780'000'000'000'000'000;
constexpr std::int64_t kHubLine = std::int64_t{1} << 62;

// A store's content as text, with names instead of its ids.
class Side {
 public:
  explicit Side(Reader& from) : reader(from) {
    for (const Node& node : mustRead(reader.nodes())) m_nodes[node.id] = node.uuid;
    for (const Device& device : mustRead(reader.devices())) m_devices[device.id] = device.uuid;
    for (const Run& one : mustRead(reader.runs())) {
      run = one.id;
      for (const Attempt& attempt : mustRead(reader.attempts(one.id))) {
        m_attempts[attempt.id] = one.uuid + "#" + std::to_string(attempt.number);
        attempts.push_back(attempt.id);
        for (const Track& track : mustRead(reader.tracks(attempt.id))) tracks[name(track.key)] = track.id;
      }
    }
    for (const auto& [text, id] : tracks) m_tracks[id] = text;
    for (const Series& one : mustRead(reader.series({}))) series[name(one.key)] = one.id;
    for (const auto& [text, id] : series) m_series[id] = text;
  }
  std::string name(const SeriesKey& key) const {
    return of(m_attempts, key.attempt) + "/" + number(key.rank) + "/" + of(m_nodes, key.node) + "/" + of(m_devices, key.device) + "/" +
           key.metric + "/" + key.source + "/" + key.labels;
  }
  std::string name(const TrackKey& key) const {
    return of(m_attempts, key.attempt) + "/" + number(key.rank) + "/" + key.kind + "/" + key.name;
  }
  NodeId node(const std::string& uuid) const {
    for (const auto& [id, text] : m_nodes)
      if (text == uuid) return id;
    return {};
  }
  std::string anyNode() const { return m_nodes.begin()->second; }

  std::string text(const Result<SampleColumns>& samples) const {
    if (!samples.ok()) return samples.status().message();
    std::string all;
    for (std::size_t i = 0; i < samples->size(); ++i) add(all, samples->time[i], samples->value[i]);
    return all;
  }
  std::string text(const Result<std::vector<Bin>>& bins) const {
    if (!bins.ok()) return bins.status().message();
    std::string all;
    for (const Bin& b : *bins)
      add(all, b.x0, b.x1, b.count, b.nan_count, b.count > 0 ? b.first : 0, b.count > 0 ? b.last : 0),
          add(all, b.count > 0 ? b.min : 0, b.count > 0 ? b.max : 0, b.count > 0 ? b.sum : 0);
    return all;
  }
  std::string text(const Result<std::vector<LatestSample>>& samples) const {
    if (!samples.ok()) return samples.status().message();
    std::string all;
    for (const LatestSample& one : *samples) add(all += of(m_series, one.series), one.x, one.time.value_or(-1), one.value);
    return all;
  }
  std::string text(const Result<std::vector<Series>>& found) const {
    if (!found.ok()) return found.status().message();
    std::vector<std::string> lines;
    for (const Series& one : *found) {
      std::string& line = lines.emplace_back(of(m_series, one.id));
      add(line, one.sample_count, one.first_x, one.last_x, one.first_time.value_or(-1), one.last_time.value_or(-1));
    }
    std::ranges::sort(lines);
    return joined(lines);
  }
  std::string text(const Result<SpanColumns>& spans) const { return spans.ok() ? text(*spans) : spans.status().message(); }
  std::string text(const SpanColumns& s) const {
    std::string all;
    const auto at = [](const auto& column, std::size_t i) { return column.empty() ? kAbsent : std::int64_t{column[i]}; };
    for (std::size_t i = 0; i < s.size(); ++i) {
      add(all += s.names[s.name[i]], s.id[i], s.start[i], s.dur[i], static_cast<int>(s.category[i]), s.depth.empty() ? 0 : s.depth[i]);
      add(all, at(s.step, i), at(s.microbatch, i), at(s.group, i), at(s.seq, i), at(s.bytes, i), at(s.correlation, i));
      all += s.args.empty() ? "" : s.args[i];
    }
    return all;
  }
  std::string text(const Result<StoredSpans>& stored) const {
    if (!stored.ok()) return stored.status().message();
    std::string all = of(m_tracks, stored->track);
    add(all, stored->first, stored->end);
    return all + text(stored->spans);
  }
  std::string text(const Result<SpanPicture>& picture) const {
    if (!picture.ok()) return picture.status().message();
    std::string all;
    add(all, picture->exact);
    for (const auto& lane : picture->lanes) {
      add(all += of(m_tracks, lane.track), lane.depth, lane.overflow);
      for (const SpanBar& bar : lane.bars) {
        add(all += bar.name == SpanBar::kNoName ? "-" : picture->names[bar.name], bar.t0, bar.t1, bar.id, bar.count);
        add(all, static_cast<int>(bar.category), bar.busy[0], bar.busy[1], bar.busy[2], bar.busy[3]);
      }
    }
    return all;
  }
  std::string text(const LogLine& line) const {
    std::string all = of(m_attempts, line.attempt) + of(m_nodes, line.node) + number(line.rank) + line.stream + line.text;
    add(all, line.time.value_or(-1), static_cast<int>(line.severity));
    return all;
  }
  std::string text(const std::vector<LogHit>& lines) const {
    std::string all;
    for (const LogHit& hit : lines) add(all += text(hit.line), hit.key.time);
    return all;
  }
  std::string text(const Result<std::vector<Capture>>& captures) const {
    if (!captures.ok()) return captures.status().message();
    std::string all;
    for (const Capture& c : *captures) {
      all += of(m_attempts, c.attempt) + of(m_nodes, c.node) + number(c.rank) + c.kind + c.source + c.reason + c.text;
      add(all, c.id, c.time, c.bytes, c.truncated_bytes);
    }
    return all;
  }
  std::string text(const Result<RowDensity>& density) const {
    if (!density.ok()) return density.status().message();
    std::string all;
    for (const auto* rows : {&density->events, &density->logs})
      for (const SeverityCounts& part : *rows)
        for (const std::uint32_t count : part) add(all, count);
    return all;
  }

  Reader& reader;
  RunId run;
  std::vector<AttemptId> attempts;
  std::map<std::string, SeriesId> series;
  std::map<std::string, TrackId> tracks;

 private:
  template <class Id>
  static std::string of(const std::map<Id, std::string>& names, Id id) {
    if (!id) return "none";
    const auto known = names.find(id);
    return known == names.end() ? "unknown" : known->second;
  }
  static std::string number(const std::optional<std::int32_t>& rank) { return rank ? std::to_string(*rank) : "-"; }
  static std::string joined(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
  }
  template <class... T>
  static void add(std::string& all, T... values) {
    const auto one = [&all](auto value) {
      if constexpr (std::is_floating_point_v<decltype(value)>)
        all += " " + std::to_string(std::bit_cast<std::uint64_t>(static_cast<double>(value)));
      else
        all += " " + std::to_string(value);
    };
    (one(values), ...);
    all += "\n";
  }

  std::map<NodeId, std::string> m_nodes;
  std::map<DeviceId, std::string> m_devices;
  std::map<AttemptId, std::string> m_attempts;
  std::map<SeriesId, std::string> m_series;
  std::map<TrackId, std::string> m_tracks;
};

class FollowedReaderTest : public testing::Test {
 protected:
  static void write(Hub& hub, const std::function<void(Writer&)>& action) {
    std::promise<void> done;
    hub.post([&](Writer& writer) {
      action(writer);
      done.set_value();
    });
    done.get_future().wait();
  }
  void serve(HubOptions options = {}) { hub = mustRead(Hub::start(there, options)); }
  void simulate(int nodes = 2, double hertz = 1) {
    sim::Scenario job;
    job.name = "job", job.seed = 3, job.steps = 60;
    job.nodes = nodes, job.gpus_per_node = 4, job.metrics_hertz = hertz;
    job.dp = nodes * 4, job.step_seconds = 1, job.checkpoint_every_steps = 20;
    job.spans = sim::SpanDetail::kCoarse;
    write(*hub, [&](Writer& writer) {
      ASSERT_TRUE(sim::play(job, writer, {.start = kStart, .speed = 0}).ok());
      const AttemptId attempt = mustRead(mustRead(openStore(there).reader({.live = writer.liveTail()}))->attempts(RunId{1})).at(0).id;
      for (int i = 0; i < 300; ++i)
        writer.log({.time = kStart + i * kNsPerSecond / 5,
                    .attempt = attempt,
                    .node = NodeId{1},
                    .rank = i % 8,
                    .stream = i % 3 == 0 ? "stderr" : "stdout",
                    .severity = static_cast<Severity>(i % 5),
                    .text = "line " + std::to_string(i) + (i % 7 == 0 ? " nccl timeout" : "")});
      for (int i = 0; i < 12; ++i)
        writer.capture({.time = kStart + i * kNsPerSecond,
                        .attempt = attempt,
                        .node = NodeId{1},
                        .rank = i,
                        .kind = "stack",
                        .source = "faulthandler",
                        .reason = "by hand",
                        .text = std::string(static_cast<std::size_t>(900'000), static_cast<char>('a' + i))});
      ASSERT_TRUE(writer.flush().ok());
    });
  }
  void follow(const std::string& address) {
    mirror =
        mustRead(Mirror::start({.store = here, .hub = {.hub = address}, .first_pause = 20 * kNsPerMs, .longest_pause = 200 * kNsPerMs}));
    ASSERT_TRUE(mirror->waitComplete(60 * kNsPerSecond)) << mirror->status().problem;
    ASSERT_TRUE(mirror->waitComplete(60 * kNsPerSecond)) << mirror->status().problem;
  }
  std::unique_ptr<Reader> followed() {
    return followedReader(mustRead(openStore(here).reader(mirror->readerOptions())), mirror->questions());
  }
  std::unique_ptr<Reader> hubs() { return mustRead(openStore(there).reader(hub->readerOptions())); }

  const test::TempFolder dir;
  const std::string there = dir.file("there.rgl"), here = dir.file("here.rgl");
  std::unique_ptr<Hub> hub;
  std::unique_ptr<Mirror> mirror;
};

TEST_F(FollowedReaderTest, AnswersAsTheHubsOwnReaderDoes) {
  serve();
  // The replica's ids differ from those of the hub.
  write(*hub, [](Writer& writer) {
    for (int i = 0; i < 5; ++i)
      writer.sample(writer.series({.node = writer.node({.uuid = "z" + std::to_string(i)}), .metric = "power_watts"}), kStart, i);
  });
  simulate();
  follow(hub->address());
  const auto a = hubs(), b = followed();
  const Side source(*a), copy(*b);
  ASSERT_GT(source.series.size(), 100u);
  ASSERT_GT(source.tracks.size(), 3u);
  std::vector<std::string> series, tracks;
  for (const auto& [name, id] : source.series) series.push_back(name);
  for (const auto& [name, id] : source.tracks) tracks.push_back(name);
  for (const std::string& name : series) ASSERT_TRUE(copy.series.contains(name)) << name;
  for (const std::string& name : tracks) ASSERT_TRUE(copy.tracks.contains(name)) << name;
  EXPECT_EQ(source.text(a->series({})), copy.text(b->series({})));

  std::mt19937_64 random(11);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto moment = [&] { return kStart - 5 * kNsPerSecond + static_cast<TimeNs>(below(75 * kNsPerSecond)); };
  const auto range = [&] {
    const TimeNs x = moment(), y = moment();
    return below(8) == 0 ? TimeRange{} : TimeRange{std::min(x, y), std::max(x, y) + static_cast<TimeNs>(below(2))};
  };
  std::size_t content = 0;
  const auto same = [&](const std::string& there_text, const std::string& here_text, const char* what) {
    content += there_text.size();
    EXPECT_EQ(there_text, here_text) << what;
  };
  for (int i = 0; i < 150 && !HasFailure(); ++i) {
    const std::string& one = series[below(series.size())];
    const std::string& track = tracks[below(tracks.size())];
    const TimeRange r = range();
    const TimeRange bounded = r == TimeRange{} ? TimeRange{kStart, kStart + 60 * kNsPerSecond} : r;
    const SeriesId sa = source.series.at(one), sb = copy.series.at(one);
    same(source.text(a->samples(sa, r)), copy.text(b->samples(sb, r)), "samples");
    const auto axis = below(2) == 0 ? Axis::kX : Axis::kTime;
    const std::size_t bins = 1 + below(300);
    same(source.text(a->bins(sa, axis, bounded.t0, bounded.t1, bins)), copy.text(b->bins(sb, axis, bounded.t0, bounded.t1, bins)), "bins");
    std::vector<SeriesId> some_a, some_b;
    for (std::size_t n = below(40); n > 0; --n) {
      const std::string& name = series[below(series.size())];
      if (std::ranges::find(some_a, source.series.at(name)) != some_a.end()) continue;
      some_a.push_back(source.series.at(name)), some_b.push_back(copy.series.at(name));
    }
    same(source.text(a->latest(some_a)), copy.text(b->latest(some_b)), "latest");
    const TimeNs at = moment();
    same(source.text(a->latestAt(some_a, at)), copy.text(b->latestAt(some_b, at)), "latestAt");
    const auto spans = a->spans(source.tracks.at(track), r);
    same(source.text(spans), copy.text(b->spans(copy.tracks.at(track), r)), "spans");
    if (spans.ok() && spans->size() > 0) {
      const std::int64_t id = spans->id[below(spans->size())];
      same(source.text(a->spansWith(id, r)), copy.text(b->spansWith(id, r)), "spansWith");
    }
    std::vector<TrackId> tracks_a, tracks_b;
    for (const std::string& name : tracks)
      if (below(2) == 0) tracks_a.push_back(source.tracks.at(name)), tracks_b.push_back(copy.tracks.at(name));
    const DurNs pixel = 1 + static_cast<DurNs>(below(kNsPerSecond));
    same(source.text(a->spanPicture(tracks_a, bounded, pixel)), copy.text(b->spanPicture(tracks_b, bounded, pixel)), "spanPicture");
    const auto whole = i % 30 == 0 ? CaptureTexts::kWith : CaptureTexts::kWithout;
    same(source.text(a->captures(source.run, r, whole)), copy.text(b->captures(copy.run, r, whole)), "captures");
  }
  EXPECT_EQ(mustRead(a->spanExtent(source.run)), mustRead(b->spanExtent(copy.run)));
  EXPECT_EQ(source.text(a->captures(source.run, {})), copy.text(b->captures(copy.run, {}))) << "larger than one answer";
  EXPECT_EQ(mustRead(a->usage({})).sample_bytes, mustRead(b->usage({})).sample_bytes);
  EXPECT_EQ(source.text(mustRead(a->unaligned())->samples(source.series.begin()->second, {})),
            copy.text(mustRead(b->unaligned())->samples(copy.series.begin()->second, {})));
  EXPECT_EQ(a->spansWith(1 << 30, {}).status().code(), b->spansWith(1 << 30, {}).status().code());
  EXPECT_GT(content, 1'000'000u);
}

TEST_F(FollowedReaderTest, WhatIsAskedForAlongIsWhatWouldHaveBeenAnswered) {
  serve();
  simulate();
  follow(hub->address());
  const auto a = hubs(), b = followed();
  const Side source(*a), copy(*b);
  std::vector<std::string> names;
  std::map<SeriesId, std::string> by_id;
  for (const auto& [name, id] : copy.series) by_id[id] = name;
  for (const auto& [id, name] : by_id) names.push_back(name);
  const TimeNs end = kStart + 600 * kNsPerSecond;
  for (const TimeNs begin : {kStart, kStart + 7 * kNsPerSecond, kStart}) {
    for (const std::string& name : names) {
      const SeriesId sa = source.series.at(name), sb = copy.series.at(name);
      ASSERT_EQ(source.text(a->samples(sa, {begin, end})), copy.text(b->samples(sb, {begin, end}))) << name;
    }
    for (auto name = names.rbegin(); name != names.rend(); std::advance(name, std::min<std::ptrdiff_t>(3, names.rend() - name))) {
      const SeriesId sa = source.series.at(*name), sb = copy.series.at(*name);
      ASSERT_EQ(source.text(a->bins(sa, Axis::kX, begin, end, 70)), copy.text(b->bins(sb, Axis::kX, begin, end, 70))) << *name;
    }
  }
  // The same range again, after more data arrived.
  const TimeNs now = wallNow(), later = now + 3600 * kNsPerSecond;
  std::vector<std::string> power;
  for (const std::string& name : names)
    if (name.find("/power_watts/") != std::string::npos) power.push_back(name);
  for (int round = 0; round < 4; ++round) {
    write(*hub, [&](Writer& writer) {
      for (const std::string& name : power) writer.sample(source.series.at(name), now + round * kNsPerSecond, round);
    });
    for (const std::string& name : power) {
      const SeriesId sa = source.series.at(name), sb = copy.series.at(name);
      ASSERT_EQ(source.text(a->samples(sa, {kStart, later})), copy.text(b->samples(sb, {kStart, later}))) << name << " in round " << round;
    }
  }
}

TEST_F(FollowedReaderTest, AsksForLogLinesWhileTheyHaveNotCome) {
  serve();
  simulate();
  follow(hub->address());
  const auto a = hubs(), b = followed();
  const Side source(*a), copy(*b);
  const auto behind = [this] { mirror->questions()->grown(0, std::nullopt); };
  std::mt19937 random(5);
  bool asked = false;
  for (int i = 0; i < 30; ++i) {
    RowQuery q{.words = i % 3 == 0 ? "nccl" : "", .limit = 1 + random() % 60};
    if (i % 2 == 0) q.range = {kStart + static_cast<TimeNs>(random() % 20) * kNsPerSecond, kStart + 45 * kNsPerSecond};
    if (i % 5 == 0) q.rank = static_cast<std::int32_t>(random() % 8);
    if (i % 7 == 0) q.stream = "stderr";
    if (i % 4 == 0) q.order = RowOrder::kOldestFirst;
    RowQuery qa = q, qb = q;
    if (i % 6 == 0) qa.run = source.run, qb.run = copy.run;
    if (i % 8 == 0) qa.node = source.node(source.anyNode()), qb.node = copy.node(source.anyNode());
    for (int page = 0; page < 4; ++page) {
      if (page == 0) behind();
      const LogPage pa = mustRead(a->searchLogs(qa)), pb = mustRead(b->searchLogs(qb));
      ASSERT_EQ(source.text(pa.hits), copy.text(pb.hits)) << "query " << i << " page " << page;
      ASSERT_EQ(pa.more, pb.more);
      if (pa.hits.empty()) break;
      asked = asked || pb.hits[0].key.id >= kHubLine;
      const std::size_t n = random() % pa.hits.size();
      const LogContext ca = mustRead(a->logContext(pa.hits[n].key.id, 3, 5)), cb = mustRead(b->logContext(pb.hits[n].key.id, 3, 5));
      ASSERT_EQ(source.text(ca.lines), copy.text(cb.lines));
      ASSERT_EQ(ca.at, cb.at);
      if (!pa.more) break;
      qa.after = pa.hits.back().key, qb.after = pb.hits.back().key;
    }
    const TimeRange range{kStart, kStart + 60 * kNsPerSecond};
    behind();
    EXPECT_EQ(source.text(a->rowDensity({.range = range}, 50)), copy.text(b->rowDensity({.range = range}, 50)));
  }
  EXPECT_TRUE(asked);
  behind();
  const auto la = mustRead(a->logs({.range = {}, .kind = {}, .limit = 100})),
             lb = mustRead(b->logs({.range = {}, .kind = {}, .limit = 100}));
  ASSERT_EQ(la.size(), lb.size());
  for (std::size_t i = 0; i < la.size(); ++i) EXPECT_EQ(source.text(la[i]), copy.text(lb[i]));
}

TEST_F(FollowedReaderTest, WithoutTheHubSaysWhatTheCopyHasAndWhatItLacks) {
  serve();
  simulate();
  follow(hub->address());
  const auto b = followed();
  const Side copy(*b);
  std::vector<SeriesId> power;
  for (const auto& [name, id] : copy.series)
    if (name.find("/power_watts/") != std::string::npos) power.push_back(id);
  ASSERT_GE(power.size(), 8u);
  ASSERT_TRUE(mirror->status().summarised || mirror->waitSummarised(60 * kNsPerSecond)) << mirror->status().problem;
  const std::string before = copy.text(b->latest(power));
  Bin whole = mustRead(b->bins(power[0], Axis::kTime, kStart, kStart + 3600 * kNsPerSecond, 1)).at(0);
  ASSERT_GT(whole.count, 0);
  ASSERT_TRUE(hub->stop().ok());
  EXPECT_EQ(copy.text(b->latest(power)), before) << "the newest that was heard of, with its time";
  // Samples are summarised here; without summaries, the reason is given.
  const SampleColumns samples = mustRead(b->samples(power[0], {kStart, kStart + 3600 * kNsPerSecond}));
  EXPECT_EQ(samples.size(), 0u);
  EXPECT_EQ(samples.summarised, whole.count);
  Bin copied = mustRead(b->bins(power[0], Axis::kTime, kStart, kStart + 3600 * kNsPerSecond, 1)).at(0);
  EXPECT_NEAR(copied.sum, whole.sum, 1e-6 * whole.sum);
  copied.sum = whole.sum;
  EXPECT_EQ(copied, whole);
  const DurNs begin = monotonicNow();
  EXPECT_EQ(mustRead(b->latestAt(power, kStart + 30 * kNsPerSecond)).size(), power.size());
  const TimeRange later{kStart + 7200 * kNsPerSecond, kStart + 7300 * kNsPerSecond};
  for (const Status& none : {b->samples(power[0], later).status(), b->bins(power[0], Axis::kTime, later.t0, later.t1, 10).status()}) {
    EXPECT_EQ(none.code(), Code::kUnavailable);
    EXPECT_THAT(none.message(), HasSubstr("cannot be asked"));
    EXPECT_THAT(none.message(), HasSubstr("the copy has no samples of power_watts"));
  }
  EXPECT_EQ(b->latestAt(power, kStart - kNsPerSecond).status().code(), Code::kUnavailable);
  EXPECT_EQ(b->spanExtent(copy.run).status().code(), Code::kUnavailable);
  EXPECT_EQ(b->captures(copy.run, {}).status().code(), Code::kUnavailable);
  EXPECT_LT(monotonicNow() - begin, 5 * HubQuestions::kPatience) << "six questions, and a hub that is gone for long is not waited for";
  EXPECT_FALSE(mustRead(b->logs({.range = {}, .kind = {}, .limit = 10})).empty());
  for (const auto& [name, id] : copy.series) {
    if (name.find("/loss/") == std::string::npos) continue;
    EXPECT_GT(mustRead(b->scalars(id, 0, 1000)).size(), 0u);
  }
}

TEST_F(FollowedReaderTest, SeesThatTheHubsSamplesGrew) {
  serve();
  simulate();
  follow(hub->address());
  const auto b = followed();
  const Side copy(*b);
  const auto power =
      std::ranges::find_if(copy.series, [](const auto& one) { return one.first.find("/power_watts/") != std::string::npos; });
  ASSERT_NE(power, copy.series.end());
  const std::uint64_t before = b->generation();
  const auto key = [&] {
    for (const Series& one : mustRead(b->series({})))
      if (one.id == power->second) return one;
    return Series{};
  }();
  const TimeNs time = kStart + 500 * kNsPerSecond;
  write(*hub, [&](Writer& writer) {
    const auto reader = mustRead(openStore(there).reader({.live = writer.liveTail()}));
    const Side source(*reader);
    writer.sample(source.series.at(power->first), time, 1234.5);
  });
  EXPECT_TRUE(waitUntil([&] { return b->generation() > before; }));
  const auto newest = mustRead(b->latest({&power->second, 1}));
  ASSERT_EQ(newest.size(), 1u);
  EXPECT_EQ(newest[0].value, 1234.5);
  EXPECT_GT(key.sample_count, 0);
}

TEST_F(FollowedReaderTest, AsksOnAfterEitherSideWasRestarted) {
  const test::ReservedPort port;
  const std::string address = port.address();
  serve({.listen = address});
  simulate();
  follow(address);
  std::string expected;
  const auto power = [](const Side& side) {
    for (const auto& [name, id] : side.series)
      if (name.find("/power_watts/") != std::string::npos) return id;
    return SeriesId{};
  };
  const auto expect = [&](const char* when) {
    const auto b = followed();
    const Side copy(*b);
    const std::string got = copy.text(b->samples(power(copy), {}));
    if (expected.empty()) expected = got;
    EXPECT_EQ(got, expected) << when;
    EXPECT_THAT(got, HasSubstr("\n")) << when;
  };
  expect("at first");
  ASSERT_TRUE(hub->stop().ok());
  hub.reset();
  serve({.listen = address});
  expect("the hub was restarted");
  ASSERT_TRUE(mirror->stop().ok());
  mirror.reset();
  follow(address);
  expect("the copy was restarted");
  const auto orphan = followed();
  (void)mirror->stop();  // an open Reader prevents the file from being folded
  const Side copy(*orphan);
  EXPECT_EQ(orphan->captures(copy.run, {}).status().code(), Code::kUnavailable);
}

TEST_F(FollowedReaderTest, ACutInAnAnswerMakesItWholeOrSaysWhatLacks) {
  serve();
  simulate(2, 100);
  SlowProxy proxy(hub->port(), 400'000);
  follow(proxy.address());
  const auto a = hubs(), b = followed();
  const Side source(*a), copy(*b);
  std::atomic<bool> over = false;
  std::atomic<int> cuts = 0;
  std::thread cutter([&] {
    std::mt19937 random(9);
    while (!over) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100 + random() % 400));
      proxy.cut();
      ++cuts;
    }
  });
  int whole = 0, failed = 0;
  const auto deadline = std::chrono::steady_clock::now() + test::kDeadline;
  for (auto one = source.series.begin(); (whole < 4 || cuts < 15) && std::chrono::steady_clock::now() < deadline;) {
    if (++one == source.series.end()) one = source.series.begin();
    if (one->first.find("power") == std::string::npos && one->first.find("clock") == std::string::npos) continue;
    const Result<SampleColumns> found = b->samples(copy.series.at(one->first), {});
    if (!found.ok()) {
      EXPECT_EQ(found.status().code(), Code::kUnavailable) << found.status().message();
      ++failed;
      continue;
    }
    if (found->summarised > 0) {
      EXPECT_EQ(found->size(), 0u) << "what the copy has of it, which are no samples";
      ++failed;
      continue;
    }
    ++whole;
    ASSERT_EQ(source.text(a->samples(one->second, {})), copy.text(found));
  }
  over = true;
  cutter.join();
  EXPECT_GE(whole, 4) << failed << " failed, " << cuts << " cuts";
}

TEST_F(FollowedReaderTest, AStopEndsAQuestion) {
  serve();
  simulate(2, 100);
  SlowProxy proxy(hub->port(), 60'000);
  follow(proxy.address());
  const auto b = followed();
  const Side copy(*b);
  std::vector<TrackId> tracks;
  for (const auto& [name, id] : copy.tracks) tracks.push_back(id);
  std::stop_source stop;
  const std::int64_t sent = proxy.up();
  std::thread stopper([&] {
    (void)waitUntil([&] { return proxy.up() > sent; });  // the query is on its way
    stop.request_stop();
  });
  const auto picture = b->spanPicture(tracks, {kStart, kStart + 60 * kNsPerSecond}, 1000, stop.get_token());
  EXPECT_EQ(picture.status().code(), Code::kCancelled);
  stopper.join();
}

// After an answer, the next query is accepted at once, however late the hub's side of the call ends.
TEST_F(FollowedReaderTest, QuestionsOneAfterAnotherAreNeverTooMany) {
  serve();
  simulate(2, 20);
  follow(hub->address());
  const auto b = followed();
  const Side copy(*b);
  std::vector<TrackId> tracks;
  for (const auto& [name, id] : copy.tracks) tracks.push_back(id);
  for (int i = 0; i < 200; ++i) {
    const auto picture = b->spanPicture(tracks, {kStart, kStart + (10 + i) * kNsPerSecond / 10}, 10);
    ASSERT_TRUE(picture.ok()) << "question " << i << ": " << picture.status().message();
  }
}

// A question has at most kMaxAsked series, so that four at once are below 1 MiB, beyond which the hub closes the connection.
TEST_F(FollowedReaderTest, ALongListOfSeriesIsAskedInParts) {
  constexpr int kSeries = 20'000, kReaders = 4;
  static_assert(kSeries > static_cast<int>(kMaxAsked));
  serve();
  write(*hub, [&](Writer& writer) {
    const NodeId node = writer.node({.uuid = "n", .name = "n"});
    for (int i = 0; i < kSeries; ++i) writer.sample(writer.series({.node = node, .metric = "m" + std::to_string(i)}), kStart + i, i);
    ASSERT_TRUE(writer.flush().ok());
  });
  follow(hub->address());
  ASSERT_TRUE(waitUntil([&] { return mustRead(followed()->series({})).size() == kSeries; }));
  std::vector<std::future<std::size_t>> answers;
  for (int i = 0; i < kReaders; ++i)
    answers.push_back(std::async(std::launch::async, [&] {
      const auto b = followed();
      std::vector<SeriesId> ids;
      for (const Series& one : mustRead(b->series({}))) ids.push_back(one.id);
      std::ranges::reverse(ids);  // the differences of ids take their bytes
      const auto newest = b->latest(ids);
      EXPECT_TRUE(newest.ok()) << newest.status().message();
      return newest.ok() ? newest->size() : 0;
    }));
  for (auto& answer : answers) EXPECT_EQ(answer.get(), static_cast<std::size_t>(kSeries));
  EXPECT_EQ(mirror->status().connections, 1) << "it was closed";
}

TEST_F(FollowedReaderTest, AskNeedsAPassThatReadsAndASessionThatIs) {
  const std::string tokens = dir.file("tokens");
  const IssuedToken agent = issueToken("agent", static_cast<std::uint8_t>(Scope::kIngest), "", std::nullopt);
  const IssuedToken person = issueToken("person", static_cast<std::uint8_t>(Scope::kRead), "", std::nullopt);
  ASSERT_TRUE(writeAccessFile(tokens, {.entries = {agent.entry, person.entry}}).ok());
  serve({.token_file = tokens});
  const auto channel = grpc::CreateChannel(hub->address(), grpc::InsecureChannelCredentials());
  const auto stub = v1::Ask::NewStub(channel);
  const auto ask = [&](const char* token) {
    grpc::ClientContext context;
    if (token != nullptr) context.AddMetadata("authorization", std::string("Bearer ") + token);
    v1::Question question;
    question.set_session("nobody's");
    question.mutable_usage();
    const auto stream = stub->Ask(&context, question);
    v1::AnswerPart part;
    while (stream->Read(&part)) continue;
    return stream->Finish().error_code();
  };
  EXPECT_EQ(ask(nullptr), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(ask(agent.secret.c_str()), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(ask(person.secret.c_str()), grpc::StatusCode::ABORTED);
}

}  // namespace
}  // namespace runglass
