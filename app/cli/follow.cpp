// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl follow: replicates the store of a hub into a local one, over one connection, until SIGTERM or SIGINT.
#include <csignal>
#include <cstdio>

#include "app/cli/command.h"
#include "app/cli/control_arguments.h"
#include "app/cli/hub_problem.h"
#include "app/cli/options.h"
#include "collectors/hub/replica/mirror.h"
#include "model/time_text.h"

namespace runglass::ctl {
namespace {

class Follow : public Command {
 public:
  const char* name() const override { return "follow"; }
  const char* help() const override { return "Replicate a hub's store into a local file until SIGTERM"; }
  const char* examples() const override {
    return "runglassctl follow --from 127.0.0.1:7070 --store here.rgl\n"
           "runglassctl follow --from hub.example:7070 --tls-ca ca.pem --token-file read.token --store here.rgl --once\n";
  }
  void declare(Options options) override {
    options.add("--from", m_from, "The hub, HOST:PORT or unix:PATH").required();
    options.add("--store", m_store, "The copy, a .rgl file; created if it is missing").required();
    options.flag("--once", m_once, "Exit once the replica is complete");
    options.add("--timeout", m_timeout, "With --once: timeout in seconds").positive().defaultShown();
    m_control.declare(options);
  }
  Status run() override {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    RG_ASSIGN(ControlTarget hub, m_control.target());
    hub.hub = m_from;
    const auto say = [](const std::string& text) { std::fprintf(stderr, "runglassctl follow: %s\n", text.c_str()); };
    const auto words = [hub](Code code, const std::string& text) { return hubProblemWords(code, text, hub); };
    silenceLibraries();
    RG_ASSIGN(const auto mirror, Mirror::start({.store = m_store, .hub = hub, .say = say, .words = words}));
    if (m_once) return once(*mirror, hub);
    std::printf("following %s\n", m_from.c_str());
    std::fflush(stdout);
    int signal = 0;
    sigwait(&signals, &signal);
    return mirror->stop();
  }

 private:
  Status once(Mirror& mirror, const ControlTarget& hub) const {
    const bool complete = mirror.waitSummarised(static_cast<DurNs>(m_timeout * 1e9));
    const MirrorStatus status = mirror.status();
    RG_TRY(mirror.stop());
    if (!complete)
      return {Code::kUnavailable,
              status.problem.empty() ? "follow: " + m_from + ": not caught up in time" : hubProblemText(status.code, status.problem, hub)};
    std::printf("%s is complete as of %s ago; %lld bytes came\n", m_store.c_str(),
                shortDurationText(status.age(wallNow()).value_or(0)).c_str(), static_cast<long long>(status.bytes));
    return {};
  }

  std::string m_from, m_store;
  bool m_once = false;
  double m_timeout = 600;
  ControlArguments m_control;
};

}  // namespace

std::unique_ptr<Command> makeFollow() { return std::make_unique<Follow>(); }

}  // namespace runglass::ctl
