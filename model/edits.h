// SPDX-License-Identifier: Apache-2.0
// Edits: additions of a person, or of an analysis that a person started, to the recorded data: notes, clock alignments, snoozed alerts,
// orders of ranks, incidents, freed agents.
//
// Units:      TimeNs; shifts are added to a time: positive moves a span later.
// Errors:     checkEdit(): INVALID_ARGUMENT: invalid in every store, whatever its sender. Runs are named by uuid, so that an edit has
//             the same meaning in another process's store.
// Cost:       checkEdit(): O(text).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/alerts.h"
#include "model/incident.h"
#include "model/result.h"
#include "model/time.h"

namespace runglass {

struct Note {
  std::int64_t id = 0;  // in the store; 0: a new one
  std::string run_uuid;
  std::optional<TimeNs> time;  // absent: about the run as a whole
  std::string author, text;    // an empty text deletes the note
};

// The shift of a rank's data, on top of its node's clock: piecewise linear between the given shifts, constant outside.
struct ClockShift {
  std::int32_t rank = 0;
  TimeNs at = 0;  // time of the node's clock, corrected by its own map
  DurNs shift = 0, error = 0;
};

// Replaces the attempt's previous alignment; without shifts: its times are those of the nodes' clocks again.
struct ClockAlignment {
  std::string run_uuid;
  std::int32_t attempt = 0;       // its number
  std::string source;             // "collectives", "manual"
  std::int64_t matches = 0;       // number of operations it was computed from; 0: unknown
  std::optional<DurNs> residual;  // of the clock that deviates most: median distance of its ends after the shifts; absent: unknown
  std::vector<ClockShift> shifts;
};

// The numbering of an attempt's ranks where none is recorded (rank_order.h); replaces an earlier choice.
struct RankOrderChoice {
  std::string run_uuid;
  std::int32_t attempt = 0;  // its number
  std::string order;         // empty: removes the choice
};

// Creates, changes or removes an incident. Its identity is incident.uuid, chosen by the creator (random_uuid.h): an edit sent twice takes
// effect once. incident.updated is that of the incident as it was read, absent for a new one: if the stored one was changed since, the edit
// is ABORTED. incident.id, run and attempt are the store's own and are ignored here; created is kept for a new one.
struct IncidentEdit {
  std::string run_uuid;
  std::optional<std::int32_t> attempt;  // its number; absent: about the run as a whole
  Incident incident;
  bool remove = false;
};

// Frees the uuids of agents: the next agent that connects with such a uuid owns it. `name`: an agent's uuid, or the uuid or name of a node,
// for all its agents.
struct AgentForget {
  std::string name;
};

using Edit = std::variant<Note, ClockAlignment, Snooze, RankOrderChoice, IncidentEdit, AgentForget>;

inline constexpr std::size_t kMaxEditText = 64U << 10;
inline constexpr std::size_t kMaxEditName = 256;  // for runs, authors, sources, rules
inline constexpr std::size_t kMaxAlertCause = 1024;
inline constexpr std::size_t kMaxShifts = 4'000'000;
inline constexpr std::size_t kMaxIncidentTitle = 512;
inline constexpr std::size_t kMaxIncidentSentence = 4096;  // for summaries, reasons, captions, selects
inline constexpr std::size_t kMaxIncidentFindings = 1000;
inline constexpr std::size_t kMaxIncidentCards = 200;

Status checkEdit(const Edit& edit);
// The limits of a store; the cause in an edit must also be known to this program.
Status checkIncident(const Incident& incident);

}  // namespace runglass
