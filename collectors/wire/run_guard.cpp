// SPDX-License-Identifier: Apache-2.0
#include "collectors/wire/run_guard.h"

#include <utility>

namespace runglass {
namespace {

bool isEnd(RunState state) { return state == RunState::kFinished || state == RunState::kFailed || state == RunState::kStalled; }

constexpr const char* kRunEnds = "states and ends of the run";
constexpr const char* kAttemptEnds = "ends and layouts of attempts";

}  // namespace

void RunGuard::named(RunId run, const std::string& name) {
  constexpr std::size_t kMaxName = 256;
  if (isBound()) m_names.try_emplace(run.value, name.substr(0, kMaxName));
}

RunId RunGuard::runOf(AttemptId attempt) const {
  const auto run = m_runs.find(attempt.value);
  return run == m_runs.end() ? RunId() : run->second;
}

bool RunGuard::isElsewhere(AttemptId attempt, std::optional<std::int32_t> rank) {
  if (!isBound() || !attempt || !rank) return false;
  const NodeId node = m_places->nodeOf(attempt, *rank);
  return node && node != m_node;
}

bool RunGuard::mayDefine(const SeriesKey& key) {
  if (!isBound() || !key.attempt) return true;
  if (!key.rank) return mayAdd(key.attempt);
  if (isElsewhere(key.attempt, key.rank)) return m_follows && key.kind == SeriesKind::kScalar;
  if (m_claimed.size() < kMaxWaiting) m_claimed.insert(key.attempt.value);
  return true;
}

bool RunGuard::mayDefine(const TrackKey& key) {
  if (!isBound() || !key.attempt) return true;
  if (!key.rank) return mayRecord(key.attempt);
  if (isElsewhere(key.attempt, key.rank)) return false;
  if (m_claimed.size() < kMaxWaiting) m_claimed.insert(key.attempt.value);
  return true;
}

void RunGuard::strip(RunId run, Run& update) {
  if (!isBound()) return;
  const AttemptId newest = m_places->newestPlaced(run);
  if (!newest || isMember(newest)) {
    m_waiting_runs.erase(run.value);
    return;
  }
  const Run whole = update;
  update.simulated = false;
  if (isEnd(update.state)) update.state = RunState::kUnknown;
  update.start = update.end = std::nullopt;
  if (update.state != RunState::kUnknown)  // newer than the waiting one
    if (const auto waiting = m_waiting_runs.find(run.value); waiting != m_waiting_runs.end())
      for (Run& waits : waiting->second) waits.state = RunState::kUnknown;
  if (update.state == whole.state && !whole.start && !whole.end) return;
  if (!keep(m_waiting_runs, run.value, whole)) return refused(newest, kRunEnds);
  if (isEnd(whole.state) || whole.end) m_new_runs.insert(run.value);
}

void RunGuard::strip(AttemptId attempt, Attempt& update) {
  if (mayEnd(attempt)) return;
  const Attempt whole = update;
  update = {.run = whole.run, .key = whole.key};
  if (!whole.start && !whole.end && whole.end_cause.empty() && !whole.planned && !whole.resumed_from_step && whole.layout == Layout{})
    return;
  if (!keep(m_waiting_attempts, attempt.value, whole)) return refused(attempt, kAttemptEnds);
  if (whole.end || !whole.end_cause.empty()) m_new_attempts.insert(attempt.value);
}

std::vector<Run> RunGuard::takeRuns(AttemptId joined) {
  const auto waits = m_waiting_runs.find(runOf(joined).value);
  if (waits == m_waiting_runs.end() || !isMember(m_places->newestPlaced({waits->first}))) return {};
  m_new_runs.erase(waits->first);
  return std::move(m_waiting_runs.extract(waits).mapped());
}

std::vector<Attempt> RunGuard::takeAttempts(AttemptId joined) {
  const auto waits = m_waiting_attempts.find(joined.value);
  if (waits == m_waiting_attempts.end()) return {};
  m_new_attempts.erase(waits->first);
  return std::move(m_waiting_attempts.extract(waits).mapped());
}

void RunGuard::refused(AttemptId attempt, const char* what, std::int64_t count) { m_refused[runOf(attempt).value][what] += count; }

std::vector<RunGuard::Refused> RunGuard::takeRefused() {
  for (const std::uint64_t run : std::exchange(m_new_runs, {})) ++m_refused[run][kRunEnds];
  for (const std::uint64_t attempt : std::exchange(m_new_attempts, {})) refused({attempt}, kAttemptEnds);
  std::vector<Refused> all;
  for (const auto& [run, kinds] : std::exchange(m_refused, {})) {
    Refused one;
    const auto name = m_names.find(run);
    one.run = name == m_names.end() ? std::string("unknown") : name->second;
    for (const auto& [what, count] : kinds) {
      one.what += (one.what.empty() ? "" : ", ") + what + " (" + std::to_string(count) + ")";
      one.count += count;
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace runglass
