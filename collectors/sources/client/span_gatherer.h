// SPDX-License-Identifier: Apache-2.0
// SpanGatherer: a ring's spans as columns, one batch per track.
//
// Threading:  one thread.
// Ownership:  owns the spans until handOver(); tracks are declared to one Recorder, always the same.
// Units:      `time` converts the ring's CLOCK_MONOTONIC to TimeNs.
// Errors:     a GPU span shorter than this version's is rejected; arguments that are not a JSON object are left out.
// Cost:       two map look-ups per span.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "collectors/client/ring_layout.h"
#include "model/recorder.h"

namespace runglass {

class SpanGatherer {
 public:
  using Names = std::function<std::string_view(std::uint32_t id)>;
  using Clock = std::function<TimeNs(std::int64_t mono)>;
  SpanGatherer(Names names, Clock clock) : m_names(std::move(names)), m_clock(std::move(clock)) {}

  // Owner of the spans.
  void owner(AttemptId attempt, std::int32_t rank);
  void add(Recorder& out, const rgr_span& span, int category, int depth);
  // False: an invalid span. `payload` is an RGR_GPU_SPAN's.
  bool addGpu(Recorder& out, std::string_view payload, int category, int depth);
  void handOver(Recorder& out);

 private:
  struct Pending {
    SpanColumns columns;
    std::map<std::uint32_t, std::uint32_t> names;
  };
  SpanColumns& append(Recorder& out, const rgr_span& span, int category, int depth);

  Names m_names;
  Clock m_clock;
  AttemptId m_attempt;
  std::int32_t m_rank = 0;
  std::map<std::uint32_t, TrackId> m_tracks;
  std::set<std::int64_t> m_pairs;  // recorded groups of transfers
  std::map<TrackId, Pending> m_pending;
};

}  // namespace runglass
