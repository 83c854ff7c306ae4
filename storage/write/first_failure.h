// SPDX-License-Identifier: Apache-2.0
// FirstFailure: the first failure of a Recorder call since the last take(); the calls themselves return no status. Internal to storage.
#pragma once

#include <utility>

#include "model/result.h"

namespace runglass {

class FirstFailure {
 public:
  void note(Status status) {
    if (m_first.ok()) m_first = std::move(status);
  }
  bool any() const { return !m_first.ok(); }
  Status take() { return std::exchange(m_first, Status()); }

 private:
  Status m_first;
};

}  // namespace runglass
