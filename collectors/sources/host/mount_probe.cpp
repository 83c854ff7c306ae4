// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/host/mount_probe.h"

#include <sys/statvfs.h>

#include <cerrno>
#include <thread>

#include "model/mutex.h"

namespace runglass {

struct MountProbe::State {
  Mutex mutex;
  TimeNs asked RG_GUARDED_BY(mutex) = 0;  // 0: no pending query
  std::optional<Answer> answer RG_GUARDED_BY(mutex);
};

MountProbe::MountProbe(std::string path) : m_path(std::move(path)), m_state(std::make_shared<State>()) {}

void MountProbe::request() {
  {
    const MutexLock lock(m_state->mutex);
    if (m_state->asked != 0) return;
    m_state->asked = monotonicNow();
  }
  std::thread([path = m_path, state = m_state] {
    struct statvfs fs {};
    const int rc = statvfs(path.c_str(), &fs);
    const int error = rc == 0 ? 0 : errno;
    const MutexLock lock(state->mutex);
    state->answer = Answer{error, static_cast<std::int64_t>(fs.f_blocks * fs.f_frsize),
                           static_cast<std::int64_t>(fs.f_bavail * fs.f_frsize), monotonicNow() - state->asked};
    state->asked = 0;
  }).detach();
}

std::optional<MountProbe::Answer> MountProbe::take() {
  const MutexLock lock(m_state->mutex);
  auto answer = m_state->answer;
  m_state->answer.reset();
  return answer;
}

DurNs MountProbe::openFor() const {
  const MutexLock lock(m_state->mutex);
  return m_state->asked == 0 ? 0 : monotonicNow() - m_state->asked;
}

}  // namespace runglass
