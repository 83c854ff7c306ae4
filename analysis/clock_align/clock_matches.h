// SPDX-License-Identifier: Apache-2.0
// Operations whose end several clocks recorded, read from a store's spans, and the alignment that they imply.
//
// Threading:  on the thread of the Reader.
// Units:      ns.
// Errors:     the Reader's; CANCELLED when `stop` fires. Too little data is not an error but a refusal in the answer.
// Cost:       O(spans): read once, in ranges of about 100,000 spans. Above kMaxCalls calls, a share of each communicator's operations is
//             used and the largest communicator is thinned first: at most 100 MiB.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/clock_align/clock_align.h"
#include "model/edits.h"
#include "model/ids.h"
#include "model/spans.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::size_t kMaxCalls = 2'000'000;

// What a name implies about ends: all_reduce, all_gather, reduce_scatter, all_to_all and barriers end together; sends and receives are
// messages. In a broadcast or a reduce the root ends early, and other names imply nothing: both are kOther.
enum class CallKind : std::uint8_t { kOther, kTogether, kSend, kReceive };
CallKind callKind(std::string_view name);

// One clock: a node where each rank's node is known, else a rank.
struct ClockOwner {
  std::string name;  // "node-a", "rank 3"
  std::vector<std::int32_t> ranks;
  std::optional<DurNs> own_error;  // from its node's clock map
};

struct ClockProposal {
  std::vector<ClockOwner> owners;
  ClockAlign result;          // by owner
  std::int64_t spans = 0;     // read
  std::int64_t calls = 0;     // communication calls among the spans
  std::int64_t odd = 0;       // calls left out: duplicates, or another operation than their peers'
  std::int64_t thinned = 0;   // calls skipped to limit memory
  std::int64_t by_order = 0;  // operations matched by order: their source has no sequence numbers
  ClockAlignment edit;        // the edit to store; no shifts unless the verdict is kShift
};

// Computed from times without the alignment currently in force.
Result<ClockProposal> proposeAlignment(Reader& reader, RunId run, AttemptId attempt, std::stop_token stop);

}  // namespace runglass
