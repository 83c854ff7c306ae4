// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Rows are read only once they are known to fit an answer, where the store can count them beforehand.
#include "collectors/hub/replica/answerer.h"

#include <thread>
#include <unordered_set>

namespace runglass {
namespace {

constexpr int kMaxTogether = 1'024;  // series
constexpr std::size_t kMaxCaptureText = std::size_t{7} << 20;
// A replica gets new objects twice a second; an answer that refers to them can wait.
constexpr int kTries = 8;
constexpr auto kPause = std::chrono::milliseconds(200);

Status tooLarge(const char* what) { return {Code::kOutOfRange, std::string(what) + ": more than an answer may hold; ask for less"}; }
Status senseless(const char* what) { return {Code::kInvalidArgument, std::string("question: ") + what}; }

class Answerer {
 public:
  Answerer(Reader& reader, const FeedNames& names, const std::stop_token& stop) : m_reader(reader), m_names(names), m_stop(stop) {}

  Result<v1::Answer> answer(const v1::Question& question) {
    switch (question.body_case()) {
      case v1::Question::kSamples:
        return samples(question.samples());
      case v1::Question::kBins:
        return bins(question.bins());
      case v1::Question::kLatest:
        return latest(question.latest());
      case v1::Question::kExtents:
        return extents(question.extents());
      case v1::Question::kSpans:
        return spans(question.spans());
      case v1::Question::kSpansWith: {
        const v1::AskSpansWith& ask = question.spans_with();
        RG_ASSIGN(const StoredSpans stored, m_reader.spansWith(ask.span(), {ask.t0(), ask.t1()}));
        return named([&](v1::Answer& answer, Crossing& crossing) { *answer.mutable_spans() = messageOf(stored, crossing); });
      }
      case v1::Question::kPicture:
        return picture(question.picture());
      case v1::Question::kSpanExtent:
        return spanExtent(question.span_extent());
      case v1::Question::kLogs:
        return logs(question.logs());
      case v1::Question::kLogContext:
        return logContext(question.log_context());
      case v1::Question::kDensity:
        return density(question.density());
      case v1::Question::kCaptures:
        return captures(question.captures());
      case v1::Question::kUsage: {
        RG_ASSIGN(const StoreUsage usage, m_reader.usage(m_stop));
        v1::Answer answer;
        *answer.mutable_usage() = messageOf(usage);
        return answer;
      }
      case v1::Question::BODY_NOT_SET:
        break;
    }
    return senseless("of a kind that this hub does not know: update the hub");
  }

 private:
  // Every object in an answer must have been sent to the replica before.
  template <class Fill>
  Result<v1::Answer> named(Fill fill) {
    for (int i = 1;; ++i) {
      v1::Answer answer;
      Crossing crossing{m_names};
      fill(answer, crossing);
      if (!crossing.missing || i == kTries) return answer;
      if (m_stop.stop_requested()) return Status(Code::kCancelled, "question: cancelled");
      std::this_thread::sleep_for(kPause);
    }
  }
  template <class Id>
  Result<Id> known(std::uint64_t wire, const char* what) const {
    const Id id = m_names.here(Id{wire});
    if (!id) return Status(Code::kAborted, std::string("question: the replica has no such ") + what);
    return id;
  }
  template <class Id, class Deltas>
  Result<std::vector<Id>> listed(const Deltas& deltas, std::size_t most, const char* what) const {
    if (static_cast<std::size_t>(deltas.size()) > most) return tooLarge(what);
    std::vector<Id> ids;
    std::int64_t last = 0;
    for (const std::int32_t delta : deltas) {
      last += delta;
      if (last <= 0) return senseless("a list of ids that is none");
      RG_ASSIGN(const Id id, known<Id>(static_cast<std::uint64_t>(last), what));
      ids.push_back(id);
    }
    return ids;
  }

  Result<v1::Answer> samples(const v1::AskSamples& ask) {
    std::vector<SeriesId> ids;
    std::int64_t count = 0;
    if (ask.series_size() > kMaxTogether) return tooLarge("series");
    for (const std::uint32_t wire : ask.series()) {
      RG_ASSIGN(const SeriesId id, known<SeriesId>(wire, "series"));
      ids.push_back(id);
      if (ask.t0() >= ask.t1()) continue;
      RG_ASSIGN(const std::vector<Bin> all, m_reader.bins(id, Axis::kX, ask.t0(), ask.t1(), 1, m_stop));
      // An upper bound: blocks at the edges are counted whole.
      count += all.at(0).count + all[0].nan_count;
      if (count > static_cast<std::int64_t>(kMaxPoints)) return tooLarge("samples");
    }
    std::vector<SampleColumns> found;
    std::size_t points = 0;
    for (const SeriesId id : ids) {
      RG_ASSIGN(SampleColumns some, m_reader.samples(id, {ask.t0(), ask.t1()}, m_stop));
      points += some.size();
      if (points > kMaxPoints) return tooLarge("samples");
      found.push_back(std::move(some));
    }
    v1::Answer answer;
    *answer.mutable_samples() = messageOf(found);
    return answer;
  }

  Result<v1::Answer> bins(const v1::AskBins& ask) {
    const std::size_t series = static_cast<std::size_t>(ask.series_size());
    if (ask.bins() > kMaxBins || series > kMaxBins || series * ask.bins() > kMaxBins) return tooLarge("bins");
    std::vector<Bin> all;
    for (const std::uint32_t wire : ask.series()) {
      RG_ASSIGN(const SeriesId id, known<SeriesId>(wire, "series"));
      RG_ASSIGN(const std::vector<Bin> some,
                m_reader.bins(id, ask.of_time() ? Axis::kTime : Axis::kX, ask.x0(), ask.x1(), ask.bins(), m_stop));
      all.insert(all.end(), some.begin(), some.end());
    }
    v1::Answer answer;
    *answer.mutable_bins() = messageOf(all);
    return answer;
  }

  Result<v1::Answer> latest(const v1::AskLatest& ask) {
    RG_ASSIGN(const auto ids, listed<SeriesId>(ask.series_delta(), kMaxAsked, "series"));
    Result<std::vector<LatestSample>> found = ask.has_moment() ? m_reader.latestAt(ids, ask.moment(), m_stop) : m_reader.latest(ids);
    RG_TRY(found.status());
    v1::Answer answer;
    *answer.mutable_latest() = messageOf(*found, ids);
    return answer;
  }

  Result<v1::Answer> extents(const v1::AskExtents& ask) {
    RG_ASSIGN(const auto ids, listed<SeriesId>(ask.series_delta(), kMaxAsked, "series"));
    std::unordered_set<SeriesId> wanted(ids.begin(), ids.end());
    RG_ASSIGN(std::vector<Series> all, m_reader.series({}));
    std::erase_if(all, [&](const Series& one) { return one.sample_count == 0 || !wanted.contains(one.id); });
    v1::Answer answer;
    *answer.mutable_extents() = extentsOf(all, ids);
    return answer;
  }

  Result<v1::Answer> spans(const v1::AskSpans& ask) {
    RG_ASSIGN(const TrackId track, known<TrackId>(ask.track(), "track"));
    const TimeRange range{ask.t0(), ask.t1()};
    if (range.t0 >= range.t1) return senseless("a range that is none");
    // The summaries give the number of samples.
    constexpr std::uint64_t kBars = 64;
    const std::uint64_t length = static_cast<std::uint64_t>(range.t1) - static_cast<std::uint64_t>(range.t0);
    const auto pixel = static_cast<DurNs>(std::max<std::uint64_t>(1, length / kBars));
    RG_ASSIGN(const SpanPicture rough, m_reader.spanPicture({&track, 1}, range, pixel, m_stop));
    std::size_t count = 0;
    for (const auto& lane : rough.lanes)
      for (const SpanBar& bar : lane.bars) count += bar.count;
    if (count > kMaxSpans) return tooLarge("spans");
    RG_ASSIGN(const SpanColumns found, m_reader.spans(track, range, m_stop));
    if (found.size() > kMaxSpans) return tooLarge("spans");
    v1::Answer answer;
    *answer.mutable_spans() = messageOf(found);
    return answer;
  }

  Result<v1::Answer> picture(const v1::AskPicture& ask) {
    RG_ASSIGN(const auto tracks, listed<TrackId>(ask.track_delta(), kMaxLanes, "track"));
    RG_ASSIGN(const SpanPicture picture, m_reader.spanPicture(tracks, {ask.t0(), ask.t1()}, ask.pixel_ns(), m_stop));
    std::size_t bars = 0;
    for (const auto& lane : picture.lanes) bars += lane.bars.size();
    if (bars > kMaxBars || picture.lanes.size() > kMaxLanes) return tooLarge("spans");
    return named([&](v1::Answer& answer, Crossing& crossing) { *answer.mutable_picture() = messageOf(picture, crossing); });
  }

  Result<v1::Answer> spanExtent(const v1::AskSpanExtent& ask) {
    RG_ASSIGN(const RunId run, known<RunId>(ask.run(), "run"));
    RG_ASSIGN(const std::optional<TimeRange> extent, m_reader.spanExtent(run));
    v1::Answer answer;
    v1::SpanExtent& message = *answer.mutable_span_extent();
    message.set_any(extent.has_value());
    if (extent) message.set_t0(extent->t0), message.set_t1(extent->t1);
    return answer;
  }

  Result<v1::Answer> logs(const v1::AskLogs& ask) {
    Crossing asked{m_names};
    LogPage page;
    if (ask.plain()) {
      const EventFilter filter = filterOf(ask, asked);
      if (asked.missing) return untold();
      RG_ASSIGN(std::vector<LogLine> lines, m_reader.logs(filter));
      for (LogLine& line : lines) page.hits.push_back({{}, std::move(line)});
    } else {
      const RowQuery query = queryOf(ask, asked);
      if (asked.missing) return untold();
      RG_ASSIGN(page, m_reader.searchLogs(query, m_stop));
    }
    return reported(page.hits, page.more, 0);
  }

  Result<v1::Answer> logContext(const v1::AskLogContext& ask) {
    if (ask.before() > kMaxLines / 2 || ask.after() >= kMaxLines / 2) return tooLarge("log lines");
    RG_ASSIGN(const LogContext context, m_reader.logContext(ask.log(), ask.before(), ask.after(), m_stop));
    return reported(context.lines, false, context.at);
  }

  Result<v1::Answer> reported(const std::vector<LogHit>& lines, bool more, std::size_t at) {
    if (lines.size() > kMaxLines) return tooLarge("log lines");
    return named([&](v1::Answer& answer, Crossing& crossing) {
      v1::LogTable& table = *answer.mutable_logs();
      table = messageOf(lines, crossing);
      table.set_more(more);
      table.set_at(static_cast<std::uint32_t>(at));
    });
  }

  Result<v1::Answer> density(const v1::AskDensity& ask) {
    if (ask.parts() > kMaxParts) return tooLarge("parts");
    Crossing asked{m_names};
    const RowQuery query = queryOf(ask.rows(), asked);
    if (asked.missing) return untold();
    RG_ASSIGN(const RowDensity density, m_reader.rowDensity(query, ask.parts(), m_stop));
    v1::Answer answer;
    *answer.mutable_density() = densityOf(density.logs);
    return answer;
  }

  Result<v1::Answer> captures(const v1::AskCaptures& ask) {
    RG_ASSIGN(const RunId run, known<RunId>(ask.run(), "run"));
    const TimeRange range{ask.t0(), ask.t1()};
    RG_ASSIGN(std::vector<Capture> found, m_reader.captures(run, range, CaptureTexts::kWithout));
    if (found.size() > kMaxCaptures) return tooLarge("captures");
    if (ask.texts()) {
      std::size_t bytes = 0;
      for (const Capture& one : found) bytes += static_cast<std::size_t>(std::max<std::int64_t>(0, one.bytes));
      if (bytes > kMaxCaptureText) return tooLarge("captures");
      RG_ASSIGN(found, m_reader.captures(run, range, CaptureTexts::kWith));
    }
    return named([&](v1::Answer& answer, Crossing& crossing) { *answer.mutable_captures() = messageOf(found, crossing); });
  }

  static Status untold() { return {Code::kAborted, "question: it names an object that the replica does not have"}; }

  Reader& m_reader;
  const FeedNames& m_names;
  const std::stop_token& m_stop;
};

}  // namespace

Result<std::string> answerQuestion(const v1::Question& question, Reader& reader, const FeedNames& names, const std::stop_token& stop) {
  std::unique_ptr<Reader> unaligned;
  if (question.unaligned()) {
    RG_ASSIGN(unaligned, reader.unaligned());
  }
  RG_ASSIGN(const v1::Answer answer, Answerer(unaligned ? *unaligned : reader, names, stop).answer(question));
  if (answer.ByteSizeLong() > kMaxAnswer) return tooLarge("the answer");
  return answer.SerializeAsString();
}

}  // namespace runglass
