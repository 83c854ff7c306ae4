// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A line is processed once, when it is complete; lines that begin before resume_at change state but record nothing.
// 2. All recorded times of a session are of m_domain; a line with another clock is recorded without a time.
// 3. A run is declared with the first recorded line, never by a live session. Lines that are not recorded cause no issues.
#include "collectors/importers/kernel_log/kernel_log_session.h"

#include <algorithm>

#include "collectors/importers/train_log/log_text.h"
#include "collectors/text/display_name.h"
#include "collectors/text/wall_stamp.h"

namespace runglass::kernel_log {
namespace {
using train_log::cleanText;
constexpr std::size_t kMaxPlaces = 4096;
constexpr DurNs kBoot = 300 * kNsPerSecond;       // until drivers and network services have started
constexpr DurNs kNeverUp = 3'600 * kNsPerSecond;  // since boot: as long as a port that was not seen up counts as unused
constexpr DurNs kOldRecords = 10 * kNsPerSecond;  // until the processor's records of the time before are printed

std::string_view deviceKind(std::string_view fault) {
  if (fault == "xid" || fault == "gpu_lost" || fault == "gpu_uuid") return "gpu";
  if (fault == "sxid" || fault == "nvswitch") return "nvswitch";
  if (fault == "link_down" || fault == "link_up" || fault == "nic_error") return "nic";
  return {};
}

// "CPU 3: Machine Check Exception: 5 Bank 7: be00004000010090": bit 61 of the bank's status, or the exception.
bool isUncorrected(std::string_view text) {
  if (text.find("Machine Check Exception") != std::string_view::npos) return true;
  const std::size_t bank = text.find(" Bank "), status = bank == std::string_view::npos ? bank : text.find(": ", bank);
  return status != std::string_view::npos && std::string_view("2367abefABEF").find(text.substr(status + 2, 1)) != std::string_view::npos &&
         status + 2 < text.size();
}

// By address, because an interface is renamed while the node boots. A bond that lost all its links has neither.
std::string portOf(const Fault& fault, const std::string& node_uuid) {
  if (fault.pci.empty() && fault.interface_name.empty()) return {};
  return node_uuid + '/' + (fault.pci.empty() ? std::string(fault.interface_name) : fault.pci);
}
}  // namespace

KernelLogSession::KernelLogSession(SessionOptions options)
    : m_options(std::move(options)), m_lines_left(m_options.line_budget), m_events_left(m_options.event_budget) {
  for (const auto& [pci, uuid] : m_options.gpu_uuids) m_gpu_uuids[m_options.node_uuid + '/' + pci] = uuid;
}

void KernelLogSession::push(std::string_view bytes, Recorder& out) {
  m_splitter.push(bytes, [&](std::string_view line, std::uint64_t offset) { onLine(line, offset >= m_options.resume_at, out); });
  m_committed = m_splitter.lineStart();
  for (; m_long_reported < m_splitter.longLines(); ++m_long_reported) addIssue("kernel_log.long_line", "a line of more than 1 MiB is cut");
}

void KernelLogSession::finish(Recorder& out, bool take_rest) {
  if (take_rest && !m_splitter.partial().empty()) {
    const std::string rest(m_splitter.partial());
    onLine(rest, m_splitter.lineStart() >= m_options.resume_at, out);
    m_committed = m_splitter.offset();
  }
  KernelLine line;
  if (m_reader.finish(line)) onText(line, m_committed > m_options.resume_at, out);
  sayDown({}, out);
}

void KernelLogSession::startOver() {
  m_splitter = train_log::LineSplitter();
  m_reader = KernelLineReader();
  m_options.resume_at = 0;
  m_committed = 0;
  m_long_reported = 0;
}

void KernelLogSession::refill(std::int64_t lines, std::int64_t events) {
  m_lines_left = std::min(m_options.line_budget, m_lines_left + lines);
  m_events_left = std::min(m_options.event_budget, m_events_left + events);
}

void KernelLogSession::onLine(std::string_view raw, bool record, Recorder& out) {
  if (!record) m_long_reported = m_splitter.longLines();
  raw.remove_prefix(std::min(raw.find_first_not_of('\0'), raw.size()));
  if (raw.find('\x1b') != std::string_view::npos) {
    train_log::stripAnsi(raw, m_clean);
    raw = m_clean;
  }
  KernelLine line;
  if (m_reader.read(raw, line)) onText(line, record, out);
}

void KernelLogSession::onText(const KernelLine& line, bool record, Recorder& out) {
  if (line.sequence) {
    if (m_skip_to && *line.sequence <= *m_skip_to) return;
    m_sequence = line.sequence;
  }
  // Other programs repeat kernel messages; only the fabric manager has its own.
  auto fault = faultOf(line.text, m_scratch);
  if (fault && line.other_program && fault->kind != "nvswitch") fault.reset();
  if (line.kernel || fault) ++m_kernel_lines;
  if (!m_options.live) learnDomain(line, record, out);
  const auto time = timeOf(line, record);
  if (time) sayDown(time, out);
  if (line.text.starts_with("Linux version ") && !line.other_program) onBoot(placeOf(line.host, out).node_uuid, time);
  if (record && time) m_end_time = std::max(m_end_time.value_or(*time), *time);
  if (fault) onFault(*fault, line, time, record, out);
  if (!record || (fault && fault->kind != "gpu_uuid")) return;
  keepLine(line, time, placeOf(line.host, out).node, out);
}

void KernelLogSession::onBoot(const std::string& node_uuid, std::optional<TimeNs> time) {
  if (m_booted.size() < kMaxPlaces) m_booted[node_uuid] = time;
  std::erase_if(m_up, [&](const std::string& port) { return port.starts_with(node_uuid + '/'); });
}

std::optional<DurNs> KernelLogSession::ageOf(const Where& where, const KernelLine& line, std::optional<TimeNs> time) const {
  const auto booted = m_booted.find(where.node_uuid);
  if (booted == m_booted.end()) return std::nullopt;
  if (line.clock == Clock::kBoot) return line.time;
  return time && booted->second ? std::optional(*time - *booted->second) : std::nullopt;
}

KernelLogSession::AtBoot KernelLogSession::atBoot(const Fault& fault, const Where& where, std::optional<DurNs> age) {
  if (fault.kind == "machine_check") return age && *age < kOldRecords && !isUncorrected(fault.message) ? AtBoot::kNormal : AtBoot::kFault;
  if (fault.kind != "link_down") return AtBoot::kFault;
  const std::string port = portOf(fault, where.node_uuid);
  if (!port.empty() && m_up.contains(port)) return age && *age < kBoot ? AtBoot::kNormalIfUpAgain : AtBoot::kFault;
  // A port whose "up" is in no line may have come up all the same.
  const bool booting = age && *age < kBoot,
             never_up = !port.empty() && m_booted.contains(where.node_uuid) && m_up.size() < kMaxPlaces && (!age || *age < kNeverUp);
  return booting || never_up ? AtBoot::kNormal : AtBoot::kFault;
}

void KernelLogSession::sayUp(const std::string& port, Recorder& out) {
  for (Down& down : m_down) {
    if (down.port != port) continue;
    down.event.severity = Severity::kInfo;
    out.event(down.event);
  }
  std::erase_if(m_down, [&](const Down& down) { return down.port == port; });
}

void KernelLogSession::sayDown(std::optional<TimeNs> now, Recorder& out) {
  std::erase_if(m_down, [&](const Down& down) {
    const bool lost = !now || *now >= down.until;
    if (lost) out.event(down.event);
    return lost;
  });
}

void KernelLogSession::keepLine(const KernelLine& line, std::optional<TimeNs> time, NodeId node, Recorder& out) {
  if (m_lines_left == 0) return addIssue("kernel_log.too_many_lines", cleanText(line.text, 120), time);
  --m_lines_left;
  out.log({.time = time,
           .attempt = m_attempt,
           .node = node,
           .stream = m_options.stream,
           .severity = line.severity.value_or(Severity::kInfo),
           .text = validText(line.text, train_log::kMaxLogText)});
}

void KernelLogSession::onFault(const Fault& fault, const KernelLine& line, std::optional<TimeNs> time, bool record, Recorder& out) {
  const Where where = placeOf(line.host, out);
  if (fault.kind == "gpu_uuid") {
    if (m_gpu_uuids.size() < kMaxPlaces) m_gpu_uuids.insert_or_assign(where.node_uuid + '/' + fault.pci, std::string(fault.uuid));
    return;
  }
  const auto age = ageOf(where, line, time);
  const AtBoot at_boot = atBoot(fault, where, age);
  if (const std::string port = portOf(fault, where.node_uuid); fault.kind == "link_up" && !port.empty()) {
    if (m_up.size() < kMaxPlaces) m_up.insert(port);
    sayUp(port, out);
  }
  if (!record) return;
  std::string_view device_kind;
  const std::string uuid = deviceUuid(fault, where, device_kind);
  if (time && m_options.may_tell && !m_options.may_tell(fault.kind, fault.code, uuid, *time)) return keepLine(line, time, where.node, out);
  if (m_events_left == 0) return addIssue("kernel_log.too_many_events", cleanText(fault.message, 120), time);
  const Event event{.time = time,
                    .attempt = m_attempt,
                    .node = where.node,
                    .device = deviceOf(uuid, device_kind, where, out),
                    .kind = std::string(fault.kind),
                    .severity = at_boot == AtBoot::kNormal ? Severity::kInfo : fault.severity,
                    .code = fault.code,
                    .message = cleanText(fault.message, train_log::kMaxMessage)};
  const std::string process = fault.code + '/' + uuid + '/' + std::string(fault.pid);
  if (m_options.live && fault.kind == "xid" && !m_repeated.isNew(process, event, time.value_or(0))) return;
  --m_events_left;
  if (at_boot == AtBoot::kNormalIfUpAgain && time) {
    m_down.push_back({.event = event, .port = portOf(fault, where.node_uuid), .until = *time + (kBoot - *age)});
    return;
  }
  out.event(event);
}

void KernelLogSession::tellRepeats(TimeNs now, bool all, Recorder& out) {
  for (const Event& event : m_repeated.due(now, all)) out.event(event);
  sayDown(all ? std::nullopt : std::optional(now), out);
}

std::optional<TimeNs> KernelLogSession::timeOf(const KernelLine& line, bool record) {
  const auto odd = [&](std::string_view code) {
    if (record) addIssue(code, cleanText(line.text, 120));
  };
  switch (line.clock) {
    case Clock::kNone:
      return m_options.live ? m_arrival : std::nullopt;
    case Clock::kNoYear:
      if (m_options.live) return fromLocalClock(inAssumedYear(line.time, m_arrival.value_or(wallNow())));
      odd("kernel_log.no_year");
      if (!m_options.modified) return std::nullopt;
      if (m_domain == TimeDomain::kUtc) return inAssumedYear(line.time, *m_options.modified);
      break;
    case Clock::kBoot:
      if (m_options.boot_to_utc) return line.time + *m_options.boot_to_utc;
      if (m_domain == TimeDomain::kRelative) return line.time;
      if (m_options.live) return m_arrival;
      break;
    case Clock::kLocal:
      if (m_options.live) return fromLocalClock(line.time);
      if (m_domain != TimeDomain::kUtc) break;
      odd("kernel_log.no_time_zone");
      return line.time;
    case Clock::kUtc:
      if (m_options.live || m_domain == TimeDomain::kUtc) return line.time;
      break;
  }
  odd("kernel_log.mixed_clocks");
  return std::nullopt;
}

// The first line with a time determines the time domain of the run, even if an earlier import recorded it.
void KernelLogSession::learnDomain(const KernelLine& line, bool record, Recorder& out) {
  const TimeDomain before = m_domain;
  if (m_domain == TimeDomain::kNone) {
    const bool dated = line.clock == Clock::kNoYear && m_options.modified;
    if (line.clock == Clock::kUtc || line.clock == Clock::kLocal || dated) m_domain = TimeDomain::kUtc;
    if (line.clock == Clock::kBoot) m_domain = m_options.boot_to_utc ? TimeDomain::kUtc : TimeDomain::kRelative;
  }
  if (!record || (m_run && m_domain == before)) return;
  m_run = out.run({.name = m_options.run_name, .time_domain = m_domain});
  m_attempt = out.attempt({.run = m_run, .key = m_options.attempt_key});
}

KernelLogSession::Where KernelLogSession::placeOf(std::string_view host, Recorder& out) {
  if (m_options.node) return {m_options.node, m_options.node_uuid};
  if (host.empty()) return {{}, "log:" + m_options.path};  // two such logs in one run have different device slots
  if (const auto known = m_hosts.find(host); known != m_hosts.end()) return known->second;
  if (m_hosts.size() >= kMaxPlaces) {
    addIssue("kernel_log.too_many_devices", cleanText(host, train_log::kMaxName));
    return {{}, "log:" + m_options.path};
  }
  const std::string name = cleanText(host, train_log::kMaxName);
  const Where where{out.node({.uuid = "name:" + name, .name = name}), "name:" + name};
  return m_hosts.emplace(host, where).first->second;
}

// Identifies a GPU by its UUID if the log has it, any other device by its slot in the node. "" if there is none.
std::string KernelLogSession::deviceUuid(const Fault& fault, const Where& where, std::string_view& kind) const {
  kind = deviceKind(fault.kind);
  if (const auto gpu = m_gpu_uuids.find(where.node_uuid + '/' + fault.pci); !fault.pci.empty() && gpu != m_gpu_uuids.end()) {
    kind = "gpu";
    return gpu->second;
  }
  if (kind == "nic" && !fault.interface_name.empty()) return where.node_uuid + "/nic-" + std::string(fault.interface_name);
  if (!kind.empty() && !fault.pci.empty()) return where.node_uuid + '/' + std::string(kind) + '-' + fault.pci;
  return {};
}

DeviceId KernelLogSession::deviceOf(const std::string& uuid, std::string_view kind, const Where& where, Recorder& out) {
  if (uuid.empty()) return {};
  if (const auto known = m_devices.find(uuid); known != m_devices.end()) return known->second;
  if (m_devices.size() >= kMaxPlaces) {
    addIssue("kernel_log.too_many_devices", cleanText(uuid, train_log::kMaxName));
    return {};
  }
  return m_devices.emplace(uuid, out.device({.uuid = uuid, .node = where.node, .kind = std::string(kind)})).first->second;
}

void KernelLogSession::addIssue(std::string_view code, std::string_view detail, std::optional<TimeNs> time) {
  Issue& issue = m_issues[std::string(code)];
  issue.count = issue.code.empty() ? 1 : issue.count + 1;
  issue.code = code;
  issue.source = m_options.path;
  if (issue.detail.empty()) issue.detail = detail;
  if (time) {
    issue.first = std::min(issue.first.value_or(*time), *time);
    issue.last = std::max(issue.last.value_or(*time), *time);
  }
}

std::map<std::string, Issue> KernelLogSession::takeIssues() { return std::exchange(m_issues, {}); }

}  // namespace runglass::kernel_log
