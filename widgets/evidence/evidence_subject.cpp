// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/evidence/evidence_subject.h"

#include <QCoreApplication>
#include <algorithm>
#include <charconv>
#include <limits>

#include "analysis/layout/layout_reading.h"
#include "analysis/run_summary/run_summary.h"
#include "analysis/text/record_sql.h"
#include "model/time.h"

namespace runglass {
namespace {

constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min(), kHighest = std::numeric_limits<TimeNs>::max();

template <class T>
std::optional<T> numberOf(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// Cuts off and returns the part before the first `mark`, and removes the mark.
std::string_view cut(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  const std::string_view part = text.substr(0, at);
  text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  return part;
}

std::vector<std::int32_t> ranksOf(std::string_view text) {
  std::vector<std::int32_t> out;
  while (!text.empty()) {
    std::string_view part = cut(text, ';');
    const auto first = numberOf<std::int32_t>(cut(part, '-'));
    const auto last = part.empty() ? first : numberOf<std::int32_t>(part);
    if (!first || !last || *first < 0) continue;
    for (std::int64_t rank = *first; rank <= *last && out.size() < kMaxNamed; ++rank) out.push_back(static_cast<std::int32_t>(rank));
  }
  std::ranges::sort(out);
  const auto doubles = std::ranges::unique(out);
  out.erase(doubles.begin(), doubles.end());
  return out;
}

void widen(std::optional<TimeRange>& range, TimeNs from, TimeNs to) {
  if (to <= from) return;
  range = range ? TimeRange{std::min(range->t0, from), std::max(range->t1, to)} : TimeRange{from, to};
}

const Attempt* attemptOf(const std::vector<Attempt>& attempts, const EvidenceQuestion& question, const EvidenceSelect& select) {
  const auto by = [&](auto fits) {
    const auto found = std::ranges::find_if(attempts, fits);
    return found == attempts.end() ? nullptr : &*found;
  };
  if (const Attempt* asked = by([&](const Attempt& one) { return question.attempt && one.id == question.attempt; })) return asked;
  if (const Attempt* named = by([&](const Attempt& one) { return select.attempt && one.number == *select.attempt; })) return named;
  if (question.card.range)
    if (const Attempt* within = by([&](const Attempt& one) {
          return one.start && *one.start < question.card.range->t1 && one.end.value_or(kHighest) > question.card.range->t0;
        }))
      return within;
  return attempts.empty() ? nullptr : &attempts.back();
}

// The kinds that choose among the series of the run: with thousands of ranks listing them alone is slow.
bool needsSeries(std::string_view kind) { return kind == "loss" || kind == "steps" || kind == "series"; }

void findData(EvidenceSubject& subject) {
  for (const Series& series : subject.series)
    if (series.key.attempt == subject.attempt.id && series.first_time && series.last_time)
      widen(subject.data, *series.first_time, plusTime(*series.last_time, 1));
  if (subject.attempt.start) widen(subject.data, *subject.attempt.start, subject.attempt.end.value_or(plusTime(*subject.attempt.start, 1)));
}

}  // namespace

EvidenceSelect selectOf(std::string_view text) {
  EvidenceSelect out;
  while (!text.empty()) {
    std::string_view value = cut(text, ',');
    const std::string_view key = cut(value, '=');
    if (key == "rank") out.rank = numberOf<std::int32_t>(value);
    if (key == "attempt") out.attempt = numberOf<std::int32_t>(value);
    if (key == "gpu") out.gpu = numberOf<std::int32_t>(value);
    if (key == "step") out.step = numberOf<std::int64_t>(value);
    if (key == "ranks") out.ranks = ranksOf(value);
    if (key == "node") out.node = value;
    if (key == "metric") out.metric = value;
  }
  return out;
}

const Rank* EvidenceSubject::rank(std::int32_t number) const {
  const auto found = std::ranges::find(ranks, number, &Rank::rank);
  return found == ranks.end() ? nullptr : &*found;
}

const Rank* EvidenceSubject::chosen() const {
  if (select.rank) return rank(*select.rank);
  if (select.node.empty()) return nullptr;
  const Node* on = node();
  const auto found = std::ranges::find_if(ranks, [&](const Rank& one) {
    return on != nullptr && one.node == on->id && (!select.gpu || (device() != nullptr && one.device == device()->id));
  });
  return found == ranks.end() ? nullptr : &*found;
}

const Node* EvidenceSubject::node() const {
  auto found = nodes.end();
  if (!select.node.empty())
    found = std::ranges::find(nodes, select.node, &Node::name);
  else if (const Rank* of = select.rank ? rank(*select.rank) : nullptr; of != nullptr && of->node)
    found = std::ranges::find(nodes, of->node, &Node::id);
  return found == nodes.end() ? nullptr : &*found;
}

const Device* EvidenceSubject::device() const {
  const Rank* of = select.rank ? rank(*select.rank) : nullptr;
  const Node* on = node();
  const auto found = std::ranges::find_if(devices, [&](const Device& one) {
    if (of != nullptr && of->device) return one.id == of->device;
    return on != nullptr && select.gpu && one.node == on->id && one.index == select.gpu && one.kind != "nic";
  });
  return found == devices.end() ? nullptr : &*found;
}

QString EvidenceSubject::nodeName(NodeId id) const {
  const auto found = std::ranges::find(nodes, id, &Node::id);
  return !id || found == nodes.end() ? QString() : screenText(found->name, 60);
}

QString EvidenceSubject::rankName(std::int32_t number) const {
  const Rank* of = rank(number);
  const QString on = of != nullptr ? nodeName(of->node) : QString();
  return QObject::tr("rank %1").arg(number) + (on.isEmpty() ? QString() : QObject::tr(" on %1").arg(on));
}

std::optional<TimeRange> EvidenceSubject::around() const {
  if (!mark) return data;
  const DurNs room = std::max<DurNs>((mark->t1 - mark->t0) / 4, kNsPerSecond);
  TimeRange out{plusTime(mark->t0, -room), plusTime(mark->t1, room)};
  if (data && data->t0 < mark->t1 && data->t1 > mark->t0)
    out = {std::max(out.t0, std::min(data->t0, mark->t0)), std::min(out.t1, std::max(data->t1, mark->t1))};
  return out;
}

std::string EvidenceSubject::linkSelect(std::optional<std::int32_t> of_rank) const {
  std::string out;
  const auto add = [&](const char* key, const std::string& value) { out += (out.empty() ? "" : ",") + std::string(key) + "=" + value; };
  if (!of_rank) of_rank = select.rank ? select.rank : select.ranks.empty() ? std::nullopt : std::optional(select.ranks.front());
  if (of_rank) add("rank", std::to_string(*of_rank));
  if (const Node* on = node(); on != nullptr && on->name.find_first_of(",= \n") == std::string::npos) add("node", on->name);
  if (select.step) add("step", std::to_string(*select.step));
  if (attempt.id) add("attempt", std::to_string(attempt.number));
  return out;
}

std::string EvidenceSubject::sqlOfAttempt() const { return runIs(run.uuid) + " AND attempt = " + std::to_string(attempt.number); }

Result<EvidenceSubject> readSubject(Reader& reader, const EvidenceQuestion& question, const std::stop_token& stop) {
  EvidenceSubject out;
  out.select = selectOf(question.card.select);
  RG_ASSIGN(out.run, chooseRun(reader, question.run));
  RG_ASSIGN(out.attempts, reader.attempts(out.run.id));
  if (const Attempt* attempt = attemptOf(out.attempts, question, out.select)) {
    out.attempt = *attempt;
    RG_ASSIGN(out.ranks, placedRanks(reader, attempt->id));
  }
  if (stop.stop_requested()) return Status(Code::kCancelled, "read evidence: superseded");
  RG_ASSIGN(out.nodes, reader.nodes());
  RG_ASSIGN(out.devices, reader.devices());
  const bool bounded = out.attempt.start && out.attempt.end;
  if (needsSeries(question.card.kind) || !bounded) {
    SeriesFilter of_run;
    of_run.run = out.run.id;
    RG_ASSIGN(out.series, reader.series(of_run));
  }
  findData(out);
  out.style = out.run.time_domain == TimeDomain::kRelative ? TimeStyle::kRelative : question.style;
  if (!question.card.range || question.card.range->t1 <= question.card.range->t0) return out;
  TimeRange mark = *question.card.range;
  // A range without an end, or without a start, extends to the end of the data on that side.
  const TimeRange known = out.data.value_or(TimeRange{0, 0});
  if (mark.t1 == kHighest) mark.t1 = std::max(known.t1, plusTime(mark.t0, kNsPerSecond));
  if (mark.t0 == kLowest) mark.t0 = std::min(known.t0, plusTime(mark.t1, -kNsPerSecond));
  // A range too long for int64 is ignored.
  if (DurNs length = 0; mark.t1 > mark.t0 && !__builtin_sub_overflow(mark.t1, mark.t0, &length) && length < kHighest / 4) out.mark = mark;
  return out;
}

std::string sqlRange(std::string_view column, TimeRange range) {
  return std::string(column) + " >= " + std::to_string(range.t0) + " AND " + std::string(column) + " < " + std::to_string(range.t1);
}

QString rangeWords(TimeRange range, TimeStyle style) {
  return QObject::tr("%1 – %2 %3").arg(formatTimeOfDay(range.t0, style), formatTimeOfDay(range.t1, style), zoneName(style));
}

QString countWords(std::int64_t count, const char* one, const char* many) {
  return QCoreApplication::translate("Counts", count == 1 ? one : many).arg(formatCount(count));
}

}  // namespace runglass
