// SPDX-License-Identifier: Apache-2.0
// A draft of a new incident, before any edit: from a finding and the findings of its cause, from an event, or from a selected place and
// time.
//
// Threading:  on the thread of the Reader; joinFinding() and joinProposal() are pure.
// Units:      TimeNs, half-open ranges; a t1 of the maximum int64: still open.
// Errors:     the Reader's; NOT_FOUND no such finding in the run; CANCELLED when `stop` fires.
// Cost:       as readProposals().
#pragma once

#include <stop_token>

#include "analysis/incident/propose.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::size_t kMaxDraftTitle = 160;

struct IncidentDraft {
  Incident incident;
  bool stored = false;   // it is stored already, and the finding belongs to it or joins it
  bool changed = false;  // it has data that the stored one does not have
};

// The user's selection.
struct DraftPlace {
  std::optional<TimeRange> range;
  AttemptId attempt;
  std::optional<std::int32_t> rank;
  NodeId node;
  std::optional<std::int64_t> step;
};

// The proposal with the findings of its cause, or the incident that it belongs to, if any.
Result<IncidentDraft> draftOfFinding(Reader& reader, const Run& run, std::int64_t finding, std::stop_token stop);
// From the finding that starts with the event, if an analysis published one, else from the event alone.
Result<IncidentDraft> draftOfEvent(Reader& reader, const Run& run, const Event& event, std::stop_token stop);
// From the worst finding that names the rank or its node, else from the rank in this range.
Result<IncidentDraft> draftOfRank(Reader& reader, const Run& run, const DraftPlace& place, std::stop_token stop);
Result<IncidentDraft> draftOfPlace(Reader& reader, const Run& run, const DraftPlace& place, std::stop_token stop);

// Extends the incident to the finding's range and severity; it has no attempt if its findings are of several. False: it has the finding
// already.
bool joinFinding(Incident& incident, const Finding& finding);
// The same for all findings of the proposal, and its cards except duplicates.
void joinProposal(Incident& incident, const IncidentProposal& proposal, std::span<const Finding> findings);
// The same for another incident; its notes are added under its title, and its cause is taken where this one has none.
void joinIncident(Incident& incident, const Incident& other, std::span<const Finding> findings);

}  // namespace runglass
