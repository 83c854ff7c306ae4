// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A lost GPU causes one event and no further samples: its last values become stale.
// 2. An Xid from the driver is recorded once: not if the kernel's log has recorded it, and repeats are counted.
#include "collectors/sources/nvml/nvml_source.h"

#include <deque>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "collectors/importers/kernel_log/repeated_faults.h"
#include "collectors/sources/nvml/nvml_gpu.h"
#include "collectors/sources/proc/proc_parse.h"
#include "model/fault_catalog.h"

namespace runglass {
namespace {

constexpr DurNs kSlowEvery = kNsPerSecond;
constexpr DurNs kRareEvery = 10 * kNsPerSecond;

class NvmlSource : public Source {
 public:
  ~NvmlSource() override { closeEvents(); }
  std::string_view name() const override { return "nvml"; }

  Status start(Recorder& out, const SourceContext& context) override {
    m_context = &context;
    const std::int64_t fast_ms = (*context.config)["fast_ms"].value_or<std::int64_t>(100);
    if (fast_ms < 1) return {Code::kInvalidArgument, "source.nvml: fast_ms: must be at least 1"};
    m_fast = fast_ms * kNsPerMs;
    RG_ASSIGN(m_library, nvml::Library::load((*context.config)["library"].value_or(std::string())));
    unsigned count = 0;
    if (const int rc = m_library->count(&count); rc != nvml::kSuccess)
      return {Code::kUnavailable, "source.nvml: nvmlDeviceGetCount_v2: error " + std::to_string(rc)};
    if (count == 0) return {Code::kUnavailable, "source.nvml: the driver knows no GPU"};
    m_node = out.node(context.node);
    for (unsigned i = 0; i < count; ++i) {
      nvml::Device handle = nullptr;
      const int rc = m_library->handleByIndex(i, &handle);
      if (rc != nvml::kSuccess) {
        recordLost(
            out, {},
            "GPU " + std::to_string(i) + (rc == nvml::kGpuIsLost ? " is lost" : " cannot be opened: NVML error " + std::to_string(rc)));
        continue;
      }
      m_gpus.push_back(std::make_unique<NvmlGpu>(*m_library, handle, static_cast<int>(i)));
      m_gpus.back()->declare(out, context.node, m_node, context.root, context.now());
    }
    openEvents();
    return {};
  }

  TimeNs poll(Recorder& out, TimeNs now) override {
    const bool slow = !m_last_slow || now - *m_last_slow >= kSlowEvery;
    const bool rare = !m_last_rare || now - *m_last_rare >= kRareEvery;
    for (auto at = m_gpus.begin(); at != m_gpus.end();) {
      NvmlGpu* gpu = at->get();
      const bool alive = gpu->readFast(out, now) && (!slow || gpu->readSlow(out, now)) && (!rare || gpu->readRare(out, now));
      if (alive) {
        if (rare) recordProcesses(out, now, *gpu);
        ++at;
      } else {
        recordLost(out, gpu->id(), "GPU " + std::to_string(gpu->index()) + " " + gpu->uuid() + " is lost (NVML code 15)");
        at = m_gpus.erase(at);
      }
    }
    // One GPU a second, so that no poll is late by more than one reading.
    if (slow && !m_gpus.empty()) m_gpus[m_pcie_turn++ % m_gpus.size()]->readPcieThroughput(out, now);
    readXids();
    tellXids(out, now, false);
    if (slow) m_last_slow = now;
    if (rare) m_last_rare = now;
    return now + m_fast;
  }

  void stop(Recorder& out) override { tellXids(out, m_context->now(), true); }

 private:
  void openEvents() {
    const nvml::Library& lib = *m_library;
    if (lib.eventSetCreate == nullptr || lib.registerEvents == nullptr || lib.eventSetWait == nullptr || lib.supportedEvents == nullptr)
      return;
    if (lib.eventSetCreate(&m_events) != nvml::kSuccess) {
      m_events = nullptr;
      return;
    }
    for (const auto& gpu : m_gpus) {
      std::uint64_t supported = 0;
      if (lib.supportedEvents(gpu->handle(), &supported) == nvml::kSuccess && (supported & nvml::kEventXid) != 0)
        (void)lib.registerEvents(gpu->handle(), nvml::kEventXid, m_events);
    }
  }

  void closeEvents() {
    if (m_events != nullptr && m_library->eventSetFree != nullptr) m_library->eventSetFree(m_events);
    m_events = nullptr;
    m_gpus.clear();
  }

  struct Xid {
    Event event;
    std::string uuid;
  };

  void readXids() {
    if (m_events == nullptr) return;
    nvml::EventData event{};
    // A storm is drained in limited parts per poll; the driver queues the rest.
    for (int i = 0; i < 64 && m_library->eventSetWait(m_events, &event, 0) == nvml::kSuccess; ++i) {
      Xid xid;
      for (const auto& gpu : m_gpus)
        if (gpu->handle() == event.device) {
          xid.event.device = gpu->id();
          xid.uuid = gpu->uuid();
        }
      xid.event.time = m_context->now();
      xid.event.node = m_node;
      xid.event.kind = "xid";
      xid.event.code = std::to_string(event.data);
      const FaultInfo* info = findFault("xid", xid.event.code);
      xid.event.severity = info != nullptr ? info->severity : Severity::kError;
      xid.event.message = "Xid " + xid.event.code + " reported by the driver";
      m_xids.push_back(std::move(xid));
    }
  }

  // The kernel's log has more details of an Xid: if it is being read, it gets RecentFaults::kWindow to record it first.
  void tellXids(Recorder& out, TimeNs now, bool all) {
    RecentFaults* faults = m_context->faults;
    const DurNs wait = faults != nullptr && faults->kernelIsRead() && !all ? RecentFaults::kWindow : 0;
    for (; !m_xids.empty() && now - *m_xids.front().event.time >= wait; m_xids.pop_front()) {
      const Xid& xid = m_xids.front();
      if (faults != nullptr && !faults->mayTell("nvml", "xid", xid.event.code, xid.uuid, *xid.event.time)) continue;
      if (m_repeated.isNew(xid.event.code + '/' + xid.uuid, xid.event, now)) out.event(xid.event);
    }
    for (const Event& event : m_repeated.due(now, all)) out.event(event);
  }

  void recordLost(Recorder& out, DeviceId device, const std::string& what) {
    out.event(
        {.time = m_context->now(), .node = m_node, .device = device, .kind = "gpu_lost", .severity = Severity::kCritical, .message = what});
  }

  // pid -> rank through the process's environment: maps ranks to GPUs without a change to the trainer.
  void recordProcesses(Recorder& out, TimeNs now, NvmlGpu& gpu) {
    for (const auto& process : gpu.processes()) {
      std::stringstream text;
      text << std::ifstream(m_context->root + "proc/" + std::to_string(process.pid) + "/environ", std::ios::binary).rdbuf();
      const std::string environ_text = std::move(text).str();
      std::string labels = "{";
      for (const auto& [key, variable] : {std::pair{"job", "SLURM_JOB_ID"}, {"local_rank", "LOCAL_RANK"}})
        if (const auto value = proc::environValue(environ_text, variable))
          labels += oneLabel(key, *value).substr(1, std::string::npos), labels.back() = ',';
      labels += "\"pid\":\"" + std::to_string(process.pid) + "\"";
      if (const auto rank = proc::environValue(environ_text, "RANK"))
        labels += "," + oneLabel("rank", *rank).substr(1);
      else
        labels += "}";
      if (const auto known = m_context->ranks != nullptr ? m_context->ranks->find(static_cast<std::int32_t>(process.pid)) : std::nullopt;
          known && m_placed.emplace(process.pid, gpu.id()).second) {
        Rank rank = *known;
        rank.device = gpu.id();
        out.rank(rank);
      }
      // In some containers NVML does not return the memory of processes: the process is recorded without it.
      if (process.memory_bytes)
        gpu.put(out, "gpu_process_memory_bytes", now, static_cast<double>(*process.memory_bytes), labels);
      else
        gpu.put(out, "gpu_process_count", now, 1, labels);
    }
  }

  const SourceContext* m_context = nullptr;
  std::set<std::pair<unsigned, DeviceId>> m_placed;  // ranks whose device was recorded
  std::unique_ptr<nvml::Library> m_library;
  NodeId m_node;
  std::vector<std::unique_ptr<NvmlGpu>> m_gpus;
  std::size_t m_pcie_turn = 0;
  nvml::EventSet m_events = nullptr;
  std::deque<Xid> m_xids;  // waiting to be recorded
  kernel_log::RepeatedFaults m_repeated;
  DurNs m_fast = 100 * kNsPerMs;
  std::optional<TimeNs> m_last_slow, m_last_rare;
};

}  // namespace

std::unique_ptr<Source> makeNvmlSource() { return std::make_unique<NvmlSource>(); }

}  // namespace runglass
