// SPDX-License-Identifier: Apache-2.0
#include "analysis/incident/incident_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/text/evidence_json.h"
#include "analysis/text/record_sql.h"
#include "model/step_metrics.h"

namespace runglass {
namespace {

using Json = nlohmann::json;

constexpr double kNsPerHour = 3600.0 * kNsPerSecond;

struct Slowness {
  const Finding* finding = nullptr;
  TimeNs t0 = 0, t1 = 0;
  double share = 0;  // of the wall time
};

enum class Slows : std::uint8_t { kNot, kUnknown, kBy };

Slows slownessOf(const Finding& finding, const RunPlaces& places, Slowness& out) {
  const FindingPlace place = placeOf(finding, places);
  const bool shift = finding.kind == "throughput_shift";
  if (place.stands || (place.link != ChainLink::kRank && !shift)) return Slows::kNot;
  Json evidence = Json::parse(finding.evidence, nullptr, false);
  if (!evidence.is_object()) evidence = Json::object();
  if (shift && place.explained_by) return Slows::kNot;
  std::optional<double> share = numberIn(evidence, "cost_ratio");
  if (shift) {
    const auto before = numberIn(evidence, "before_ns"), after = numberIn(evidence, "after_ns");
    share = before && after && *after > 0 ? std::optional(1 - *before / *after) : std::nullopt;
  }
  if (share && *share <= 0) return Slows::kNot;
  if (!share || !place.start) return Slows::kUnknown;
  out = {.finding = &finding, .t0 = *place.start, .t1 = *place.until, .share = std::min(*share, 1.0)};
  return Slows::kBy;
}

class Counter {
 public:
  explicit Counter(const CostQuestion& question) : m_q(question) {}

  IncidentImpact count() {
    m_ended = endedAttempts(m_q.findings, m_q.range, m_q.places);
    countDuration();
    countLostSteps();
    countEnds();
    countSlowness();
    sumUp();
    return std::move(m_out);
  }

 private:
  const LedgerRow* row(std::int32_t number) const {
    const auto found = std::ranges::find(m_q.goodput.ledger.rows, number, &LedgerRow::number);
    return found == m_q.goodput.ledger.rows.end() ? nullptr : &*found;
  }
  const LedgerRow* rowAfter(std::int32_t number) const {
    const auto found = std::ranges::find_if(m_q.goodput.ledger.rows, [&](const LedgerRow& one) { return one.number > number; });
    return found == m_q.goodput.ledger.rows.end() ? nullptr : &*found;
  }
  bool stepsAreReported(const LedgerRow& of) const {
    const auto i = static_cast<std::size_t>(&of - m_q.goodput.ledger.rows.data());
    return i < m_q.goodput.step_sources.size() && m_q.goodput.step_sources[i].starts_with(kStepTimeMetric);
  }

  void countDuration() {
    std::optional<TimeRange> range;
    std::string stored;
    for (const Finding* one : m_q.findings) {
      const FindingPlace place = placeOf(*one, m_q.places);
      m_out.goes_on |= place.goes_on;
      if (one->severity <= Severity::kInfo && m_q.findings.size() > 1) continue;
      if (one->id != 0) stored += (stored.empty() ? "" : " OR ") + findingIs(*one, m_q.places.run_uuid);
      if (!place.start) continue;
      if (!range) range = TimeRange{*place.start, *place.until};
      range->t0 = std::min(range->t0, *place.start), range->t1 = std::max(range->t1, *place.until);
    }
    if (m_q.findings.empty()) range = m_q.range;
    if (!range || static_cast<double>(range->t1) - static_cast<double>(range->t0) > 9e18) {
      m_out.duration.reason = "its time is not recorded";
      return;
    }
    if (range->t1 - range->t0 <= 1) {
      m_out.duration.reason = "it is one moment: no end is recorded";
      return;
    }
    m_out.duration.value = range->t1 - range->t0;
    if (!stored.empty()) m_out.duration.sql = "SELECT max(coalesce(end_ns, start_ns)) - min(start_ns) AS ns FROM finding WHERE " + stored;
  }

  void countLostSteps() {
    Reported<std::int64_t>& lost = m_out.lost_steps;
    if (std::ranges::none_of(m_q.goodput.ledger.rows, [](const LedgerRow& one) { return one.first_step.has_value(); })) {
      lost.reason = "no steps are recorded";
      return;
    }
    lost.value = 0;
    std::string list;
    for (const std::int32_t number : m_ended) {
      list += (list.empty() ? "" : ", ") + std::to_string(number);
      if (const LedgerRow* next = rowAfter(number)) *lost.value += next->lost_steps;
      // Only the run's last attempt has none after it. Steps since its last checkpoint may be lost when it restarts.
      else if (const LedgerRow* ended = row(number); ended != nullptr && ended->last_step)
        lost.at_least = true, lost.reason = "the last attempt has not been restarted";
    }
    // "At least 0" has no information.
    if (lost.at_least && *lost.value == 0) lost.value.reset(), lost.at_least = false;
    lost.sql =
        "SELECT coalesce(sum(max(0, a.last_step - coalesce(b.resumed_from_step, b.first_step - 1))), 0) AS steps FROM attempt a JOIN "
        "attempt b ON b.run_id = a.run_id AND b.attempt = a.attempt + 1 WHERE a." +
        runIs(m_q.places.run_uuid) + " AND a.attempt IN (" + list + ")";
  }

  void add(std::string what, const LedgerRow& of, DurNs time, std::string sql, std::int64_t finding = 0) {
    if (time <= 0) return;
    CostItem item{.what = std::move(what), .attempt = of.number, .time = time, .gpu_hours = {}, .finding = finding, .sql = std::move(sql)};
    if (of.layout.world > 0) item.gpu_hours = static_cast<double>(time) / kNsPerHour * of.layout.world;
    m_out.items.push_back(std::move(item));
  }

  static DurNs within(const LedgerRow& of, Spend spend, TimeRange range) {
    DurNs sum = 0;
    for (const Segment& one : of.segments)
      if (one.spend == spend) sum += std::max<DurNs>(0, std::min(one.t1, range.t1) - std::max(one.t0, range.t0));
    return sum;
  }

  // Standstills of the incident, and the cost of the ends that it caused.
  void countEnds() {
    std::string stood;
    std::vector<TimeRange> standing;
    for (const Finding* one : m_q.findings) {
      const FindingPlace place = placeOf(*one, m_q.places);
      if (!place.stands || !place.start) continue;
      standing.push_back({*place.start, *place.until});
      if (one->id != 0) stood += (stood.empty() ? "" : " OR ") + findingIs(*one, m_q.places.run_uuid);
    }
    const auto stoodSql = [&](const LedgerRow& of, bool ended) -> std::string {
      if (stood.empty()) return {};
      const std::string until = "max(coalesce(end_ns, start_ns))", from = " FROM finding WHERE " + stood;
      if (!ended || !stepsAreReported(of)) return "SELECT " + until + " - min(start_ns) AS ns" + from;
      return "SELECT max(0, min(" + until + ", (SELECT max(s.start_ns + s.dur_ns) FROM step s WHERE s." + runIs(m_q.places.run_uuid) +
             " AND s.attempt = " + std::to_string(of.number) + ")) - min(start_ns)) AS ns" + from;
    };
    for (const LedgerRow& of : m_q.goodput.ledger.rows) {
      const bool ended = std::ranges::binary_search(m_ended, of.number);
      // A hang at the end of an attempt is time after its last step, for whichever finding the cost is computed.
      const TimeNs last = (ended ? of.stepped_until : std::nullopt).value_or(std::numeric_limits<TimeNs>::max());
      add(spendWords(Spend::kStalled), of, stoodIn(of, standing, last), stoodSql(of, ended));
      if (!ended) continue;
      add(spendWords(Spend::kAfterLast), of, afterLast(of, last),
          stepsAreReported(of)
              ? "SELECT end_ns - last - coalesce((SELECT sum(min(c.durable_ns, x.end_ns) - max(c.begin_ns, x.last)) FROM checkpoint c "
                "WHERE c.run_id = x.run_id AND c.attempt = x.attempt AND c.durable_ns > x.last AND c.begin_ns < x.end_ns), 0) AS ns FROM "
                "(SELECT a.run_id, a.attempt, a.end_ns, max(s.start_ns + s.dur_ns) AS last FROM attempt a JOIN step s ON s.run_id = "
                "a.run_id AND s.attempt = a.attempt WHERE a." +
                    runIs(m_q.places.run_uuid) + " AND a.attempt = " + std::to_string(of.number) + ") x"
              : "");
      if (const LedgerRow* next = rowAfter(of.number)) countRestart(of, *next);
    }
  }

  static DurNs afterLast(const LedgerRow& of, TimeNs last) {
    DurNs sum = 0;
    if (last == std::numeric_limits<TimeNs>::max()) return sum;
    for (const Segment& one : of.segments)
      if (one.spend == Spend::kAfterLast || one.spend == Spend::kStalled) sum += std::max<DurNs>(0, one.t1 - std::max(one.t0, last));
    return sum;
  }

  // Standstill time before `last`.
  DurNs stoodIn(const LedgerRow& of, const std::vector<TimeRange>& standing, TimeNs last) const {
    DurNs sum = 0;
    const auto overlap = [](const Segment& s, const TimeRange& r) { return std::max(s.t0, r.t0) < std::min(s.t1, r.t1); };
    for (const Segment& one : of.segments) {
      if (one.spend != Spend::kStalled || one.t0 >= last) continue;
      const TimeNs until = std::min(one.t1, last);
      if (std::ranges::any_of(standing, [&](const TimeRange& r) { return overlap(one, r); }))
        sum += until - one.t0;
      else if (m_q.findings.empty() && m_q.range)
        sum += std::max<DurNs>(0, std::min(until, m_q.range->t1) - std::max(one.t0, m_q.range->t0));
    }
    return sum;
  }

  void countRestart(const LedgerRow& ended, const LedgerRow& next) {
    const std::string pair = " FROM attempt a JOIN attempt b ON b.run_id = a.run_id AND b.attempt = " + std::to_string(next.number) +
                             " WHERE a." + runIs(m_q.places.run_uuid) + " AND a.attempt = " + std::to_string(ended.number);
    const std::string of_next = runIs(m_q.places.run_uuid) + " AND attempt = " + std::to_string(next.number);
    const bool reported = stepsAreReported(next);
    for (const Spend spend : {Spend::kGap, Spend::kStartUp, Spend::kInit, Spend::kLoad, Spend::kCatchUp}) {
      std::string sql;
      if (spend == Spend::kGap) sql = "SELECT b.start_ns - a.end_ns AS ns" + pair;
      if (spend == Spend::kStartUp && reported)
        sql =
            "SELECT min(s.start_ns) - a.start_ns AS ns FROM attempt a JOIN step s ON s.run_id = a.run_id AND s.attempt = a.attempt WHERE "
            "a." +
            runIs(m_q.places.run_uuid) + " AND a.attempt = " + std::to_string(next.number);
      if (spend == Spend::kCatchUp && reported && ended.last_step)
        sql = "SELECT sum(dur_ns) AS ns FROM step WHERE " + of_next + " AND rank = (SELECT min(rank) FROM step WHERE " + of_next +
              ") AND step <= " + std::to_string(*ended.last_step);
      add(spendWords(spend), next, next.spent[static_cast<std::size_t>(spend)].value_or(0), std::move(sql));
    }
  }

  // A sweep over starts and ends; in each interval the largest share counts.
  void countSlowness() {
    std::vector<Slowness> all;
    for (const Finding* one : m_q.findings) {
      Slowness slowness;
      const Slows slows = slownessOf(*one, m_q.places, slowness);
      if (slows == Slows::kBy) all.push_back(slowness);
      if (slows == Slows::kUnknown && one->severity > Severity::kInfo) m_unknown.insert(one->kind);
    }
    std::set<TimeNs> edges;
    for (const Slowness& one : all) edges.insert({one.t0, one.t1});
    std::vector<std::vector<double>> lost(all.size(), std::vector<double>(m_q.goodput.ledger.rows.size()));
    if (edges.size() < 2) return;
    for (auto t0 = edges.begin(), t1 = std::next(t0); t1 != edges.end(); ++t0, ++t1) {
      const Slowness* worst = nullptr;
      for (const Slowness& one : all)
        if (one.t0 <= *t0 && one.t1 >= *t1 && (worst == nullptr || one.share > worst->share)) worst = &one;
      if (worst == nullptr) continue;
      for (std::size_t i = 0; i < m_q.goodput.ledger.rows.size(); ++i)
        lost[static_cast<std::size_t>(worst - all.data())][i] +=
            worst->share * static_cast<double>(within(m_q.goodput.ledger.rows[i], Spend::kProductive, {*t0, *t1}));
    }
    for (std::size_t k = 0; k < all.size(); ++k)
      for (std::size_t i = 0; i < m_q.goodput.ledger.rows.size(); ++i)
        add("slower steps", m_q.goodput.ledger.rows[i], std::llround(lost[k][i]), slowSql(all[k], m_q.goodput.ledger.rows[i]),
            all[k].finding->id);
  }

  std::string slowSql(const Slowness& slow, const LedgerRow& of) const {
    if (slow.finding->id == 0 || !stepsAreReported(of)) return {};
    const std::string where = runIs(m_q.places.run_uuid) + " AND attempt = " + std::to_string(of.number);
    const std::string share = slow.finding->kind == "throughput_shift"
                                  ? "1 - json_extract(evidence, '$.before_ns') * 1.0 / json_extract(evidence, '$.after_ns')"
                                  : "json_extract(evidence, '$.cost_ratio')";
    return "SELECT sum(dur_ns) * (SELECT " + share + " FROM finding WHERE " + findingIs(*slow.finding, m_q.places.run_uuid) +
           ") AS ns FROM step WHERE " + where + " AND rank = (SELECT min(rank) FROM step WHERE " + where +
           ") AND start_ns >= " + std::to_string(slow.t0) + " AND start_ns < " + std::to_string(slow.t1);
  }

  void sumUp() {
    std::ranges::stable_sort(m_out.items, {}, &CostItem::attempt);
    std::string missing;
    for (const std::string& kind : m_unknown) missing += (missing.empty() ? "what this cost is not known: " : ", ") + kind;
    Reported<DurNs>& time = m_out.lost_time;
    if (!m_q.goodput.ledger.wall)
      time.reason = m_q.goodput.reason.empty() ? "the run's wall time is not known" : m_q.goodput.reason;
    else if (m_out.items.empty())
      time.reason = missing.empty() ? "no cost is recorded: no slower step, no standstill, no ended attempt" : missing;
    else
      time.value = 0;
    if (time.value)
      for (const CostItem& item : m_out.items) *time.value += item.time;
    time.sql = sumSql("ns", "sum(ns)");
    if (time.value && !missing.empty()) time.at_least = true, time.reason = missing;
    m_out.gpu_hours = {
        .value = {}, .reason = time.reason, .at_least = time.at_least, .sql = sumSql("gpu_hours", "sum(ns * gpus) / 3.6e12")};
    if (time.value) {
      double sum = 0;
      bool all = true;
      for (const CostItem& item : m_out.items) all &= item.gpu_hours.has_value(), sum += item.gpu_hours.value_or(0);
      if (all)
        m_out.gpu_hours.value = sum;
      else
        m_out.gpu_hours.reason = "how many GPUs the run has is not known";
    }
    const Reported<double>& hours = m_out.gpu_hours;
    m_out.money = {.value = {}, .reason = hours.reason, .at_least = hours.at_least, .sql = {}};
    const bool priced = m_q.price && std::isfinite(*m_q.price) && *m_q.price >= 0;
    if (!priced) m_out.money.reason = "no price of a GPU-hour was given";
    if (!priced || !hours.value) return;
    m_out.money.value = *hours.value * *m_q.price;
    m_out.money.sql = sumSql("money", "sum(ns * gpus) / 3.6e12 * " + Json(*m_q.price).dump());
  }

  // The sum over all items, where each of them has SQL.
  std::string sumSql(const std::string& name, const std::string& of) const {
    std::string parts;
    for (const CostItem& item : m_out.items) {
      if (item.sql.empty()) return {};
      parts += (parts.empty() ? "" : " UNION ALL ") +
               ("SELECT (" + item.sql + ") AS ns, (SELECT world_size FROM attempt WHERE " + runIs(m_q.places.run_uuid) +
                " AND attempt = " + std::to_string(item.attempt) + ") AS gpus");
    }
    return parts.empty() ? "" : "SELECT " + of + " AS " + name + " FROM (" + parts + ")";
  }

  const CostQuestion& m_q;
  std::vector<std::int32_t> m_ended;
  std::set<std::string> m_unknown;
  IncidentImpact m_out;
};

// Whether the run was rewound to before the loss went wrong.
bool rewoundBy(const Finding& finding, const FindingPlace& place, const Attempt& attempt, const RunPlaces& places) {
  if (place.link != ChainLink::kLoss || finding.attempt != attempt.id || !attempt.end || !place.until || !finding.first_step) return false;
  const Attempt* next = places.after(attempt);
  if (next == nullptr || !next->resumed_from_step || *next->resumed_from_step >= *finding.first_step) return false;
  const double later = static_cast<double>(*attempt.end) - static_cast<double>(*place.until);
  return later >= 0 && later <= static_cast<double>(kUntilEnd);
}

}  // namespace

IncidentImpact impactOf(const CostQuestion& question) { return Counter(question).count(); }

std::vector<std::int32_t> endedAttempts(std::span<const Finding* const> findings, std::optional<TimeRange> range, const RunPlaces& places) {
  std::set<std::int32_t> ended;
  for (const Finding* one : findings) {
    const FindingPlace place = placeOf(*one, places);
    if (const Attempt* attempt = endedBy(*one, place, places)) ended.insert(attempt->number);
    if (const Attempt* attempt = places.attempt(one->attempt); attempt != nullptr && rewoundBy(*one, place, *attempt, places))
      ended.insert(attempt->number);
  }
  // For an incident at one moment, ends shortly after it count.
  if (range && range->t1 - 1 <= range->t0) range->t1 = std::min(range->t0, std::numeric_limits<TimeNs>::max() - kMargin) + kMargin;
  if (findings.empty() && range)
    for (const auto& [id, attempt] : places.attempts)
      if (attempt.end && !attempt.planned.value_or(false) && *attempt.end >= range->t0 && *attempt.end < range->t1)
        ended.insert(attempt.number);
  return {ended.begin(), ended.end()};
}

}  // namespace runglass
