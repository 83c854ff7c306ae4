// SPDX-License-Identifier: Apache-2.0
// The title of an incident, and its cause in one sentence, from the finding at its root.
//
// Threading:  pure.
// Units:      text in UTF-8, one line each.
// Errors:     names and messages may hold anything; control characters become spaces, invalid bytes are kept for the reader to replace.
// Cost:       one JSON document.
#pragma once

#include <span>
#include <string>

#include "analysis/incident/finding_place.h"
#include "analysis/words/sentence.h"

namespace runglass {

inline constexpr std::size_t kMaxTitle = 120, kMaxSummary = 600;

// "hardware fault", "slow rank"; for a kind without a text, its name with spaces.
std::string findingKindWords(std::string_view kind);
// "Xid 79 (GPU has fallen off the bus), rank 21 on sim-0002", "Slow rank 5 on sim-0000, from step 60".
words::Sentence incidentTitle(const Finding& root, const RunPlaces& places);
// The root's sentence, and the findings with it: "...; with it: a hang of 10 min, the end of attempt 0 (hardware fault)". `ended`: the
// attempt that ended with it; null: none.
words::Sentence incidentSentence(const Finding& root, std::span<const Finding* const> others, const Attempt* ended,
                                 const RunPlaces& places);
// "rank 21 on sim-0002", "sim-0002", "stage 3", "" where it has no place.
words::Arg placeArg(const Finding& finding, const RunPlaces& places);  // absent where it has no place
std::string placeWords(const Finding& finding, const RunPlaces& places);
// One line of at most `most` bytes, never cut within a character.
std::string oneLineOf(std::string_view text, std::size_t most);

}  // namespace runglass
