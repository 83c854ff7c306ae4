// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/damaged_pages.h"

#include <sys/stat.h>

#include <map>
#include <tuple>

#include "model/mutex.h"

namespace runglass::sqlite {
namespace {

using DamagedFile = std::tuple<std::string, dev_t, ino_t>;
struct DamagedFiles {
  Mutex mutex;
  std::map<DamagedFile, std::string> why RG_GUARDED_BY(mutex);
};

DamagedFiles& damagedFiles() {
  static DamagedFiles files;
  return files;
}

DamagedFile keyOf(const std::string& path) {
  struct stat file {};
  (void)::stat(path.c_str(), &file);
  return {path, file.st_dev, file.st_ino};
}

}  // namespace

void noteDamagedPage(const std::string& path, const std::string& why) {
  const DamagedFile file = keyOf(path);
  DamagedFiles& files = damagedFiles();
  const MutexLock lock(files.mutex);
  files.why.emplace(file, why);
}

std::string damagedPageOf(const std::string& path) {
  const DamagedFile file = keyOf(path);
  DamagedFiles& files = damagedFiles();
  const MutexLock lock(files.mutex);
  const auto found = files.why.find(file);
  return found == files.why.end() ? std::string() : found->second;
}

}  // namespace runglass::sqlite
