// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. m_boundary: a start line came after records; facts, events and checkpoints since then wait for the next attempt.
// 2. A run that printed its last step and then begins again at or before its first step is another run, not a restart.
// 3. Attempt keys depend only on the file and the order of attempts in it, so that a second import uses the same ones.
#include "collectors/importers/train_log/run_builder.h"

#include <algorithm>
#include <utility>

namespace runglass::train_log {
namespace {
constexpr std::size_t kMaxWaiting = 1000;
constexpr std::size_t kMaxFacts = 4096;
constexpr std::size_t kMaxRanks = 1 << 16;

// world = tp x pp x cp x dp: a single missing size follows from the others.
Layout completed(Layout layout) {
  if (layout.tp == 0 || layout.pp == 0) return layout;
  const std::int64_t rest = std::int64_t{layout.tp} * layout.pp * std::max(layout.cp, 1);
  if (layout.dp == 0 && layout.world % rest == 0) layout.dp = static_cast<std::int32_t>(layout.world / rest);
  if (layout.world == 0 && layout.dp * rest < (1 << 24)) layout.world = static_cast<std::int32_t>(layout.dp * rest);
  return layout;
}
}  // namespace

void RunBuilder::continueAs(const std::string& run_name, const std::string& attempt_key, bool guest) {
  m_guest = guest;
  if (run_name == m_name && attempt_key == m_key) return;
  m_name = run_name, m_key = attempt_key;
  m_run_id = {};
  m_runs = m_attempts = 0;
  m_records = 0;
  m_boundary = m_finished = false;
  m_start.reset(), m_end.reset(), m_over.reset();
  m_layout = Layout{};
  m_largest_group = 0;
}

void RunBuilder::starts(Recorder& out) {
  if (m_guest || m_records == 0 || m_boundary) return;
  tell(out);
  tellRanks(out);
  m_start.reset(), m_end.reset();
  m_boundary = true;
}

void RunBuilder::fact(Fact fact) {
  FactKey key = keyOf(fact);
  const auto known = m_known_facts.find(key);
  if (known == m_known_facts.end() ? m_known_facts.size() >= kMaxFacts : known->second == fact.value) return;
  m_known_facts[std::move(key)] = fact.value;
  m_facts.push_back(std::move(fact));
  m_changed = true;
}

void RunBuilder::rank(const Rank& rank, std::int64_t world) {
  const auto other = [&](const Rank& known) { return known.node != rank.node || (known.pid && rank.pid && known.pid != rank.pid); };
  const auto known = m_places.ranks.find(rank.rank);
  const bool replaced = known != m_places.ranks.end() && other(known->second) && world == m_places.world && m_records > 0 && !m_boundary;
  Places& places = replaced ? m_next_places : m_places;
  // The largest communicator is that of all ranks.
  if (world > places.world) places = {.world = world, .ambiguous = false, .ranks = {}};
  if (places.ranks.size() >= kMaxRanks || (world > 0 && world < places.world)) return;
  const auto [at, fresh] = places.ranks.try_emplace(rank.rank, rank);
  places.ambiguous |= !fresh && world > 0 && other(at->second);
}

void RunBuilder::framework(const std::string& name, int priority) {
  if (name.empty() || priority <= m_framework_priority) return;
  m_framework = name;
  m_framework_priority = priority;
  m_changed = true;
}

void RunBuilder::ranksAtLeast(std::int64_t ranks) {
  if (ranks <= m_largest_group || ranks >= (1 << 24)) return;
  m_largest_group = static_cast<std::int32_t>(ranks);
  m_changed = true;
}

void RunBuilder::stamp(TimeNs time) {
  m_start = std::min(m_start.value_or(time), time);
  m_end = std::max(m_end.value_or(time), time);
  m_changed = true;
}

void RunBuilder::outputEnded(TimeNs now, Recorder& out) {
  if (m_boundary) flush(out, true);  // an attempt that printed no record ends as well
  if (m_guest || !m_run_id) return;
  m_over = now;
  m_changed = true;
  ended(End::kUnknown, "end of output");
}

void RunBuilder::ended(End end, std::string cause) {
  if (!m_run_id || m_boundary || m_finished) return;
  // The first failure is the cause of the later ones, and of the launcher's ending the rest; after a stop on purpose, processes fail
  // because of it. A SIGTERM shows neither.
  const bool over = m_run.state == RunState::kFailed || (m_attempt.planned.value_or(false) && !m_terminated);
  if (over && (end == End::kFailed || end == End::kStopped || end == End::kTerminated)) return;
  if (end == End::kUnknown && !m_attempt.end_cause.empty()) return;
  m_finished = end == End::kFinished;
  m_run.state = m_finished ? RunState::kFinished : end == End::kFailed ? RunState::kFailed : RunState::kUnknown;
  if (end == End::kStopped || end == End::kTerminated)
    m_attempt.planned = true;
  else if (m_attempt.planned && end == End::kFailed)
    m_attempt.planned = false;
  m_terminated = end == End::kTerminated;
  m_attempt.end_cause = std::move(cause);
  m_changed = true;
}

void RunBuilder::open(bool new_run, Recorder& out) {
  if (m_run_id && !m_boundary) {
    tell(out);
    tellRanks(out);
    m_start.reset(), m_end.reset();
  }
  if (!m_run_id || new_run) {
    ++m_runs;
    m_attempts = 0;
    m_run = Run{};
    m_run.name = m_runs == 1 ? m_name : m_name + " #" + std::to_string(m_runs);
    m_stamped = false;
    m_run.state = m_live ? RunState::kRunning : RunState::kUnknown;
  }
  ++m_opened;
  ++m_attempts;
  m_attempt = Attempt{};
  m_terminated = false;
  m_attempt.key = m_attempts == 1 ? m_key : m_key + "#" + std::to_string(m_attempts);
  m_attempt.resumed_from_step = m_resumed_from;
  if (m_live) m_run.state = RunState::kRunning;
  m_resumed_from.reset();
  m_records = 0;
  m_known_facts.clear();
  for (const Fact& fact : m_facts) m_known_facts[keyOf(fact)] = fact.value;
  m_finished = m_boundary = false;
  m_reported_layout = Layout{};
  m_changed = true;
  tell(out);
  if (!m_first_run) m_first_run = m_run_id;
}

// Records the state of run and attempt; repeating it is harmless.
void RunBuilder::tell(Recorder& out) {
  if (!m_changed && m_layout == m_reported_layout) return;
  m_run.framework = m_framework;
  if (m_guest) return tellAsGuest(out);
  if (m_start) {
    m_stamped = true;
    m_run.start = std::min(m_run.start.value_or(*m_start), *m_start);
    m_attempt.start = m_start;
    if (m_run.state != RunState::kRunning) m_run.end = std::max(m_run.end.value_or(*m_end), *m_end);
    if (m_run.state != RunState::kRunning) m_attempt.end = m_end;
  }
  if (m_over && m_run.state == RunState::kUnknown) {
    // A log whose lines have no times ends when its processes did.
    const TimeNs end = m_end.value_or(*m_over);
    m_run.end = std::max(m_run.end.value_or(end), end);
    m_attempt.end = end;
    out.run({.name = m_run.name, .end = m_run.end});  // without a start: see merge() of storage/write/catalog.cpp
  }
  m_run.time_domain = m_stamped ? TimeDomain::kUtc : TimeDomain::kNone;
  m_run_id = out.run(m_run);
  m_over.reset();
  m_attempt.run = m_run_id;
  m_reported_layout = m_layout;
  m_attempt.layout = completed(m_layout);
  if (m_attempt.layout.world == 0) m_attempt.layout.world = m_largest_group;
  m_attempt_id = out.attempt(m_attempt);
  tellFacts(out);
}

void RunBuilder::tellAsGuest(Recorder& out) {
  m_attempt.run = m_run_id = out.run({.name = m_run.name, .framework = m_framework});
  m_attempt_id = out.attempt({.run = m_run_id, .key = m_attempt.key});
  m_reported_layout = m_layout;
  tellFacts(out);
}

void RunBuilder::tellFacts(Recorder& out) {
  for (Fact& fact : m_facts) {
    fact.attempt = m_attempt_id;
    out.fact(fact);
  }
  m_facts.clear();
  m_changed = false;
}

void RunBuilder::tellRanks(Recorder& out) {
  Places places = std::exchange(m_places, std::exchange(m_next_places, {}));
  if (places.ambiguous || places.ranks.empty() || (places.world > 0 && m_layout.world > 0 && places.world != m_layout.world)) return;
  out.fact({.attempt = m_attempt_id, .node = {}, .rank = {}, .key = "rank_nodes_source", .value = places.world > 0 ? "NCCL" : "launcher"});
  for (auto& [number, rank] : places.ranks) {
    rank.attempt = m_attempt_id;
    out.rank(rank);
  }
}

AttemptId RunBuilder::attempt(Recorder& out) {
  if (!m_run_id) open(true, out);
  return m_attempt_id;
}

bool RunBuilder::record(std::int64_t step, std::optional<std::int64_t> total, bool went_back, Recorder& out) {
  bool opened = false;
  if (!m_run_id) {
    open(true, out);
    opened = true;
  } else if (!m_guest && (m_boundary || went_back)) {
    if (m_opened >= kMaxAttempts) {
      ++m_refused;
      m_boundary = false;
    } else {
      const std::int64_t last = m_last_step;
      const bool again = m_finished && step <= m_first_step, line_said_it = m_boundary;
      open(again, out);
      Event restart;
      restart.kind = again ? "start" : "restart";
      const bool said = again && line_said_it;
      restart.step = step;
      restart.message = "the log starts again at step " + std::to_string(step) + " after step " + std::to_string(last);
      if (!said) event(std::move(restart), out);
      opened = true;
    }
  }
  goesOn();
  if (m_records++ == 0) m_first_step = step;
  m_last_step = step;
  // Some frameworks count steps from 0, so that the last is total - 1.
  if (total && *total > 1 && step >= *total - 1 && !m_finished) ended(End::kFinished, "finished");
  release(out);
  return opened;
}

void RunBuilder::survivesException() {
  if (m_attempt.end_cause.starts_with("exception: ")) goesOn();
}

void RunBuilder::goesOn() {
  if (m_run.state != RunState::kFailed) return;
  m_run.state = m_live ? RunState::kRunning : RunState::kUnknown;
  m_attempt.end_cause.clear();
  m_changed = true;
}

void RunBuilder::event(Event event, Recorder& out) {
  if (!m_recording) return;
  if (m_boundary && m_waiting.events.size() < kMaxWaiting) return m_waiting.events.push_back(std::move(event));
  event.attempt = attempt(out);
  out.event(event);
}

void RunBuilder::checkpoint(Checkpoint checkpoint, Recorder& out) {
  if (!m_recording) return;
  if (m_boundary && m_waiting.checkpoints.size() < kMaxWaiting) return m_waiting.checkpoints.push_back(std::move(checkpoint));
  checkpoint.attempt = attempt(out);
  out.checkpoint(checkpoint);
}

void RunBuilder::release(Recorder& out) {
  for (Event& event : m_waiting.events) {
    event.attempt = m_attempt_id;
    out.event(event);
  }
  for (Checkpoint& checkpoint : m_waiting.checkpoints) {
    checkpoint.attempt = m_attempt_id;
    out.checkpoint(checkpoint);
  }
  m_waiting = {};
}

void RunBuilder::flush(Recorder& out, bool end) {
  if (!m_run_id) return;
  if (m_boundary && end) {
    open(false, out);
    release(out);
  }
  if (!m_boundary) tell(out);
  if (end) tellRanks(out);
}

}  // namespace runglass::train_log
