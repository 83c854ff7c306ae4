// SPDX-License-Identifier: Apache-2.0
// MountProbe: asks a mount for its free space without ever waiting for it: a dead NFS server blocks statvfs for ever.
//
// Threading:  request() and take() on the owner's thread; the question runs on a thread of its own.
// Ownership:  a probe that hangs outlives its owner (the thread is detached and holds shared state).
// Units:      bytes, ns.
// Errors:     an errno is part of the answer.
// Cost:       one thread per mount while a question is open.
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
    std::int64_t total_bytes = 0, free_bytes = 0;  // free to an ordinary user
    DurNs took = 0;
  };
  void request();                // no-op while a question is open
  std::optional<Answer> take();  // an answer that has come since the last take()
  DurNs openFor() const;         // how long the open question has been waiting; 0 = none is open

 private:
  struct State;
  std::string m_path;
  std::shared_ptr<State> m_state;
};

}  // namespace runglass
