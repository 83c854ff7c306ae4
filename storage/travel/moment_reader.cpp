// SPDX-License-Identifier: Apache-2.0
// MomentReader: runs, attempts, and their nodes and devices.
// Invariants:
// 1. No data later than m_moment is in an answer; data stamped with m_moment is.
// 2. Once no data in the store is later than the moment, answers are those of the inner Reader.
#include "storage/travel/moment_reader.h"

#include <algorithm>
#include <array>

#include "model/step_metrics.h"
#include "storage/reader_at.h"

namespace runglass {
namespace {

// A kind of event of the hub about a node, and the node's state that follows from it.
struct NodeEvent {
  const char* kind;
  NodeState state;
};
constexpr std::array<NodeEvent, 4> kNodeEvents = {NodeEvent{"node_stale", NodeState::kStale}, NodeEvent{"node_lost", NodeState::kLost},
                                                  NodeEvent{"node_left", NodeState::kLeft}, NodeEvent{"node_back", NodeState::kAlive}};

void earlier(std::optional<TimeNs>& time, const std::optional<TimeNs>& other) {
  if (other) time = std::min(time.value_or(*other), *other);
}
void newer(std::optional<TimeNs>& time, const std::optional<TimeNs>& other) {
  if (other) time = std::max(time.value_or(*other), *other);
}

}  // namespace

std::unique_ptr<Reader> readerAt(Reader& inner, TimeNs moment) { return std::make_unique<MomentReader>(inner, moment); }

void MomentReader::Extent::add(const Series& series) {
  earlier(first, series.first_time);
  newer(last, series.last_time);
}

std::uint64_t MomentReader::generation() {
  const TimeNs now = monotonicNow();
  if (!m_generation || m_moment >= wallNow() || now - m_looked >= kLateLook) {
    m_generation = inner().generation();
    m_looked = now;
  }
  return *m_generation;
}

MomentReader::Life MomentReader::lifeOf(const std::unordered_map<std::uint64_t, Life>& lives, std::uint64_t id) {
  const auto known = lives.find(id);
  return known == lives.end() ? Life{} : known->second;
}

Result<std::shared_ptr<const MomentReader::Lives>> MomentReader::lives() {
  const std::uint64_t now = generation();
  if (m_lives && m_lives_generation == now) return m_lives;
  auto made = std::make_shared<Lives>();
  Lives& lives = *made;
  SeriesFilter filter;
  filter.kind = SeriesKind::kScalar;
  RG_ASSIGN(auto scalars, inner().series(filter));
  std::unordered_map<std::uint64_t, Extent> of_attempt;
  for (Series& one : scalars) {
    of_attempt[one.key.attempt.value].add(one);
    lives.scalars.emplace(one.id.value, std::move(one));
  }
  RG_ASSIGN(const auto runs, inner().runs());
  for (const Run& run : runs) RG_TRY(judgeRun(run, of_attempt, lives));
  m_lives = std::move(made);
  m_lives_generation = now;
  return m_lives;
}

Status MomentReader::judgeRun(const Run& run, const std::unordered_map<std::uint64_t, Extent>& of_attempt, Lives& lives) {
  RG_ASSIGN(auto attempts, inner().attempts(run.id));
  std::unordered_map<std::uint64_t, Extent> extents;
  for (const Attempt& attempt : attempts)
    if (const auto known = of_attempt.find(attempt.id.value); known != of_attempt.end()) extents.insert(*known);
  Extent of_run{.first = run.start, .last = run.end};
  if (!run.start || !run.end) {
    SeriesFilter filter;
    filter.run = run.id;
    RG_ASSIGN(const auto all, inner().series(filter));
    for (const Series& one : all) extents[one.key.attempt.value].add(one);
    RG_ASSIGN(const auto spans, inner().spanExtent(run.id));
    if (spans && !run.start) earlier(of_run.first, spans->t0);
    if (spans) newer(of_run.last, spans->t1 - 1);
  }
  Life life{.clocked = run.time_domain.value_or(TimeDomain::kUtc) != TimeDomain::kNone};
  for (Attempt& attempt : attempts) {
    Extent& extent = extents[attempt.id.value];
    if (attempt.start) extent.first = attempt.start;
    newer(extent.last, attempt.end);
    if (!run.start) earlier(of_run.first, extent.first);
    newer(of_run.last, extent.last);
  }
  life.begun = !life.clocked || !later(of_run.first);
  life.over = !later(of_run.last);
  life.first = of_run.first;
  life.last = of_run.last;
  lives.of_run.emplace(run.id.value, life);
  std::vector<Attempt>& there = lives.attempts[run.id.value];
  for (Attempt& attempt : attempts) {
    const Extent& extent = extents[attempt.id.value];
    Life own{.clocked = life.clocked, .begun = life.begun, .over = !later(extent.last)};
    // The first attempt begins with its run; for another attempt without data, the begin is unknown until the run has ended.
    own.begun = !life.clocked || (life.begun && (extent.first ? !later(extent.first) : attempt.number == 0 || life.over));
    own.over = own.over && own.begun && (extent.last || life.over);
    lives.of_attempt.emplace(attempt.id.value, own);
    if (!own.begun) continue;
    if (life.clocked && later(attempt.end)) attempt.end.reset(), attempt.planned.reset(), attempt.end_cause.clear();
    there.push_back(std::move(attempt));
  }
  if (!life.begun) return {};
  Run& then = lives.runs.emplace_back(run);
  if (life.whole()) return {};
  then.end.reset();
  if (then.state != RunState::kUnknown) then.state = RunState::kRunning;
  return {};
}

Result<bool> MomentReader::attemptBegun(AttemptId attempt) {
  RG_ASSIGN(const auto lives, this->lives());
  return lifeOf(lives->of_attempt, attempt.value).begun;
}

Result<StoreInfo> MomentReader::info() {
  RG_ASSIGN(StoreInfo info, inner().info());
  if (later(info.first)) info.first.reset(), info.last.reset();
  if (later(info.last)) info.last = m_moment;
  return info;
}

Result<std::unique_ptr<Reader>> MomentReader::unaligned() {
  RG_ASSIGN(auto plain, inner().unaligned());
  return std::unique_ptr<Reader>(std::make_unique<MomentReader>(std::move(plain), m_moment));
}

Result<std::vector<Run>> MomentReader::runs() {
  RG_ASSIGN(const auto lives, this->lives());
  return lives->runs;
}

Result<Run> MomentReader::run(RunId run) {
  RG_ASSIGN(const auto lives, this->lives());
  const auto found = std::ranges::find(lives->runs, run, &Run::id);
  if (found == lives->runs.end()) return Status(Code::kNotFound, "run " + std::to_string(run.value) + ": not in this store at that time");
  return *found;
}

Status MomentReader::cutSteps(const Lives& lives, Attempt& attempt) {
  if (lifeOf(lives.of_attempt, attempt.id.value).whole()) return {};
  attempt.first_step.reset(), attempt.last_step.reset();
  SeriesFilter filter;
  filter.attempt = attempt.id;
  filter.kind = SeriesKind::kScalar;
  filter.metric = std::string(kStepTimeMetric);
  RG_ASSIGN(auto scalars, series(filter));
  if (scalars.empty()) {
    filter.metric.reset();
    RG_ASSIGN(scalars, series(filter));
  }
  for (const Series& one : scalars) {
    if (one.sample_count == 0) continue;
    attempt.first_step = std::min(attempt.first_step.value_or(one.first_x), one.first_x);
    attempt.last_step = std::max(attempt.last_step.value_or(one.last_x), one.last_x);
  }
  return {};
}

Result<std::vector<Attempt>> MomentReader::attempts(RunId run) {
  RG_ASSIGN(const auto lives, this->lives());
  const auto known = lives->attempts.find(run.value);
  if (known == lives->attempts.end()) return std::vector<Attempt>();
  std::vector<Attempt> found = known->second;
  for (Attempt& attempt : found) RG_TRY(cutSteps(*lives, attempt));
  return found;
}

Result<Attempt> MomentReader::attempt(AttemptId attempt) {
  RG_ASSIGN(const auto lives, this->lives());
  RG_ASSIGN(const Attempt whole, inner().attempt(attempt));
  if (const auto known = lives->attempts.find(whole.run.value); known != lives->attempts.end())
    if (const auto found = std::ranges::find(known->second, attempt, &Attempt::id); found != known->second.end()) {
      Attempt then = *found;
      RG_TRY(cutSteps(*lives, then));
      return then;
    }
  return Status(Code::kNotFound, "attempt " + std::to_string(attempt.value) + ": not in this store at that time");
}

Result<std::vector<Rank>> MomentReader::ranks(AttemptId attempt) {
  RG_ASSIGN(const bool begun, attemptBegun(attempt));
  return begun ? inner().ranks(attempt) : std::vector<Rank>();
}

Result<std::vector<Fact>> MomentReader::facts(AttemptId attempt) {
  RG_ASSIGN(const bool begun, attemptBegun(attempt));
  return begun ? inner().facts(attempt) : std::vector<Fact>();
}

Result<std::vector<CommGroup>> MomentReader::groups(AttemptId attempt) {
  RG_ASSIGN(const bool begun, attemptBegun(attempt));
  return begun ? inner().groups(attempt) : std::vector<CommGroup>();
}

Result<std::vector<Track>> MomentReader::tracks(AttemptId attempt) {
  RG_ASSIGN(const bool begun, attemptBegun(attempt));
  return begun ? inner().tracks(attempt) : std::vector<Track>();
}

Result<std::vector<Checkpoint>> MomentReader::checkpoints(RunId run) {
  RG_ASSIGN(const auto lives, this->lives());
  RG_ASSIGN(auto found, inner().checkpoints(run));
  std::erase_if(found, [&](const Checkpoint& one) {
    return !there(lifeOf(lives->of_attempt, one.attempt.value), one.begin ? one.begin : one.durable, m_moment);
  });
  for (Checkpoint& one : found)
    if (later(one.durable) && lifeOf(lives->of_attempt, one.attempt.value).clocked) one.durable.reset(), one.bytes.reset();
  return found;
}

Result<std::vector<Progress>> MomentReader::progress(RunId run) {
  RG_ASSIGN(const auto lives, this->lives());
  const auto known = lives->attempts.find(run.value);
  RG_ASSIGN(auto said, inner().progress(run));
  if (!lifeOf(lives->of_run, run.value).clocked) return said;
  if (known == lives->attempts.end() || known->second.empty()) return std::vector<Progress>();
  const AttemptId newest = std::ranges::max_element(known->second, {}, &Attempt::number)->id;
  // A rank that reported after the moment that its operation had begun before it was in that operation: this shows a hang while it lasts.
  for (Progress& one : said)
    if (one.time > m_moment && one.since && *one.since <= m_moment) one.time = *one.since;
  std::erase_if(said, [&](const Progress& one) { return one.attempt != newest || one.time > m_moment; });
  return derivedProgress(newest, std::move(said));
}

Result<std::vector<Progress>> MomentReader::derivedProgress(AttemptId attempt, std::vector<Progress> said) {
  SeriesFilter filter;
  filter.attempt = attempt;
  filter.kind = SeriesKind::kScalar;
  RG_ASSIGN(const auto all, series(filter));
  std::unordered_map<std::int32_t, SeriesId> phases;
  std::unordered_map<std::uint64_t, std::int32_t> ranks;  // by series of step times
  std::unordered_set<std::int32_t> reported;
  for (const Progress& one : said) reported.insert(one.rank);
  std::vector<SeriesId> wanted;
  for (const Series& one : all) {
    if (!one.key.rank || one.sample_count == 0 || reported.contains(*one.key.rank)) continue;
    if (one.key.metric == kStepPhaseMetric) phases.emplace(*one.key.rank, one.id);
    if (one.key.metric == kStepTimeMetric && ranks.emplace(one.id.value, *one.key.rank).second) wanted.push_back(one.id);
  }
  for (const auto& [rank, id] : phases) wanted.push_back(id);
  RG_ASSIGN(const auto newest, latest(wanted));
  std::unordered_map<std::uint64_t, LatestSample> by_series;
  for (const LatestSample& one : newest) by_series.emplace(one.series.value, one);
  for (const auto& [id, rank] : ranks) {
    const auto step = by_series.find(id);
    if (step == by_series.end() || !step->second.time) continue;
    Progress derived;
    derived.attempt = attempt;
    derived.rank = rank;
    derived.time = *step->second.time;
    derived.step = step->second.x;
    const auto phase = phases.contains(rank) ? by_series.find(phases[rank].value) : by_series.end();
    if (phase != by_series.end() && phase->second.x == step->second.x && phase->second.value >= 0 &&
        phase->second.value < static_cast<double>(kStepPhaseNames.size()))
      derived.phase = kStepPhaseNames[static_cast<std::size_t>(phase->second.value)];
    said.push_back(std::move(derived));
  }
  std::ranges::stable_sort(said, {}, &Progress::rank);
  return said;
}

Status MomentReader::nodeWords(std::unordered_map<std::uint64_t, NodeWord>& words, std::unordered_set<std::uint64_t>& later_ones) {
  for (const NodeEvent& event : kNodeEvents) {
    EventFilter filter;
    filter.kind = event.kind;
    filter.limit = static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max());
    RG_ASSIGN(const auto reported, inner().events(filter));
    for (const Event& one : reported) {
      if (!one.time) continue;
      if (*one.time > m_moment) {
        later_ones.insert(one.node.value);
        continue;
      }
      const auto [known, fresh] = words.try_emplace(one.node.value, NodeWord{*one.time, event.state});
      if (!fresh && *one.time > known->second.time) known->second = {*one.time, event.state};
    }
  }
  return {};
}

Result<std::unordered_set<std::uint64_t>> MomentReader::nodesToCome() {
  RG_ASSIGN(const auto lives, this->lives());
  std::unordered_set<std::uint64_t> known, to_come;
  RG_ASSIGN(const auto all, inner().series({}));
  for (const Series& one : all) {
    if (!one.key.node || !one.first_time) continue;
    (later(one.first_time) ? to_come : known).insert(one.key.node.value);
  }
  RG_ASSIGN(const auto nodes, inner().nodes());
  for (const Node& node : nodes) {
    if (node.last_heard) (later(node.last_heard) ? to_come : known).insert(node.id.value);
  }
  for (const auto& [run, attempts] : lives->attempts) {
    for (const Attempt& attempt : attempts) {
      RG_ASSIGN(const auto ranks, inner().ranks(attempt.id));
      for (const Rank& rank : ranks) known.insert(rank.node.value);
    }
  }
  std::unordered_map<std::uint64_t, NodeWord> words;
  std::unordered_set<std::uint64_t> later_words;
  RG_TRY(nodeWords(words, later_words));
  for (const auto& [node, word] : words) known.insert(node);
  std::erase_if(to_come, [&](std::uint64_t node) { return known.contains(node); });
  return to_come;
}

// The time of each node's newest sample.
Status MomentReader::newestWords(std::unordered_map<std::uint64_t, std::optional<TimeNs>>& heard) {
  RG_ASSIGN(const auto all, inner().series({}));
  std::vector<SeriesId> cut;
  std::unordered_map<std::uint64_t, std::uint64_t> nodes;  // by series
  for (const Series& one : all) {
    if (!one.key.node || !one.last_time || later(one.first_time)) continue;
    if (!later(one.last_time)) {
      newer(heard[one.key.node.value], one.last_time);
      continue;
    }
    cut.push_back(one.id);
    nodes.emplace(one.id.value, one.key.node.value);
  }
  RG_ASSIGN(const auto newest, inner().latestAt(cut, m_moment));
  for (const LatestSample& one : newest) newer(heard[nodes[one.series.value]], one.time);
  return {};
}

Result<std::vector<Node>> MomentReader::nodes() {
  RG_ASSIGN(auto found, inner().nodes());
  RG_ASSIGN(const auto to_come, nodesToCome());
  std::erase_if(found, [&](const Node& node) { return to_come.contains(node.id.value); });
  std::unordered_map<std::uint64_t, NodeWord> words;
  std::unordered_set<std::uint64_t> later_words;
  RG_TRY(nodeWords(words, later_words));
  std::unordered_map<std::uint64_t, std::optional<TimeNs>> heard;
  RG_TRY(newestWords(heard));
  for (Node& node : found) {
    const auto word = words.find(node.id.value);
    const bool changed = later(node.last_heard) || later_words.contains(node.id.value);
    if (later(node.last_heard)) node.last_heard = heard[node.id.value];
    if (!changed) continue;
    if (word != words.end()) {
      node.state = word->second.state;
    } else if (node.state != NodeState::kUnknown) {
      node.state = node.last_heard || heard[node.id.value] ? NodeState::kAlive : NodeState::kUnknown;
    }
  }
  return found;
}

Result<std::vector<Device>> MomentReader::devices() {
  RG_ASSIGN(auto found, inner().devices());
  RG_ASSIGN(const auto to_come, nodesToCome());
  std::erase_if(found, [&](const Device& device) { return to_come.contains(device.node.value); });
  return found;
}

}  // namespace runglass
