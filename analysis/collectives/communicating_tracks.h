// SPDX-License-Identifier: Apache-2.0
// Finds the tracks of an attempt that communicate, from stored summaries, so that the others need not be read.
//
// Threading:  on the thread of the Reader.
// Units:      TimeRange, half-open.
// Errors:     the Reader's.
// Cost:       one coarse timeline of the ranks' tracks.
#pragma once

#include <set>
#include <stop_token>
#include <vector>

#include "storage/reader.h"

namespace runglass {

struct CommunicatingTrack {
  std::int32_t rank = -1;
  TrackId track;
  std::size_t spans = 0;  // of any category
  bool device = false;    // a queue of a device
};

Result<std::vector<CommunicatingTrack>> communicatingTracks(Reader& reader, AttemptId attempt, const std::set<std::int32_t>& ranks,
                                                            TimeRange range, const std::stop_token& stop);

// The newest part of `range` in which these tracks have about `most` spans, assuming an even spread.
TimeRange newestPart(const std::vector<CommunicatingTrack>& tracks, TimeRange range, std::size_t most);

}  // namespace runglass
