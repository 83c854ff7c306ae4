// SPDX-License-Identifier: Apache-2.0
// MetricWatch: evaluates the metric rules every few seconds: a newest value beyond a threshold, or a series that has become silent.
//
// Threading:  one thread.
// Ownership:  owns the state of each series.
// Units:      those of the metric; TimeNs.
// Errors:     those of the Reader.
// Cost:       one catalogue walk and one look-up of newest values a metric rule; kMaxSeries at most.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collectors/hub/alerts/alert_message.h"
#include "collectors/hub/alerts/alert_state.h"
#include "storage/reader.h"

namespace runglass {

class MetricWatch {
 public:
  static constexpr std::size_t kMaxSeries = 50'000;
  // An older value is not current.
  static constexpr DurNs kFresh = 60 * kNsPerSecond;
  // A series that has been silent this long has ended, not failed.
  static constexpr DurNs kForgotten = 24LL * 3600 * kNsPerSecond;

  // `store`: for links; it may be filled after the construction.
  MetricWatch(const AlertOptions& options, const StoreName& store) : m_options(options), m_store(store) {}
  Result<std::vector<Trouble>> look(Reader& reader, TimeNs now);

 private:
  struct State {
    bool bad = false;
    TimeNs since = 0;
  };
  Status lookAt(Reader& reader, const AlertRule& rule, TimeNs now, std::vector<Trouble>& out);
  Status readOwners(Reader& reader);
  bool mayBeSilent(const Series& series) const;
  Trouble troubleOf(const AlertRule& rule, const Series& series, TimeNs since) const;

  const AlertOptions& m_options;
  const StoreName& m_store;
  std::map<std::pair<std::string, SeriesId>, State> m_states;  // by rule
  std::map<NodeId, Node> m_nodes;
  std::map<DeviceId, Device> m_devices;
  std::map<RunId, Run> m_runs;
};

}  // namespace runglass
