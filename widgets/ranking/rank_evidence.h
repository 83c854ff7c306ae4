// SPDX-License-Identifier: GPL-3.0-or-later
// What the store says of a rank's machine in the time in which it was slow: readings against its peers', ports, events, log lines.
//
// Threading:  readRankEvidence() on a query worker; the words on any thread.
// Ownership:  values.
// Units:      catalogue units; TimeRange.
// Errors:     the Reader's. What was not recorded is said to be so, and rules nothing out.
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
  bool own_port = false;  // the odd port is of its node
  std::vector<Event> events;
  std::vector<LogHit> logs;
};

Result<RankEvidence> readRankEvidence(Reader& reader, RankEvidenceQuestion question, std::stop_token stop);

// "SM clock 1 969 MHz, as its peers (1 970 MHz)"; a line a reading.
struct EvidenceLine {
  QString text;
  bool differs = false;  // speaks against it; else it is ruled out
};
std::vector<EvidenceLine> evidenceLines(const RankEvidence& evidence);
// What nobody recorded of it: "power, network ports".
QString notRecorded(const RankEvidence& evidence);

}  // namespace runglass
