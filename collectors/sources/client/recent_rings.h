// SPDX-License-Identifier: Apache-2.0
// RecentRings: the recent rings in the directories of a node: ships them on request, takes away those that nobody asked for in time.
//
// Threading:  the client source's thread.
// Ownership:  owns the rings it shipped from and, in a file, how far: nothing is shipped twice, not by the next agent either.
// Units:      ns.
// Errors:     ship(): the answer's status names the ranks whose ring could not be shipped and why; sweep() tells of files that are none.
//             Where the file of marks cannot be written or read, spans come twice rather than not at all.
// Cost:       sweep(): one small read per file. ship(): as RecentRing::ship() per ring, on the caller's thread.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "collectors/sources/client/recent_ring_file.h"
#include "collectors/sources/order_queue.h"

namespace runglass {

class RecentRings {
 public:
  using TellBad = std::function<void(const std::string& path, const Status& why)>;

  // A dead trainer's ring stays for `keep`.
  void keepFor(DurNs keep) { m_keep = keep; }
  // Where the marks are kept across a restart of the agent. Once, before ship().
  void keepMarksIn(std::string path);
  void sweep(const std::vector<std::string>& dirs, const TellBad& bad);
  // Those of the order's run and ranks, of the living and the dead.
  // No run: all. After `until` (monotonic) no further ring is begun; the answer then names those that are left.
  OrderQueue::Answer ship(const OrderQueue::Task& task, const std::vector<std::string>& dirs, Recorder& out, const SourceContext& context,
                          DurNs until = std::numeric_limits<DurNs>::max());

 private:
  // A ring and which one of that name it is.
  using Key = std::pair<std::string, std::string>;
  void saveMarks();

  DurNs m_keep = 0;
  std::string m_marks_path;
  std::map<Key, RecentRing::Mark> m_marks, m_saved;
  std::map<std::string, std::unique_ptr<RecentRing>> m_rings;  // by path
};

}  // namespace runglass
