// SPDX-License-Identifier: Apache-2.0
// StoredSeries: what the store has of received series, so that a sample that is sent again is recognised across restarts of the hub.
//
// Threading:  one thread.
// Ownership:  owns a Reader.
// Units:      TimeNs.
// Errors:     those of the Reader.
// Cost:       load(): a pass over all series, 24 bytes each; times(): one read of a range, and for the first series of a metric a list of
// its series.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectors/hub/receivers/receiver_port.h"
#include "storage/reader.h"

namespace runglass {

class StoredSeries {
 public:
  explicit StoredSeries(const ReceiverPort& port) : m_port(port) {}

  // Of a series' owner by its uuid, whatever the ids: the same in every session.
  static std::uint64_t identity(const std::string& node_uuid, const std::string& device_uuid, const SeriesKey& key);
  // Newest time of each series of nodes and devices that has samples.
  Result<std::unordered_map<std::uint64_t, TimeNs>> newest();
  // The times that the series with this identity has in the range, in order; absent: it is not committed yet.
  Result<std::optional<std::vector<TimeNs>>> times(std::uint64_t identity, const std::string& metric, TimeRange range);
  // Series that were not found are looked for again.
  void lookAgain() { m_looked.clear(); }

 private:
  Status refresh();

  const ReceiverPort& m_port;
  std::unique_ptr<Reader> m_reader;
  std::unordered_map<std::uint64_t, std::string> m_nodes, m_devices;  // uuids by id
  std::unordered_map<std::uint64_t, SeriesId> m_found;                // by identity
  std::set<std::string> m_looked;                                     // metrics whose series are in m_found
};

}  // namespace runglass
