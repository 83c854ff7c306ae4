// SPDX-License-Identifier: GPL-3.0-or-later
// The data about a rank's machine during the time in which it was slow: readings compared with its peers, ports, events, log lines.
//
// Threading:  readRankEvidence() on a query worker; the texts on any thread.
// Units:      catalogue units; TimeRange.
// Errors:     the Reader's. Readings that were not recorded are listed as such, and rule nothing out.
// Cost:       bounded: machineEvidence() and portEvidence() of at most kNodesAsked nodes, two pages of kLines rows.
#pragma once

#include <QStringList>
#include <stop_token>
#include <vector>

#include "analysis/step_diagnosis/machine_evidence.h"
#include "analysis/step_diagnosis/port_evidence.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::size_t kNodesAsked = 16, kLines = 4;

struct RankEvidenceQuestion {
  RunId run;
  Rank place;
  std::vector<Rank> peers;  // of the same role
  TimeRange range{0, 0};
  friend bool operator==(const RankEvidenceQuestion& a, const RankEvidenceQuestion& b) {
    return a.run == b.run && a.place.attempt == b.place.attempt && a.place.rank == b.place.rank && a.range.t0 == b.range.t0;
  }
};

struct RankEvidence {
  RankEvidenceQuestion question;
  MachineEvidence machine;
  PortEvidence ports;
  bool own_port = false;  // the deviating port belongs to its node
  std::vector<Event> events;
  std::vector<LogHit> logs;
};

Result<RankEvidence> readRankEvidence(Reader& reader, RankEvidenceQuestion question, std::stop_token stop);

// "SM clock 1 969 MHz, as its peers (1 970 MHz)"; one line per reading.
struct EvidenceLine {
  QString text;
  bool differs = false;  // evidence against the machine; else the cause is ruled out
};
std::vector<EvidenceLine> evidenceLines(const RankEvidence& evidence);
// The readings that were not recorded: "power, network ports".
QString notRecorded(const RankEvidence& evidence);

}  // namespace runglass
