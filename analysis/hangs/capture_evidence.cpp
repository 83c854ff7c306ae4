// SPDX-License-Identifier: Apache-2.0
#include "analysis/hangs/capture_evidence.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace runglass {
namespace {

// "T (stopped)" of the process, from the text of /proc/PID/status; its threads' states come later in the text.
std::string_view stateOf(std::string_view text) {
  constexpr std::string_view kState = "State:";
  std::size_t at = text.starts_with(kState) ? 0 : text.find("\nState:");
  if (at == std::string_view::npos) return {};
  at = text.find_first_not_of(" \t", text.find(':', at) + 1);
  return at == std::string_view::npos ? std::string_view() : text.substr(at, text.find('\n', at) - at);
}

class StateWatch {
 public:
  void see(TimeNs time, std::string_view state) {
    m_now = state;
    m_sleeps_since = !state.starts_with('D') ? std::nullopt : m_sleeps_since ? m_sleeps_since : std::optional(time);
    m_time = time;
  }
  // "" where it can run.
  std::string cannotRun() const {
    if (m_now.empty()) return {};
    if (m_now.front() == 'D') return m_time - *m_sleeps_since >= kDiskSleep ? m_now : std::string();
    return std::string_view("TtZX").find(m_now.front()) != std::string_view::npos ? m_now : std::string();
  }

 private:
  std::string m_now;
  TimeNs m_time = 0;
  std::optional<TimeNs> m_sleeps_since;
};

}  // namespace

Result<const CaptureEvidence*> CaptureReading::look(Reader& reader, RunId run, AttemptId attempt, TimeNs since) {
  const TimeRange range{since, std::numeric_limits<TimeNs>::max()};
  RG_ASSIGN(const auto list, reader.captures(run, range, CaptureTexts::kWithout));
  std::int64_t newest = 0;
  for (const Capture& one : list) newest = std::max(newest, one.id);
  if (attempt == m_attempt && since == m_since && list.size() == m_count && newest == m_newest) return &m_evidence;
  std::vector<Capture> captures;
  if (!list.empty()) {
    RG_ASSIGN(captures, reader.captures(run, range, CaptureTexts::kWith));
  }
  m_attempt = attempt, m_since = since, m_count = list.size(), m_newest = newest;  // a failed read is repeated
  m_evidence = {};
  std::map<std::int32_t, StateWatch> states;
  std::map<std::int32_t, std::string_view> stacks;  // newest of each rank
  for (const Capture& one : captures) {             // by time
    if (one.attempt != attempt || !one.rank) continue;
    if (one.kind == "process")
      states[*one.rank].see(one.time, stateOf(one.text));
    else if (one.kind == "stack")
      stacks[*one.rank] = one.text;
  }
  for (const auto& [rank, watch] : states)
    if (std::string state = watch.cannotRun(); !state.empty()) m_evidence.states.emplace(rank, std::move(state));
  std::vector<RankStack> all;
  for (const auto& [rank, text] : stacks) all.push_back({rank, text});
  m_evidence.stacks = clusterStacks(all);
  return &m_evidence;
}

}  // namespace runglass
