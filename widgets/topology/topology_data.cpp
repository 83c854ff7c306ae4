// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/topology/topology_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <unordered_map>

#include "analysis/layout/layout_reading.h"
#include "analysis/steps/attempt_steps.h"
#include "analysis/views/finding_order.h"
#include "analysis/views/fleet.h"
#include "analysis/what_if/what_if_data.h"
#include "widgets/core/language.h"
#include "widgets/core/run_words.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr DurNs kSampleStale = 30 * kNsPerSecond;   // behind the newest sample of the same metric
constexpr DurNs kAfterAttempt = 10 * kNsPerSecond;  // a sample this long after the attempt's end belongs to a later attempt

constexpr int kFindingsReported = 5;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return (a ^ (b + 0x9E3779B97F4A7C15ULL + (a << 6) + (a >> 2))) * 0xBF58476D1CE4E5B9ULL;
}

class TopologyReading {
 public:
  TopologyReading(Reader& reader, const TopologyQuestion& question, std::stop_token stop)
      : m_reader(reader), m_question(question), m_stop(std::move(stop)) {}

  Result<TopologyData> read() {
    RG_ASSIGN(m_data.run, chooseRun(m_reader, m_question.run));
    RG_ASSIGN(const auto attempts, m_reader.attempts(m_data.run.id));
    if (attempts.empty()) return std::move(m_data);
    const auto wanted = std::ranges::find(attempts, m_question.attempt, &Attempt::id);
    m_data.attempt = wanted != attempts.end() ? *wanted : attempts.back();
    m_newest = m_data.attempt.id == attempts.back().id;
    RG_TRY(readRanks());
    if (m_data.ranks.empty()) return std::move(m_data);
    RG_TRY(readProgress());
    RG_ASSIGN(m_data.groups, m_reader.groups(m_data.attempt.id));
    m_data.lattice = placeRanks(m_data.ranks, m_data.places.sizes);
    chooseNow();
    RG_TRY(readFindings());
    RG_TRY(offerSeries());
    RG_TRY(readValues());
    compareToStages(m_data);
    if (m_newest) RG_TRY(readHangFinding(m_reader, std::max(m_question.now, m_data.now), m_data));
    m_data.hang_mode = m_data.hang_found && !m_question.value;
    if (m_newest && m_data.run.state != RunState::kFinished && !m_data.hang_found) m_data.hang = findHang(m_data);
    makeWords(m_data);
    return std::move(m_data);
  }

 private:
  Status readRanks() {
    RG_ASSIGN(LayoutQuestion layout, readLayoutQuestion(m_reader, m_data.run, m_data.attempt));
    RG_ASSIGN(const auto nodes, m_reader.nodes());
    RG_ASSIGN(const auto devices, m_reader.devices());
    SeriesFilter own;
    own.attempt = m_data.attempt.id;
    RG_ASSIGN(m_series, m_reader.series(own));
    std::erase_if(m_series, [&](const Series& s) { return s.key.attempt != m_data.attempt.id || s.sample_count == 0 || !s.key.rank; });
    std::map<std::int32_t, Rank> known;
    for (const Rank& rank : layout.ranks) known[rank.rank] = rank;
    // A rank that only has values counts as a rank as well.
    for (const Series& series : m_series) known.try_emplace(*series.key.rank, Rank{.attempt = m_data.attempt.id, .rank = *series.key.rank});
    layout.ranks.clear();
    for (const auto& [number, rank] : known) layout.ranks.push_back(rank);
    m_data.places = placeLayout(layout);
    m_data.chosen_order = layout.chosen_order;
    for (const Rank& rank : m_data.places.ranks) known[rank.rank] = rank;
    std::map<NodeId, std::pair<QString, QString>> node_names;  // with racks
    for (const Node& node : nodes) node_names[node.id] = {screenText(node.name, 60), screenText(node.rack, 60)};
    std::map<DeviceId, QString> gpus;
    for (const Device& device : devices) {
      QString text = device.index ? QStringLiteral("GPU %1").arg(*device.index) : QStringLiteral("GPU");
      if (!device.model.empty()) text += QStringLiteral(", ") + screenText(device.model, 60);
      gpus[device.id] = text;
    }
    for (const auto& [number, place] : known) {
      TopologyRank rank{.place = place};
      if (const auto node = node_names.find(place.node); node != node_names.end()) std::tie(rank.node, rank.rack) = node->second;
      if (const auto gpu = gpus.find(place.device); gpu != gpus.end()) rank.gpu = gpu->second;
      m_index[number] = m_data.ranks.size();
      m_data.ranks.push_back(std::move(rank));
    }
    return {};
  }

  Status readProgress() {
    if (!m_newest) return {};  // the Reader stores that of the newest attempt only
    RG_ASSIGN(const auto progress, m_reader.progress(m_data.run.id));
    for (const Progress& one : progress)
      if (const auto at = m_index.find(one.rank); at != m_index.end() && one.attempt == m_data.attempt.id)
        m_data.ranks[at->second].progress = one;
    return {};
  }

  void chooseNow() {
    TimeNs newest = 0;
    const auto heard = [&](std::int32_t rank, TimeNs time) {
      const auto [at, first] = m_heard.try_emplace(rank, time);
      at->second = std::max(at->second, time);
      newest = std::max(newest, time);
    };
    for (const Series& series : m_series)
      if (series.last_time) heard(*series.key.rank, *series.last_time);
    for (const TopologyRank& rank : m_data.ranks)
      if (rank.progress) heard(rank.place.rank, rank.progress->time);
    const bool live = m_data.run.state == RunState::kRunning && m_question.now - newest < kLiveWithin;
    m_data.live = live;
    m_data.now = live ? std::max(newest, m_question.now) : newest;
  }

  // Findings of the attempt, or of the whole run, that name a rank or its node.
  Status readFindings() {
    RG_ASSIGN(auto findings, m_reader.findings(m_data.run.id));
    std::erase_if(findings, [&](const Finding& f) { return f.attempt && f.attempt != m_data.attempt.id; });
    sortByUrgency(findings);
    for (TopologyRank& rank : m_data.ranks)
      for (const Finding& finding : findings) {
        const bool names = finding.rank ? *finding.rank == rank.place.rank : finding.node && finding.node == rank.place.node;
        if (!names) continue;
        auto& worst = m_severity[rank.place.rank];
        worst = std::max(worst, static_cast<int>(finding.severity));
        if (rank.findings.size() < kFindingsReported) rank.findings << findingText(finding, 200);
      }
    return {};
  }

  // The series that a rank or its GPU has.
  Status offerSeries() {
    std::set<std::string> names;
    for (const Series& series : m_series) names.insert(series.key.metric);
    // GPUs of a job report the same metrics: the first and the last rank's represent all.
    for (const TopologyRank* rank : {&m_data.ranks.front(), &m_data.ranks.back()}) {
      if (!rank->place.device) continue;
      SeriesFilter of_device;
      of_device.device = rank->place.device;
      RG_ASSIGN(const auto series, m_reader.series(of_device));
      for (const Series& one : series)
        if (one.sample_count > 0) names.insert(one.key.metric);
    }
    for (const std::string& name : names)
      if (m_data.offered.size() < kMaxNamedMetrics) m_data.offered.push_back(name);
    return {};
  }

  NamedMetric namedMetric(const std::string& name) const {
    NamedMetric named{.metric = name, .title = TopologyText::tr("%1, latest").arg(QString::fromStdString(name)).toStdString(), .unit = {}};
    const auto own = std::ranges::find_if(m_series, [&](const Series& s) { return s.key.metric == name; });
    if (own != m_series.end()) named.unit = own->key.unit;
    return named;
  }

  Status readValues() {
    // In a synchronous job every rank's step takes as long as the slowest one's: work distinguishes ranks, if waits are known.
    constexpr std::array kOrder = {TopologyValue::kWork,  TopologyValue::kStepTime, TopologyValue::kProgress,
                                   TopologyValue::kPower, TopologyValue::kClock,    TopologyValue::kTemperature};
    if (m_question.value == TopologyValue::kNamed) {
      const auto named = std::make_shared<const NamedMetric>(namedMetric(m_question.named));
      m_data.named = named;
      m_data.metric = metricOf(*named);
      return readDevices(m_data.metric);
    }
    if (m_question.value) {
      m_data.metric = *std::ranges::find(kTopologyMetrics, *m_question.value, &TopologyMetric::value);
      return readValue(m_data.metric);
    }
    for (const TopologyValue value : kOrder) {
      m_data.metric = *std::ranges::find(kTopologyMetrics, value, &TopologyMetric::value);
      RG_TRY(readValue(m_data.metric));
      const bool any = std::ranges::any_of(m_data.ranks, [](const TopologyRank& rank) { return rank.value.has_value(); });
      if (any) return {};
    }
    if (!m_question.value) m_data.metric = kTopologyMetrics[0];
    return {};
  }

  Status readValue(const TopologyMetric& metric) {
    switch (metric.value) {
      case TopologyValue::kStepTime:
      case TopologyValue::kWork:
      case TopologyValue::kWait:
        return readSteps(metric);
      case TopologyValue::kHeard:
        for (TopologyRank& rank : m_data.ranks)
          if (const auto heard = m_heard.find(rank.place.rank); heard != m_heard.end())
            rank.value = static_cast<double>(std::max<DurNs>(0, m_data.now - heard->second));
        return {};
      case TopologyValue::kFindings:
        for (TopologyRank& rank : m_data.ranks) rank.value = static_cast<double>(m_severity[rank.place.rank]);
        return {};
      case TopologyValue::kWhatIf:
        return readSlowdowns();
      case TopologyValue::kProgress:
        for (TopologyRank& rank : m_data.ranks)
          if (rank.progress && rank.progress->step) rank.value = static_cast<double>(*rank.progress->step);
        return {};
      default:
        return readDevices(metric);
    }
  }

  // S_w of a worker: all ranks of a stage and replica share it, because these spans do not distinguish TP and CP. Read again when the
  // attempt has grown.
  Status readSlowdowns() {
    for (const Series& series : m_series) m_data.grown += static_cast<std::uint64_t>(series.sample_count);
    const auto& previous = m_question.previous;
    if (previous && previous->attempt.id == m_data.attempt.id && previous->metric.value == TopologyValue::kWhatIf &&
        previous->grown == m_data.grown && previous->ranks.size() == m_data.ranks.size()) {
      for (std::size_t i = 0; i < m_data.ranks.size(); ++i) m_data.ranks[i].value = previous->ranks[i].value;
      m_data.trouble = previous->trouble;
      return {};
    }
    RG_ASSIGN(const WhatIfData found, readWhatIf(m_reader, m_data.attempt, m_stop));
    m_data.trouble = phraseText(found.what_if.reason, 200);
    if (!found.graph || found.what_if.status != WhatIfStatus::kOk) return {};
    std::map<std::pair<std::int32_t, std::int32_t>, double> of;  // by dp, pp
    const auto& workers = found.graph->workers;
    for (std::size_t i = 0; i < std::min(workers.size(), found.what_if.by_worker.size()); ++i)
      of[{workers[i].dp, workers[i].pp}] = found.what_if.by_worker[i];
    // A dimension without coordinates in any rank has size 1; a single rank without its coordinate has no place.
    const bool has_dp = std::ranges::any_of(m_data.ranks, [](const TopologyRank& r) { return r.place.dp.has_value(); });
    const bool has_pp = std::ranges::any_of(m_data.ranks, [](const TopologyRank& r) { return r.place.pp.has_value(); });
    for (TopologyRank& rank : m_data.ranks) {
      if ((has_dp && !rank.place.dp) || (has_pp && !rank.place.pp)) continue;
      if (const auto s = of.find({rank.place.dp.value_or(0), rank.place.pp.value_or(0)}); s != of.end()) rank.value = s->second;
    }
    return {};
  }

  // Of the kind of work that ranks are judged by, the values and deviations are the verdict's.
  Status readSteps(const TopologyMetric& metric) {
    if (metric.value != TopologyValue::kWait) {
      RG_TRY(readVerdict());
      const bool of_metric = (m_verdict->basis == SlownessBasis::kWork) == (metric.value == TopologyValue::kWork);
      if (of_metric) takeVerdict();
      if (of_metric || metric.value == TopologyValue::kWork) return {};
    }
    return readSums(metric);
  }

  Status readVerdict() {
    if (m_verdict) return {};
    std::vector<Rank> places;
    for (const TopologyRank& rank : m_data.ranks) places.push_back(rank.place);
    RG_ASSIGN(SlowVerdict verdict, readSlowVerdict(m_question.memory.get(), m_reader, m_data.run.id, m_data.attempt.id, places, m_stop));
    m_verdict = std::make_shared<const SlowVerdict>(std::move(verdict));
    return {};
  }

  void takeVerdict() {
    if (m_verdict->steps.empty()) return;
    m_data.verdict = m_verdict;
    m_data.first_step = m_data.verdict->steps.front(), m_data.last_step = m_data.verdict->steps.back();
    for (TopologyRank& rank : m_data.ranks)
      if (const auto pace = m_data.verdict->ranks.find(rank.place.rank); pace != m_data.verdict->ranks.end())
        rank.value = pace->second.own_ns;
  }

  // All ranks over the same steps, the newest of the attempt: a rank that stopped reporting has no value among them.
  Status readSums(const TopologyMetric& metric) {
    std::map<std::int32_t, std::vector<const Series*>> sources;
    std::optional<std::int64_t> last;
    const AttemptSteps steps =
        AttemptSteps::among(m_series, m_data.attempt.id, {StepSeries::kTime, StepSeries::kPartWait, StepSeries::kPhase});
    for (const Series& series : steps.of(metric.value == TopologyValue::kWait ? StepSeries::kPartWait : StepSeries::kTime)) {
      sources[*series.key.rank].push_back(&series);
      last = std::max(last.value_or(series.last_x), series.last_x);
    }
    if (!last) return {};
    m_data.last_step = last, m_data.first_step = std::max<std::int64_t>(0, *last - kTopologySteps + 1);
    RG_ASSIGN(const ExcludedSteps excluded, steps.excluded(m_reader, *last - kTopologySteps + 1, *last + 1, m_stop));
    for (const auto& [number, summed] : sources) {
      TopologyRank& rank = m_data.ranks[m_index[number]];
      rank.fingerprint = mixed(static_cast<std::uint64_t>(*last), static_cast<std::uint64_t>(metric.value));
      for (const Series* s : summed)
        rank.fingerprint = mixed(rank.fingerprint, s->id.value * 31 + static_cast<std::uint64_t>(s->sample_count));
      if (takeOver(rank)) continue;
      std::map<std::int64_t, double> sums;
      RG_TRY(sumUp(summed, *last, sums));
      std::vector<double> values;
      for (const auto& [step, value] : sums)
        if (!excluded.contains(step)) values.push_back(value);
      rank.value = median(std::move(values));
    }
    return {};
  }

  // A series that has not grown has not changed.
  bool takeOver(TopologyRank& rank) const {
    const auto& previous = m_question.previous;
    if (!previous || previous->attempt.id != m_data.attempt.id || previous->metric.value != m_data.metric.value) return false;
    const auto same = std::ranges::lower_bound(previous->ranks, rank.place.rank, {}, [](const TopologyRank& r) { return r.place.rank; });
    if (same == previous->ranks.end() || same->place.rank != rank.place.rank || same->fingerprint != rank.fingerprint) return false;
    rank.value = same->value;
    return true;
  }

  Status sumUp(const std::vector<const Series*>& series, std::int64_t last, std::map<std::int64_t, double>& steps) {
    for (const Series* one : series) {
      if (m_stop.stop_requested()) return {Code::kCancelled, "cancelled"};
      RG_ASSIGN(const auto points, m_reader.scalars(one->id, last - kTopologySteps + 1, last + 1, m_stop));
      for (std::size_t i = 0; i < points.size(); ++i)
        if (std::isfinite(points.value[i])) steps[points.step[i]] += points.value[i];
    }
    return {};
  }

  Status readDevices(const TopologyMetric& metric) {
    TimeNs until = std::numeric_limits<TimeNs>::max();
    if (!m_newest) {
      if (!m_data.attempt.end && metric.value != TopologyValue::kNamed) return {};
      if (!m_data.attempt.end)
        until = m_data.now;
      else
        until = *m_data.attempt.end + kAfterAttempt;
    }
    SeriesFilter filter;
    filter.metric = metric.metric;
    RG_ASSIGN(const auto series, m_reader.series(filter));
    std::map<DeviceId, SeriesId> of_device;
    for (const Series& one : series)
      if (one.key.device && one.key.metric == metric.metric && one.sample_count > 0) of_device.try_emplace(one.key.device, one.id);
    std::map<std::int32_t, SeriesId> of;  // the rank's own, else its GPU's
    for (const Series& one : m_series)
      if (one.key.metric == metric.metric) of.try_emplace(*one.key.rank, one.id);
    std::vector<SeriesId> ids;
    for (const TopologyRank& rank : m_data.ranks) {
      if (const auto at = of_device.find(rank.place.device); rank.place.device && at != of_device.end())
        of.try_emplace(rank.place.rank, at->second);
      if (const auto at = of.find(rank.place.rank); at != of.end()) ids.push_back(at->second);
    }
    if (ids.empty()) return {};
    RG_ASSIGN(const auto latest, m_reader.latest(ids));
    std::unordered_map<std::uint64_t, LatestSample> found;
    TimeNs newest = 0;
    for (const LatestSample& sample : latest) found[sample.series.value] = sample, newest = std::max(newest, sample.x);
    const bool by_step =
        std::ranges::any_of(m_series, [&](const Series& s) { return s.key.metric == metric.metric && s.key.kind == SeriesKind::kScalar; });
    for (TopologyRank& rank : m_data.ranks) {
      const auto at = of.find(rank.place.rank);
      if (at == of.end()) continue;
      const auto sample = found.find(at->second.value);
      // An old value is not current, and a value of a later attempt is not this one's.
      if (sample == found.end()) continue;
      if (!by_step && (newest - sample->second.x > kSampleStale || sample->second.x > until)) continue;
      if (std::isfinite(sample->second.value)) rank.value = sample->second.value;
    }
    return {};
  }

  Reader& m_reader;
  const TopologyQuestion& m_question;
  const std::stop_token m_stop;
  TopologyData m_data;
  std::vector<Series> m_series;  // of the attempt's ranks, with samples
  std::map<std::int32_t, std::size_t> m_index;
  std::map<std::int32_t, TimeNs> m_heard;  // newest data of each rank
  std::shared_ptr<const SlowVerdict> m_verdict;
  std::map<std::int32_t, int> m_severity;  // of its findings
  bool m_newest = false;
};

}  // namespace

TopologyMetric metricOf(const NamedMetric& named) {
  return {TopologyValue::kNamed,
          named.title.c_str(),
          named.metric.c_str(),
          named.unit.c_str(),
          true,
          true,
          0.25,
          QT_TRANSLATE_NOOP("Topology", "Rank %1 is %2 above its stage's median"),
          QT_TRANSLATE_NOOP("Topology", "Rank %1 is %2 above the ranks' median"),
          QT_TRANSLATE_NOOP("Topology", "Stage %1 is %2 above the other stages"),
          QT_TRANSLATE_NOOP("Topology", "neither it nor its GPU has a fresh, finite value of it")};
}

Result<TopologyData> readTopology(Reader& reader, const TopologyQuestion& question, std::stop_token stop) {
  return TopologyReading(reader, question, std::move(stop)).read();
}

}  // namespace runglass
