// SPDX-License-Identifier: Apache-2.0
#include "storage/read/damage_log.h"

#include <sys/stat.h>

#include <atomic>
#include <map>
#include <tuple>

namespace runglass {
namespace {

std::atomic<std::uint64_t> g_notes = 0;

// A file that replaced another one under the same path has its own log.
struct Logs {
  Mutex mutex;
  std::map<std::tuple<std::string, dev_t, ino_t>, std::shared_ptr<DamageLog>> of RG_GUARDED_BY(mutex);
};

Logs& logs() {
  static Logs all;
  return all;
}

}  // namespace

std::shared_ptr<DamageLog> DamageLog::of(const std::string& path) {
  struct stat file {};
  (void)stat(path.c_str(), &file);
  Logs& all = logs();
  const MutexLock lock(all.mutex);
  std::shared_ptr<DamageLog>& log = all.of[{path, file.st_dev, file.st_ino}];
  if (!log) log = std::make_shared<DamageLog>();
  return log;
}

std::vector<std::pair<std::string, Issue>> DamageLog::ofProcess() {
  std::vector<std::pair<std::string, Issue>> found;
  Logs& all = logs();
  const MutexLock lock(all.mutex);
  for (const auto& [file, log] : all.of)
    for (Issue& issue : log->issues()) found.emplace_back(std::get<0>(file), std::move(issue));
  return found;
}

std::uint64_t DamageLog::notes() { return g_notes.load(std::memory_order_relaxed); }

void DamageLog::note(const std::string& object) {
  ++g_notes;
  const MutexLock lock(m_mutex);
  if (m_objects.size() < kMax) m_objects.insert(object);
}

std::vector<Issue> DamageLog::issues() const {
  const MutexLock lock(m_mutex);
  if (m_objects.empty()) return {};
  const std::string others = m_objects.size() == 1 ? "" : " and " + std::to_string(m_objects.size() - 1) + " others";
  return {{.code = "store.damaged_chunk",
           .source = "this file",
           .count = static_cast<std::int64_t>(m_objects.size()),
           .detail = *m_objects.begin() + others +
                     ": damaged and left out of this answer; `runglassctl verify` lists everything that is damaged"}};
}

}  // namespace runglass
