// SPDX-License-Identifier: Apache-2.0
// What a new incident is before a person has said anything about it: of a finding with those that have its cause, of an event, or of a
// place and a time that somebody points at.
//
// Threading:  on the thread of the Reader; joinFinding() and joinProposal() are pure.
// Units:      TimeNs, half-open ranges; a t1 of the highest int64: it is not over.
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
  bool stored = false;   // it is there already, and the finding belongs to it or joins it
  bool changed = false;  // it has something that the store does not have
};

// What somebody points at.
struct DraftPlace {
  std::optional<TimeRange> range;
  AttemptId attempt;
  std::optional<std::int32_t> rank;
  NodeId node;
  std::optional<std::int64_t> step;
};

// As it is proposed with the findings of its cause; the incident that it belongs to, where there is one.
Result<IncidentDraft> draftOfFinding(Reader& reader, const Run& run, std::int64_t finding, std::stop_token stop);
// Of the finding that began with it, where an analysis made one of it; else of the event alone.
Result<IncidentDraft> draftOfEvent(Reader& reader, const Run& run, const Event& event, std::stop_token stop);
// Of the worst finding that names the rank or its node; else of the rank in this range.
Result<IncidentDraft> draftOfRank(Reader& reader, const Run& run, const DraftPlace& place, std::stop_token stop);
Result<IncidentDraft> draftOfPlace(Reader& reader, const Run& run, const DraftPlace& place, std::stop_token stop);

// The incident is then as wide and as severe as the finding; it belongs to no attempt when they are of several. False: it has it already.
bool joinFinding(Incident& incident, const Finding& finding);
// The same of all its findings, and its cards, but for those that show the same.
void joinProposal(Incident& incident, const IncidentProposal& proposal, std::span<const Finding> findings);
// The same of another incident, and its notes under its title; what the other one says of its cause where nothing is said yet.
void joinIncident(Incident& incident, const Incident& other, std::span<const Finding> findings);

}  // namespace runglass
