// SPDX-License-Identifier: GPL-3.0-or-later
// RankLinks: what connects a rank with the members of its groups, and how fast: bus bandwidth of their collectives.
//
// Threading:  readLinks() on a query worker; its answer is immutable.
// Ownership:  values.
// Units:      bytes a second.
// Errors:     the Reader's; a group without a measurement says why, it is never 0.
// Cost:       readBus() of the rank's communicators.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "analysis/collectives/bus_bandwidth.h"
#include "widgets/topology/topology_data.h"

namespace runglass {

// Neighbours: of a ring in the group's order, of a pipeline stage by stage.
struct LinkEdge {
  std::int32_t from = 0, to = 0;
  PeerKind kind = PeerKind::kTp;
  std::optional<double> bytes_per_s;  // of the pair, else of its group; median
  bool own = false;                   // the pair's
};

struct LinkGroup {
  std::optional<PeerKind> kind;
  QString name;
  std::vector<std::int32_t> ranks;
  std::optional<BusStats> stats;
  BusOp op = BusOp::kNone;
  bool said = false;  // by NCCL itself
  QString reason;     // without stats
};

struct RankLinks {
  std::int32_t rank = 0;
  AttemptId attempt;
  std::vector<LinkGroup> groups;
  std::vector<LinkEdge> edges;
  QString note;  // of what was looked at
};
Result<RankLinks> readLinks(Reader& reader, const TopologyData& data, std::int32_t rank, std::stop_token stop);

QString bandwidthText(double bytes_per_s);  // "312 GB/s"
QString linkText(const LinkGroup& group);

}  // namespace runglass
