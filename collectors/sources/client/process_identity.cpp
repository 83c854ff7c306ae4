// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/client/process_identity.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "model/rank_order.h"
#include "model/spans.h"

namespace runglass {

void applyIdentity(const rgr_identity& identity, Run& run, Attempt& attempt, Rank& rank) {
  const auto count = [](std::int64_t value) {
    return value == kAbsent ? 0 : static_cast<std::int32_t>(std::clamp<std::int64_t>(value, 0, 1 << 24));
  };
  run.name = identity.run[0] ? identity.run : "unnamed";
  run.framework = identity.framework;
  attempt.key = identity.attempt;
  attempt.layout = {count(identity.world), identity.tp, identity.pp, identity.dp, identity.cp, identity.ep, identity.vpp};
  rank.rank = count(identity.rank);
  if (identity.local_rank != kAbsent) rank.local_rank = static_cast<std::int32_t>(identity.local_rank);
  placeRank(attempt.layout, identity.order, rank);
  const auto place = [](std::int32_t value, std::optional<std::int32_t>& to) {
    if (value >= 0) to = value;
  };
  place(identity.rank_tp, rank.tp);
  place(identity.rank_pp, rank.pp);
  place(identity.rank_dp, rank.dp);
  place(identity.rank_cp, rank.cp);
  place(identity.rank_ep, rank.ep);
}

void terminateTexts(rgr_header& header) {
  rgr_identity& identity = header.identity;
  for (char* end :
       {identity.run + sizeof(identity.run), identity.attempt + sizeof(identity.attempt), identity.framework + sizeof(identity.framework),
        identity.order + sizeof(identity.order), identity.end_cause + sizeof(identity.end_cause), header.boot_id + sizeof(header.boot_id)})
    end[-1] = 0;
}

bool isOfThisBoot(const rgr_header& header) {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id.empty() || header.boot_id[0] == 0 || id == header.boot_id;
}

DurNs ringClockOffset(const rgr_header& header, TimeNs now) {
  const auto difference = [](std::int64_t a, std::int64_t b) {  // a hostile stamp must not overflow
    return static_cast<DurNs>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
  };
  return isOfThisBoot(header) ? now - monotonicNow() : difference(header.anchor_wall, header.anchor_mono);
}

}  // namespace runglass
