// SPDX-License-Identifier: Apache-2.0
// TrackTable: declares the tracks of one attempt at their first use, limited to more than any real machine has.
//
// Threading:  one thread.
// Ownership:  borrows the Recorder.
// Errors:     id 0 for tracks beyond kMaxTracks: the caller counts the data left out.
// Cost:       a hash look-up per call.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "model/recorder.h"

namespace runglass {

class TrackTable {
 public:
  static constexpr std::size_t kMaxTracks = 65'536;

  explicit TrackTable(Recorder& out) : m_out(out) {}
  struct Found {
    TrackId id;
    bool fresh = false;  // first use of this rank, kind and name
  };
  Found find(const TrackKey& key);

 private:
  Recorder& m_out;
  std::unordered_map<std::string, TrackId> m_tracks;
};

}  // namespace runglass
