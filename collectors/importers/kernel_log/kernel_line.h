// SPDX-License-Identifier: Apache-2.0
// KernelLineReader: parses the prefix of a kernel log line, in all common formats: /dev/kmsg, dmesg (raw, -T, -x, ISO times), syslog (RFC
// 3164 and 5424), journalctl (short*, json, export), fabric manager.
//
// Threading:  one thread.
// Ownership:  KernelLine views the given line, or the reader until its next call.
// Units:      TimeNs; see Clock.
// Errors:     a line without a known prefix is text without a time.
// Cost:       O(prefix); JSON O(line).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/events.h"
#include "model/time.h"

namespace runglass::kernel_log {

enum class Clock : std::uint8_t {
  kNone,    // no time printed
  kBoot,    // ns since boot
  kUtc,     // since the epoch
  kLocal,   // wall time without a zone, interpreted as UTC
  kNoYear,  // wall time without zone and year, interpreted as in 2000: see inAssumedYear()
};

struct KernelLine {
  Clock clock = Clock::kNone;
  TimeNs time = 0;
  std::optional<Severity> severity;
  std::optional<std::uint64_t> sequence;  // of /dev/kmsg
  std::string_view host;
  bool kernel = false;         // only a kernel's or fabric manager's log has lines of this form
  bool other_program = false;  // the line names another program than the kernel as its writer
  std::string_view text;
};

class KernelLineReader {
 public:
  // False: the line is blank, a kmsg continuation, or part of an incomplete entry of a journal export.
  bool read(std::string_view line, KernelLine& out);
  // Completes the last entry of a journal export, which has no blank line after it.
  bool finish(KernelLine& out);

 private:
  bool readJson(std::string_view line, KernelLine& out);
  bool readExport(std::string_view line, KernelLine& out);
  struct Entry {  // of a journal export
    std::string message, host, priority, realtime, transport, binary_key;
    bool open = false;
    void put(std::string_view key, std::string_view value);
  };
  bool take(KernelLine& out);
  Entry m_entry, m_taken;
  bool m_kmsg = false;  // the last line was a record of /dev/kmsg
};

}  // namespace runglass::kernel_log
