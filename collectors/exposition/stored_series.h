// SPDX-License-Identifier: Apache-2.0
// StoredSeries: what a store has of the series of nodes, devices and attempts, so that a sample that is sent or queried again is recognised
// across sessions, restarts and imports.
//
// Threading:  one thread, the Reader's.
// Ownership:  borrows the Reader.
// Units:      TimeNs.
// Errors:     those of the Reader.
// Cost:       newest(): a pass over all series, 24 bytes each; samples(): at most one read of a range, and for the first series of a metric
// a list of its series.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "storage/reader.h"

namespace runglass {

class StoredSeries {
 public:
  explicit StoredSeries(Reader& reader) : m_reader(&reader) {}

  // Of a series' owner by its uuid, whatever the ids: the same in every session. An attempt's series has "run NAME\0KEY" in place of a
  // uuid.
  static std::uint64_t identity(const std::string& owner, const std::string& device_uuid, const SeriesKey& key);
  // Reads the nodes and devices.
  Status load();
  // Uuid of the node with this name; "" if there is none. A machine's own id takes precedence over one derived from its name.
  std::string nodeUuid(const std::string& name) const;
  // Newest time of each series over time that has samples.
  Result<std::unordered_map<std::uint64_t, TimeNs>> newest();
  // The samples that the series with this identity has in the range, by time; with `before` the newest one before the range too. Absent:
  // the series is not committed yet.
  Result<std::optional<SampleColumns>> samples(std::uint64_t identity, const std::string& metric, TimeRange range, bool before = false);
  // The store has grown: series that were not found are looked for again, and those that were found may be longer.
  void lookAgain();

 private:
  struct Found {
    SeriesId id;
    TimeNs first = 0, last = 0;
  };
  Status look(const std::string& metric);
  Status loadAttempts();
  std::uint64_t identityOf(const SeriesKey& key);

  Reader* m_reader;
  std::unordered_map<std::uint64_t, std::string> m_nodes, m_devices;  // uuids by id
  std::unordered_map<std::uint64_t, std::string> m_attempts;          // owners by id
  std::unordered_map<std::string, std::string> m_uuid_of;             // of nodes by name
  std::unordered_map<std::uint64_t, Found> m_found;                   // by identity
  std::set<std::string> m_looked;                                     // metrics whose series are in m_found
  bool m_grows = false;
};

}  // namespace runglass
