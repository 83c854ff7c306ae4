// SPDX-License-Identifier: GPL-3.0-or-later
// ClosingSessions: sessions without a window whose running work has not ended. The GUI thread never waits for them while it has windows.
//
// Threading:  GUI thread; a thread for each closing session.
// Ownership:  owns the sessions until they have closed; the destructor waits for all of them.
// Errors:     a store that cannot be closed is reported on stderr.
// Cost:       a thread per session, until its longest query ends.
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
  // The sessions that a session with these options must wait for: two sessions cannot write one store or listen on one port.
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
