// SPDX-License-Identifier: Apache-2.0
// ParseThread: runs one file's importer on its own thread, ahead of the thread that plays its calls into the store.
//
// Threading:  all calls on one thread, the store's; the importer runs on another.
// Ownership:  owns the file; the destructor stops the importer and waits for it.
// Units:      bytes.
// Errors:     status() and report() are the importer's, after next() has returned nothing.
// Cost:       a thread; with kMaxWaiting batches waiting, the importer waits.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>

#include "collectors/importers/importer.h"
#include "collectors/importers/input/input_file.h"
#include "collectors/importers/session/recorded_calls.h"
#include "model/mutex.h"

namespace runglass {

class ParseThread {
 public:
  static constexpr std::size_t kMaxWaiting = 4;

  // `stream` is a member of `file`.
  ParseThread(Importer& importer, std::unique_ptr<InputFile> file, ByteStream& stream, const ImportTarget& target,
              const std::stop_token& stop);
  ~ParseThread();
  ParseThread(const ParseThread&) = delete;
  ParseThread& operator=(const ParseThread&) = delete;

  // Waits for the next batch; none after the last.
  std::optional<RecordedCalls> next();
  const Status& status() const { return m_status; }
  const ImportReport& report() const { return m_report; }

 private:
  void run(Importer& importer, ByteStream& stream);
  void put(RecordedCalls calls);

  std::unique_ptr<InputFile> m_file;
  ImportTarget m_target;
  Status m_status;
  ImportReport m_report;
  std::stop_source m_stop;
  std::stop_callback<std::function<void()>> m_on_stop;
  Mutex m_mutex;
  ConditionVariable m_changed;
  std::deque<RecordedCalls> m_waiting RG_GUARDED_BY(m_mutex);
  bool m_ended RG_GUARDED_BY(m_mutex) = false;
  bool m_abandoned RG_GUARDED_BY(m_mutex) = false;
  std::jthread m_thread;  // last: it uses the members above
};

}  // namespace runglass
