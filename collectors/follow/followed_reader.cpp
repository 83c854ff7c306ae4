// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Ids of spans and captures are the hub's: the copy has none. Ids of log lines from the hub have kHubLine, so that a page's successor
// and
//    a line's neighbours are asked where it came from.
// 2. A series is either one of steps, and here, or one over time, and at the hub.
#include "collectors/follow/followed_reader.h"

#include <algorithm>
#include <mutex>

#include "collectors/feed/answer_message.h"
#include "collectors/follow/known_series.h"
#include "storage/forwarding_reader.h"

namespace runglass {
namespace {

constexpr std::int64_t kHubLine = std::int64_t{1} << 62;
constexpr DurNs kSettled = 30 * kNsPerSecond;         // before the last complete round: the past
constexpr DurNs kLogsFresh = 5 * kNsPerSecond;        // a copy that is not further behind has the log lines
constexpr DurNs kExtentsEvery = 2 * kNsPerSecond;     // and at most a twentieth of the line's time
constexpr DurNs kUsageDeadline = 300 * kNsPerSecond;  // reads the hub's whole file
constexpr int kMostHalves = 24;

using Of = HubQuestions::Of;

template <class Field, class Id>
void setDeltas(Field* field, std::span<const Id> ids, Crossing& crossing) {
  std::int64_t last = 0;
  field->Reserve(static_cast<int>(ids.size()));
  for (const Id id : ids) {
    const std::int64_t wire = crossing.out(id);
    field->Add(static_cast<std::int32_t>(wire - last));
    last = wire;
  }
}

TimeNs middle(TimeRange range) {
  const std::uint64_t length = static_cast<std::uint64_t>(range.t1) - static_cast<std::uint64_t>(range.t0);
  return static_cast<TimeNs>(static_cast<std::uint64_t>(range.t0) + length / 2);
}

// Those of `more` behind those of `spans`, both by start.
void append(SpanColumns& spans, const SpanColumns& more, TimeNs from) {
  std::vector<std::int64_t> renamed(more.names.size(), -1);
  const std::size_t before = spans.size();
  std::vector<std::size_t> taken;
  for (std::size_t i = 0; i < more.size(); ++i)
    if (more.start[i] >= from) taken.push_back(i);
  const auto column = [&](auto& to, const auto& of, auto absent) {
    if (of.empty() && to.empty()) return;
    to.resize(before, absent);
    for (const std::size_t i : taken) to.push_back(of.empty() ? absent : of[i]);
  };
  for (const std::size_t i : taken) {
    std::int64_t& name = renamed[more.name[i]];
    if (name < 0) {
      const auto known = std::ranges::find(spans.names, more.names[more.name[i]]);
      name = known - spans.names.begin();
      if (known == spans.names.end()) spans.names.push_back(more.names[more.name[i]]);
    }
    spans.name.push_back(static_cast<std::uint32_t>(name));
    spans.id.push_back(more.id[i]);
    spans.dur.push_back(more.dur[i]);
    spans.category.push_back(more.category[i]);
  }
  column(spans.depth, more.depth, std::int32_t{0});
  for (auto member : {&SpanColumns::step, &SpanColumns::microbatch, &SpanColumns::group, &SpanColumns::seq, &SpanColumns::bytes,
                      &SpanColumns::correlation, &SpanColumns::external_id})
    column(spans.*member, more.*member, kAbsent);
  column(spans.args, more.args, std::string());
  for (const std::size_t i : taken) spans.start.push_back(more.start[i]);
}

enum class Kind : std::uint8_t { kUnknown, kHere, kRemote };

class FollowedReader final : public ForwardingReader {
 public:
  FollowedReader(std::unique_ptr<Reader> mirror, std::shared_ptr<HubQuestions> hub, bool unaligned)
      : ForwardingReader(std::move(mirror)), m_hub(std::move(hub)), m_unaligned(unaligned) {}

  std::uint64_t generation() override { return inner().generation() + m_hub->generation(); }

  Result<std::unique_ptr<Reader>> unaligned() override {
    RG_ASSIGN(std::unique_ptr<Reader> other, inner().unaligned());
    return std::unique_ptr<Reader>(std::make_unique<FollowedReader>(std::move(other), m_hub, true));
  }

  Result<StoreUsage> usage(std::stop_token stop) override {
    StoreUsage usage;
    const Status status = ask([](v1::Question& q, Crossing&) -> Status { return q.mutable_usage(), Status(); },
                              [&](const v1::Answer& answer, Crossing&) -> Status {
                                usage = usageOf(answer.usage());
                                return {};
                              },
                              stop, Of::kNow, kUsageDeadline);
    if (status.code() == Code::kUnavailable) return inner().usage(std::move(stop));
    RG_TRY(status);
    return usage;
  }

  Result<std::vector<Series>> series(const SeriesFilter& filter) override {
    RG_ASSIGN(std::vector<Series> all, inner().series(filter));
    noteKinds(all);
    if (std::ranges::none_of(all, isOverTime)) return all;
    refreshExtents();
    HubQuestions::Known& known = m_hub->known();
    const std::lock_guard lock(known.mutex);
    for (Series& one : all) {
      const auto extent = isOverTime(one) ? known.extents.find(one.id) : known.extents.end();
      if (extent == known.extents.end()) continue;
      const Series& has = extent->second;
      one.sample_count = has.sample_count;
      one.first_x = has.first_x, one.last_x = has.last_x;
      one.first_time = has.first_time, one.last_time = has.last_time;
    }
    return all;
  }

  Result<SampleColumns> samples(SeriesId series, TimeRange range, std::stop_token stop) override {
    RG_ASSIGN(const bool remote, isRemote(series));
    if (!remote) return inner().samples(series, range, std::move(stop));
    SampleColumns all;
    if (range.t0 >= range.t1) return all;
    Status status = askAhead(m_samples_ahead, {.x0 = range.t0, .x1 = range.t1}, series, all,
                             [&](std::span<const SeriesId> ids, auto& found) { return askSamples(ids, range, found, stop); });
    if (status.code() == Code::kOutOfRange) {
      // As far as it reaches, half by half.
      RG_ASSIGN(const Series extent, extentOf(series, stop));
      if (extent.sample_count == 0) return all;
      const TimeRange reached{std::max(range.t0, extent.first_x), std::min(range.t1, std::max(extent.last_x, extent.last_x + 1))};
      status = halved(reached, 0, [&](TimeRange part) -> Status {
        std::vector<SampleColumns> some;
        RG_TRY(askSamples({&series, 1}, part, some, stop));
        all.time.insert(all.time.end(), some[0].time.begin(), some[0].time.end());
        all.value.insert(all.value.end(), some[0].value.begin(), some[0].value.end());
        return {};
      });
    }
    RG_TRY(lacking(status, series, "samples"));
    return all;
  }

  Result<std::vector<Bin>> bins(SeriesId series, Axis axis, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                std::stop_token stop) override {
    RG_ASSIGN(const bool remote, isRemote(series));
    if (!remote || bins == 0 || x0 >= x1) return inner().bins(series, axis, x0, x1, bins, std::move(stop));
    std::vector<Bin> one;
    const Status status = askAhead(m_bins_ahead, {.axis = axis, .x0 = x0, .x1 = x1, .bins = bins}, series, one,
                                   [&](std::span<const SeriesId> ids, auto& found) {
                                     return askBins(ids, {.axis = axis, .x0 = x0, .x1 = x1, .bins = bins}, found, stop);
                                   });
    RG_TRY(lacking(status, series, "samples"));
    return one;
  }

  Result<std::vector<LatestSample>> latest(std::span<const SeriesId> series) override { return newest(series, std::nullopt, {}); }
  Result<std::vector<LatestSample>> latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token stop) override {
    return newest(series, moment, stop);
  }

  Result<std::optional<TimeRange>> spanExtent(RunId run) override {
    std::optional<TimeRange> extent;
    const Status status = ask(
        [&](v1::Question& question, Crossing& crossing) -> Status {
          question.mutable_span_extent()->set_run(static_cast<std::uint32_t>(crossing.out(run)));
          return {};
        },
        [&](const v1::Answer& answer, Crossing&) -> Status {
          const v1::SpanExtent& message = answer.span_extent();
          if (message.any()) extent = TimeRange{message.t0(), message.t1()};
          return {};
        },
        {}, Of::kNow);
    RG_TRY(lacking(status, "spans"));
    return extent;
  }

  Result<SpanColumns> spans(TrackId track, TimeRange range, std::stop_token stop) override {
    SpanColumns all;
    if (range.t0 >= range.t1) return all;
    std::optional<TimeNs> from;
    const auto part = [&](TimeRange piece) {
      RG_ASSIGN(const SpanColumns some, askSpans(track, piece, stop));
      append(all, some, from.value_or(std::numeric_limits<TimeNs>::min()));
      from = piece.t1;  // what began before it is there
      return Status();
    };
    Result<SpanColumns> whole = askSpans(track, range, stop);
    if (whole.ok()) return whole;
    Status status = whole.status();
    if (status.code() == Code::kOutOfRange) {
      RG_ASSIGN(const TimeRange reached, reachOf(track, range, stop));
      status = halved(reached, 0, part);
    }
    RG_TRY(lacking(status, "spans"));
    return all;
  }

  Result<StoredSpans> spansWith(std::int64_t span, TimeRange range) override {
    StoredSpans stored;
    const Status status = ask(
        [&](v1::Question& question, Crossing&) -> Status {
          v1::AskSpansWith& message = *question.mutable_spans_with();
          message.set_span(span);
          message.set_t0(range.t0), message.set_t1(range.t1);
          return {};
        },
        [&](const v1::Answer& answer, Crossing& crossing) -> Status {
          RG_ASSIGN(stored, storedSpansOf(answer.spans(), crossing));
          return {};
        },
        {}, ofRange(range.t1));
    RG_TRY(lacking(status, "spans"));
    return stored;
  }

  Result<SpanPicture> spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop) override {
    SpanPicture picture;
    if (tracks.empty()) return picture;
    RG_TRY(lacking(askPicture(tracks, range, pixel, picture, stop), "spans"));
    return picture;
  }

  Result<std::vector<LogLine>> logs(const EventFilter& filter) override {
    if (linesAreHere()) return inner().logs(filter);
    std::vector<LogHit> hits;
    bool more = false;
    const Status status = askLines([&](Crossing& crossing) { return messageOf(filter, crossing); }, hits, more, {});
    if (status.code() == Code::kUnavailable && m_hub->complete()) return inner().logs(filter);
    RG_TRY(lacking(status, "log lines"));
    std::vector<LogLine> lines;
    for (LogHit& hit : hits) lines.push_back(std::move(hit.line));
    return lines;
  }

  Result<LogPage> searchLogs(const RowQuery& query, std::stop_token stop) override {
    const bool began_there = query.after && query.after->id >= kHubLine;
    const bool began_here = query.after && !began_there;
    if (began_here || (!began_there && linesAreHere())) return inner().searchLogs(query, std::move(stop));
    RowQuery asked = query;
    if (began_there) asked.after->id -= kHubLine;
    LogPage page;
    const Status status = askLines([&](Crossing& crossing) { return messageOf(asked, crossing); }, page.hits, page.more, stop);
    if (status.code() == Code::kUnavailable && m_hub->complete() && !began_there) return inner().searchLogs(query, std::move(stop));
    RG_TRY(lacking(status, "log lines"));
    return page;
  }

  Result<LogContext> logContext(std::int64_t log_id, std::size_t before, std::size_t after, std::stop_token stop) override {
    if (log_id < kHubLine) return inner().logContext(log_id, before, after, std::move(stop));
    LogContext context;
    const Status status = ask(
        [&](v1::Question& question, Crossing&) -> Status {
          v1::AskLogContext& message = *question.mutable_log_context();
          message.set_log(log_id - kHubLine);
          message.set_before(static_cast<std::uint32_t>(std::min<std::size_t>(before, kMostLines)));
          message.set_after(static_cast<std::uint32_t>(std::min<std::size_t>(after, kMostLines)));
          return {};
        },
        [&](const v1::Answer& answer, Crossing& crossing) -> Status {
          RG_ASSIGN(context.lines, hubLines(answer.logs(), crossing));
          context.at = answer.logs().at();
          return context.at < context.lines.size() ? Status() : Status(Code::kDataLoss, "answer: the line itself is missing");
        },
        stop, Of::kNow);
    RG_TRY(lacking(status, "log lines"));
    return context;
  }

  Result<RowDensity> rowDensity(const RowQuery& query, std::size_t parts, std::stop_token stop) override {
    RG_ASSIGN(RowDensity density, inner().rowDensity(query, parts, stop));
    if (linesAreHere()) return density;
    std::vector<SeverityCounts> logs;
    const Status status = ask(
        [&](v1::Question& question, Crossing& crossing) -> Status {
          *question.mutable_density()->mutable_rows() = messageOf(query, crossing);
          question.mutable_density()->set_parts(static_cast<std::uint32_t>(std::min<std::size_t>(parts, kMostParts + 1)));
          return {};
        },
        [&](const v1::Answer& answer, Crossing&) -> Status {
          RG_ASSIGN(logs, densityOf(answer.density()));
          return logs.size() == density.logs.size() ? Status() : Status(Code::kDataLoss, "answer: not as many parts as were asked for");
        },
        stop, ofRange(query.range.t1));
    if (status.code() == Code::kUnavailable && m_hub->complete()) return density;
    RG_TRY(lacking(status, "log lines"));
    density.logs = std::move(logs);
    return density;
  }

  Result<std::vector<Capture>> captures(RunId run, TimeRange range, CaptureTexts texts) override {
    std::vector<Capture> found;
    Status status = askCaptures(run, range, texts, found);
    if (status.code() == Code::kOutOfRange && texts == CaptureTexts::kWith) status = capturesPieceByPiece(run, range, found);
    RG_TRY(lacking(status, "captures"));
    return found;
  }

 private:
  static bool isOverTime(const Series& one) { return one.key.kind != SeriesKind::kScalar; }

  Status ask(const HubQuestions::Fill& fill, const HubQuestions::Take& take, const std::stop_token& stop, Of of,
             DurNs deadline = 60 * kNsPerSecond) {
    return m_hub->ask(
        [&](v1::Question& question, Crossing& crossing) -> Status {
          question.set_unaligned(m_unaligned);
          return fill(question, crossing);
        },
        take, stop, of, deadline);
  }
  Of ofRange(TimeNs end) const {
    const std::optional<TimeNs> complete = m_hub->complete();
    return complete && end <= *complete - kSettled ? Of::kPast : Of::kNow;
  }
  // Says what it is that nobody can give.
  static Status lacking(const Status& status, const std::string& what) {
    if (status.code() != Code::kUnavailable) return status;
    return {Code::kUnavailable, status.message() + "; the copy has no " + what};
  }
  Status lacking(const Status& status, SeriesId series, const std::string& what) {
    if (status.code() != Code::kUnavailable) return status;
    const Result<std::vector<Series>> all = inner().series({});
    if (!all.ok()) return lacking(status, what);
    const auto known = std::ranges::find(*all, series, &Series::id);
    return lacking(status, known == all->end() ? what : what + " of " + known->key.metric);
  }

  void noteKinds(const std::vector<Series>& all) {
    for (const Series& one : all) {
      if (m_kinds.size() <= one.id.value) m_kinds.resize(one.id.value + 1, Kind::kUnknown);
      m_kinds[one.id.value] = isOverTime(one) ? Kind::kRemote : Kind::kHere;
    }
  }
  Kind kindOf(SeriesId id) const { return id.value < m_kinds.size() ? m_kinds[id.value] : Kind::kUnknown; }
  // What nobody knows is the copy's to refuse.
  Result<bool> isRemote(SeriesId id) {
    if (kindOf(id) == Kind::kUnknown) {
      RG_ASSIGN(const std::vector<Series> all, inner().series({}));
      noteKinds(all);
    }
    return kindOf(id) == Kind::kRemote;
  }

  // Asks for all series over time that are known here, so that one question serves whoever comes within the next seconds.
  void refreshExtents() {
    HubQuestions::Known& known = m_hub->known();
    const std::lock_guard refreshing(known.refreshing);
    std::vector<SeriesId> ids;
    for (std::size_t id = 0; id < m_kinds.size(); ++id)
      if (m_kinds[id] == Kind::kRemote) ids.push_back({id});
    const std::uint64_t generation = m_hub->generation();
    const DurNs now = monotonicNow();
    {
      const std::lock_guard lock(known.mutex);
      if (ids.size() <= known.asked && (known.generation == generation || now - known.refreshed < std::max(kExtentsEvery, 20 * known.took)))
        return;
    }
    Result<std::vector<Series>> extents = askExtents(ids, {});
    const std::lock_guard lock(known.mutex);
    known.refreshed = monotonicNow();
    known.took = known.refreshed - now;
    if (!extents.ok()) return;  // those of the last time are what is known
    known.asked = ids.size();
    known.generation = generation;
    for (Series& one : *extents) known.extents.insert_or_assign(one.id, std::move(one));
  }
  Result<std::vector<Series>> askExtents(std::span<const SeriesId> ids, const std::stop_token& stop) {
    std::vector<Series> extents;
    RG_TRY(ask(
        [&](v1::Question& question, Crossing& crossing) -> Status {
          setDeltas(question.mutable_extents()->mutable_series_delta(), ids, crossing);
          return {};
        },
        [&](const v1::Answer& answer, Crossing&) -> Status {
          RG_ASSIGN(extents, extentsOf(answer.extents(), ids));
          return {};
        },
        stop, Of::kNow));
    return extents;
  }
  Result<Series> extentOf(SeriesId series, const std::stop_token& stop) {
    RG_ASSIGN(const std::vector<Series> found, askExtents({&series, 1}, stop));
    return found.empty() ? Series{.id = series} : found.front();
  }

  // One series, and along with it those that are likely to come next.
  template <class Value, class Ask>
  Status askAhead(ReadAhead<Value>& ahead, const typename ReadAhead<Value>::Stretch& stretch, SeriesId series, Value& value,
                  const Ask& ask_for) {
    if (std::optional<Value> came = ahead.take(stretch, series, monotonicNow())) {
      value = std::move(*came);
      return {};
    }
    const auto ids = ahead.plan(stretch, series, m_hub->known().groups, [this](SeriesId id) { return kindOf(id) == Kind::kRemote; });
    std::vector<Value> found;
    Status status = ask_for(std::span(ids), found);
    if (status.code() == Code::kOutOfRange && ids.size() > 1) status = ask_for(std::span(ids).first(1), found);
    RG_TRY(status);
    for (std::size_t i = 1; i < found.size(); ++i) ahead.keep(ids[i], std::move(found[i]), monotonicNow());
    value = std::move(found[0]);
    ahead.noteSize(value.size());
    return {};
  }
  Status askBins(std::span<const SeriesId> ids, const ReadAhead<std::vector<Bin>>::Stretch& stretch, std::vector<std::vector<Bin>>& found,
                 const std::stop_token& stop) {
    std::vector<Bin> all;
    RG_TRY(ask(
        [&](v1::Question& question, Crossing& crossing) -> Status {
          v1::AskBins& message = *question.mutable_bins();
          for (const SeriesId id : ids) message.add_series(static_cast<std::uint32_t>(crossing.out(id)));
          message.set_of_time(stretch.axis == Axis::kTime);
          message.set_x0(stretch.x0), message.set_x1(stretch.x1);
          message.set_bins(static_cast<std::uint32_t>(std::min(stretch.bins, kMostBins + 1)));
          return {};
        },
        [&](const v1::Answer& answer, Crossing&) -> Status {
          RG_ASSIGN(all, binsOf(answer.bins()));
          return all.size() == ids.size() * stretch.bins ? Status() : Status(Code::kDataLoss, "answer: not as many bins as were asked for");
        },
        stop, ofRange(stretch.x1)));
    found.clear();
    for (auto at = all.begin(); at != all.end(); at += static_cast<std::ptrdiff_t>(stretch.bins))
      found.emplace_back(at, at + static_cast<std::ptrdiff_t>(stretch.bins));
    return {};
  }
  Status askSamples(std::span<const SeriesId> ids, TimeRange range, std::vector<SampleColumns>& found, const std::stop_token& stop) {
    return ask(
        [&](v1::Question& question, Crossing& crossing) -> Status {
          v1::AskSamples& message = *question.mutable_samples();
          for (const SeriesId id : ids) message.add_series(static_cast<std::uint32_t>(crossing.out(id)));
          message.set_t0(range.t0), message.set_t1(range.t1);
          return {};
        },
        [&](const v1::Answer& answer, Crossing&) -> Status {
          RG_ASSIGN(found, samplesOf(answer.samples()));
          return found.size() == ids.size() ? Status() : Status(Code::kDataLoss, "answer: of other series than were asked for");
        },
        stop, ofRange(range.t1));
  }

  // `part` of halves of the range, as small as they must be, in order.
  template <class Part>
  Status halved(TimeRange range, int depth, const Part& part) {
    if (range.t0 >= range.t1) return {};
    const TimeNs mid = middle(range);
    if (depth == kMostHalves || mid <= range.t0) return part(range);
    for (const TimeRange half : {TimeRange{range.t0, mid}, TimeRange{mid, range.t1}}) {
      Status status = part(half);
      if (status.code() == Code::kOutOfRange) status = halved(half, depth + 1, part);
      RG_TRY(status);
    }
    return {};
  }

  // In the order of the question; those without samples are left out, as everywhere.
  Result<std::vector<LatestSample>> newest(std::span<const SeriesId> series, std::optional<TimeNs> moment, const std::stop_token& stop) {
    std::vector<SeriesId> here, there;
    for (const SeriesId id : series) {
      RG_ASSIGN(const bool remote, isRemote(id));
      (remote ? there : here).push_back(id);
    }
    std::unordered_map<SeriesId, LatestSample> found;
    if (!here.empty()) {
      Result<std::vector<LatestSample>> local = moment ? inner().latestAt(here, *moment, stop) : inner().latest(here);
      RG_TRY(local.status());
      for (const LatestSample& one : *local) found.emplace(one.series, one);
    }
    if (!there.empty()) RG_TRY(askNewest(there, moment, stop, found));
    std::vector<LatestSample> all;
    for (const SeriesId id : series)
      if (const auto one = found.find(id); one != found.end()) all.push_back(one->second);
    return all;
  }
  Status askNewest(std::span<const SeriesId> ids, std::optional<TimeNs> moment, const std::stop_token& stop,
                   std::unordered_map<SeriesId, LatestSample>& found) {
    std::vector<LatestSample> newest;
    const Status status = ask(
        [&](v1::Question& question, Crossing& crossing) -> Status {
          setDeltas(question.mutable_latest()->mutable_series_delta(), ids, crossing);
          if (moment) question.mutable_latest()->set_moment(*moment);
          return {};
        },
        [&](const v1::Answer& answer, Crossing&) -> Status {
          RG_ASSIGN(newest, latestOf(answer.latest(), ids));
          return {};
        },
        stop, moment ? ofRange(*moment) : Of::kNow);
    HubQuestions::Known& known = m_hub->known();
    const std::lock_guard lock(known.mutex);
    if (status.ok()) {
      for (const LatestSample& one : newest) {
        found.insert_or_assign(one.series, one);
        if (!moment && !m_unaligned) known.newest.insert_or_assign(one.series, one);
      }
      return {};
    }
    if (moment || status.code() != Code::kUnavailable) return lacking(status, "samples of these series");
    // The newest that was heard of is what a copy holds; each says when it was.
    bool any = false;
    for (const SeriesId id : ids)
      if (const auto one = known.newest.find(id); one != known.newest.end()) any = found.insert_or_assign(id, one->second).second || any;
    return any ? Status() : lacking(status, "samples of these series");
  }

  Result<SpanColumns> askSpans(TrackId track, TimeRange range, const std::stop_token& stop) {
    SpanColumns spans;
    RG_TRY(ask(
        [&](v1::Question& question, Crossing& crossing) -> Status {
          v1::AskSpans& message = *question.mutable_spans();
          message.set_track(static_cast<std::uint32_t>(crossing.out(track)));
          message.set_t0(range.t0), message.set_t1(range.t1);
          return {};
        },
        [&](const v1::Answer& answer, Crossing&) -> Status {
          RG_ASSIGN(spans, spansOf(answer.spans()));
          return {};
        },
        stop, ofRange(range.t1)));
    return spans;
  }
  Status askPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, SpanPicture& picture, const std::stop_token& stop) {
    return ask(
        [&](v1::Question& question, Crossing& crossing) -> Status {
          v1::AskPicture& message = *question.mutable_picture();
          setDeltas(message.mutable_track_delta(), tracks, crossing);
          message.set_t0(range.t0), message.set_t1(range.t1);
          message.set_pixel_ns(pixel);
          return {};
        },
        [&](const v1::Answer& answer, Crossing& crossing) -> Status {
          RG_ASSIGN(picture, pictureOf(answer.picture(), crossing));
          return {};
        },
        stop, ofRange(range.t1));
  }
  // Where in the range a track has spans.
  Result<TimeRange> reachOf(TrackId track, TimeRange range, const std::stop_token& stop) {
    constexpr std::uint64_t kBars = 64;
    const std::uint64_t length = static_cast<std::uint64_t>(range.t1) - static_cast<std::uint64_t>(range.t0);
    SpanPicture rough;
    RG_TRY(askPicture({&track, 1}, range, static_cast<DurNs>(std::max<std::uint64_t>(1, length / kBars)), rough, stop));
    TimeRange reached{range.t1, range.t0};
    for (const auto& lane : rough.lanes) {
      for (const SpanBar& bar : lane.bars) {
        reached.t0 = std::min(reached.t0, std::max(range.t0, bar.t0));
        reached.t1 = std::max(reached.t1, std::min(range.t1, bar.t1));
      }
    }
    return reached;
  }

  // All log lines of the hub have come, up to a few seconds ago.
  bool linesAreHere() const {
    const std::optional<DurNs> age = m_hub->age();
    return age && *age < kLogsFresh;
  }
  template <class Message>
  Status askLines(const Message& message, std::vector<LogHit>& hits, bool& more, const std::stop_token& stop) {
    return ask(
        [&](v1::Question& question, Crossing& crossing) -> Status {
          *question.mutable_logs() = message(crossing);
          return {};
        },
        [&](const v1::Answer& answer, Crossing& crossing) -> Status {
          RG_ASSIGN(hits, hubLines(answer.logs(), crossing));
          more = answer.logs().more();
          return {};
        },
        stop, Of::kNow);
  }
  static Result<std::vector<LogHit>> hubLines(const v1::LogTable& table, Crossing& crossing) {
    RG_ASSIGN(std::vector<LogHit> hits, linesOf(table, crossing));
    for (LogHit& hit : hits) hit.key.id |= kHubLine;
    return hits;
  }

  Status askCaptures(RunId run, TimeRange range, CaptureTexts texts, std::vector<Capture>& found) {
    std::vector<Capture> some;
    RG_TRY(ask(
        [&](v1::Question& question, Crossing& crossing) -> Status {
          v1::AskCaptures& message = *question.mutable_captures();
          message.set_run(static_cast<std::uint32_t>(crossing.out(run)));
          message.set_t0(range.t0), message.set_t1(range.t1);
          message.set_texts(texts == CaptureTexts::kWith);
          return {};
        },
        [&](const v1::Answer& answer, Crossing& crossing) -> Status {
          RG_ASSIGN(some, capturesOf(answer.captures(), crossing));
          return {};
        },
        {}, ofRange(range.t1)));
    found.insert(found.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    return {};
  }
  // Their sizes are known without their texts.
  Status capturesPieceByPiece(RunId run, TimeRange range, std::vector<Capture>& found) {
    constexpr std::int64_t kPiece = std::int64_t{4} << 20;
    std::vector<Capture> heads;
    RG_TRY(askCaptures(run, range, CaptureTexts::kWithout, heads));
    std::int64_t bytes = 0;
    TimeRange piece{range.t0, range.t0};
    for (std::size_t i = 0; i < heads.size(); ++i) {
      bytes += heads[i].bytes;
      const bool last = i + 1 == heads.size();
      if (!last && (bytes < kPiece || heads[i + 1].time == heads[i].time)) continue;
      piece.t1 = last ? range.t1 : heads[i].time + 1;
      RG_TRY(askCaptures(run, piece, CaptureTexts::kWith, found));
      piece.t0 = piece.t1;
      bytes = 0;
    }
    return {};
  }

  const std::shared_ptr<HubQuestions> m_hub;
  const bool m_unaligned;
  std::vector<Kind> m_kinds;  // by series
  ReadAhead<SampleColumns> m_samples_ahead;
  ReadAhead<std::vector<Bin>> m_bins_ahead;
};

}  // namespace

std::unique_ptr<Reader> followedReader(std::unique_ptr<Reader> mirror, std::shared_ptr<HubQuestions> hub) {
  return std::make_unique<FollowedReader>(std::move(mirror), std::move(hub), false);
}

}  // namespace runglass
