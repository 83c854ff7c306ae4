// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/read_comparison.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <unordered_map>

#include "analysis/estimate/run_facts.h"
#include "analysis/run_summary/roles.h"
#include "analysis/steps/attempt_steps.h"
#include "analysis/steps/step_frame.h"

namespace runglass {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min(), kHighest = std::numeric_limits<std::int64_t>::max();

struct StepWindowOf {
  std::int64_t first = kLowest, end = kHighest;
};

class SideReader {
 public:
  SideReader(Reader& reader, const Attempt& attempt, StepWindowOf window, std::stop_token stop)
      : m_reader(reader), m_attempt(attempt), m_window(window), m_stop(std::move(stop)) {}

  Result<CompareSide> read(bool newest) {
    SeriesFilter filter;
    filter.attempt = m_attempt.id;
    RG_ASSIGN(auto all, m_reader.series(filter));
    std::erase_if(
        all, [&](const Series& s) { return s.key.attempt != m_attempt.id || s.key.kind != SeriesKind::kScalar || s.sample_count == 0; });
    m_first = kHighest;
    std::int64_t last = kLowest;
    const Series* log = nullptr;
    std::vector<Series> global;
    std::vector<const Series*> times;
    m_steps = AttemptSteps::among(all, m_attempt.id, {StepSeries::kTime, StepSeries::kPhase, StepSeries::kPart, StepSeries::kPartWait});
    for (const Series& series : all)
      if (!series.key.rank) global.push_back(series);
    for (const Series& series : m_steps.of(StepSeries::kTime)) times.push_back(&series);
    if (times.empty()) {
      log = pickSeries(global, Role::kStepTime);
      if (log != nullptr) times.push_back(log);
    }
    for (const Series* series : times) m_first = std::min(m_first, series->first_x), last = std::max(last, series->last_x);
    if (!times.empty()) narrow(newest, last);
    if (log != nullptr) {
      RG_ASSIGN(m_excluded, excludedSteps(m_reader, *log, {}, m_window.first, m_window.end, m_stop));
    } else {
      RG_ASSIGN(m_excluded, m_steps.excluded(m_reader, m_window.first, m_window.end, m_stop));
    }
    RG_ASSIGN(const auto ranks, m_reader.ranks(m_attempt.id));
    RG_ASSIGN(const auto nodes, m_reader.nodes());
    std::map<NodeId, std::string> names;
    for (const Node& node : nodes) names[node.id] = node.name;
    for (const Rank& rank : ranks)
      if (const auto named = names.find(rank.node); named != names.end()) m_nodes[rank.rank] = named->second;
    indexParts();
    for (const Series* series : times) RG_TRY(readRank(*series));
    RG_ASSIGN(const RunFacts facts, readRunFacts(m_reader, m_attempt));
    m_side.regime.global_batch = facts.global_batch, m_side.regime.sequence = facts.sequence;
    if (m_attempt.layout.world > 0) m_side.regime.world = m_attempt.layout.world;
    return std::move(m_side);
  }

 private:
  void narrow(bool newest, std::int64_t last) {
    m_window.end = std::min(m_window.end, last < kHighest ? last + 1 : kHighest);
    const std::int64_t low = newest ? m_window.end : m_window.first;
    if (newest)
      m_window.first = std::max(m_window.first, low > kLowest + kCompareSteps ? low - kCompareSteps : kLowest);
    else
      m_window.end = std::min(m_window.end, low < kHighest - kCompareSteps ? low + kCompareSteps : kHighest);
  }

  void indexParts() {
    for (const auto& [kind, index] : {std::pair{StepSeries::kPart, &m_parts}, {StepSeries::kPartWait, &m_waits}})
      for (const Series& series : m_steps.of(kind))
        if (const std::string part = partOf(series.key.labels); !part.empty()) (*index)[*series.key.rank][part] = series.id;
  }

  using Values = std::unordered_map<std::int64_t, double>;
  Result<Values> valuesOf(SeriesId series) {
    if (m_stop.stop_requested()) return Status(Code::kCancelled, "compare: superseded");
    RG_ASSIGN(const ScalarColumns points, m_reader.scalars(series, m_window.first, m_window.end, m_stop));
    Values values;
    values.reserve(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
      if (std::isfinite(points.value[i]) && points.value[i] >= 0) values[points.step[i]] = points.value[i];
    return values;
  }

  Status readRank(const Series& series) {
    RG_ASSIGN(Values steps, valuesOf(series.id));
    RankMeans rank{.rank = series.key.rank.value_or(-1), .node = {}, .parts_ns = {}};
    if (series.key.rank) {
      rank.node = m_nodes[rank.rank];
      RG_ASSIGN(const StepPhases phases,
                StepPhases::read(m_reader, m_steps.of(StepSeries::kPhase, rank.rank), m_window.first, m_window.end, m_stop));
      m_side.left_out += static_cast<std::int64_t>(std::erase_if(steps, [&](const auto& one) { return !phases.isSteady(one.first); }));
    }
    m_side.left_out += static_cast<std::int64_t>(std::erase_if(steps, [&](const auto& one) { return m_excluded.contains(one.first); }));
    m_side.left_out += static_cast<std::int64_t>(steps.erase(m_first));  // it includes compilation, warm-up and opening files
    for (const auto& [step, dur] : steps) {
      ++rank.steps, rank.sum_ns += dur;
      auto& sum = m_side.by_step[step];
      sum.first += dur, ++sum.second;
    }
    if (series.key.rank) RG_TRY(readParts(steps, rank));
    m_side.ranks.push_back(std::move(rank));
    return {};
  }

  Status readParts(const Values& steps, RankMeans& rank) {
    for (const auto& [part, series] : m_parts[rank.rank]) {
      RG_ASSIGN(const Values values, valuesOf(series));
      Values waits;
      if (const auto wait = m_waits[rank.rank].find(part); wait != m_waits[rank.rank].end()) {
        RG_ASSIGN(waits, valuesOf(wait->second));
        rank.waits_reported = true;
      }
      double work = 0, waited = 0;
      for (const auto& [step, value] : values) {
        if (!steps.contains(step)) continue;
        const auto wait = waits.find(step);
        const double own = wait != waits.end() ? std::min(wait->second, value) : 0;
        work += value - own, waited += own;
      }
      rank.parts_ns[part] = work;
      if (!waits.empty()) rank.parts_ns[part + " wait"] = waited;
      rank.waited_ns += waited;
    }
    return {};
  }

  Reader& m_reader;
  const Attempt& m_attempt;
  StepWindowOf m_window;
  std::stop_token m_stop;
  std::int64_t m_first = 0;
  std::map<std::int32_t, std::string> m_nodes;
  AttemptSteps m_steps;
  ExcludedSteps m_excluded;
  std::map<std::int32_t, std::map<std::string, SeriesId>> m_parts, m_waits;
  CompareSide m_side;
};

Result<Attempt> attemptOf(Reader& reader, const Run& run, std::optional<std::int32_t> number) {
  RG_ASSIGN(const auto attempts, reader.attempts(run.id));
  const Attempt* best = nullptr;
  for (const Attempt& attempt : attempts)
    if (number ? attempt.number == *number : best == nullptr || attempt.first_step || !best->first_step) best = &attempt;
  if (best == nullptr)
    return Status(Code::kNotFound, number ? "run \"" + run.name + "\" has no attempt " + std::to_string(*number)
                                          : "run \"" + run.name + "\" has no attempt");
  return *best;
}

// Keeps the lowest and highest point of either curve in each bucket, so that a one-step spike stays visible.
void thin(ScalarPair& pair) {
  constexpr std::size_t kOfStretch = 4;
  if (pair.step.size() <= kCurvePoints) return;
  const std::size_t stretch = pair.step.size() / (kCurvePoints / kOfStretch) + 1;
  std::size_t kept = 0;
  for (std::size_t begin = 0; begin < pair.step.size(); begin += stretch) {
    const auto first = static_cast<std::ptrdiff_t>(begin), last = static_cast<std::ptrdiff_t>(std::min(begin + stretch, pair.step.size()));
    std::array<std::ptrdiff_t, kOfStretch> at{};
    for (std::size_t k = 0; const std::vector<double>* curve : {&pair.a, &pair.b}) {
      const auto [low, high] = std::minmax_element(curve->begin() + first, curve->begin() + last);
      at[k++] = low - curve->begin(), at[k++] = high - curve->begin();
    }
    std::ranges::sort(at);
    for (std::size_t k = 0; k < kOfStretch; ++k) {
      if (k > 0 && at[k] == at[k - 1]) continue;
      const auto from = static_cast<std::size_t>(at[k]);  // never before `kept`: no more points are kept than were passed
      pair.step[kept] = pair.step[from], pair.a[kept] = pair.a[from], pair.b[kept] = pair.b[from];
      ++kept;
    }
  }
  pair.step.resize(kept), pair.a.resize(kept), pair.b.resize(kept);
}

// At equal steps; where b's steps have a different number of tokens, at the last step of b that has seen at most as many tokens.
ScalarPair pairOf(const std::string& tag, const ScalarColumns& a, const ScalarColumns& b, double tokens_ratio) {
  ScalarPair pair{.tag = tag, .by_tokens = tokens_ratio != 1, .step = {}, .a = {}, .b = {}};
  double sum_a = 0, sum_b = 0;
  for (std::size_t i = 0, j = 0; i < a.size(); ++i) {
    const double wanted = static_cast<double>(a.step[i]) * tokens_ratio;
    while (j + 1 < b.size() && static_cast<double>(b.step[j + 1]) <= wanted) ++j;
    if (j >= b.size() || static_cast<double>(b.step[j]) > wanted) continue;
    if (pair.by_tokens ? j + 1 >= b.size() && static_cast<double>(b.step[j]) < wanted - 1 : b.step[j] != a.step[i]) continue;
    if (!std::isfinite(a.value[i]) || !std::isfinite(b.value[j])) continue;
    pair.step.push_back(a.step[i]), pair.a.push_back(a.value[i]), pair.b.push_back(b.value[j]);
    sum_a += a.value[i], sum_b += b.value[j];
    pair.last_step = a.step[i], pair.last_delta = b.value[j] - a.value[i];
  }
  pair.common = static_cast<std::int64_t>(pair.step.size());
  if (pair.common > 0) pair.mean_a = sum_a / static_cast<double>(pair.common), pair.mean_b = sum_b / static_cast<double>(pair.common);
  thin(pair);
  return pair;
}

using Namesakes = std::map<std::pair<std::string, std::string>, std::vector<const Series*>>;  // by metric and source

Namesakes namesakesOf(const std::vector<Series>& all) {
  Namesakes named;
  for (const Series& series : all)
    if (!series.key.rank && series.sample_count > 0) named[{series.key.metric, series.key.source}].push_back(&series);
  return named;
}

// The series with the same labels (a layer, a shard); where each side has only one of its name, that one. Null: none.
const Series* counterpartOf(const Series& series, std::size_t own, const std::vector<const Series*>& others) {
  const auto same = std::ranges::find_if(others, [&](const Series* one) { return one->key.labels == series.key.labels; });
  if (same != others.end()) return *same;
  return own == 1 && others.size() == 1 ? others.front() : nullptr;
}

// A candidate pair; the loss sorts first.
struct PairChoice {
  int order = 0;
  const Series *a = nullptr, *b = nullptr;
  std::string tag;
};

std::vector<PairChoice> choosePairs(const std::vector<Series>& of_a, const std::vector<Series>& of_b) {
  std::vector<PairChoice> choices;
  const Namesakes known_b = namesakesOf(of_b);
  for (const auto& [name, own] : namesakesOf(of_a)) {
    const auto others = known_b.find(name);
    if (others == known_b.end()) continue;
    for (const Series* a : own) {
      const Series* b = counterpartOf(*a, own.size(), others->second);
      if (b == nullptr) continue;
      const SeriesKey& key = a->key;
      const int order = roleFit(key.metric, Role::kLoss, key.labels) ? 0 : roleFit(key.metric, Role::kGradNorm, key.labels) ? 1 : 2;
      choices.push_back({order, a, b,
                         key.metric + (key.source.empty() ? "" : " (" + key.source + ")") +
                             (own.size() > 1 && !key.labels.empty() ? " " + key.labels : "")});
    }
  }
  std::ranges::stable_sort(choices, {}, &PairChoice::order);
  return choices;
}

Status readPairs(Reader& reader, AttemptId a, AttemptId b, double tokens_ratio, const std::stop_token& stop, ComparisonAnswer& out) {
  SeriesFilter filter;
  filter.kind = SeriesKind::kScalar;
  filter.attempt = a;
  RG_ASSIGN(const auto of_a, reader.series(filter));
  filter.attempt = b;
  RG_ASSIGN(const auto of_b, reader.series(filter));
  const std::vector<PairChoice> choices = choosePairs(of_a, of_b);
  for (const PairChoice& one : std::span(choices).first(std::min(choices.size(), kMaxScalars))) {
    RG_ASSIGN(const auto points_a, reader.scalars(one.a->id, kLowest, kHighest, stop));
    RG_ASSIGN(const auto points_b, reader.scalars(one.b->id, kLowest, kHighest, stop));
    ScalarPair pair = pairOf(one.tag, points_a, points_b, tokens_ratio);
    if (pair.common > 0) out.scalars.push_back(std::move(pair));
  }
  out.scalars_left_out = choices.size() - std::min(choices.size(), kMaxScalars);
  return {};
}

words::Message sideName(const CompareSide& side, const words::Arg& name) {
  using words::Arg;
  const bool stepped = !side.by_step.empty();
  return words::Message{"compare_side",
                        {{"name", name},
                         {"first", stepped ? Arg(side.by_step.begin()->first) : Arg()},
                         {"last", stepped ? Arg(side.by_step.rbegin()->first) : Arg()}}};
}

}  // namespace

Result<CompareChoice> chooseSide(Reader& reader, const std::string& text) {
  RG_ASSIGN(const auto runs, reader.runs());
  const auto find = [&](const std::string& wanted) {
    return std::ranges::find_if(runs, [&](const Run& run) { return run.name == wanted || std::to_string(run.id.value) == wanted; });
  };
  if (const auto whole = find(text); whole != runs.end()) return CompareChoice{whole->id, std::nullopt};
  const std::size_t slash = text.rfind('/');
  std::int32_t attempt = 0;
  if (slash != std::string::npos) {
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data() + slash + 1, end, attempt);
    const auto run = find(text.substr(0, slash));
    if (error == std::errc() && stopped == end && run != runs.end()) return CompareChoice{run->id, attempt};
  }
  return Status(Code::kNotFound, "\"" + text + "\": no such run in this store (RUN or RUN/ATTEMPT, RUN an id or a name)");
}

Result<ComparisonAnswer> readComparison(Reader& reader, const CompareQuestion& question, std::stop_token stop) {
  using words::Message;
  ComparisonAnswer out;
  RG_ASSIGN(out.run_a, chooseRun(reader, question.a.run));
  RG_ASSIGN(const Attempt a, attemptOf(reader, out.run_a, question.a.attempt));
  out.attempt_a = out.attempt_b = a.number;
  if (question.at_step) {
    out.run_b = out.run_a;
    RG_ASSIGN(out.a, SideReader(reader, a, {kLowest, *question.at_step}, stop).read(true));
    RG_ASSIGN(out.b, SideReader(reader, a, {*question.at_step, kHighest}, stop).read(false));
    out.a.name = sideName(out.a, Message{"compare_before", {}}), out.b.name = sideName(out.b, Message{"compare_after", {}});
    out.comparison = compareSides(out.a, out.b);
    const Message before = Message{"compare_before_step", {{"step", *question.at_step}}}, after = Message{"compare_after_step", {}};
    out.sentence = comparisonSentence(out.comparison, {before, before}, {after, after});
    return out;
  }
  RG_ASSIGN(out.run_b, chooseRun(reader, question.b.run));
  RG_ASSIGN(const Attempt b, attemptOf(reader, out.run_b, question.b.attempt));
  out.attempt_b = b.number;
  RG_ASSIGN(out.a, SideReader(reader, a, {}, stop).read(true));
  RG_ASSIGN(out.b, SideReader(reader, b, {}, stop).read(true));
  const bool same_run = out.run_a.id == out.run_b.id;
  // A run's name stays as it is at the beginning of a sentence.
  const auto name = [&](const Run& run, std::int32_t attempt) {
    if (!same_run) return SideName{run.name + " / " + std::to_string(attempt), run.name + " / " + std::to_string(attempt)};
    return SideName{Message{"compare_attempt", {{"number", attempt}}}, Message{"compare_attempt_first", {{"number", attempt}}}};
  };
  const SideName name_a = name(out.run_a, a.number), name_b = name(out.run_b, b.number);
  out.a.name = sideName(out.a, name_a.inside), out.b.name = sideName(out.b, name_b.inside);
  out.comparison = compareSides(out.a, out.b);
  out.sentence = comparisonSentence(out.comparison, name_a, name_b);
  RG_ASSIGN(const auto facts_a, reader.facts(a.id));
  RG_ASSIGN(const auto facts_b, reader.facts(b.id));
  out.facts = differentFacts(facts_a, facts_b);
  const auto tokens_a = out.a.regime.tokensPerStep(), tokens_b = out.b.regime.tokensPerStep();
  RG_TRY(readPairs(reader, a.id, b.id, tokens_a && tokens_b ? *tokens_a / *tokens_b : 1, stop, out));
  return out;
}

}  // namespace runglass
