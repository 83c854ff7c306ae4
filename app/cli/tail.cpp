// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl tail: passes a trainer's output through and sends the data that log rules extract to a hub, until the output ends.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "app/cli/command.h"
#include "app/cli/control_arguments.h"
#include "app/cli/options.h"
#include "collectors/agent/agent.h"
#include "collectors/importers/train_log/log_session.h"

namespace runglass::ctl {
namespace {

using train_log::LogSession;

constexpr int kFlushEveryMs = 200;
constexpr DurNs kPatience = 10 * kNsPerSecond;  // time for the hub to accept the remaining data

class Tail : public Command {
 public:
  const char* name() const override { return "tail"; }
  const char* help() const override { return "Send a trainer's output, read from standard input, to a hub"; }
  const char* examples() const override {
    return "python train.py 2>&1 | runglassctl tail --hub 127.0.0.1:7070 --run gpt-8b\n"
           "runglassctl tail --hub 127.0.0.1:7070 --run gpt-8b --quiet < train.log\n";
  }
  void declare(Options options) override {
    options.add("--hub", m_hub, "The hub, HOST:PORT").required();
    options.add("--run", m_run, "Name of the run; another start under this name is another attempt").defaultShown();
    options.flag("--quiet", m_quiet, "Do not pass the input on to standard output");
    m_control.declare(options);
  }
  Status run() override {
    // Ctrl-C ends the trainer, whose last lines must still be read.
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGPIPE, SIG_IGN);
    AgentOptions options;
    options.link.hub = m_hub;
    options.link.token_file = m_control.token_file;
    options.link.tls_ca = m_control.tls_ca, options.link.tls_cert = m_control.tls_cert, options.link.tls_key = m_control.tls_key;
    options.say = [](const std::string& line) { std::fprintf(stderr, "runglassctl tail: %s\n", line.c_str()); };
    RG_ASSIGN(const std::unique_ptr<Agent> agent, Agent::start(std::move(options)));
    Recorder& out = agent->recorder();
    LogSession session(train_log::RuleSet::standard(), {.run_name = m_run,
                                                        .attempt_key = agent->session(),
                                                        .stream = "stdin",
                                                        .path = "stdin",
                                                        .live = true,
                                                        .node = out.node(agent->node()),
                                                        .node_name = agent->node().name});
    const Status read = pass(*agent, session, out);
    session.outputEnded(out);
    session.finish(out);
    for (const auto& [code, note] : session.issues())
      out.issue({.code = code, .source = "stdin", .count = note.count, .detail = note.detail});
    const bool taken = agent->stop(kPatience);
    RG_TRY(read);
    if (!session.run())
      std::fprintf(stderr, "runglassctl tail: no line of standard input is known as a trainer's output: nothing was recorded\n");
    if (taken) return {};
    return {Code::kUnavailable, "tail: " + m_hub + ": did not take everything in 10 s; the rest is spooled and sent with the next start"};
  }

 private:
  Status pass(Agent& agent, LogSession& session, Recorder& out) const {
    std::array<char, 1 << 16> bytes;
    pollfd input{STDIN_FILENO, POLLIN, 0};
    for (TimeNs flushed = 0;;) {
      const int ready = ::poll(&input, 1, kFlushEveryMs);
      const TimeNs now = agent.now();
      session.setArrival(now);
      if (ready > 0) {
        const ssize_t size = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (size == 0) return {};
        if (size < 0 && errno != EINTR && errno != EAGAIN)
          return {Code::kDataLoss, std::string("tail: standard input: ") + std::strerror(errno)};
        if (size > 0) {
          const std::string_view piece(bytes.data(), static_cast<std::size_t>(size));
          if (!m_quiet) std::fwrite(piece.data(), 1, piece.size(), stdout), std::fflush(stdout);
          session.push(piece, out);
        }
      }
      if (now - flushed < kFlushEveryMs * kNsPerMs) continue;
      session.flush(out);
      flushed = now;
    }
  }

  std::string m_hub, m_run = "stdin";
  bool m_quiet = false;
  ControlArguments m_control;
};

}  // namespace

std::unique_ptr<Command> makeTail() { return std::make_unique<Tail>(); }

}  // namespace runglass::ctl
