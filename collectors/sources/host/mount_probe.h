// SPDX-License-Identifier: Apache-2.0
// MountProbe: queries a mount's free space without blocking: statvfs on a dead NFS server blocks forever.
//
// Threading:  request() and take() on the owner's thread; the query runs on a separate thread.
// Ownership:  a probe that hangs outlives its owner (the thread is detached and holds shared state).
// Units:      bytes, ns.
// Errors:     an errno is part of the answer.
// Cost:       one thread per mount during a query.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "model/time.h"

namespace runglass {

class MountProbe {
 public:
  explicit MountProbe(std::string path);

  struct Answer {
    int error = 0;
    std::int64_t total_bytes = 0, free_bytes = 0;  // free for an ordinary user
    DurNs took = 0;
  };
  void request();                // no effect during a query
  std::optional<Answer> take();  // an answer that arrived since the last take()
  DurNs openFor() const;         // duration of the pending query; 0 = none

 private:
  struct State;
  std::string m_path;
  std::shared_ptr<State> m_state;
};

}  // namespace runglass
