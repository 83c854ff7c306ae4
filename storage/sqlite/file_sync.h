// SPDX-License-Identifier: Apache-2.0
// Syncing files to disk: descriptors that close when the last user releases them, and a thread that syncs such files while their writer
// continues. Internal to storage.
//
// Threading:  FileSync: called by one thread; syncing happens on its own thread, which the first start() creates.
// Ownership:  shared descriptors.
// Errors:     the errno of the first failed sync; after a failure, no later sync of the same file counts as a success (the kernel drops the
//             pages).
// Cost:       start() and take(): a mutex.
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
// The folder of `file`, for a later syncFolder(), which then needs no new descriptor. Its fd is -1 if it cannot be opened.
std::shared_ptr<OpenFile> folderOf(const std::string& file);
// 0, or the errno. Makes files created or renamed in the folder durable.
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
  // The result of the last sync, returned once; absent: not finished, or already returned.
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
