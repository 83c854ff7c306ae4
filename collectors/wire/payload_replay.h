// SPDX-License-Identifier: Apache-2.0
// PayloadReplay: passes the records of a payload to a Recorder, translating one session's ids to the Recorder's.
//
// Threading:  one thread at a time.
// Ownership:  copies retained data; the payload is borrowed for the call.
// Units:      ids of the wire are dense per kind from 1; times are the session's clock.
// Errors:     payloads come from outside: every anomaly becomes an issue in the Recorder (wire.*), the rest of the payload is still used;
//             malformed bytes end that payload. play() itself cannot fail.
// Cost:       samples at memory speed plus the Recorder's; scratch memory is limited by the largest payload.
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

// Limits for the definitions of one session; beyond them wire.too_many_ids.
struct PayloadLimits {
  std::size_t records = 131'072;  // also the limit for one payload
  std::size_t nodes = 16'384, devices = 262'144, runs = 4'096, attempts = 65'536, series = 1'000'000, tracks = 1'000'000;
};

struct PayloadCounts {
  std::int64_t samples = 0;  // metric samples and scalars
  std::int64_t spans = 0;
  std::int64_t records = 0;  // all others
  bool intact = true;        // false: the bytes were malformed from some point on
  friend bool operator==(const PayloadCounts&, const PayloadCounts&) = default;
};

struct PayloadSession;
class PayloadBudget;

class PayloadReplay {
 public:
  // `agent` is the source of the issues; `budget`: limits of the agent across sessions; null: none.
  explicit PayloadReplay(std::string agent, PayloadLimits limits = {}, std::shared_ptr<PayloadBudget> budget = {});
  ~PayloadReplay();
  PayloadReplay(PayloadReplay&&) noexcept;

  // `places`: of the ranks recorded by `out`; agents of one node may then not send data of other nodes' ranks (RunGuard).
  PayloadCounts play(std::string_view payload, Recorder& out, RankPlaces* places = nullptr);
  // For a replica: accepts judgements and totals too, and leaves times unchanged.
  PayloadCounts playFeed(std::string_view payload, MirrorRecorder& out);
  // The Recorder's ids of the defined objects, by wire id - 1.
  struct Defined {
    std::span<const NodeId> nodes;
    std::span<const RunId> runs;
    std::span<const AttemptId> attempts;
    std::span<const SeriesId> series;
    std::span<const TrackId> tracks;
  };
  Defined defined() const;
  // The Recorder's id of a defined series; none for any other.
  SeriesId series(std::uint32_t wire_id) const;
  std::size_t seriesCount() const;

 private:
  PayloadCounts play(std::string_view payload);

  std::shared_ptr<PayloadBudget> m_budget;
  std::unique_ptr<PayloadSession> m_session;
};

// Times later than this after a payload was sealed are treated as wrong.
inline constexpr DurNs kMaxAhead = 600 * kNsPerSecond;

// For WriterOptions::replay: decodes a journal alone, because a session's dictionary is journaled first in every epoch. For a replica: as
// playFeed().
JournalReplay makeJournalReplay();

}  // namespace runglass
