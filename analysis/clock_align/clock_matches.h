// SPDX-License-Identifier: Apache-2.0
// The operations that several clocks saw end, read from a store's spans, and what aligning by them would change.
//
// Threading:  on the thread of the Reader.
// Ownership:  values.
// Units:      ns.
// Errors:     the Reader's; CANCELLED when `stop` fires. Too little data is no error but a refusal in the answer.
// Cost:       O(spans): they are read once, in stretches of about 100,000. Of more than kMaxCalls calls, a share of each communicator's
//             operations is looked at, the largest thinned first: at most 100 MiB.
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

// What a name says about ends: all_reduce, all_gather, reduce_scatter, all_to_all and barriers end together; sends and receives are
// messages; of a broadcast or a reduce the root is done early, and of other names nothing is known.
enum class CallKind : std::uint8_t { kOther, kTogether, kSend, kReceive };
CallKind callKind(std::string_view name);

// One clock: a node, where it is known which one a rank is on, else a rank.
struct ClockOwner {
  std::string name;  // "node-a", "rank 3"
  std::vector<std::int32_t> ranks;
  std::optional<DurNs> own_error;  // of its node's map
};

struct ClockProposal {
  std::vector<ClockOwner> owners;
  ClockAlign result;          // by owner
  std::int64_t spans = 0;     // that were read
  std::int64_t calls = 0;     // of communicators, among them
  std::int64_t odd = 0;       // calls left out: doubled, or of another operation than their peers'
  std::int64_t thinned = 0;   // calls not looked at because there are so many
  std::int64_t by_order = 0;  // operations matched by their order, their source having no sequence numbers
  ClockAlignment edit;        // what to store; no shifts unless the verdict is kShift
};

// Reckoned from the times without the alignment in force.
Result<ClockProposal> proposeAlignment(Reader& reader, RunId run, AttemptId attempt, std::stop_token stop);

}  // namespace runglass
