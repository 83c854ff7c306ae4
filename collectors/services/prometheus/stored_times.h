// SPDX-License-Identifier: Apache-2.0
// StoredTimes: which samples of a service's series a store already has, so that asking for the same time again doubles nothing.
//
// Threading:  one thread, the Reader's.
// Ownership:  borrows the Reader.
// Errors:     the Reader's.
// Cost:       one read of the catalogue; then one read of samples per question about a series that the store had at that time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "storage/reader.h"

namespace runglass {

class StoredTimes {
 public:
  static Result<StoredTimes> of(Reader& reader);

  // Uuid of the node with this name; "" if there is none. A machine's own id takes precedence over one derived from its name.
  std::string nodeUuid(const std::string& name) const;
  // By time. `key`: its node and device are ignored. With `before` the newest sample before the range is included.
  Result<SampleColumns> samples(const std::string& node_uuid, const std::string& device_uuid, const SeriesKey& key, TimeRange range,
                                bool before);

 private:
  explicit StoredTimes(Reader& reader) : m_reader(&reader) {}

  Reader* m_reader;
  std::map<std::string, std::string> m_node_uuids;
  std::map<std::string, Series> m_series;  // by the parts of their identity
};

}  // namespace runglass
