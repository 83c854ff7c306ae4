// SPDX-License-Identifier: GPL-3.0-or-later
// NodeNames: nodes by name as recorded in a hub's store; cached for a while, because a thousand sources look them up at the same time.
//
// Threading:  thread-safe.
// Ownership:  borrows the hub.
// Errors:     an unknown name is "".
#pragma once

#include <map>
#include <string>
#include <utility>

#include "collectors/hub/server/hub.h"
#include "model/mutex.h"

namespace runglass {

class NodeNames {
 public:
  NodeNames(Hub& hub, std::string store) : m_hub(hub), m_store(std::move(store)) {}
  std::string uuidOf(const std::string& name);

 private:
  void read() RG_REQUIRES(m_mutex);

  Hub& m_hub;
  const std::string m_store;
  Mutex m_mutex;
  std::map<std::string, std::string> m_uuids RG_GUARDED_BY(m_mutex);
  DurNs m_read RG_GUARDED_BY(m_mutex) = 0;
};

std::string thisMachine();

}  // namespace runglass
