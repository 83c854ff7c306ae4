// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/closing_sessions.h"

#include <chrono>

namespace runglass {

void ClosingSessions::add(std::unique_ptr<StoreSession> session) {
  std::erase_if(m_closing, [](const Closing& one) { return one.done.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
  if (!session) return;
  std::packaged_task<void()> close(session->close());
  Closing closing{
      .store = session->store(), .writes = session->writes() || session->follows(), .done = close.get_future().share(), .thread = {}};
  closing.thread = std::jthread(std::move(close));
  m_closing.push_back(std::move(closing));
}

std::vector<std::shared_future<void>> ClosingSessions::before(const SessionOptions& options) const {
  const bool writes = options.hub || options.follow;
  std::vector<std::shared_future<void>> sessions;
  for (const Closing& one : m_closing)
    if ((writes && one.writes) || one.store == options.store) sessions.push_back(one.done);
  return sessions;
}

}  // namespace runglass
