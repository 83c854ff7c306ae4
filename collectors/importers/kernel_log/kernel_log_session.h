// SPDX-License-Identifier: Apache-2.0
// KernelLogSession: processes one kernel log from its first byte: lines in, events with their devices and log lines out. The importer feeds
// a whole file, the agent's source each new message.
//
// Threading:  one thread.
// Ownership:  borrows the Recorder per call.
// Units:      TimeNs; times without a zone are UTC in an imported file and local time on the machine that writes it.
// Errors:     invalid data is counted in issues().
// Cost:       O(bytes); memory limited (one line of 1 MiB, 4,096 hosts and devices). At most `line_budget` log lines and `event_budget`
//             events are recorded until refill(); the rest is counted.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "collectors/importers/kernel_log/fault_line.h"
#include "collectors/importers/kernel_log/kernel_line.h"
#include "collectors/importers/kernel_log/repeated_faults.h"
#include "collectors/text/line_splitter.h"
#include "model/recorder.h"

namespace runglass::kernel_log {

struct SessionOptions {
  std::string run_name, attempt_key;    // of an imported file; a live log belongs only to its node
  std::string stream;                   // of log lines: the file's name
  std::string path;                     // for issues
  std::uint64_t resume_at = 0;          // lines that begin before it are parsed, not recorded
  std::optional<TimeNs> modified = {};  // of an imported file: supplies the year of stamps without one
  bool live = false;
  NodeId node;  // this machine, if known
  std::string node_uuid;
  std::optional<DurNs> boot_to_utc;              // converts times since boot to wall time
  std::map<std::string, std::string> gpu_uuids;  // by PCI address, if known
  // False: another source of this agent has just recorded this fault; the line is then recorded as a log line.
  std::function<bool(std::string_view kind, std::string_view code, std::string_view device, TimeNs time)> may_tell;
  std::int64_t line_budget = 50'000, event_budget = 100'000;
};

class KernelLogSession {
 public:
  explicit KernelLogSession(SessionOptions options);

  void push(std::string_view bytes, Recorder& out);
  // End of the file. `take_rest`: an unfinished last line counts, as in logs copied from a screen.
  void finish(Recorder& out, bool take_rest);
  // The file was replaced or truncated: the next byte is its first.
  void startOver();
  // Wall time for lines without one (live only).
  void setArrival(std::optional<TimeNs> now) { m_arrival = now; }
  void setBootToUtc(DurNs offset) { m_options.boot_to_utc = offset; }
  // Records of /dev/kmsg up to this number are already recorded.
  void skipTo(std::uint64_t sequence) { m_skip_to = sequence; }
  // Records repeated faults of a live log, and links that went down at boot: those of the last minute and of past boots, or all.
  void tellRepeats(TimeNs now, bool all, Recorder& out);
  // Refills the budgets, up to their initial size.
  void refill(std::int64_t lines, std::int64_t events);

  RunId run() const { return m_run; }
  bool hasKernelLines() const { return m_kernel_lines > 0; }
  std::optional<TimeNs> endTime() const { return m_end_time; }
  std::optional<std::uint64_t> lastSequence() const { return m_sequence; }
  std::uint64_t committedOffset() const { return m_committed; }
  // Issues since the last call, by code; counts add up.
  std::map<std::string, Issue> takeIssues();

 private:
  struct Where {
    NodeId node;
    std::string node_uuid;
  };
  void onLine(std::string_view raw, bool record, Recorder& out);
  void onText(const KernelLine& line, bool record, Recorder& out);
  void onFault(const Fault& fault, const KernelLine& line, std::optional<TimeNs> time, bool record, Recorder& out);
  std::optional<TimeNs> timeOf(const KernelLine& line, bool record);
  void learnDomain(const KernelLine& line, bool record, Recorder& out);
  Where placeOf(std::string_view host, Recorder& out);
  void onBoot(const std::string& node_uuid, std::optional<TimeNs> time);
  // What a healthy machine reports while it boots: a port without a cable is reported down when its driver loads, and drivers and network
  // services reset links, which are up again within kBoot; the processor's records of the first seconds are of the time before.
  enum class AtBoot : std::uint8_t { kFault, kNormal, kNormalIfUpAgain };
  AtBoot atBoot(const Fault& fault, const Where& where, std::optional<DurNs> age);
  // Since the boot that the log has.
  std::optional<DurNs> ageOf(const Where& where, const KernelLine& line, std::optional<TimeNs> time) const;
  // Records links that went down at boot: those of `port` as normal, or those that are not up at `now` as faults.
  void sayUp(const std::string& port, Recorder& out);
  void sayDown(std::optional<TimeNs> now, Recorder& out);
  void keepLine(const KernelLine& line, std::optional<TimeNs> time, NodeId node, Recorder& out);
  std::string deviceUuid(const Fault& fault, const Where& where, std::string_view& kind) const;
  DeviceId deviceOf(const std::string& uuid, std::string_view kind, const Where& where, Recorder& out);
  void addIssue(std::string_view code, std::string_view detail, std::optional<TimeNs> time = std::nullopt);

  SessionOptions m_options;
  std::int64_t m_lines_left, m_events_left;
  train_log::LineSplitter m_splitter;
  KernelLineReader m_reader;
  train_log::RuleSet::Scratch m_scratch;
  std::string m_clean;
  std::optional<TimeNs> m_arrival;
  std::optional<std::uint64_t> m_sequence, m_skip_to;
  std::uint64_t m_committed = 0;
  std::int64_t m_kernel_lines = 0, m_long_reported = 0;
  RunId m_run;
  AttemptId m_attempt;
  TimeDomain m_domain = TimeDomain::kNone;
  std::optional<TimeNs> m_end_time;
  std::map<std::string, Where, std::less<>> m_hosts;
  std::map<std::string, DeviceId> m_devices;              // by uuid
  std::map<std::string, std::string> m_gpu_uuids;         // by node uuid + address
  std::map<std::string, std::optional<TimeNs>> m_booted;  // nodes by uuid: when
  std::set<std::string> m_up;                             // ports up since then, by node uuid + address
  struct Down {
    Event event;
    std::string port;
    TimeNs until = 0;
  };
  std::vector<Down> m_down;  // links that went down at boot and may be up again
  RepeatedFaults m_repeated;
  std::map<std::string, Issue> m_issues;
};

}  // namespace runglass::kernel_log
