// SPDX-License-Identifier: Apache-2.0
// PythonStack: a trainer's Python stacks through the faulthandler that runglass.py armed: sends a signal, then reads the output.
//
// Threading:  as CapturePiece.
// Ownership:  owns the file's descriptor.
// Units:      ns of the monotonic clock.
// Errors:     a process that has not armed it, is stopped or does not answer within kPatience is reported with the cause. The signal cannot
//             end a process: it is SIGURG, ignored by default, and it is sent only to a process that catches it and holds the file open.
// Cost:       a signal; the trainer's threads stop for the milliseconds in which their stacks are written.
#pragma once

#include <csignal>
#include <string>

#include "collectors/sources/capture/capture_log.h"
#include "collectors/sources/rank_table.h"

namespace runglass {

class PythonStack : public CapturePiece {
 public:
  static constexpr DurNs kPatience = 2 * kNsPerSecond;
  static constexpr int kSignal = SIGURG;

  // `on_none` is called once if there will be no stack, so that an alternative can be tried.
  PythonStack(std::string root, Trainer trainer, std::function<void(CaptureLog&)> on_none)
      : m_root(std::move(root)), m_trainer(std::move(trainer)), m_on_none(std::move(on_none)) {}
  ~PythonStack() override;
  bool poll(CaptureLog& log, DurNs now) override;
  void giveUp(CaptureLog& log) override;
  const char* kind() const override { return "stack"; }

 private:
  // Sends the signal, or returns the cause why not.
  Status begin();
  Status checkFile();
  void take(CaptureLog& log);
  void none(CaptureLog& log, const std::string& why);
  CaptureLog::Owner owner() const { return {m_trainer.rank.attempt, m_trainer.rank.rank}; }

  std::string m_root;
  Trainer m_trainer;
  std::function<void(CaptureLog&)> m_on_none;
  int m_fd = -1;
  bool m_begun = false;
  std::int64_t m_head = 0, m_from = 0, m_size = 0;  // file offsets: end of its first line, start and end of this dump
  DurNs m_grown = 0, m_until = 0;
};

}  // namespace runglass
