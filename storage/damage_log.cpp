// SPDX-License-Identifier: Apache-2.0
#include "storage/damage_log.h"

#include <map>

namespace runglass {

std::shared_ptr<DamageLog> DamageLog::of(const std::string& path) {
  static Mutex mutex;
  static std::map<std::string, std::weak_ptr<DamageLog>> logs RG_GUARDED_BY(mutex);
  const MutexLock lock(mutex);
  std::erase_if(logs, [](const auto& entry) { return entry.second.expired(); });
  std::shared_ptr<DamageLog> log = logs[path].lock();
  if (!log) logs[path] = log = std::make_shared<DamageLog>();
  return log;
}

void DamageLog::note(const std::string& object) {
  const MutexLock lock(m_mutex);
  if (m_objects.size() < kMost) m_objects.insert(object);
}

std::vector<Issue> DamageLog::issues() const {
  const MutexLock lock(m_mutex);
  if (m_objects.empty()) return {};
  const std::string others = m_objects.size() == 1 ? "" : " and " + std::to_string(m_objects.size() - 1) + " others";
  return {{.code = "store.damaged_chunk",
           .source = "this file",
           .count = static_cast<std::int64_t>(m_objects.size()),
           .detail = *m_objects.begin() + others + ": left out of what is shown, as far as it was read; runglassctl verify names all"}};
}

}  // namespace runglass
