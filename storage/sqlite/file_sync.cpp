// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/file_sync.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace runglass {

OpenFile::~OpenFile() {
  if (m_fd >= 0) ::close(m_fd);
}

int syncFile(int fd) { return ::fdatasync(fd) == 0 || errno == EINVAL ? 0 : errno; }

std::shared_ptr<OpenFile> folderOf(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : file.substr(0, slash + 1);
  return std::make_shared<OpenFile>(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

int syncFolder(const OpenFile& folder) { return ::fsync(folder.fd()) == 0 || errno == EINVAL ? 0 : errno; }

FileSync::~FileSync() {
  {
    const MutexLock lock(m_mutex);
    m_stopping = true;
  }
  m_wake.notifyAll();
  if (m_thread.joinable()) m_thread.join();
}

bool FileSync::busy() const {
  const MutexLock lock(m_mutex);
  return m_busy;
}

void FileSync::start(std::shared_ptr<OpenFile> folder, std::vector<std::shared_ptr<OpenFile>> files) {
  {
    const MutexLock lock(m_mutex);
    m_folder = std::move(folder);
    m_files = std::move(files);
    m_busy = true;
    m_result.reset();
  }
  m_wake.notifyAll();
  if (!m_thread.joinable()) m_thread = std::thread([this] { run(); });
}

std::optional<int> FileSync::take() {
  const MutexLock lock(m_mutex);
  return std::exchange(m_result, std::nullopt);
}

void FileSync::run() {
  MutexLock lock(m_mutex);
  while (true) {
    m_wake.wait(lock, [this]() RG_REQUIRES(m_mutex) { return m_busy || m_stopping; });
    if (!m_busy) return;
    std::vector<std::shared_ptr<OpenFile>> files = std::move(m_files);
    const std::shared_ptr<OpenFile> folder = std::move(m_folder);
    lock.unlock();
    int error = folder ? syncFolder(*folder) : 0;
    for (const auto& file : files)
      if (error == 0) error = syncFile(file->fd());
    files.clear();
    lock.lock();
    m_result = error;
    m_busy = false;
  }
}

}  // namespace runglass
