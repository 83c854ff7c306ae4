// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/heartbeat/heartbeat_source.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "collectors/sources/proc/proc_parse.h"
#include "collectors/sources/series_table.h"
#include "model/number_text.h"

namespace runglass {
namespace {

constexpr DurNs kEvery = 2 * kNsPerSecond;

class HeartbeatSource : public Source {
 public:
  std::string_view name() const override { return "heartbeat"; }

  Status start(Recorder& out, const SourceContext& context) override {
    m_context = &context;
    m_node = context.node;
    m_node.state = NodeState::kAlive;
    m_book = SeriesTable(out.node(m_node));
    out.event({.time = context.now(), .node = out.node(m_node), .kind = "agent_start", .message = describeMachine()});
    return {};
  }

  TimeNs poll(Recorder& out, TimeNs now) override {
    m_node.last_heard = now;
    out.node(m_node);
    std::istringstream uptime(proc::readText(m_context->root + "proc/uptime").value_or(""));
    if (double seconds = 0; uptime >> seconds) m_book.put(out, "uptime_ns", "", now, seconds * kNsPerSecond);
    m_book.put(out, "trainer_process_count", "", now, static_cast<double>(countTrainers()));
    return now + kEvery;
  }

  void stop(Recorder& out) override {
    m_node.state = NodeState::kLeft;
    out.node(m_node);
  }

 private:
  // "Linux 6.1.0, 2 CPUs, 23.5 GiB, pod trainer-3 in ns research"
  std::string describeMachine() const {
    std::ostringstream text;
    utsname system{};
    if (uname(&system) == 0) text << system.sysname << ' ' << system.release;
    text << ", " << sysconf(_SC_NPROCESSORS_ONLN) << " CPUs";
    const auto memory = proc::parseNamedNumbers(proc::readText(m_context->root + "proc/meminfo").value_or(""));
    if (const auto it = memory.find("MemTotal"); it != memory.end()) text << ", " << bytesText(static_cast<double>(it->second));
    const char* pod = std::getenv("POD_NAME");
    if (pod == nullptr && std::getenv("KUBERNETES_SERVICE_HOST") != nullptr) pod = std::getenv("HOSTNAME");
    if (pod != nullptr) text << ", pod " << pod;
    if (const char* space = std::getenv("POD_NAMESPACE")) text << " in namespace " << space;
    return std::move(text).str();
  }

  // Processes with a rank in their environment; those of other users are not visible without privilege and are not counted.
  int countTrainers() const {
    int count = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(m_context->root + "proc", error)) {
      const std::string file = entry.path().filename();
      int pid = 0;
      const auto [end, parse] = std::from_chars(file.data(), file.data() + file.size(), pid);
      if (parse != std::errc() || end != file.data() + file.size()) continue;
      if (proc::isTrainer(proc::readText(entry.path() / "environ").value_or(""))) ++count;
    }
    return count;
  }

  const SourceContext* m_context = nullptr;
  Node m_node;
  SeriesTable m_book;
};

}  // namespace

std::unique_ptr<Source> makeHeartbeatSource() { return std::make_unique<HeartbeatSource>(); }

}  // namespace runglass
