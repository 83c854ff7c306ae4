// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A command is answered once, at most kAnswerWithin after it was taken; its pieces arrive until kOverWithin, then an event has their
//    result.
// 2. No two captures of one run at a time.
// 3. At a stop no trainer is asked: updating an agent must not disturb it.
#include "collectors/sources/capture/capture_source.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <thread>

#include "collectors/sources/capture/capture_log.h"
#include "collectors/sources/capture/flight_recorder_dump.h"
#include "collectors/sources/capture/kernel_tail.h"
#include "collectors/sources/capture/known_dumps.h"
#include "collectors/sources/capture/nccl_ras.h"
#include "collectors/sources/capture/process_look.h"
#include "collectors/sources/capture/python_stack.h"
#include "collectors/sources/capture/tool_output.h"
#include "model/orders.h"

namespace runglass {
namespace {

constexpr DurNs kIdle = 100 * kNsPerMs, kBusy = 20 * kNsPerMs;
constexpr DurNs kAnswerWithin = 3 * kNsPerSecond, kOverWithin = 25 * kNsPerSecond;
constexpr DurNs kLastWords = 4 * kNsPerSecond;

struct Settings {
  std::string kernel_log, py_spy, nvidia_smi, nccl_ras;
  std::size_t kernel_log_bytes = 0;
  bool native_stacks = false;
};

// A running capture.
struct Session {
  Session(CaptureLog to, DurNs began) : log(std::move(to)), began_at(began) {}
  CaptureLog log;
  DurNs began_at;
  std::string run;
  AttemptId attempt;
  std::optional<std::uint64_t> order;  // until it is answered
  std::vector<std::int32_t> ranks;
  std::vector<std::unique_ptr<CapturePiece>> pieces;
  std::vector<std::unique_ptr<CapturePiece>> more;  // alternatives requested by a piece that failed
};

// Looks at the process again: uninterruptible sleep is a fault only if it lasts.
class SleepCheck : public CapturePiece {
 public:
  SleepCheck(std::string root, Trainer trainer) : m_root(std::move(root)), m_trainer(std::move(trainer)) {}
  bool poll(CaptureLog& log, DurNs now) override {
    if (m_due == 0) m_due = now + kAfter;
    if (now < m_due) return false;
    if (std::string text = processText(m_root, m_trainer.pid); !text.empty())
      log.got({m_trainer.rank.attempt, m_trainer.rank.rank}, kind(), "/proc/" + std::to_string(m_trainer.pid), std::move(text));
    return true;
  }
  void giveUp(CaptureLog&) override {}
  const char* kind() const override { return "process"; }

 private:
  static constexpr DurNs kAfter = 2'200 * kNsPerMs;  // the analysis requires 2 s
  std::string m_root;
  Trainer m_trainer;
  DurNs m_due = 0;
};

class CaptureSource : public Source {
 public:
  std::string_view name() const override { return "capture"; }

  Status start(Recorder& out, const SourceContext& context) override {
    m_context = &context;
    const toml::table& config = *context.config;
    m_settings = {
        .kernel_log = config["kernel_log"].value_or(context.root + "dev/kmsg"),
        .py_spy = config["py_spy"].value_or(std::string("py-spy")),
        .nvidia_smi = config["nvidia_smi"].value_or(std::string("nvidia-smi")),
        .nccl_ras = config["nccl_ras"].value_or(std::string()),
        .kernel_log_bytes = static_cast<std::size_t>(std::clamp<std::int64_t>(config["kernel_log_kib"].value_or<std::int64_t>(64), 1, 1024))
                            << 10,
        .native_stacks = config["native_stacks"].value_or(false)};
    m_budget.emplace(std::clamp<std::int64_t>(config["hourly_mib"].value_or<std::int64_t>(64), 1, 1 << 20) << 20);
    m_node = out.node(context.node);
    if (!context.state_dir.empty()) {
      m_dumps_path = context.state_dir + "/capture.dumps";
      m_dumps = m_dumps_saved = loadKnownDumps(m_dumps_path);
    }
    if (context.orders != nullptr) m_server = context.orders->serve({OrderKind::kCapture});
    return {};
  }

  TimeNs poll(Recorder& out, TimeNs now) override {
    const DurNs mono = monotonicNow();
    if (now >= m_look_due) {
      m_look_due = now + kNsPerSecond;
      lookAtTrainers();
    }
    if (m_server)
      for (const OrderQueue::Task& task : m_context->orders->take(*m_server)) begin(out, task, mono);
    std::erase_if(m_sessions, [&](const std::unique_ptr<Session>& session) { return advance(*session, mono); });
    if (!m_sessions.empty()) (void)out.flush();
    return now + (m_sessions.empty() ? kIdle : kBusy);
  }

  void stop(Recorder& out) override {
    const DurNs until = monotonicNow() + kLastWords;
    while (!m_sessions.empty() && monotonicNow() < until) {
      std::erase_if(m_sessions, [&](const std::unique_ptr<Session>& session) { return advance(*session, monotonicNow()); });
      if (!m_sessions.empty()) std::this_thread::sleep_for(std::chrono::nanoseconds(kBusy));
    }
    for (const auto& session : m_sessions) end(*session);
    m_sessions.clear();
    std::map<std::string, std::vector<Trainer>> runs;
    for (Trainer& trainer : trainers()) runs[trainer.run].push_back(std::move(trainer));
    for (const auto& [run, members] : runs) {
      Session last(CaptureLog(out, *m_context, m_node, CaptureReason::kSigterm, *m_budget), monotonicNow());
      last.run = run;
      last.attempt = members.front().rank.attempt;
      for (const Trainer& trainer : members) takeProcess(last.log, trainer);
      takeKernelLog(last.log, {last.attempt, std::nullopt});
      end(last);
    }
    (void)out.flush();
  }

 private:
  std::vector<Trainer> trainers() const { return m_context->ranks != nullptr ? m_context->ranks->all() : std::vector<Trainer>(); }

  // While they run normally: reading /proc/PID/environ of a hanging process may hang the reader.
  void lookAtTrainers() {
    std::map<std::string, TrainerEnvironment> environments;
    for (const Trainer& trainer : trainers()) {
      const auto known = m_environments.find(trainer.ring);
      environments[trainer.ring] = known != m_environments.end()
                                       ? known->second
                                       : TrainerEnvironment{environmentOf(m_context->root, trainer.pid, TrainerEnvironment::names())};
    }
    m_environments = std::move(environments);
    // Running pieces borrow their entries. The ring exists even for a trainer that the agent has not found again yet.
    std::error_code error;
    if (m_sessions.empty())
      std::erase_if(m_dumps, [&](const auto& entry) {
        return !m_environments.contains(entry.first) && !std::filesystem::exists(entry.first, error);
      });
  }

  void begin(Recorder& out, const OrderQueue::Task& task, DurNs mono) {
    const Order& order = task.order;
    const auto refuse = [&](Status status) {
      m_context->orders->answer({.id = task.id, .status = std::move(status), .ranks = {}, .note = {}});
    };
    if (std::ranges::any_of(m_sessions, [&](const auto& session) { return session->run == order.run; }))
      return refuse({Code::kResourceExhausted, "a capture of run '" + order.run + "' is under way"});
    lookAtTrainers();
    const auto reason = static_cast<CaptureReason>(order.number);
    auto session = std::make_unique<Session>(CaptureLog(out, *m_context, m_node, reason, *m_budget), mono);
    session->run = order.run;
    std::vector<Trainer> wanted;
    for (Trainer& trainer : trainers()) {
      if (trainer.run != order.run) continue;
      session->attempt = trainer.rank.attempt;
      if (order.ranks.empty() || std::ranges::find(order.ranks, trainer.rank.rank) != order.ranks.end())
        wanted.push_back(std::move(trainer));
    }
    if (wanted.empty()) return refuse({Code::kNotFound, "no such rank of run '" + order.run + "' lives here"});
    session->order = task.id;
    // The state of the processes before they are asked for anything.
    for (const Trainer& trainer : wanted) takeProcess(session->log, trainer);
    for (const Trainer& trainer : wanted) {
      session->ranks.push_back(trainer.rank.rank);
      if (const auto look = lookAt(m_context->root, trainer.pid); look.ok() && look->state == 'D')
        session->pieces.push_back(std::make_unique<SleepCheck>(m_context->root, trainer));
      Session& owner = *session;
      session->pieces.push_back(
          std::make_unique<PythonStack>(m_context->root, trainer, [this, &owner, trainer](CaptureLog&) { askPySpy(owner, trainer); }));
      if (m_settings.native_stacks && !m_settings.py_spy.empty())
        session->pieces.push_back(std::make_unique<ToolOutput>(
            CaptureLog::Owner{trainer.rank.attempt, trainer.rank.rank}, "native_stack", "py-spy --native",
            std::vector<std::string>{m_settings.py_spy, "dump", "--native", "--pid", std::to_string(trainer.pid)}));
      session->pieces.push_back(
          std::make_unique<FlightRecorderDump>(m_context->root, trainer, m_environments[trainer.ring], m_dumps[trainer.ring]));
    }
    takeNode(*session, wanted);
    std::ranges::sort(session->ranks);
    m_sessions.push_back(std::move(session));
  }

  // Reads the process's memory without its cooperation, and so also that of a stopped process.
  void askPySpy(Session& session, const Trainer& trainer) {
    if (m_settings.py_spy.empty() || ToolOutput::find(m_settings.py_spy).empty()) return;
    session.more.push_back(std::make_unique<ToolOutput>(
        CaptureLog::Owner{trainer.rank.attempt, trainer.rank.rank}, "stack", "py-spy",
        std::vector<std::string>{m_settings.py_spy, "dump", "--nonblocking", "--pid", std::to_string(trainer.pid)}));
  }

  void takeProcess(CaptureLog& log, const Trainer& trainer) const {
    const CaptureLog::Owner owner{trainer.rank.attempt, trainer.rank.rank};
    std::string text = processText(m_context->root, trainer.pid);
    if (text.empty()) return log.absent(owner, "process", "process " + std::to_string(trainer.pid) + " is gone");
    log.got(owner, "process", "/proc/" + std::to_string(trainer.pid), std::move(text));
  }

  void takeKernelLog(CaptureLog& log, const CaptureLog::Owner& owner) const {
    if (m_settings.kernel_log.empty()) return;
    auto tail = kernelTail(m_settings.kernel_log, m_settings.kernel_log_bytes);
    if (!tail.ok())
      log.absent(owner, "kernel_log", tail.status().message());
    else
      log.got(owner, "kernel_log", m_settings.kernel_log, std::move(tail->text), tail->truncated_bytes);
  }

  void takeNode(Session& session, const std::vector<Trainer>& members) {
    const CaptureLog::Owner node{session.attempt, std::nullopt};
    takeKernelLog(session.log, node);
    if (!m_settings.nvidia_smi.empty())
      session.pieces.push_back(
          std::make_unique<ToolOutput>(node, "nvml", "nvidia-smi -q", std::vector<std::string>{m_settings.nvidia_smi, "-q"}));
    std::string address = m_settings.nccl_ras;
    for (const Trainer& trainer : members) {
      if (!address.empty()) break;
      address = m_environments[trainer.ring].get("NCCL_RAS_ADDR");
      // The address comes from the trainer, and the agent may have more access rights than the trainer.
      if (!address.empty() && !NcclRas::isLocal(address)) return session.log.refused(node, "nccl_ras", address + ": not on this machine");
    }
    session.pieces.push_back(std::make_unique<NcclRas>(node, address.empty() ? "127.0.0.1:28028" : address));
  }

  // True: finished.
  bool advance(Session& session, DurNs mono) {
    std::erase_if(session.pieces, [&](const auto& piece) { return piece->poll(session.log, mono); });
    for (auto& piece : session.more) session.pieces.push_back(std::move(piece));
    session.more.clear();
    const bool over = session.pieces.empty() || mono - session.began_at >= kOverWithin;
    if (session.order && (over || mono - session.began_at >= kAnswerWithin)) answer(session);
    if (over) end(session);
    return over;
  }

  void answer(Session& session) {
    std::map<std::string, int> waiting;
    for (const auto& piece : session.pieces) ++waiting[piece->kind()];
    std::string note = session.log.words();
    for (const auto& [kind, count] : waiting) note += "; on its way: " + std::string(kind) + " " + std::to_string(count);
    m_context->orders->answer({.id = *session.order, .status = {}, .ranks = session.ranks, .note = note});
    session.order.reset();
  }

  void end(Session& session) {
    for (const auto& piece : session.pieces) piece->giveUp(session.log);
    session.pieces.clear();
    if (session.order) answer(session);
    const TimeNs now = m_context->now();
    session.log.out().event({.time = now,
                             .attempt = session.attempt,
                             .node = m_node,
                             .kind = std::string(kCaptureEvent),
                             .severity = session.log.anyRefused() ? Severity::kWarning : Severity::kInfo,
                             .code = std::string(captureReasonName(session.log.reason())),
                             .message = "captured: " + session.log.words()});
    if (!m_dumps_path.empty() && m_dumps != m_dumps_saved && session.log.out().flush().ok() && saveKnownDumps(m_dumps_path, m_dumps))
      m_dumps_saved = m_dumps;
  }

  const SourceContext* m_context = nullptr;
  Settings m_settings;
  NodeId m_node;
  std::optional<CaptureBudget> m_budget;
  std::optional<OrderQueue::Server> m_server;
  TimeNs m_look_due = 0;
  std::map<std::string, TrainerEnvironment> m_environments;  // by ring
  std::string m_dumps_path;
  DumpsByRing m_dumps, m_dumps_saved;
  std::vector<std::unique_ptr<Session>> m_sessions;
};

}  // namespace

std::unique_ptr<Source> makeCaptureSource() { return std::make_unique<CaptureSource>(); }

}  // namespace runglass
