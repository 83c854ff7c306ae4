// SPDX-License-Identifier: Apache-2.0
// RecentRings: the recent rings in the directories of a node: ships them on request, takes away those that nobody asked for in time.
//
// Threading:  the client source's thread.
// Ownership:  owns the rings it shipped from, so that nothing is shipped twice.
// Units:      ns.
// Errors:     ship(): the answer's status names the ranks whose ring could not be shipped and why; sweep() tells of files that are none.
// Cost:       sweep(): one small read per file. ship(): as RecentRing::ship() per ring, on the caller's thread.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "collectors/sources/client/recent_ring.h"
#include "collectors/sources/order_book.h"

namespace runglass {

class RecentRings {
 public:
  using TellBad = std::function<void(const std::string& path, const Status& why)>;

  // A dead trainer's ring stays for `keep`.
  void keepFor(DurNs keep) { m_keep = keep; }
  void sweep(const std::vector<std::string>& dirs, const TellBad& bad);
  // Those of the order's run and ranks, of the living and the dead.
  // No run: all. After `until` (monotonic) no further ring is begun; the answer then names those that are left.
  OrderBook::Answer ship(const OrderBook::Task& task, const std::vector<std::string>& dirs, Recorder& out, const SourceContext& context,
                         DurNs until = std::numeric_limits<DurNs>::max());

 private:
  DurNs m_keep = 0;
  std::map<std::string, std::unique_ptr<RecentRing>> m_rings;  // by path
};

}  // namespace runglass
