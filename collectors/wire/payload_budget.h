// SPDX-License-Identifier: Apache-2.0
// PayloadBudget: limits on new series, issues and sessions that one agent, or all agents of a node's credential, may add to a store, across
// sessions. Excess is left out and counted.
//
// Threading:  the Recorder's thread. The totals of a hub are shared by budgets of one thread.
// Units:      counts; monotonic ns.
// Cost:       one hash of a key; about 8 bytes for each key seen within two periods.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_set>

#include "model/samples.h"
#include "model/time.h"

namespace runglass {

class PayloadBudget {
 public:
  // Per day, since jobs come and go on a node for years.
  static constexpr std::size_t kMaxSeries = 50'000, kMaxSeriesOfHub = 10'000'000;
  static constexpr std::size_t kMaxIssues = 512;
  // Each session leaves marks of its streams in the store for months. An agent that crashes every 21 s begins this many a day.
  static constexpr std::size_t kMaxSessions = 4'096, kMaxSessionsOfHub = 1'048'576;
  // When the totals of a hub are reached, agents below these numbers are still served.
  static constexpr std::size_t kAlwaysSeries = 1'000, kAlwaysSessions = 64;
  static constexpr DurNs kPeriod = 24LL * 3600 * kNsPerSecond;

  struct Hub {
    std::size_t series = 0, sessions = 0;
    DurNs began = 0;
  };

  // `nodes`: number of nodes of the agent.
  PayloadBudget(std::shared_ptr<Hub> hub, std::size_t nodes)
      : m_hub(std::move(hub)),
        m_max_series(nodes * kMaxSeries),
        m_max_issues(kMaxIssues + nodes),
        m_max_sessions(kMaxSessions + 16 * nodes) {}

  // True for new keys within the limits and for keys taken before.
  bool takes(const SeriesKey& key, DurNs now);
  bool takesIssue(std::string_view code, std::string_view source, DurNs now);
  bool takesSession(std::string_view agent, std::string_view session, DurNs now);

 private:
  // Keys seen in this period and in the previous one.
  class Seen {
   public:
    bool contains(std::size_t hash) const { return m_now.contains(hash) || m_before.contains(hash); }
    std::size_t size() const { return m_now.size(); }
    void insert(std::size_t hash) { m_now.insert(hash); }
    void turn(DurNs now);

   private:
    std::unordered_set<std::size_t> m_now, m_before;
    DurNs m_began = 0;
  };
  // `total`: of the hub; `always`: number taken in spite of it.
  static bool take(Seen& seen, std::size_t hash, std::size_t max, std::size_t always, std::size_t& total, std::size_t max_total);
  void turn(DurNs now);

  std::shared_ptr<Hub> m_hub;
  const std::size_t m_max_series, m_max_issues, m_max_sessions;
  Seen m_series, m_issues, m_sessions;
};

}  // namespace runglass
