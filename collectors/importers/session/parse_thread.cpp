// SPDX-License-Identifier: Apache-2.0
// Invariant: m_status and m_report belong to the thread until m_ended, then to the caller.
#include "collectors/importers/session/parse_thread.h"

namespace runglass {

ParseThread::ParseThread(Importer& importer, std::unique_ptr<InputFile> file, ByteStream& stream, const ImportTarget& target,
                         const std::stop_token& stop)
    : m_file(std::move(file)),
      m_target(target),
      m_on_stop(stop, [this] { m_stop.request_stop(); }),
      m_thread([this, &importer, &stream] { run(importer, stream); }) {}

ParseThread::~ParseThread() {
  m_stop.request_stop();
  const MutexLock lock(m_mutex);
  m_abandoned = true;
  m_changed.notifyAll();
}

void ParseThread::run(Importer& importer, ByteStream& stream) {
  CallRecorder calls([this](RecordedCalls batch) { put(std::move(batch)); });
  m_status = importer.run(stream, m_target, calls, m_report, m_stop.get_token());
  static_cast<void>(calls.flush());
  const MutexLock lock(m_mutex);
  m_ended = true;
  m_changed.notifyAll();
}

void ParseThread::put(RecordedCalls calls) {
  MutexLock lock(m_mutex);
  m_changed.wait(lock, [this]() RG_REQUIRES(m_mutex) { return m_waiting.size() < kMaxWaiting || m_abandoned; });
  if (m_abandoned) return;
  m_waiting.push_back(std::move(calls));
  m_changed.notifyAll();
}

std::optional<RecordedCalls> ParseThread::next() {
  MutexLock lock(m_mutex);
  m_changed.wait(lock, [this]() RG_REQUIRES(m_mutex) { return !m_waiting.empty() || m_ended; });
  if (m_waiting.empty()) return std::nullopt;
  RecordedCalls calls = std::move(m_waiting.front());
  m_waiting.pop_front();
  m_changed.notifyAll();
  return calls;
}

}  // namespace runglass
