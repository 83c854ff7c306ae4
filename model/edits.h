// SPDX-License-Identifier: Apache-2.0
// Edits: what a person, or an analysis on a person's word, adds to what was recorded: notes, clock alignments, snoozed
// alerts, orders of ranks, incidents, agents to be forgotten.
//
// Units:      TimeNs; shifts are added to a time: positive moves a span later.
// Errors:     checkEdit(): INVALID_ARGUMENT what no store may take, whoever sent it. Runs are named by uuid, so that an edit means the same
//             in another process's store.
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
  std::int64_t id = 0;  // of the store; 0: a new one
  std::string run_uuid;
  std::optional<TimeNs> time;  // absent: about the run as a whole
  std::string author, text;    // no text: the note goes
};

// How far what a rank recorded is moved, on top of its node's clock: piecewise linear between its shifts, constant outside.
struct ClockShift {
  std::int32_t rank = 0;
  TimeNs at = 0;  // time of the node's clock as its own map corrected it
  DurNs shift = 0, error = 0;
};

// Replaces what aligned the attempt before; no shifts: its times are again as the nodes' clocks say.
struct ClockAlignment {
  std::string run_uuid;
  std::int32_t attempt = 0;       // its number
  std::string source;             // "collectives", "manual"
  std::int64_t matches = 0;       // how many operations it was made from; 0: not known
  std::optional<DurNs> residual;  // of the clock farthest from the others: median distance of its ends after the shifts; absent: not known
  std::vector<ClockShift> shifts;
};

// How the ranks of an attempt are numbered, where nothing recorded says it (rank_order.h); replaces what was chosen before.
struct RankOrderChoice {
  std::string run_uuid;
  std::int32_t attempt = 0;  // its number
  std::string order;         // empty: nothing is chosen any more
};

// Makes an incident, changes it or lets it go. Identity is incident.uuid, which who makes it chooses (random_uuid.h): an edit that is made
// twice is made once. incident.updated is that of the incident as it was read, absent of a new one: if the stored one was changed since,
// the edit is ABORTED. incident.id, run and attempt are the store's own and mean nothing here; created is kept of a new one.
struct IncidentEdit {
  std::string run_uuid;
  std::optional<std::int32_t> attempt;  // its number; absent: of the run as a whole
  Incident incident;
  bool remove = false;
};

// Frees the uuids of agents: the next one that connects with such a uuid is its owner. `name`: an agent's uuid, or the uuid or name of a
// node: all its agents.
struct AgentForget {
  std::string name;
};

using Edit = std::variant<Note, ClockAlignment, Snooze, RankOrderChoice, IncidentEdit, AgentForget>;

inline constexpr std::size_t kMaxEditText = 64U << 10;
inline constexpr std::size_t kMaxEditName = 256;  // of runs, authors, sources, rules
inline constexpr std::size_t kMaxAlertCause = 1024;
inline constexpr std::size_t kMaxShifts = 4'000'000;
inline constexpr std::size_t kMaxIncidentTitle = 512;
inline constexpr std::size_t kMaxIncidentSentence = 4096;  // summaries, reasons, captions, selects
inline constexpr std::size_t kMaxIncidentFindings = 1000;
inline constexpr std::size_t kMaxIncidentCards = 200;

Status checkEdit(const Edit& edit);
// What a store may hold; of an edit its cause must be one that this program knows, too.
Status checkIncident(const Incident& incident);

}  // namespace runglass
