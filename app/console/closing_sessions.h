// SPDX-License-Identifier: GPL-3.0-or-later
// ClosingSessions: sessions that no window shows and whose running work has not ended. The GUI thread never waits for that while it has
// windows.
//
// Threading:  GUI thread; a thread for each session that closes.
// Ownership:  owns what is left of the sessions; the destructor waits for all of them.
// Errors:     none: a store that cannot be closed is reported on stderr.
// Cost:       a thread a session, for as long as its longest query still runs.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "app/console/store_session.h"

namespace runglass {

class ClosingSessions {
 public:
  void add(std::unique_ptr<StoreSession> session);
  // The sessions that a session with these options must wait for: two do not write one store or listen on one port.
  std::vector<std::shared_future<void>> before(const SessionOptions& options) const;

 private:
  struct Closing {
    std::string store;
    bool writes;
    std::shared_future<void> done;
    std::jthread thread;
  };
  std::vector<Closing> m_closing;
};

}  // namespace runglass
