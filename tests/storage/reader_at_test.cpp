// SPDX-License-Identifier: Apache-2.0
// A store as of a moment equals the store that was written only up to then.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <sstream>

#include "storage/reader_at.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr TimeNs kBegin = 1'790'000'000LL * kNsPerSecond;
constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min(), kHighest = std::numeric_limits<TimeNs>::max();
constexpr DurNs kOff = 3 * kNsPerSecond;  // lag of the second node's clock
constexpr TimeNs at(double seconds) { return kBegin + static_cast<TimeNs>(seconds * 1e9); }

// The history of a run, recorded by a writer that stops at `until`. Two attempts, the second one resumes from an earlier step; a node that
// joins later with a wrong clock; samples out of order, late and repeated; NaN; long spans.
class Story {
 public:
  Story(Writer& writer, TimeNs until) : m_writer(writer), m_until(until) { tell(); }

 private:
  bool heard(TimeNs time) const { return time <= m_until; }
  std::optional<TimeNs> ifHeard(TimeNs time) const { return heard(time) ? std::optional(time) : std::nullopt; }

  void tell() {
    if (!heard(at(0))) return;
    m_run = {.uuid = "run-1", .name = "pretrain", .state = RunState::kRunning, .start = at(0)};
    m_id = m_writer.run(m_run);
    m_first = m_writer.node({.uuid = "n1", .name = "node-1", .state = NodeState::kAlive, .last_heard = at(0)});
    attempt(0, at(0), at(50), 0);
    life(m_first, "GPU-1", at(0.01), 0);
    if (heard(at(30.005))) {
      m_second = m_writer.node({.uuid = "n2", .name = "node-2", .state = NodeState::kAlive, .last_heard = at(30.005)});
      m_writer.clock({.node = m_second, .session = "s", .raw = at(0) - kOff, .offset = kOff, .error = kNsPerMs, .source = "hello"});
      life(m_second, "GPU-2", at(30.005), kOff);
    }
    if (heard(at(55))) attempt(1, at(55), at(110), 30);
    rows();
    words();
    ASSERT_TRUE(m_writer.flush().ok());
    said();
    if (!heard(at(115))) return;
    m_run.state = RunState::kFinished;
    m_run.end = at(115);
    m_writer.run(m_run);
  }

  void attempt(int number, TimeNs begin, TimeNs end, std::int64_t first_step) {
    Attempt a{.run = m_id, .key = std::to_string(number), .start = begin, .layout = {.world = 2}};
    if (number > 0) a.resumed_from_step = first_step;
    if (heard(end)) a.end = end, a.end_cause = number == 0 ? "oom" : "done", a.planned = number > 0;
    const AttemptId id = m_writer.attempt(a);
    m_writer.fact({.attempt = id, .key = "argv", .value = "train.py"});
    m_writer.group({.attempt = id, .id = 3, .kind = "dp", .name = "data", .ranks = {0, 1}});
    const SeriesId loss = m_writer.series({.attempt = id, .metric = "loss", .source = "train", .kind = SeriesKind::kScalar});
    for (std::int32_t rank = 0; rank < 2; ++rank) {
      m_writer.rank({.attempt = id, .rank = rank, .node = m_first, .local_rank = rank});
      const SeriesId steps =
          m_writer.series({.attempt = id, .rank = rank, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar});
      const SeriesId phases = m_writer.series({.attempt = id, .rank = rank, .metric = "step_phase", .kind = SeriesKind::kScalar});
      for (std::int64_t step = first_step; begin + (step - first_step + 1) * kNsPerSecond < end; ++step) {
        const TimeNs time = begin + (step - first_step + 1) * kNsPerSecond + rank * kNsPerMs;
        if (!heard(time)) continue;
        if (rank == 0) m_writer.scalar(loss, step, time, step == 12 ? std::nan("") : 5.0 / static_cast<double>(step + 1));
        m_writer.scalar(steps, step, time, 1e9 + static_cast<double>(step));
        m_writer.scalar(phases, step, time, step == first_step ? 1 : 2);
        m_writer.progress({.attempt = id, .rank = rank, .time = time, .step = step, .phase = step == first_step ? "warmup" : "steady"});
      }
      spans(id, rank, begin, end);
    }
    // The loader goes back by ten steps at second 20 from the begin, and reports them again.
    const SeriesId data = m_writer.series({.attempt = id, .metric = "tokens", .source = "loader", .kind = SeriesKind::kScalar});
    for (std::int64_t i = 0; i < 30; ++i) {
      const TimeNs time = begin + (i + 1) * kNsPerSecond;
      if (heard(time)) m_writer.scalar(data, first_step + (i < 20 ? i : i - 10), time, static_cast<double>(i));
    }
    for (std::int64_t step = 10; step < 40; step += 10) {
      const TimeNs saved = begin + step * kNsPerSecond + kNsPerSecond / 2, durable = saved + 4 * kNsPerSecond;
      if (!heard(saved)) continue;
      Checkpoint c{.attempt = id, .step = first_step + step, .begin = saved, .durable = ifHeard(durable), .path = "ckpt"};
      if (c.durable) c.bytes = 1'000;
      m_writer.checkpoint(c);
    }
  }

  void spans(AttemptId id, std::int32_t rank, TimeNs begin, TimeNs end) {
    const TrackId track = m_writer.track({.attempt = id, .rank = rank, .kind = "thread", .name = "main"});
    SpanColumns columns;
    columns.names = {"step", "save"};
    for (TimeNs time = begin; time < end; time += kNsPerSecond) {
      const DurNs dur = time % (7 * kNsPerSecond) == 0 ? 9 * kNsPerSecond : 900 * kNsPerMs;
      if (!heard(time)) break;
      columns.start.push_back(time);
      columns.dur.push_back(heard(time + dur) ? dur : kAbsent);
      columns.name.push_back(dur > kNsPerSecond ? 1 : 0);
      columns.category.push_back(dur > kNsPerSecond ? SpanCategory::kCheckpoint : SpanCategory::kAnnotation);
      columns.step.push_back((time - begin) / kNsPerSecond);
    }
    m_writer.spans(track, columns);
  }

  // 10 ms samples of a GPU, as stamped by its node. Every 500th arrives 6,000 samples too late, each 11th before the previous one, some
  // twice.
  void life(NodeId node, const std::string& gpu, TimeNs from, DurNs off) {
    const DeviceId device = m_writer.device({.uuid = gpu, .node = node, .index = 0, .kind = "gpu"});
    const SeriesId power = m_writer.series({.node = node, .device = device, .metric = "power_watts"});
    const auto sample = [&](std::int64_t i) {
      const TimeNs time = from + i * 10 * kNsPerMs;
      if (i < 0 || time > at(112) || !heard(time)) return;
      m_writer.sample(power, time - off, i % 97 == 0 ? std::nan("") : std::round(300 + 100 * std::sin(static_cast<double>(i) / 50)));
      if (i % 53 == 0) m_writer.sample(power, time - off, -static_cast<double>(i));
    };
    for (std::int64_t i = 0; i < 11'300 + 6'000; ++i) {
      if (i % 500 == 0) sample(i - 6'000);
      if (i % 500 == 0) continue;
      if (i % 11 == 0) {
        sample(i + 1), sample(i);
      } else if (i % 11 != 1) {
        sample(i);
      }
      if (i % 5'000 == 1) {
        ASSERT_TRUE(m_writer.flush().ok());
      }
    }
  }

  void event(double seconds, const std::string& kind, NodeId node, Severity severity = Severity::kInfo) {
    const DurNs off = node == m_second && m_second ? kOff : 0;
    if (heard(at(seconds)))
      m_writer.event({.time = at(seconds) - off, .node = node, .kind = kind, .severity = severity, .message = kind + " happened"});
  }
  void rows() {
    event(0, "start", m_first);
    const auto state = [&](double seconds, NodeState said) {
      if (heard(at(seconds))) m_writer.node({.uuid = "n2", .name = "node-2", .state = said});
    };
    state(41, NodeState::kStale), state(44, NodeState::kLost), state(61, NodeState::kAlive);
    event(41, "node_stale", m_second, Severity::kWarning);
    event(44, "node_lost", m_second, Severity::kError);
    event(49, "xid", m_first, Severity::kCritical);
    event(61, "node_back", m_second);
    for (int i = 0; i < 100; ++i) {
      const TimeNs time = at(i + 0.25);
      if (heard(time))
        m_writer.log({.time = time,
                      .node = m_first,
                      .rank = 0,
                      .stream = "stdout",
                      .severity = i % 10 == 0 ? Severity::kError : Severity::kInfo,
                      .text = "line " + std::to_string(i) + (i % 3 == 0 ? " loss" : "")});
    }
  }
  void words() {
    for (double seconds : {12.0, 47.0, 80.0}) {
      if (heard(at(seconds)))
        m_writer.capture({.time = at(seconds), .node = m_first, .kind = "stack", .source = "py-spy", .reason = "stall", .text = "main()"});
      if (heard(at(seconds)))
        m_writer.finding({.run = m_id,
                          .kind = "slow_rank",
                          .subject = "rank:1",
                          .start = at(seconds),
                          .end = ifHeard(at(seconds + 8)),
                          .first_step = static_cast<std::int64_t>(seconds),
                          .score = 0.5,
                          .summary = "slow"});
    }
    // Published during the run: at 20 s, more severe at 45 s, ended at 70 s.
    const auto tell = [&](double seconds, Severity severity, std::optional<TimeNs> end) {
      if (heard(at(seconds)))
        m_writer.finding({.run = m_id,
                          .kind = "hot_gpu",
                          .subject = "gpu:0",
                          .severity = severity,
                          .start = at(18),
                          .end = end,
                          .summary = "hot from 18 to " + std::to_string(static_cast<int>(seconds)),
                          .published = at(seconds)});
    };
    tell(20, Severity::kWarning, {}), tell(45, Severity::kError, {}), tell(70, Severity::kError, at(69));
    if (heard(at(20)))
      m_writer.label({.attempt = AttemptId{1}, .kind = "slow_rank", .rank = 1, .start = at(20), .end = ifHeard(at(30)), .strength = 2});
    if (heard(at(33))) m_writer.issue({.code = "store.logs_forgotten", .source = "a", .first = at(33), .last = at(33), .detail = "d"});
  }
  void said() {
    for (double seconds : {15.0, 66.0}) {
      if (!heard(at(seconds))) continue;
      ASSERT_TRUE(m_writer.edit(Note{.run_uuid = "run-1", .time = at(seconds), .author = "ada", .text = "look here"}).ok());
      Alert alert{
          .run = m_id, .rule = "slow", .cause = "rank 1", .kind = "slow_rank", .since = at(seconds), .end = ifHeard(at(seconds + 20))};
      if (heard(at(seconds + 5))) alert.due = alert.notified = at(seconds + 5), alert.count = 1, alert.delivery = "pager: sent";
      ASSERT_TRUE(m_writer.alerts(std::span(&alert, 1)).ok());
      Incident incident{.uuid = "i" + std::to_string(static_cast<int>(seconds)), .run = m_id, .title = "slow"};
      incident.created = incident.updated = at(seconds + 1);
      incident.range = TimeRange{at(seconds), heard(at(seconds + 9)) ? at(seconds + 9) : kHighest};
      if (heard(at(seconds + 30)))
        incident.updated = at(seconds + 30), incident.state = IncidentState::kResolved, incident.notes = "it was the fan";
      if (heard(*incident.created)) {
        ASSERT_TRUE(m_writer.incident(incident).ok());
      }
    }
  }

  Writer& m_writer;
  const TimeNs m_until;
  Run m_run;
  RunId m_id;
  NodeId m_first, m_second;
};

// The answers of a Reader as text.
class Notification {
 public:
  explicit Notification(Reader& reader) : m_reader(reader) {}
  std::string all() {
    for (const Run& run : get(m_reader.runs())) ofRun(run);
    for (const Node& n : get(m_reader.nodes())) line("node", n.name, static_cast<int>(n.state), n.last_heard);
    for (const Device& d : get(m_reader.devices())) line("device", d.uuid, d.node.value);
    series();
    rows();
    for (const Alert& a : get(m_reader.alerts(10))) line("alert", a.since, a.end, a.due, a.notified, a.count, a.delivery);
    for (const Issue& i : get(m_reader.issues()))
      if (i.first) line("issue", i.code, i.count, i.first, i.last);
    return m_text.str();
  }

 private:
  template <class T>
  T get(Result<T> result) {
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.ok() ? std::move(*result) : T();
  }
  void put(const std::string& text) { m_text << ' ' << text; }
  void put(double value) { m_text << ' ' << value; }
  template <std::integral T>
  void put(T value) {
    if (value > kBegin - 1'000 * kNsPerSecond && value < kBegin + 1'000 * kNsPerSecond) {
      m_text << " t" << value - kBegin;
    } else {
      m_text << ' ' << value;
    }
  }
  template <class T>
  void put(const std::optional<T>& value) {
    if (value) return put(*value);
    m_text << " -";
  }
  template <class... Parts>
  void line(const char* what, const Parts&... parts) {
    m_text << what;
    (put(parts), ...);
    m_text << '\n';
  }
  void ofRun(const Run& run) {
    line("run", run.name, static_cast<int>(run.state), run.start, run.end);
    const Run same_run = get(m_reader.run(run.id));
    line("same run", same_run.name, static_cast<int>(same_run.state), same_run.start, same_run.end);
    for (const Attempt& a : get(m_reader.attempts(run.id))) {
      line("attempt", a.number, a.start, a.end, a.end_cause, a.resumed_from_step, a.first_step, a.last_step);
      const Attempt same = get(m_reader.attempt(a.id));
      line("same attempt", same.number, same.start, same.end, same.end_cause, same.first_step, same.last_step);
      m_text << "planned " << (a.planned ? (*a.planned ? "yes" : "no") : "-") << '\n';
      for (const Rank& r : get(m_reader.ranks(a.id))) line("rank", r.rank, r.node.value);
      for (const Fact& f : get(m_reader.facts(a.id))) line("fact", f.key, f.value);
      for (const CommGroup& g : get(m_reader.groups(a.id))) line("group", g.name, g.ranks.size());
      std::vector<TrackId> tracks;
      for (const Track& t : get(m_reader.tracks(a.id))) {
        tracks.push_back(t.id);
        line("track", t.key.name, t.id.value);
        spans(get(m_reader.spans(t.id, {})));
        const auto some = get(m_reader.spans(t.id, {at(20), at(90)}));
        spans(some);
        if (some.size() > 0) spans(get(m_reader.spansWith(some.id.back(), {})).spans);
      }
      const SpanPicture picture = get(m_reader.spanPicture(tracks, {at(0), at(200)}, 1));
      for (const auto& lane : picture.lanes)
        for (const SpanBar& bar : lane.bars)
          line("bar", lane.track.value, lane.depth, lane.overflow, bar.t0, bar.t1, bar.id != 0 ? 1 : 0, static_cast<int>(bar.category));
    }
    for (const Checkpoint& c : get(m_reader.checkpoints(run.id))) line("checkpoint", c.step, c.begin, c.durable, c.bytes);
    for (const Progress& p : get(m_reader.progress(run.id))) line("progress", p.rank, p.time, p.step, p.phase);
    for (const Label& l : get(m_reader.labels(run.id))) line("label", l.start, l.end);
    for (const Note& n : get(m_reader.notes(run.id))) line("note", n.time, n.text);
    for (const Capture& c : get(m_reader.captures(run.id, {}))) line("capture", c.time, c.text);
    for (const Capture& c : get(m_reader.captures(run.id, {at(12), at(60)}))) line("capture", c.time, c.text);
    for (const Finding& f : get(m_reader.findings(run.id))) line("finding", f.start, f.end, f.first_step, f.summary, f.published);
    for (const Finding& f : get(m_reader.publishedFindings(run.id)))
      line("telling", f.start, f.end, static_cast<int>(f.severity), f.summary, f.published);
    for (const Incident& i : get(m_reader.incidents(run.id))) {
      line("incident", i.uuid, static_cast<int>(i.state), i.range->t0, i.range->t1, i.created, i.updated, i.notes);
      line("same", get(m_reader.incident(i.uuid)).title);
    }
    line("extent", get(m_reader.spanExtent(run.id)).value_or(TimeRange{}).t0);
  }
  void spans(const SpanColumns& s) {
    for (std::size_t i = 0; i < s.size(); ++i) line("span", s.id[i] != 0 ? 1 : 0, s.start[i], s.dur[i], s.names[s.name[i]], s.step[i]);
  }
  void bins(const std::vector<Bin>& bins) {
    for (const Bin& b : bins) {
      if (b.count > 0) line("bin", b.x0, b.x1, b.first, b.last, b.min, b.max, b.sum, b.count, b.nan_count);
      if (b.count == 0) line("bin", b.x0, b.x1, b.nan_count);
    }
  }
  void series() {
    const auto all = get(m_reader.series({}));
    std::vector<SeriesId> ids;
    for (const Series& s : all) {
      if (s.sample_count == 0) continue;  // the time of a series' first declaration is not recorded
      m_names[s.id.value] =
          s.key.metric + s.key.source + std::to_string(s.key.rank.value_or(-1)) + "/" + std::to_string(s.key.device.value);
      ids.push_back(s.id);
      line("series", m_names[s.id.value]);
      // In a series that goes back, the highest step is not the newest.
      line("extent", s.first_x, s.last_x, s.first_time, s.key.source == "loader" ? std::nullopt : s.last_time);
      if (s.key.kind == SeriesKind::kScalar) {
        const auto points = get(m_reader.scalars(s.id, kLowest, kHighest));
        for (std::size_t i = 0; i < points.size(); ++i)
          line("point", points.step[i], points.time.empty() ? 0 : points.time[i], points.value[i]);
        bins(get(m_reader.bins(s.id, Axis::kX, 3, 61, 7)));
      } else {
        for (const TimeRange range : {TimeRange{}, TimeRange{at(10), at(90)}}) {
          const auto points = get(m_reader.samples(s.id, range));
          for (std::size_t i = 0; i < points.size(); ++i) line("sample", points.time[i], points.value[i]);
        }
      }
      bins(get(m_reader.bins(s.id, Axis::kTime, at(7), at(120), 333)));
    }
    std::ranges::reverse(ids);
    for (const LatestSample& one : get(m_reader.latest(ids))) line("latest", m_names[one.series.value], one.x, one.time, one.value);
    for (const LatestSample& one : get(m_reader.latestAt(ids, at(35))))
      line("latest at 35", m_names[one.series.value], one.x, one.time, one.value);
  }
  void rows() {
    for (const TimeRange range : {TimeRange{}, TimeRange{at(5), at(70)}}) {
      for (const Event& e : get(m_reader.events({.range = range}))) line("event", e.time, e.kind, e.id);
      for (const LogLine& l : get(m_reader.logs({.range = range}))) line("log", l.time, l.text);
      const LogPage hits = get(m_reader.searchLogs({.words = "loss", .range = range}));
      for (const LogHit& hit : hits.hits) line("hit", hit.key.time, hit.line.text);
      const EventPage found = get(m_reader.searchEvents({.words = "happened", .range = range}));
      for (const Event& e : found.events) line("found", e.time, e.kind);
    }
    for (const LogLine& l : get(m_reader.logs({.limit = 3}))) line("newest", l.time, l.text);
    const auto oldest = get(m_reader.searchLogs({.order = RowOrder::kOldestFirst, .limit = 5}));
    if (oldest.hits.size() > 4) {
      const LogContext around = get(m_reader.logContext(oldest.hits[4].key.id, 3, 1'000));
      for (const LogHit& hit : around.lines) line("around", hit.line.time);
    }
    const auto density = get(m_reader.rowDensity({.range = {at(0), at(120)}}, 60));
    for (std::size_t i = 0; i < 60; ++i) {
      m_text << "density";
      for (const auto* counts : {&density.events, &density.logs})
        for (const std::uint32_t count : (*counts)[i]) put(count);
      m_text << '\n';
    }
  }

  Reader& m_reader;
  std::map<std::uint64_t, std::string> m_names;
  std::ostringstream m_text;
};

std::string reported(Reader& reader) { return Notification(reader).all(); }

// The first difference of two texts, for people.
std::string difference(const std::string& a, const std::string& b) {
  std::istringstream left(a), right(b);
  std::string l, r, before, out;
  for (int n = 0, shown = 0; shown < 12; ++n) {
    const bool more_l = static_cast<bool>(std::getline(left, l)), more_r = static_cast<bool>(std::getline(right, r));
    if (!more_l && !more_r) break;
    if (!more_l) l = "(end)";
    if (!more_r) r = "(end)";
    if (l != r) out += std::to_string(n) + " after '" + before + "': '" + l + "' | '" + r + "'\n", ++shown;
    before = l;
  }
  return out;
}

std::unique_ptr<Writer> writerOf(const TempStore& store) { return store.writer().value(); }

const std::vector<TimeNs>& moments() {
  static const std::vector<TimeNs> kAll = {at(-10),    at(0),     at(0.01), at(3.217), at(12),  at(12.5), at(29.999),
                                           at(30.005), at(41.5),  at(44),   at(49.99), at(50),  at(52),   at(55),
                                           at(58.3),   at(61.01), at(75),   at(96.25), at(111), at(114)};
  return kAll;
}

TEST(ReaderAt, IsTheStoreThatWasWrittenUpToThenAlsoWhenItIsLive) {
  const TempStore whole;
  const auto writer = writerOf(whole);
  Story(*writer, kHighest);
  const auto live = whole.reader({writer->liveTail()}).value();
  for (const TimeNs moment : moments()) {
    const TempStore part;
    const auto cut = writerOf(part);
    Story(*cut, moment);
    ASSERT_TRUE(cut->close().ok());
    const auto plain = part.reader().value();
    const std::string expected = reported(*plain), got = reported(*readerAt(*live, moment));
    EXPECT_EQ(difference(got, expected), "") << "at " << static_cast<double>(moment - kBegin) / 1e9;
  }
}

TEST(ReaderAt, IsTheSameOfALiveAndOfAClosedStore) {
  const TempStore store;
  auto writer = writerOf(store);
  Story(*writer, kHighest);
  std::vector<std::string> live, closed;
  {
    const auto reader = store.reader({writer->liveTail()}).value();
    for (const TimeNs moment : moments()) live.push_back(reported(*readerAt(*reader, moment)));
  }
  ASSERT_TRUE(writer->close().ok());
  const auto reader = store.reader().value();
  for (const TimeNs moment : moments()) closed.push_back(reported(*readerAt(*reader, moment)));
  for (std::size_t i = 0; i < live.size(); ++i) EXPECT_EQ(difference(live[i], closed[i]), "") << i;
}

TEST(ReaderAt, OnceNothingIsLaterIsThePlainReader) {
  const TempStore store;
  const auto writer = writerOf(store);
  Story(*writer, kHighest);
  const RunId run = writer->run({.uuid = "run-1", .name = "pretrain"});
  writer->event({.kind = "config", .message = "of no time, happened"});
  writer->log({.stream = "stdout", .text = "no time, loss"});
  writer->finding({.run = run, .kind = "note", .subject = "run", .summary = "of no time"});
  const SeriesId bare = writer->series({.attempt = AttemptId{1}, .metric = "bare", .kind = SeriesKind::kScalar});
  for (int step = 0; step < 5; ++step) writer->scalar(bare, step, {}, step);
  ASSERT_TRUE(writer->flush().ok());
  ASSERT_TRUE(writer->edit(Note{.run_uuid = "run-1", .author = "ada", .text = "about it all"}).ok());
  const auto reader = store.reader({writer->liveTail()}).value();
  const std::string plain = reported(*reader);
  for (const TimeNs moment : {at(200), kHighest}) EXPECT_EQ(difference(reported(*readerAt(*reader, moment)), plain), "");
  // Before that, rows without a time are not included.
  const std::string then = reported(*readerAt(*reader, at(40)));
  for (const char* word : {"no time", "about it all", "bare"}) EXPECT_EQ(then.find(word), std::string::npos) << word;
}

TEST(ReaderAt, LeavesARunWithoutAClockAsItIs) {
  const TempStore store;
  const auto writer = writerOf(store);
  const RunId run = writer->run({.name = "steps", .time_domain = TimeDomain::kNone});
  const AttemptId attempt = writer->attempt({.run = run});
  const SeriesId loss = writer->series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
  for (int step = 0; step < 300; ++step) writer->scalar(loss, step, {}, step);
  writer->finding({.run = run, .kind = "loss_spike", .subject = "run", .first_step = 7, .summary = "up"});
  ASSERT_TRUE(writer->close().ok());
  const auto reader = store.reader().value();
  EXPECT_EQ(difference(reported(*readerAt(*reader, at(0))), reported(*reader)), "");
  EXPECT_EQ(readerAt(*reader, at(0))->runs()->size(), 1U);
}

TEST(ReaderAt, OfAnEmptyStoreIsEmpty) {
  const TempStore store;
  ASSERT_TRUE(writerOf(store)->close().ok());
  const auto reader = store.reader().value();
  EXPECT_EQ(reported(*readerAt(*reader, at(0))), reported(*reader));
  EXPECT_FALSE(readerAt(*reader, at(0))->info()->last);
}

TEST(ReaderAt, CountsEachSampleOfLongSeriesOnce) {
  const TempStore store;
  const auto writer = writerOf(store);
  const NodeId node = writer->node({.uuid = "n", .name = "n"});
  const SeriesId power = writer->series({.node = node, .metric = "power_watts"});
  for (std::int64_t i = 0; i < 100'000; ++i) writer->sample(power, at(0) + i * kNsPerMs, static_cast<double>(i));
  ASSERT_TRUE(writer->close().ok());
  const auto reader = store.reader().value();
  for (const std::int64_t last : {0, 63, 64, 4'095, 50'000, 77'777, 99'999}) {
    const auto then = readerAt(*reader, at(0) + last * kNsPerMs);
    for (const std::size_t bins : {1U, 7U, 300U}) {
      std::int64_t count = 0;
      double sum = 0;
      const auto answer = then->bins(power, Axis::kTime, at(0), at(120), bins);
      ASSERT_TRUE(answer.ok());
      ASSERT_EQ(answer->size(), bins);
      for (const Bin& bin : *answer) count += bin.count, sum += bin.sum;
      EXPECT_EQ(count, last + 1);
      EXPECT_EQ(sum, static_cast<double>(last) * static_cast<double>(last + 1) / 2);
      EXPECT_EQ(answer->front().x0, at(0));
      EXPECT_EQ(answer->back().x1, at(120));
    }
  }
}

TEST(ReaderAt, ShowsWhatComesLate) {
  const TempStore store;
  const auto writer = writerOf(store);
  const NodeId node = writer->node({.uuid = "n", .name = "n"});
  const SeriesId power = writer->series({.node = node, .metric = "power_watts"});
  writer->sample(power, at(1), 1);
  writer->sample(power, at(9), 9);
  ASSERT_TRUE(writer->flush().ok());
  const auto reader = store.reader({writer->liveTail()}).value();
  const auto then = readerAt(*reader, at(5));
  const SeriesId ids[] = {power};
  EXPECT_EQ(then->latest(ids)->front().value, 1);
  const std::uint64_t before = then->generation();
  EXPECT_EQ(then->generation(), before);
  writer->sample(power, at(4), 4);
  EXPECT_EQ(then->latest(ids)->front().value, 4);
  EXPECT_EQ(then->generation(), before) << "a view of the past is not drawn again with each sample of the present";
}

TEST(ReaderAt, ARankIsInTheOperationThatItLaterSaysItHadBegunByThen) {
  const TempStore store;
  const auto writer = writerOf(store);
  const RunId run = writer->run({.name = "hung", .start = at(0)});
  const AttemptId attempt = writer->attempt({.run = run, .start = at(0)});
  writer->sample(writer->series({.attempt = attempt, .rank = 0, .metric = "queue_length"}), at(1), 1);
  writer->progress({.attempt = attempt, .rank = 0, .time = at(90), .step = 7, .seq = 12, .op = "all_reduce", .since = at(40)});
  ASSERT_TRUE(writer->flush().ok());
  const auto reader = store.reader({writer->liveTail()}).value();
  const auto inside = readerAt(*reader, at(50))->progress(run);
  ASSERT_TRUE(inside.ok());
  ASSERT_EQ(inside->size(), 1U);
  EXPECT_EQ(inside->front().op, "all_reduce");
  EXPECT_EQ(inside->front().time, at(40)) << "nothing later is told";
  const auto before = readerAt(*reader, at(30))->progress(run);
  ASSERT_TRUE(before.ok());
  EXPECT_TRUE(before->empty());
}

TEST(ReaderAt, ASnoozeIsThereOnceItIsOver) {
  const TempStore store;
  const auto writer = writerOf(store);
  ASSERT_TRUE(writer->edit(Snooze{.rule = "slow", .until = at(10), .author = "ada"}).ok());
  ASSERT_TRUE(writer->edit(Snooze{.rule = "hot", .until = at(90), .author = "ada"}).ok());
  const auto reader = store.reader().value();
  const auto then = readerAt(*reader, at(50))->snoozes();
  ASSERT_TRUE(then.ok());
  ASSERT_EQ(then->size(), 1U);
  EXPECT_EQ(then->front().rule, "slow");
}

TEST(ReaderAt, OfAnUnalignedReaderIsUnalignedAtTheMoment) {
  const TempStore store;
  const auto writer = writerOf(store);
  Story(*writer, kHighest);
  const auto reader = store.reader({writer->liveTail()}).value();
  const auto plain = readerAt(*reader, at(20))->unaligned();
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(difference(reported(**plain), reported(*readerAt(*reader, at(20)))), "");
}

}  // namespace
}  // namespace runglass
