// SPDX-License-Identifier: GPL-3.0-or-later
// RankLinks: the connections of a rank to the members of its groups, and their speed: bus bandwidth of their collectives.
//
// Threading:  readLinks() on a query worker; its result is immutable.
// Units:      bytes per second.
// Errors:     the Reader's; a group without a measurement has a reason, never 0.
// Cost:       readBus() of the rank's communicators.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "analysis/collectives/bus_bandwidth.h"
#include "widgets/topology/topology_data.h"

namespace runglass {

// Neighbours: in a ring by the group's order, in a pipeline stage by stage.
struct LinkEdge {
  std::int32_t from = 0, to = 0;
  PeerKind kind = PeerKind::kTp;
  std::optional<double> bytes_per_s;  // of the pair, else of its group; median
  bool own = false;                   // measured for the pair
};

struct LinkGroup {
  std::optional<PeerKind> kind;
  QString name;
  std::vector<std::int32_t> ranks;
  std::optional<BusStats> stats;
  BusOp op = BusOp::kNone;
  bool said = false;  // reported by NCCL itself
  QString reason;     // why there are no statistics
};

struct RankLinks {
  std::int32_t rank = 0;
  AttemptId attempt;
  std::vector<LinkGroup> groups;
  std::vector<LinkEdge> edges;
  QString note;  // about the data read
};
Result<RankLinks> readLinks(Reader& reader, const TopologyData& data, std::int32_t rank, std::stop_token stop);

QString linkText(const LinkGroup& group);

}  // namespace runglass
