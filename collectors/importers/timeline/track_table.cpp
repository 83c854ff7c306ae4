// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/timeline/track_table.h"

namespace runglass {

TrackTable::Found TrackTable::find(const TrackKey& key) {
  std::string text = key.rank ? std::to_string(*key.rank) : std::string();
  text.append(1, '\n').append(key.kind).append(1, '\n').append(key.name);
  if (const auto known = m_tracks.find(text); known != m_tracks.end()) return {known->second};
  if (m_tracks.size() >= kMaxTracks) return {};
  const TrackId id = m_out.track(key);
  m_tracks.emplace(std::move(text), id);
  return {id, true};
}

}  // namespace runglass
