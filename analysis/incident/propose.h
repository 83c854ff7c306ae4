// SPDX-License-Identifier: Apache-2.0
// Proposes incidents: findings with one cause become one incident instead of fifty. The kernel.
//
// Every finding gets at most one parent: the likeliest cause among the earlier links of the chain machine -> rank -> run. A tree is an
// incident and its root the cause. An effect with two possible causes joins the better one, so that it never ties two faults together.
// Kinds of tie, best first:
//   said    evidence names it (`explained_by` of a shift)
//   rank    the same rank, or the same kind and subject again, while both last (within kOnset; repeats within kAgain)
//   node    the same node at the same time: a node's fault explains the slow or hanging rank on it
//   rack    the same kind in one rack within kMoment, where the run has several racks
//   moment  a finding without a place (a shift, a hang without a culprit, a stall) that began shortly after it; a hang within kUntilEnd
//           of a machine's fault, until the peers' watchdogs have fired; an attempt's first steps after a fault that ended the previous
//           attempt
// Findings about the loss follow only others about the loss, or a restart.
//
// Sources: the chain and its time limits are the fault correlation of hardware_faults/symptoms.h one level up. Grouping alarms by topology
// and time, with the one that no other explains as the root: Steinder and Sethi, "A survey of fault localization techniques in computer
// networks", Science of Computer Programming 53 (2004), section 3 (dependency graphs, temporal correlation). A stuck collective as a
// consequence of a lost GPU: Jiang et al., MegaScale (NSDI '24), section 5; Dubey et al., Llama 3 (arXiv 2407.21783), section 3.3.4.
//
// Threading:  pure; any thread.
// Units:      TimeNs, steps.
// Errors:     findings without a time are tied by step.
// Cost:       O(n²) cheap comparisons of at most kMaxFindings findings; ends early when `stop` fires.
#pragma once

#include <map>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/incident/finding_place.h"
#include "analysis/words/sentence.h"
#include "model/incident.h"

namespace runglass {

inline constexpr DurNs kOnset = 5 * 60 * kNsPerSecond;      // maximum delay between cause and effect at one place
inline constexpr DurNs kMoment = 60 * kNsPerSecond;         // a cause may be reported this long after its effect
inline constexpr DurNs kUntilEnd = 20 * 60 * kNsPerSecond;  // until watchdogs and schedulers have ended a job (symptoms.h: kAftermath)
inline constexpr DurNs kAgain = 30 * 60 * kNsPerSecond;     // a repeat of the same fault
inline constexpr std::int64_t kOnsetSteps = 20;             // where there is no clock
inline constexpr std::int64_t kAgainSteps = 100;
inline constexpr DurNs kMargin = 60 * kNsPerSecond;           // shown before and after it; never part of it
inline constexpr DurNs kRestartShown = 3'600 * kNsPerSecond;  // a restart up to this long after the end belongs to it
inline constexpr std::size_t kMaxFindings = 5'000;            // the most severe, among equals the newest

struct IncidentProposal {
  std::string key;                   // in the form of a uuid: equal for the same root, so that accepting or dismissing it persists
  words::Sentence title, sentence;   // of the incident
  Incident incident;                 // as it would be accepted: uuid is the key, findings by id, cards not chosen yet
  std::vector<std::size_t> members;  // indices into the findings, root first, then by time
  double score = 0;                  // severity (0..4) plus confidence of the root (0..1); plus 5 while it is open
  std::string joins;                 // uuid of an incident that already has the rest of the tree; "": a new one
};

struct Proposals {
  std::map<std::string, words::Sentence> titles;  // by uuid, of incidents whose title is still the proposed one
  std::vector<IncidentProposal> all;              // best first
  std::size_t left_out = 0;                       // findings beyond kMaxFindings
};

// `incidents`: of the run, including dismissed ones. Their findings are taken; the findings of a dismissed incident's cause are only
// proposed again if they are more severe.
Proposals proposeIncidents(std::span<const Finding> findings, const RunPlaces& places, std::span<const Incident> incidents,
                           const std::stop_token& stop = {});

// A uuid (RFC 9562, version 8) of a finding's identity, equal in all stores: run, kind, subject, first step.
std::string proposalKey(const std::string& run_uuid, const Finding& root);

// The attempt that ended because of it: unplanned, during it or at most kUntilEnd later; null: none.
const Attempt* endedBy(const Finding& finding, const FindingPlace& place, const RunPlaces& places);

}  // namespace runglass
