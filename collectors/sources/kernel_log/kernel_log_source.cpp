// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A record of /dev/kmsg is recorded once per boot, except the last ones before a crash of the agent (see remember()).
#include "collectors/sources/kernel_log/kernel_log_source.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "collectors/importers/kernel_log/kernel_log_session.h"
#include "collectors/sources/follow/follow_source.h"

namespace runglass {
namespace {
using kernel_log::KernelLogSession;
constexpr DurNs kPollEvery = 200 * kNsPerMs, kSaveLate = 2 * kNsPerSecond;
// The first burst covers the boot messages in the kernel's ring.
constexpr std::int64_t kLineBurst = 10'000, kEventBurst = 2000, kLinesPerSecond = 100, kEventsPerSecond = 50;
constexpr std::size_t kRecordBytes = 16 << 10;  // the kernel's longest record is 8 KiB
constexpr std::size_t kPollBytes = 1 << 20;

// By PCI address, from the driver's files: the same UUID as NVML's.
std::map<std::string, std::string> gpuUuids(const std::string& root) {
  std::map<std::string, std::string> uuids;
  std::error_code error;
  for (const auto& gpu : std::filesystem::directory_iterator(root + "proc/driver/nvidia/gpus", error)) {
    std::ifstream file(gpu.path() / "information");
    const std::string address = gpu.path().filename().string();  // "0000:9b:00.0"
    for (std::string line; std::getline(file, line);)
      if (const std::size_t at = line.find("GPU-"); line.starts_with("GPU UUID") && at != std::string::npos)
        uuids[kernel_log::pciAddress(address.substr(0, address.rfind('.')))] = line.substr(at, 40);
  }
  return uuids;
}

// Refills the session's budgets per second.
class Pace {
 public:
  void tick(KernelLogSession& session, TimeNs now) {
    const DurNs passed = m_last == 0 ? 0 : std::max<DurNs>(now - m_last, 0);
    if (m_last != 0 && passed < kNsPerSecond) return;
    const std::int64_t seconds = std::min<std::int64_t>(passed / kNsPerSecond, kLineBurst);
    session.refill(seconds * kLinesPerSecond, seconds * kEventsPerSecond);
    m_last = now;
  }

 private:
  TimeNs m_last = 0;
};

void tellIssues(KernelLogSession& session, Recorder& out) {
  for (const auto& [code, issue] : session.takeIssues()) out.issue(issue);
}

// Names used by distributions in /var/log.
constexpr std::array<std::string_view, 4> kKernelLogs = {"kern", "messages", "syslog", "dmesg"};

class KernelFileConsumer : public FileConsumer {
 public:
  explicit KernelFileConsumer(kernel_log::SessionOptions options) : m_session(std::move(options)) {}
  void feed(std::string_view bytes, std::optional<TimeNs> arrival, Recorder& out) override {
    m_session.setArrival(arrival);
    m_pace.tick(m_session, monotonicNow());
    m_session.push(bytes, out);
  }
  void flush(Recorder& out) override {
    m_session.tellRepeats(wallNow(), false, out);
    tellIssues(m_session, out);
  }
  void startOver(Recorder&) override { m_session.startOver(); }
  void finish(Recorder& out) override {
    m_session.finish(out, false);
    m_session.tellRepeats(0, true, out);
    tellIssues(m_session, out);
  }
  std::uint64_t committedOffset() const override { return m_session.committedOffset(); }

 private:
  KernelLogSession m_session;
  Pace m_pace;
};

class KernelLogSource : public FollowSource {
 public:
  ~KernelLogSource() override {
    if (m_fd >= 0) ::close(m_fd);
  }
  std::string_view name() const override { return "kernel_log"; }

  Status start(Recorder& out, const SourceContext& context) override {
    m_now = context.now;
    m_node_uuid = context.node.uuid;
    m_gpus = gpuUuids(context.root);
    m_faults = context.faults;
    m_follows = context.config->contains("paths");
    if (m_follows) RG_TRY(FollowSource::start(out, context));
    if (m_follows && m_faults != nullptr) m_faults->readKernel();
    m_path = (*context.config)["kmsg"].value_or(context.root + "dev/kmsg");
    if (m_path.empty()) return m_follows ? Status() : Status(Code::kUnavailable, "source.kernel_log: kmsg is off and no paths are set");
    m_fd = ::open(m_path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (m_fd < 0) {
      const Status status(Code::kUnavailable, "source.kernel_log: " + m_path + ": " + std::strerror(errno));
      return m_follows ? Status() : status;
    }
    if (m_faults != nullptr) m_faults->readKernel();
    m_kmsg.emplace(options(out.node(context.node), m_path, "kmsg"));
    if (!context.state_dir.empty()) m_state_path = context.state_dir + "/kernel_log.kmsg";
    std::ifstream(context.root + "proc/sys/kernel/random/boot_id") >> m_boot;
    std::string boot;
    std::uint64_t sequence = 0;
    if (std::ifstream(m_state_path) >> boot >> sequence && boot == m_boot && !m_boot.empty()) m_kmsg->skipTo(sequence);
    return {};
  }

  TimeNs poll(Recorder& out, TimeNs now) override {
    const TimeNs next = m_follows ? FollowSource::poll(out, now) : now + kPollEvery;
    if (m_fd < 0) return next;
    m_pace.tick(*m_kmsg, now);
    // The kernel stamps with the clock of CLOCK_MONOTONIC, so that one offset converts both to the session's clock.
    m_kmsg->setBootToUtc(m_now() - monotonicNow());
    std::array<char, kRecordBytes> record{};
    for (std::size_t taken = 0; taken < kPollBytes;) {
      const ssize_t got = ::read(m_fd, record.data(), record.size());
      if (got > 0) {
        taken += static_cast<std::size_t>(got);
        m_kmsg->push({record.data(), static_cast<std::size_t>(got)}, out);
      } else if (got < 0 && errno == EPIPE) {
        out.issue({.code = "kernel_log.overwritten", .source = m_path, .first = now, .last = now, .detail = "at least one record"});
        taken += record.size();  // an endless stream of kernel records must not hold the thread
      } else if (got == 0 || errno != EINTR) {
        break;
      }
    }
    m_kmsg->tellRepeats(now, false, out);
    tellIssues(*m_kmsg, out);
    remember(now);
    return next;
  }

  void stop(Recorder& out) override {
    if (m_follows) FollowSource::stop(out);
    if (!m_kmsg) return;
    m_kmsg->tellRepeats(0, true, out);
    save(m_kmsg->lastSequence());
  }

 protected:
  std::unique_ptr<FileConsumer> consumer(const FollowTarget& target) override {
    auto settings = options(target.node, target.path, std::filesystem::path(target.path).filename().string());
    settings.resume_at = target.resume_at;
    return std::make_unique<KernelFileConsumer>(std::move(settings));
  }
  TailedFiles::Takes takes() const override {
    return [](std::string_view file_name) {
      return std::ranges::any_of(kKernelLogs, [&](std::string_view log) { return file_name.starts_with(log); });
    };
  }
  std::string takenNames() const override { return "file named kern*, messages*, syslog* or dmesg*"; }

 private:
  kernel_log::SessionOptions options(NodeId node, const std::string& path, const std::string& stream) const {
    std::function<bool(std::string_view, std::string_view, std::string_view, TimeNs)> may_tell;
    if (m_faults != nullptr)
      may_tell = [book = m_faults](std::string_view kind, std::string_view code, std::string_view device, TimeNs time) {
        return book->mayTell("kernel_log", kind, code, device, time);
      };
    return {.stream = stream,
            .path = path,
            .live = true,
            .node = node,
            .node_uuid = m_node_uuid,
            .gpu_uuids = m_gpus,
            .may_tell = std::move(may_tell),
            .line_budget = kLineBurst,
            .event_budget = kEventBurst};
  }

  // Records from kSaveLate ago have left this process. So after a crash some are recorded twice rather than not at all.
  void remember(TimeNs now) {
    if (now < m_save_at) return;
    m_save_at = now + kSaveLate;
    save(std::exchange(m_pending, m_kmsg->lastSequence()));
  }

  void save(std::optional<std::uint64_t> sequence) {
    if (!sequence || sequence == m_saved || m_state_path.empty()) return;
    const std::string draft = m_state_path + ".new";
    if (!(std::ofstream(draft, std::ios::trunc) << m_boot << ' ' << *sequence << '\n' << std::flush))
      return;  // a full disk: the previous state stays
    std::error_code error;
    std::filesystem::rename(draft, m_state_path, error);
    m_saved = sequence;
  }

  std::function<TimeNs()> m_now;
  std::string m_node_uuid, m_path, m_state_path, m_boot;
  std::map<std::string, std::string> m_gpus;
  RecentFaults* m_faults = nullptr;
  bool m_follows = false;
  int m_fd = -1;
  std::optional<KernelLogSession> m_kmsg;
  Pace m_pace;
  std::optional<std::uint64_t> m_pending, m_saved;
  TimeNs m_save_at = 0;
};
}  // namespace

std::unique_ptr<Source> makeKernelLogSource() { return std::make_unique<KernelLogSource>(); }

}  // namespace runglass
