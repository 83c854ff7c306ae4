// SPDX-License-Identifier: Apache-2.0
// Files on their way to the disk: a descriptor that is closed once nobody needs it, and a thread that syncs such files while their writer
// goes on. Internal to storage.
//
// Threading:  FileSync: one thread calls it; the syncing happens on a thread of its own, which the first start() makes.
// Ownership:  shared descriptors.
// Errors:     the errno of the first sync that failed; it is never followed by a success of the same file (the kernel forgets the pages).
// Cost:       start() and take() a mutex.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "model/mutex.h"

namespace runglass {

class OpenFile {
 public:
  explicit OpenFile(int fd) : m_fd(fd) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();
  int fd() const { return m_fd; }

 private:
  const int m_fd;
};

// 0, or the errno. A file system that cannot sync (EINVAL) counts as synced.
int syncFile(int fd);
// The folder that holds `file`: for syncFolder(), which needs no descriptor then. Its fd is -1 where it cannot be opened.
std::shared_ptr<OpenFile> folderOf(const std::string& file);
// 0, or the errno: what was created or renamed there.
int syncFolder(const OpenFile& folder);

class FileSync {
 public:
  FileSync() = default;
  FileSync(const FileSync&) = delete;
  FileSync& operator=(const FileSync&) = delete;
  ~FileSync();

  bool busy() const;
  // Syncs the folder (null: none), then the files in this order. Not while busy().
  void start(std::shared_ptr<OpenFile> folder, std::vector<std::shared_ptr<OpenFile>> files);
  // How the last one ended, once; absent: it has not, or that was asked already.
  std::optional<int> take();

 private:
  void run();

  mutable Mutex m_mutex;
  ConditionVariable m_wake;
  std::shared_ptr<OpenFile> m_folder RG_GUARDED_BY(m_mutex);
  std::vector<std::shared_ptr<OpenFile>> m_files RG_GUARDED_BY(m_mutex);
  bool m_busy RG_GUARDED_BY(m_mutex) = false;
  bool m_stopping RG_GUARDED_BY(m_mutex) = false;
  std::optional<int> m_result RG_GUARDED_BY(m_mutex);
  std::thread m_thread;
};

}  // namespace runglass
