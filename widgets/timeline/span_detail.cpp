// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/span_detail.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <limits>
#include <map>

#include "model/spans.h"
#include "model/time.h"
#include "widgets/core/language.h"
#include "widgets/core/units.h"
#include "widgets/timeline/timeline_data.h"
#include "widgets/timeline/wait_words.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxSpans = 3'000'000, kMaxPeerRanks = 64;
constexpr DurNs kLaunchReach = kNsPerSecond, kPeerReach = 5 * kNsPerSecond;
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

SpanColumns only(const SpanColumns& all, std::size_t i) {
  SpanColumns one;
  one.id = {all.id[i]}, one.start = {all.start[i]}, one.dur = {all.dur[i]}, one.name = {0}, one.category = {all.category[i]};
  one.names = {all.names[all.name[i]]};
  if (!all.depth.empty()) one.depth = {all.depth[i]};
  const auto take = [i](const std::vector<std::int64_t>& from, std::vector<std::int64_t>& to) {
    if (columnValue(from, i) != kAbsent) to = {from[i]};
  };
  take(all.step, one.step), take(all.microbatch, one.microbatch), take(all.group, one.group), take(all.seq, one.seq);
  take(all.bytes, one.bytes), take(all.correlation, one.correlation), take(all.external_id, one.external_id);
  if (!all.args.empty()) one.args = {all.args[i]};
  return one;
}

SpanPeer peerOf(const QString& kind, TrackId track, std::int32_t rank, const SpanColumns& spans, std::size_t i) {
  return {kind, track, rank, spans.id[i], spans.start[i], spanEndOf(spans, i), shortSpanName(spans.names[spans.name[i]])};
}

const TimelineRank* rankOf(const TimelineCatalog& catalog, std::int32_t rank) {
  const auto found = std::ranges::find_if(catalog.ranks, [rank](const TimelineRank& r) { return r.rank.value_or(-1) == rank; });
  return found == catalog.ranks.end() ? nullptr : &*found;
}

// Launch and kernel share a correlation; the operator shares its external id with both.
Status addLaunch(Reader& reader, const TimelineCatalog& catalog, SpanDetail& detail, const std::stop_token& stop) {
  const std::int64_t correlation = columnValue(detail.span.correlation, 0), external = columnValue(detail.span.external_id, 0);
  const TimelineRank* rank = rankOf(catalog, detail.rank);
  if (rank == nullptr || (correlation == kAbsent && external == kAbsent)) return {};
  const TimeRange reach{plusTime(detail.span.start[0], -kLaunchReach), plusTime(spanEndOf(detail.span, 0), kLaunchReach)};
  const auto rankOfKind = [](SpanCategory c) { return c == SpanCategory::kCpuOp ? 0 : c == SpanCategory::kRuntime ? 1 : 2; };
  const int mine = rankOfKind(detail.span.category[0]);
  for (const Track& track : rank->tracks) {
    RG_ASSIGN(const SpanColumns spans, reader.spans(track.id, reach, stop));
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (spans.id[i] == detail.span.id[0]) continue;
      const int other = rankOfKind(spans.category[i]);
      const bool same_launch = correlation != kAbsent && columnValue(spans.correlation, i) == correlation;
      const bool same_op = external != kAbsent && columnValue(spans.external_id, i) == external && (mine == 0) != (other == 0);
      if (!same_launch && !same_op) continue;
      const QString kind = other < mine   ? (other == 0 ? TimelineText::tr("operator") : TimelineText::tr("launched by"))
                           : mine < other ? TimelineText::tr("launches")
                                          : TimelineText::tr("same launch");
      detail.peers.push_back(peerOf(kind, track.id, detail.rank, spans, i));
    }
  }
  return {};
}

// The same operation of the same communicator on other ranks, and which ranks waited for which.
Status addCollective(Reader& reader, const TimelineCatalog& catalog, SpanDetail& detail, const std::stop_token& stop) {
  const auto calls = callsOf(detail.rank, detail.track, detail.span);
  if (calls.empty()) return {};
  RG_ASSIGN(const auto set, readCollective(reader, catalog, calls[0], detail.waited, stop));
  if (!set) return {};
  const auto mine = std::ranges::find(set->calls, calls[0].id, &CollectiveCall::id) - set->calls.begin();
  const ClockGapOf gap = clockGaps(catalog);
  detail.wait = waitOf(*set, static_cast<std::size_t>(mine), gap);
  detail.waited = waitSentence(*detail.wait);
  // Calls that are not known to belong to one operation are no peers.
  if (set->match != CollectiveSet::Match::kMatched && set->match != CollectiveSet::Match::kDisjoint) return {};
  for (std::size_t i = 0; i < set->calls.size(); ++i) {
    const CollectiveCall& call = set->calls[i];
    if (call.id == calls[0].id) continue;
    SpanPeer& peer = detail.peers.emplace_back(SpanPeer{set->pair ? TimelineText::tr("other end") : TimelineText::tr("same collective"),
                                                        call.track, call.rank, call.id, call.t0, call.t1, shortSpanName(call.name)});
    const WaitPart part = waitOf(*set, i, gap);
    if (part.kind == WaitPart::Kind::kWaited || part.kind == WaitPart::Kind::kLast) peer.waited = part.until - part.t0;
  }
  return {};
}

// The host's calls of the same number on other ranks, with the times of entry.
Status addHostCalls(Reader& reader, const TimelineCatalog& catalog, SpanDetail& detail, const std::stop_token& stop) {
  const std::int64_t group = columnValue(detail.span.group, 0), seq = columnValue(detail.span.seq, 0);
  if (group == kAbsent || seq == kAbsent || detail.span.category[0] == SpanCategory::kComm) return {};
  const TimeRange reach{plusTime(detail.span.start[0], -kPeerReach), plusTime(spanEndOf(detail.span, 0), kPeerReach)};
  std::size_t looked = 0;
  for (const TimelineRank& rank : catalog.ranks) {
    const std::int32_t number = rank.rank.value_or(-1);
    if (number == detail.rank) continue;
    if (++looked > kMaxPeerRanks) break;
    for (const Track& track : rank.tracks) {
      if (stop.stop_requested()) return {Code::kCancelled, "cancelled"};
      RG_ASSIGN(const SpanColumns spans, reader.spans(track.id, reach, stop));
      for (std::size_t i = 0; i < spans.size(); ++i)
        if (columnValue(spans.group, i) == group && columnValue(spans.seq, i) == seq && spans.category[i] == detail.span.category[0] &&
            spans.names[spans.name[i]] == detail.span.names[0])
          detail.peers.push_back(peerOf(TimelineText::tr("same call"), track.id, number, spans, i));
    }
  }
  return {};
}

}  // namespace

TimeNs spanEndOf(const SpanColumns& spans, std::size_t i) {
  TimeNs end = 0;
  if (spans.dur[i] == kAbsent || __builtin_add_overflow(spans.start[i], std::max<DurNs>(spans.dur[i], 1), &end)) return kHighest;
  return end;
}

Result<bool> eachSpan(Reader& reader, const RankTracks& ranks, TimeRange range, const std::stop_token& stop, const TakeSpan& take) {
  std::size_t seen = 0;
  for (const auto& [rank, tracks] : ranks) {
    for (const TrackId track : tracks) {
      if (stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
      if (seen > kMaxSpans) return false;
      RG_ASSIGN(const SpanColumns spans, reader.spans(track, range, stop));
      seen += spans.size();
      for (std::size_t i = 0; i < spans.size(); ++i)
        if (!take(rank, track, spans, i)) return false;
    }
  }
  return true;
}

QString SpanDetail::name() const { return screenText(span.names.empty() ? std::string() : span.names[0], 400); }

std::vector<std::pair<QString, QString>> SpanDetail::lines() const {
  std::vector<std::pair<QString, QString>> out;
  const auto add = [&](const QString& what, const QString& value) { out.emplace_back(what, value); };
  add(TimelineText::tr("category"), termText(spanCategoryName(span.category[0])));
  if (!waited.isEmpty()) add(TimelineText::tr("waiting"), waited);
  add(TimelineText::tr("duration"), span.dur[0] == kAbsent ? TimelineText::tr("still open") : formatDuration(span.dur[0]));
  if (rank >= 0) add(TimelineText::tr("rank"), QString::number(rank));
  const auto number = [&](const QString& what, const std::vector<std::int64_t>& column) {
    if (columnValue(column, 0) != kAbsent) add(what, QString::number(column[0]));
  };
  number(TimelineText::tr("step"), span.step), number(TimelineText::tr("micro-batch"), span.microbatch),
      number(TimelineText::tr("group"), span.group), number(TimelineText::tr("seq"), span.seq);
  if (const std::int64_t bytes = columnValue(span.bytes, 0); bytes != kAbsent) {
    add(TimelineText::tr("bytes"), formatBytes(static_cast<double>(bytes)));
    if (span.dur[0] > 0)
      add(TimelineText::tr("bytes / duration"), formatByteRate(static_cast<double>(bytes) * 1e9 / static_cast<double>(span.dur[0])));
  }
  number(TimelineText::tr("correlation"), span.correlation), number(TimelineText::tr("external id"), span.external_id);
  if (span.args.empty() || span.args[0].empty()) return out;
  const QByteArray raw(span.args[0].data(), static_cast<qsizetype>(span.args[0].size()));
  const QJsonDocument args = QJsonDocument::fromJson(raw);
  if (!args.isObject()) {
    add(TimelineText::tr("arguments"), screenText(span.args[0]));
    return out;
  }
  const QJsonObject object = args.object();
  for (auto it = object.begin(); it != object.end(); ++it) {
    const bool said = std::ranges::any_of(out, [&](const auto& line) { return line.first.compare(it.key(), Qt::CaseInsensitive) == 0; });
    if (said && it.key().compare(QStringLiteral("bytes"), Qt::CaseInsensitive) != 0) continue;
    QString value = it->isString()
                        ? it->toString()
                        : QString::fromUtf8(QJsonDocument(QJsonObject{{QStringLiteral("v"), *it}}).toJson(QJsonDocument::Compact));
    if (!it->isString()) value = value.mid(5, value.size() - 6);
    out.emplace_back(screenText(it.key().toStdString(), 80), screenText(value.toStdString(), 300));
  }
  return out;
}

Result<SpanDetail> readSpanDetail(Reader& reader, const TimelineCatalog& catalog, TrackId track, std::int32_t rank, std::int64_t id,
                                  TimeNs t0, std::stop_token stop) {
  SpanDetail detail{.track = track, .rank = rank, .span = {}, .peers = {}, .waited = {}};
  RG_ASSIGN(const SpanColumns spans, reader.spans(track, {t0, plusTime(t0, 1)}, stop));
  const auto at = std::ranges::find(spans.id, id);
  if (at == spans.id.end()) return Status(Code::kNotFound, "the span is no longer in the store");
  detail.span = only(spans, static_cast<std::size_t>(at - spans.id.begin()));
  RG_TRY(addLaunch(reader, catalog, detail, stop));
  RG_TRY(addCollective(reader, catalog, detail, stop));
  RG_TRY(addHostCalls(reader, catalog, detail, stop));
  for (SpanPeer& peer : detail.peers) peer.apart = peer.t0 - detail.span.start[0];
  return detail;
}

QString AreaSummary::sentence() const {
  if (rows.empty()) return TimelineText::tr("No span in this area.");
  const double room = static_cast<double>(range.t1 - range.t0) * std::max(ranks, 1);
  const auto share = [&](DurNs part) { return formatPercent(static_cast<double>(part) / room); };
  const auto of = [&](SpanClass c) { return busy[static_cast<std::size_t>(c)]; };
  QString text =
      (ranks == 1 ? TimelineText::tr("%1 over %2 rank: compute %3, communication %4")
                  : TimelineText::tr("%1 over %2 ranks: compute %3, communication %4"))
          .arg(formatDuration(range.t1 - range.t0), QString::number(ranks), share(of(SpanClass::kCompute)), share(of(SpanClass::kComm)));
  if (of(SpanClass::kComm) > 0)
    text = waiting ? TimelineText::tr("%1 (%2 exposed, %3 waiting)").arg(text, share(exposed), share(*waiting))
                   : TimelineText::tr("%1 (%2 exposed)").arg(text, share(exposed));
  if (of(SpanClass::kCopy) > 0) text = TimelineText::tr("%1, copies %2").arg(text, share(of(SpanClass::kCopy)));
  if (!whole) return TimelineText::tr("%1. Too many spans to look at all: narrow the area.").arg(text);
  return TimelineText::tr("%1.").arg(text);
}

// Waiting time of each rank inside its collectives.
Status addWaiting(Reader& reader, const TimelineCatalog& catalog, const RankTracks& ranks, AreaSummary& out, const std::stop_token& stop) {
  WaitQuestion question{{}, out.range};
  for (const auto& [rank, tracks] : ranks)
    for (const TrackId track : tracks) question.tracks.emplace_back(rank, track);
  RG_ASSIGN(const WaitParts waits, readWaits(reader, catalog, question, stop));
  for (AreaRank& rank : out.of_rank) {
    const auto known = waits.of_rank.find(rank.rank);
    if (known == waits.of_rank.end()) continue;
    rank.waiting = 0;
    for (const auto& [from, to] : known->second)
      rank.waiting = *rank.waiting + std::max<DurNs>(0, std::min(to, out.range.t1) - std::max(from, out.range.t0));
    out.waiting = out.waiting.value_or(0) + *rank.waiting;
  }
  return {};
}

Result<AreaSummary> readArea(Reader& reader, const TimelineCatalog& catalog, const RankTracks& ranks, TimeRange range,
                             std::stop_token stop) {
  AreaSummary out{.range = range, .rows = {}, .ranks = static_cast<int>(ranks.size())};
  std::map<std::pair<SpanCategory, std::string>, AreaRow> rows;
  std::map<std::int32_t, std::array<Intervals, kSpanClassCount>> busy;
  RG_ASSIGN(out.whole, eachSpan(reader, ranks, range, stop, [&](std::int32_t rank, TrackId, const SpanColumns& spans, std::size_t i) {
              const TimeNs from = std::max(spans.start[i], range.t0), to = std::min(spanEndOf(spans, i), range.t1);
              if (to <= from) return true;
              AreaRow& row = rows[{spans.category[i], spans.names[spans.name[i]]}];
              row.shortest = row.count == 0 ? to - from : std::min(row.shortest, to - from);
              row.longest = std::max(row.longest, to - from);
              row.total += to - from;
              ++row.count;
              busy[rank][static_cast<std::size_t>(spanClass(spans.category[i]))].emplace_back(from, to);
              return true;
            }));
  for (auto& [key, row] : rows) {
    row.category = key.first;
    row.name = screenText(key.second, 300);
    out.rows.push_back(std::move(row));
  }
  // Device work comes before the ranges drawn around it.
  std::ranges::stable_sort(out.rows, {}, [](const AreaRow& row) { return std::pair(spanClass(row.category), -row.total); });
  for (auto& [rank, classes] : busy) {
    AreaRank& of_rank = out.of_rank.emplace_back(AreaRank{.rank = rank});
    for (std::size_t c = 0; c < classes.size(); ++c) {
      unite(classes[c]);
      out.busy[c] += of_rank.busy[c] = lengthOf(classes[c]);
    }
    of_rank.exposed =
        lengthOf(without(classes[static_cast<std::size_t>(SpanClass::kComm)], classes[static_cast<std::size_t>(SpanClass::kCompute)]));
    out.exposed += of_rank.exposed;
  }
  RG_TRY(addWaiting(reader, catalog, ranks, out, stop));
  return out;
}

}  // namespace runglass
