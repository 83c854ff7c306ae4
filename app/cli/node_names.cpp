// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/node_names.h"

#include <unistd.h>

#include <array>

#include "storage/open_store.h"

namespace runglass {

std::string NodeNames::uuidOf(const std::string& name) {
  constexpr DurNs kFresh = 5 * kNsPerSecond;
  const MutexLock lock(m_mutex);
  if (m_read == 0 || monotonicNow() - m_read > kFresh) read();
  const auto known = m_uuids.find(name);
  return known == m_uuids.end() ? std::string() : known->second;
}

void NodeNames::read() {
  m_read = monotonicNow();
  const auto reader = openStore(m_store).reader(m_hub.readerOptions());
  if (!reader.ok()) return;
  const auto nodes = (*reader)->nodes();
  if (!nodes.ok()) return;
  m_uuids.clear();
  // A machine's own id takes precedence over one derived from its name.
  for (const Node& node : *nodes)
    if (std::string& uuid = m_uuids[node.name]; uuid.empty() || uuid.starts_with("name:")) uuid = node.uuid;
}

std::string thisMachine() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace runglass
