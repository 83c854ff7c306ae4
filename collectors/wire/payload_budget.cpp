// SPDX-License-Identifier: Apache-2.0
#include "collectors/wire/payload_budget.h"

#include <functional>
#include <string>
#include <utility>

namespace runglass {
namespace {

void mix(std::size_t& hash, std::size_t more) { hash ^= more + 0x9e3779b97f4a7c15ULL + (hash << 6U) + (hash >> 2U); }

template <class... T>
std::size_t hashOf(const T&... parts) {
  std::size_t hash = 0;
  (mix(hash, std::hash<T>()(parts)), ...);
  return hash;
}

}  // namespace

void PayloadBudget::Seen::turn(DurNs now) {
  if (m_began != 0 && now - m_began < kPeriod) return;
  m_began = now;
  m_before = std::exchange(m_now, {});
}

void PayloadBudget::turn(DurNs now) {
  if (m_hub->began == 0 || now - m_hub->began >= kPeriod) *m_hub = {.began = now};
}

bool PayloadBudget::take(Seen& seen, std::size_t hash, std::size_t max, std::size_t always, std::size_t& total, std::size_t max_total) {
  if (seen.contains(hash)) return seen.insert(hash), true;
  if (seen.size() >= max || (total >= max_total && seen.size() >= always)) return false;
  seen.insert(hash);
  ++total;
  return true;
}

bool PayloadBudget::takes(const SeriesKey& key, DurNs now) {
  m_series.turn(now);
  turn(now);
  const std::size_t hash = hashOf(key.attempt.value, key.rank.value_or(-1), key.node.value, key.device.value, key.metric, key.source,
                                  key.labels, static_cast<int>(key.kind));
  return take(m_series, hash, m_max_series, kAlwaysSeries, m_hub->series, kMaxSeriesOfHub);
}

bool PayloadBudget::takesSession(std::string_view agent, std::string_view session, DurNs now) {
  m_sessions.turn(now);
  turn(now);
  return take(m_sessions, hashOf(agent, session), m_max_sessions, kAlwaysSessions, m_hub->sessions, kMaxSessionsOfHub);
}

bool PayloadBudget::takesIssue(std::string_view code, std::string_view source, DurNs now) {
  m_issues.turn(now);
  const std::size_t hash = hashOf(code, source);
  if (m_issues.contains(hash)) return m_issues.insert(hash), true;
  if (m_issues.size() >= m_max_issues) return false;
  m_issues.insert(hash);
  return true;
}

}  // namespace runglass
