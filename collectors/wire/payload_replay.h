// SPDX-License-Identifier: Apache-2.0
// PayloadReplay: says to a Recorder what a payload says, translating one session's ids to the Recorder's.
//
// Threading:  one thread at a time.
// Ownership:  copies what it keeps; the payload is borrowed for the call.
// Units:      ids of the wire are dense per kind from 1; times are the session's clock.
// Errors:     payloads come from outside: every oddity becomes an issue in the Recorder (wire.*), the rest of the payload is still used;
//             malformed bytes end that payload. play() itself cannot fail.
// Cost:       samples at memory speed plus the Recorder's; scratch memory is bounded by the largest payload.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/mirror_recorder.h"
#include "model/rank_places.h"
#include "storage/writer.h"

namespace runglass {

// What one session may define; more is refused as wire.too_many_ids.
struct PayloadLimits {
  std::size_t records = 131'072;  // and of one payload
  std::size_t nodes = 16'384, devices = 262'144, runs = 4'096, attempts = 65'536, series = 1'000'000, tracks = 1'000'000;
};

struct PayloadCounts {
  std::int64_t samples = 0;  // metric samples and scalars
  std::int64_t spans = 0;
  std::int64_t records = 0;  // all else
  bool intact = true;        // false: the bytes were malformed from some point on
  friend bool operator==(const PayloadCounts&, const PayloadCounts&) = default;
};

struct PayloadSession;
class PayloadBudget;

class PayloadReplay {
 public:
  // `agent` names the source of the issues; `budget`: of an agent beyond this session; null: none.
  explicit PayloadReplay(std::string agent, PayloadLimits limits = {}, std::shared_ptr<PayloadBudget> budget = {});
  ~PayloadReplay();
  PayloadReplay(PayloadReplay&&) noexcept;

  // `places`: of what `out` records; then agents of one node may not send what is of other nodes' ranks (RunGuard).
  PayloadCounts play(std::string_view payload, Recorder& out, RankPlaces* places = nullptr);
  // Of a store that is copied: judgements and totals are taken, too, and times are left as they are.
  PayloadCounts playFeed(std::string_view payload, MirrorRecorder& out);
  // The Recorder's ids of what was defined, by wire id - 1.
  struct Defined {
    std::span<const NodeId> nodes;
    std::span<const RunId> runs;
    std::span<const AttemptId> attempts;
    std::span<const SeriesId> series;
    std::span<const TrackId> tracks;
  };
  Defined defined() const;
  // The Recorder's id of a series that was defined; none for any other.
  SeriesId series(std::uint32_t wire_id) const;
  std::size_t seriesCount() const;

 private:
  PayloadCounts play(std::string_view payload);

  std::shared_ptr<PayloadBudget> m_budget;
  std::unique_ptr<PayloadSession> m_session;
};

// Times later than this after a payload was sealed are absurd.
inline constexpr DurNs kMaxAhead = 600 * kNsPerSecond;

// For WriterOptions::replay: decodes a journal alone, because a session's dictionary is journaled first in every epoch. Of a store that is
// a copy: as playFeed().
JournalReplay makeJournalReplay();

}  // namespace runglass
