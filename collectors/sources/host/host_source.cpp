// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A rate or ratio is recorded only between two readings of a counter that has not decreased.
// 2. Each mount has at most one pending query; a stalled mount never delays the other metrics.
// 3. A trainer's process is identified by (pid, start time): a reused pid is a new process.
#include "collectors/sources/host/host_source.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "collectors/sources/host/mount_probe.h"
#include "collectors/sources/proc/proc_parse.h"
#include "collectors/sources/series_table.h"

namespace runglass {
namespace {

constexpr DurNs kScanProcessesEvery = 5 * kNsPerSecond;
constexpr DurNs kMountStalledAfter = 2 * kNsPerSecond;
constexpr DurNs kAskMountsEvery = 5 * kNsPerSecond;

class HostSource : public Source {
 public:
  std::string_view name() const override { return "host"; }

  Status start(Recorder& out, const SourceContext& context) override {
    m_context = &context;
    m_node = out.node(context.node);
    m_book = SeriesTable(m_node);
    m_interval = (*context.config)["interval_ms"].value_or<std::int64_t>(1000) * kNsPerMs;
    if (m_interval < kNsPerMs) return {Code::kInvalidArgument, "source.host: interval_ms: must be at least 1"};
    if (!proc::readText(proc("stat"))) return {Code::kUnavailable, "source.host: " + proc("stat") + ": cannot be read"};
    findMounts();
    return {};
  }

  TimeNs poll(Recorder& out, TimeNs now) override {
    const DurNs elapsed = m_last_poll ? now - *m_last_poll : 0;
    readCpu(out, now);
    readMemory(out, now);
    readPressure(out, now, elapsed);
    readDisks(out, now, elapsed);
    readKernelMemory(out, now);
    readMounts(out, now);
    readProcesses(out, now, elapsed);
    m_last_poll = now;
    return now + m_interval;
  }

 private:
  struct AskedMount {
    MountProbe probe;
    std::string path, labels;
    bool stalled = false;
    std::optional<std::pair<TimeNs, std::int64_t>> first_free;  // of the window for the time-to-full estimate
  };
  struct TrainerProcess {
    std::string labels;
    std::uint64_t start_jiffies = 0;
    std::optional<std::uint64_t> cpu_jiffies;
  };

  std::string proc(const std::string& file) const { return m_context->root + "proc/" + file; }
  void put(Recorder& out, std::string_view metric, TimeNs now, double value, std::string_view labels = "") {
    m_book.put(out, metric, labels, now, value);
  }
  // Per-second rate of a counter between its last two readings (invariant 1).
  void putRate(Recorder& out, std::string_view metric, const std::string& labels, TimeNs now, DurNs elapsed, std::uint64_t counter) {
    const auto [it, fresh] = m_counters.try_emplace(std::string(metric) + labels, counter);
    if (!fresh && elapsed > 0 && counter >= it->second)
      put(out, metric, now, static_cast<double>(counter - it->second) / (static_cast<double>(elapsed) / kNsPerSecond), labels);
    it->second = counter;
  }

  void readCpu(Recorder& out, TimeNs now) {
    const auto text = proc::readText(proc("stat"));
    if (!text) return;
    auto cpus = proc::parseStat(*text);
    for (const auto& [core, times] : cpus) {
      const auto before = m_cpus.find(core);
      if (before == m_cpus.end() || times.total <= before->second.total) continue;
      const double total = static_cast<double>(times.total - before->second.total);
      const auto share = [&](std::uint64_t is, std::uint64_t was) { return is >= was ? static_cast<double>(is - was) / total : 0.0; };
      if (core.empty()) {
        put(out, "cpu_busy_ratio", now, share(times.busy, before->second.busy));
        put(out, "cpu_iowait_ratio", now, share(times.iowait, before->second.iowait));
        put(out, "cpu_steal_ratio", now, share(times.steal, before->second.steal));
      } else {
        put(out, "cpu_core_busy_ratio", now, share(times.busy, before->second.busy), oneLabel("core", core));
      }
    }
    m_cpus = std::move(cpus);
    if (const auto load = proc::readText(proc("loadavg"))) {
      double value = 0;
      if (std::from_chars(load->data(), load->data() + load->size(), value).ec == std::errc()) put(out, "load_1m", now, value);
    }
  }

  void readMemory(Recorder& out, TimeNs now) {
    const auto text = proc::readText(proc("meminfo"));
    if (!text) return;
    const auto values = proc::parseNamedNumbers(*text);
    const auto record = [&](std::string_view metric, std::string_view field) {
      if (const auto it = values.find(field); it != values.end()) put(out, metric, now, static_cast<double>(it->second));
    };
    record("memory_total_bytes", "MemTotal");
    record("memory_available_bytes", "MemAvailable");
    record("memory_dirty_bytes", "Dirty");
    record("swap_total_bytes", "SwapTotal");
    record("swap_free_bytes", "SwapFree");
  }

  void readPressure(Recorder& out, TimeNs now, DurNs elapsed) {
    for (const std::string what : {"cpu", "memory", "io"}) {
      const auto text = proc::readText(proc("pressure/" + what));
      if (!text) continue;
      const auto pressure = proc::parsePressure(*text);
      const auto share = [&](const std::string& metric, std::optional<std::uint64_t> total_us) {
        if (!total_us) return;
        const auto [it, fresh] = m_counters.try_emplace(metric, *total_us);
        if (!fresh && elapsed > 0 && *total_us >= it->second)
          put(out, metric, now, std::min(1.0, static_cast<double>(*total_us - it->second) * kNsPerUs / static_cast<double>(elapsed)));
        it->second = *total_us;
      };
      share("pressure_" + what + "_some_ratio", pressure.some_total_us);
      share("pressure_" + what + "_full_ratio", pressure.full_total_us);
    }
  }

  void readDisks(Recorder& out, TimeNs now, DurNs elapsed) {
    const auto text = proc::readText(proc("diskstats"));
    if (!text) return;
    for (const auto& [disk, counters] : proc::parseDiskstats(*text)) {
      const std::string labels = oneLabel("disk", disk);
      putRate(out, "disk_read_bytes_per_s", labels, now, elapsed, counters.read_bytes);
      putRate(out, "disk_written_bytes_per_s", labels, now, elapsed, counters.written_bytes);
      const auto [it, fresh] = m_counters.try_emplace("disk_busy_ratio" + labels, counters.busy_ms);
      if (!fresh && elapsed > 0 && counters.busy_ms >= it->second)
        put(out, "disk_busy_ratio", now,
            std::min(1.0, static_cast<double>(counters.busy_ms - it->second) * kNsPerMs / static_cast<double>(elapsed)), labels);
      it->second = counters.busy_ms;
    }
  }

  void readKernelMemory(Recorder& out, TimeNs now) {
    if (const auto text = proc::readText(proc("vmstat"))) {
      const auto values = proc::parseNamedNumbers(*text);
      for (const auto& [field, metric] : {std::pair<std::string_view, std::string_view>{"compact_stall", "vm_compact_stall_total"},
                                          {"compact_fail", "vm_compact_fail_total"},
                                          {"thp_fault_alloc", "vm_thp_fault_alloc_total"},
                                          {"thp_fault_fallback", "vm_thp_fault_fallback_total"},
                                          {"pgmajfault", "vm_major_fault_total"},
                                          {"oom_kill", "vm_oom_kill_total"}})
        if (const auto it = values.find(field); it != values.end()) put(out, metric, now, static_cast<double>(it->second));
    }
    if (const auto text = proc::readText(proc("buddyinfo")))
      if (const auto bytes = proc::parseBuddyinfo(*text, 9, sysconf(_SC_PAGESIZE)))
        put(out, "memory_free_huge_blocks_bytes", now, static_cast<double>(*bytes));
  }

  void findMounts() {
    std::vector<std::string> paths;
    if (const toml::array* named = (*m_context->config)["mounts"].as_array()) {
      for (const auto& path : *named)
        if (const auto text = path.value<std::string>()) paths.push_back(*text);
    } else {
      // The machine's mounts, because a service's own mounts are bind mounts of parts of them. Ordinary users can read their own only.
      auto text = proc::readText(proc("1/mounts"));
      if (!text || text->empty()) text = proc::readText(proc("mounts"));
      for (const auto& mount : proc::parseMounts(text.value_or(std::string()))) paths.push_back(mount.path);
    }
    for (const std::string& path : paths) m_mounts.push_back({MountProbe(path), path, oneLabel("mount", path), false, std::nullopt});
  }

  void readMounts(Recorder& out, TimeNs now) {
    const bool ask = !m_mounts_asked || now - *m_mounts_asked >= kAskMountsEvery;
    if (ask) m_mounts_asked = now;
    for (AskedMount& mount : m_mounts) {
      if (const auto answer = mount.probe.take()) recordMount(out, now, mount, *answer);
      const DurNs waiting = mount.probe.openFor();
      if (waiting > kMountStalledAfter) {
        put(out, "mount_answer_ns", now, static_cast<double>(waiting), mount.labels);
        if (!mount.stalled)
          out.event({.time = now,
                     .node = m_node,
                     .kind = "mount_stall",
                     .severity = Severity::kError,
                     .message = mount.path + " does not answer"});
        mount.stalled = true;
      }
      if (ask) mount.probe.request();
    }
  }

  void recordMount(Recorder& out, TimeNs now, AskedMount& mount, const MountProbe::Answer& answer) {
    put(out, "mount_answer_ns", now, static_cast<double>(answer.took), mount.labels);
    if (mount.stalled) out.event({.time = now, .node = m_node, .kind = "mount_answers", .message = mount.path + " answers again"});
    mount.stalled = false;
    if (answer.error != 0) return;
    put(out, "mount_free_bytes", now, static_cast<double>(answer.free_bytes), mount.labels);
    put(out, "mount_total_bytes", now, static_cast<double>(answer.total_bytes), mount.labels);
    // Time to full at the rate of the last minute or more; shown only while the mount fills.
    if (!mount.first_free || answer.free_bytes > mount.first_free->second) mount.first_free = {now, answer.free_bytes};
    const DurNs window = now - mount.first_free->first;
    const auto eaten = static_cast<double>(mount.first_free->second - answer.free_bytes);
    if (window >= 60 * kNsPerSecond && eaten > 0)
      put(out, "mount_time_to_full_ns", now, static_cast<double>(answer.free_bytes) / eaten * static_cast<double>(window), mount.labels);
    if (window >= 600 * kNsPerSecond) mount.first_free = {now, answer.free_bytes};
  }

  // Processes with RANK in their environment are trainers (torchrun, Slurm wrappers and the example trainer set it).
  void scanProcesses() {
    std::error_code error;
    std::map<std::int64_t, TrainerProcess> found;
    for (const auto& entry : std::filesystem::directory_iterator(proc(""), error)) {
      const std::string file = entry.path().filename();
      std::int64_t pid = 0;
      const auto [end, parse] = std::from_chars(file.data(), file.data() + file.size(), pid);
      if (parse != std::errc() || end != file.data() + file.size()) continue;
      const auto environ_text = proc::readText(proc(file + "/environ"));
      const auto stat = proc::readText(proc(file + "/stat"));
      if (!environ_text || !stat) continue;
      const auto rank = proc::environValue(*environ_text, "RANK");
      const auto world = proc::environValue(*environ_text, "WORLD_SIZE");
      const auto numbers = proc::parseProcessStat(*stat);
      if (!rank || !world || !numbers) continue;
      const auto known = m_processes.find(pid);
      if (known != m_processes.end() && known->second.start_jiffies == numbers->start_jiffies) {
        found.insert(*known);
      } else {
        std::string labels = "{\"pid\":\"" + file + "\"," + oneLabel("rank", *rank).substr(1);
        found[pid] = {std::move(labels), numbers->start_jiffies, std::nullopt};
      }
    }
    m_processes = std::move(found);
  }

  void readProcesses(Recorder& out, TimeNs now, DurNs elapsed) {
    if (!m_scanned || now - *m_scanned >= kScanProcessesEvery) {
      scanProcesses();
      m_scanned = now;
    }
    static const double kJiffiesPerSecond = static_cast<double>(sysconf(_SC_CLK_TCK));
    static const auto kPage = static_cast<double>(sysconf(_SC_PAGESIZE));
    for (auto& [pid, process] : m_processes) {
      const auto text = proc::readText(proc(std::to_string(pid) + "/stat"));
      const auto stat = text ? proc::parseProcessStat(*text) : std::nullopt;
      if (!stat || stat->start_jiffies != process.start_jiffies) continue;
      if (process.cpu_jiffies && elapsed > 0 && stat->cpu_jiffies >= *process.cpu_jiffies)
        put(out, "process_cpu_ratio", now,
            static_cast<double>(stat->cpu_jiffies - *process.cpu_jiffies) / kJiffiesPerSecond /
                (static_cast<double>(elapsed) / kNsPerSecond),
            process.labels);
      process.cpu_jiffies = stat->cpu_jiffies;
      put(out, "process_resident_bytes", now, static_cast<double>(stat->rss_pages) * kPage, process.labels);
      put(out, "process_thread_count", now, static_cast<double>(stat->threads), process.labels);
      put(out, "process_major_fault_total", now, static_cast<double>(stat->major_faults), process.labels);
      readContextSwitches(out, now, pid, process.labels);
    }
  }

  void readContextSwitches(Recorder& out, TimeNs now, std::int64_t pid, const std::string& labels) {
    const auto text = proc::readText(proc(std::to_string(pid) + "/status"));
    if (!text) return;
    const auto values = proc::parseNamedNumbers(*text);
    for (const auto& [field, metric] :
         {std::pair<std::string_view, std::string_view>{"voluntary_ctxt_switches", "process_voluntary_switch_total"},
          {"nonvoluntary_ctxt_switches", "process_involuntary_switch_total"}})
      if (const auto it = values.find(field); it != values.end()) put(out, metric, now, static_cast<double>(it->second), labels);
  }

  const SourceContext* m_context = nullptr;
  NodeId m_node;
  SeriesTable m_book;
  DurNs m_interval = kNsPerSecond;
  std::optional<TimeNs> m_last_poll, m_scanned, m_mounts_asked;
  std::map<std::string, proc::CpuTimes> m_cpus;
  std::map<std::string, std::uint64_t> m_counters;
  std::vector<AskedMount> m_mounts;
  std::map<std::int64_t, TrainerProcess> m_processes;
};

}  // namespace

std::unique_ptr<Source> makeHostSource() { return std::make_unique<HostSource>(); }

}  // namespace runglass
