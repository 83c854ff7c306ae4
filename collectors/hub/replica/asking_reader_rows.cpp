// SPDX-License-Identifier: Apache-2.0
// AskingReader: spans, log lines and captures.
#include <algorithm>

#include "collectors/hub/replica/asking_reader.h"

namespace runglass {
namespace {

constexpr DurNs kLogsFresh = 5 * kNsPerSecond;  // with a smaller lag the replica has the log lines

using Of = HubQuestions::Of;

// Appends the spans of `more` that are not in `spans`; both are sorted by start.
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

}  // namespace

Result<std::optional<TimeRange>> AskingReader::spanExtent(RunId run) {
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

Result<SpanColumns> AskingReader::spans(TrackId track, TimeRange range, std::stop_token stop) {
  SpanColumns all;
  if (range.t0 >= range.t1) return all;
  std::optional<TimeNs> from;
  const auto part = [&](TimeRange piece) {
    RG_ASSIGN(const SpanColumns some, askSpans(track, piece, stop));
    append(all, some, from.value_or(std::numeric_limits<TimeNs>::min()));
    from = piece.t1;  // spans that began before are already there
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

Result<SpanColumns> AskingReader::askSpans(TrackId track, TimeRange range, const std::stop_token& stop) {
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

Result<StoredSpans> AskingReader::spansWith(std::int64_t span, TimeRange range) {
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

Result<SpanPicture> AskingReader::spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop) {
  SpanPicture picture;
  if (tracks.empty()) return picture;
  RG_TRY(lacking(askPicture(tracks, range, pixel, picture, stop), "spans"));
  return picture;
}

Status AskingReader::askPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, SpanPicture& picture,
                                const std::stop_token& stop) {
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

Result<TimeRange> AskingReader::reachOf(TrackId track, TimeRange range, const std::stop_token& stop) {
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

bool AskingReader::linesAreHere() const {
  const std::optional<DurNs> age = m_hub->age();
  return age && *age < kLogsFresh;
}

Result<std::vector<LogHit>> AskingReader::hubLines(const v1::LogTable& table, Crossing& crossing) {
  RG_ASSIGN(std::vector<LogHit> hits, linesOf(table, crossing));
  for (LogHit& hit : hits) hit.key.id |= kHubLine;
  return hits;
}

Result<std::vector<LogLine>> AskingReader::logs(const EventFilter& filter) {
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

Result<LogPage> AskingReader::searchLogs(const RowQuery& query, std::stop_token stop) {
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

Result<LogContext> AskingReader::logContext(std::int64_t log_id, std::size_t before, std::size_t after, std::stop_token stop) {
  if (log_id < kHubLine) return inner().logContext(log_id, before, after, std::move(stop));
  LogContext context;
  const Status status = ask(
      [&](v1::Question& question, Crossing&) -> Status {
        v1::AskLogContext& message = *question.mutable_log_context();
        message.set_log(log_id - kHubLine);
        message.set_before(static_cast<std::uint32_t>(std::min<std::size_t>(before, kMaxLines)));
        message.set_after(static_cast<std::uint32_t>(std::min<std::size_t>(after, kMaxLines)));
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

Result<RowDensity> AskingReader::rowDensity(const RowQuery& query, std::size_t parts, std::stop_token stop) {
  RG_ASSIGN(RowDensity density, inner().rowDensity(query, parts, stop));
  if (linesAreHere()) return density;
  std::vector<SeverityCounts> logs;
  const Status status = ask(
      [&](v1::Question& question, Crossing& crossing) -> Status {
        *question.mutable_density()->mutable_rows() = messageOf(query, crossing);
        question.mutable_density()->set_parts(static_cast<std::uint32_t>(std::min<std::size_t>(parts, kMaxParts + 1)));
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

Result<std::vector<Capture>> AskingReader::captures(RunId run, TimeRange range, CaptureTexts texts) {
  std::vector<Capture> found;
  Status status = askCaptures(run, range, texts, found);
  if (status.code() == Code::kOutOfRange && texts == CaptureTexts::kWith) status = capturesPieceByPiece(run, range, found);
  RG_TRY(lacking(status, "captures"));
  return found;
}

Status AskingReader::askCaptures(RunId run, TimeRange range, CaptureTexts texts, std::vector<Capture>& found) {
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

Status AskingReader::capturesPieceByPiece(RunId run, TimeRange range, std::vector<Capture>& found) {
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

}  // namespace runglass
