// SPDX-License-Identifier: Apache-2.0
// ToolOutput: output of another program (py-spy, nvidia-smi), as a piece of a capture.
//
// Threading:  as CapturePiece.
// Ownership:  owns the child; at the time limit it is killed, and left if it cannot be killed.
// Units:      ns of the monotonic clock, bytes.
// Errors:     a program that is missing, fails or takes longer than kPatience is reported with the cause.
// Cost:       a process; kMaxCaptureBytes of memory.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "collectors/sources/capture/capture_log.h"

namespace runglass {

class ToolOutput : public CapturePiece {
 public:
  static constexpr DurNs kPatience = 10 * kNsPerSecond;

  // `arguments[0]`: a path, or a name to find in PATH. `source`: name of the tool in the capture.
  ToolOutput(CaptureLog::Owner owner, const char* kind, std::string source, std::vector<std::string> arguments)
      : m_owner(owner), m_kind(kind), m_source(std::move(source)), m_arguments(std::move(arguments)) {}
  ~ToolOutput() override;
  bool poll(CaptureLog& log, DurNs now) override;
  void giveUp(CaptureLog& log) override;
  const char* kind() const override { return m_kind; }

  // "" if there is no such program.
  static std::string find(const std::string& name);

 private:
  Status begin();
  // False: the pipe has ended.
  bool drain();

  CaptureLog::Owner m_owner;
  const char* m_kind;
  std::string m_source;
  std::vector<std::string> m_arguments;
  pid_t m_child = -1;
  int m_fd = -1;
  DurNs m_until = 0;
  std::string m_text;
  std::int64_t m_cut = 0;
};

}  // namespace runglass
