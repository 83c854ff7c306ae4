// SPDX-License-Identifier: Apache-2.0
// RecentRings: the recent rings in the directories of a node: ships them on request, and removes those not requested in time.
//
// Threading:  the client source's thread.
// Ownership:  owns the rings it shipped from and, in a file, their marks: no span is shipped twice, not even by the next agent.
// Units:      ns.
// Errors:     ship(): the answer's status lists the ranks whose ring could not be shipped, with the cause; sweep() reports invalid files.
//             If the file of marks cannot be written or read, spans are sent twice rather than not at all.
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

  // A dead trainer's ring is kept for `keep`.
  void keepFor(DurNs keep) { m_keep = keep; }
  // File of the marks, which survive a restart of the agent. To call once, before ship().
  void keepMarksIn(std::string path);
  void sweep(const std::vector<std::string>& dirs, const TellBad& bad);
  // Ships the rings of the command's run and ranks, of live and dead trainers. No run: all. After `until` (monotonic) no further ring is
  // begun; the answer then lists the remaining ones.
  OrderQueue::Answer ship(const OrderQueue::Task& task, const std::vector<std::string>& dirs, Recorder& out, const SourceContext& context,
                          DurNs until = std::numeric_limits<DurNs>::max());

 private:
  // Path of a ring, and the identity of the ring at that path.
  using Key = std::pair<std::string, std::string>;
  void saveMarks();

  DurNs m_keep = 0;
  std::string m_marks_path;
  std::map<Key, RecentRing::Mark> m_marks, m_saved;
  std::map<std::string, std::unique_ptr<RecentRing>> m_rings;  // by path
};

}  // namespace runglass
