// SPDX-License-Identifier: Apache-2.0
#include "storage/file_sync.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace runglass {

OpenFile::~OpenFile() {
  if (m_fd >= 0) ::close(m_fd);
}

int syncFile(int fd) { return ::fdatasync(fd) == 0 || errno == EINVAL ? 0 : errno; }

int syncFolderOf(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  const int fd = ::open(slash == std::string::npos ? "." : file.substr(0, slash + 1).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno;
  const int error = ::fsync(fd) == 0 || errno == EINVAL ? 0 : errno;
  ::close(fd);
  return error;
}

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

void FileSync::start(std::string folder_of, std::vector<std::shared_ptr<OpenFile>> files) {
  {
    const MutexLock lock(m_mutex);
    m_folder_of = std::move(folder_of);
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
    const std::string folder_of = std::move(m_folder_of);
    lock.unlock();
    int error = folder_of.empty() ? 0 : syncFolderOf(folder_of);
    for (const auto& file : files)
      if (error == 0) error = syncFile(file->fd());
    files.clear();
    lock.lock();
    m_result = error;
    m_busy = false;
  }
}

}  // namespace runglass
