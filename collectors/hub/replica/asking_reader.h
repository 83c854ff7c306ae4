// SPDX-License-Identifier: Apache-2.0
// AskingReader: the Reader behind followedReader(). Internal to it.
//
// Threading:  followed_reader.h.
// Ownership:  owns the replica's Reader, shares the questions.
// Units:      ids are the replica's, except those of spans and captures, which it does not store: these are the source hub's. A log line's
//             id from the hub has kHubLine, so that its neighbours and the next page are requested from the hub too.
// Errors:     followed_reader.h.
// Cost:       a byte a series, and prefetched data.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectors/hub/replica/known_series.h"
#include "collectors/hub/replica/read_ahead.h"
#include "collectors/wire/answer_message.h"
#include "storage/travel/forwarding_reader.h"

namespace runglass {

inline constexpr std::int64_t kHubLine = std::int64_t{1} << 62;

class AskingReader final : public ForwardingReader {
 public:
  AskingReader(std::unique_ptr<Reader> mirror, std::shared_ptr<HubQuestions> hub, bool unaligned)
      : ForwardingReader(std::move(mirror)), m_hub(std::move(hub)), m_unaligned(unaligned) {}

  std::uint64_t generation() override { return inner().generation() + m_hub->generation(); }
  Result<std::unique_ptr<Reader>> unaligned() override;
  Result<StoreUsage> usage(std::stop_token stop) override;
  Result<std::vector<Series>> series(const SeriesFilter& filter) override;
  Result<SampleColumns> samples(SeriesId series, TimeRange range, std::stop_token stop) override;
  Result<std::vector<Bin>> bins(SeriesId series, Axis axis, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                std::stop_token stop) override;
  Result<std::vector<LatestSample>> latest(std::span<const SeriesId> series) override { return newest(series, std::nullopt, {}); }
  Result<std::vector<LatestSample>> latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token stop) override;
  Result<std::optional<TimeRange>> spanExtent(RunId run) override;
  Result<SpanColumns> spans(TrackId track, TimeRange range, std::stop_token stop) override;
  Result<StoredSpans> spansWith(std::int64_t span, TimeRange range) override;
  Result<SpanPicture> spanPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, std::stop_token stop) override;
  Result<std::vector<LogLine>> logs(const EventFilter& filter) override;
  Result<LogPage> searchLogs(const RowQuery& query, std::stop_token stop) override;
  Result<LogContext> logContext(std::int64_t log_id, std::size_t before, std::size_t after, std::stop_token stop) override;
  Result<RowDensity> rowDensity(const RowQuery& query, std::size_t parts, std::stop_token stop) override;
  Result<std::vector<Capture>> captures(RunId run, TimeRange range, CaptureTexts texts) override;

 private:
  enum class Kind : std::uint8_t { kUnknown, kHere, kRemote };
  static constexpr int kMaxHalves = 24;
  static bool isOverTime(const Series& one) { return one.key.kind != SeriesKind::kScalar; }
  Status ask(const HubQuestions::Fill& fill, const HubQuestions::Take& take, const std::stop_token& stop, HubQuestions::Of of,
             DurNs deadline = 60 * kNsPerSecond);
  HubQuestions::Of ofRange(TimeNs end) const;
  // Adds to the error the data that is not available.
  static Status lacking(const Status& status, const std::string& what);
  Status lacking(const Status& status, SeriesId series, const std::string& what);
  void noteKinds(const std::vector<Series>& all);
  Kind kindOf(SeriesId id) const { return id.value < m_kinds.size() ? m_kinds[id.value] : Kind::kUnknown; }
  // For an unknown series the replica's Reader returns the error.
  Result<bool> isRemote(SeriesId id);
  // Requests all known series over time at once, so that one question serves all Readers for the next seconds.
  void refreshExtents();
  Result<std::vector<Series>> askExtents(std::span<const SeriesId> ids, const std::stop_token& stop);
  Result<Series> extentOf(SeriesId series, const std::stop_token& stop);
  // One series, together with prefetched ones.
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
                 const std::stop_token& stop);
  Status askSamples(std::span<const SeriesId> ids, TimeRange range, std::vector<SampleColumns>& found, const std::stop_token& stop);
  // Calls `part` on parts of the range, halved as often as necessary, in order.
  template <class Part>
  Status halved(TimeRange range, int depth, const Part& part) {
    if (range.t0 >= range.t1) return {};
    const TimeNs mid = static_cast<TimeNs>(static_cast<std::uint64_t>(range.t0) +
                                           (static_cast<std::uint64_t>(range.t1) - static_cast<std::uint64_t>(range.t0)) / 2);
    if (depth == kMaxHalves || mid <= range.t0) return part(range);
    for (const TimeRange half : {TimeRange{range.t0, mid}, TimeRange{mid, range.t1}}) {
      Status status = part(half);
      if (status.code() == Code::kOutOfRange) status = halved(half, depth + 1, part);
      RG_TRY(status);
    }
    return {};
  }
  // In the order of the request; series without samples are left out, as everywhere.
  Result<std::vector<LatestSample>> newest(std::span<const SeriesId> series, std::optional<TimeNs> moment, const std::stop_token& stop);
  Status askNewest(std::span<const SeriesId> ids, std::optional<TimeNs> moment, const std::stop_token& stop,
                   std::unordered_map<SeriesId, LatestSample>& found);
  Result<SpanColumns> askSpans(TrackId track, TimeRange range, const std::stop_token& stop);
  Status askPicture(std::span<const TrackId> tracks, TimeRange range, DurNs pixel, SpanPicture& picture, const std::stop_token& stop);
  // The part of the range in which a track has spans.
  Result<TimeRange> reachOf(TrackId track, TimeRange range, const std::stop_token& stop);
  // Whether all log lines of the hub are in the replica, up to a few seconds ago.
  bool linesAreHere() const;
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
        stop, HubQuestions::Of::kNow);
  }
  static Result<std::vector<LogHit>> hubLines(const v1::LogTable& table, Crossing& crossing);
  Status askCaptures(RunId run, TimeRange range, CaptureTexts texts, std::vector<Capture>& found);
  // Capture by capture: their sizes are known without their texts.
  Status capturesPieceByPiece(RunId run, TimeRange range, std::vector<Capture>& found);
  const std::shared_ptr<HubQuestions> m_hub;
  const bool m_unaligned;
  std::vector<Kind> m_kinds;  // by series
  ReadAhead<SampleColumns> m_samples_ahead;
  ReadAhead<std::vector<Bin>> m_bins_ahead;
};

// Ids as differences: those of a view are close to each other.
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

}  // namespace runglass
