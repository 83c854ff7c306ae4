// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl serve: the headless hub. Runs until SIGTERM or SIGINT; a second one ends it at once (what is acknowledged stays safe).
#include <sys/resource.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

#include "app/ctl/command.h"
#include "app/ctl/store_access.h"
#include "collectors/hub/hub.h"

namespace runglass::ctl {
namespace {

void raiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  (void)setrlimit(RLIMIT_NOFILE, &limit);
}

class Serve : public Command {
 public:
  const char* name() const override { return "serve"; }
  const char* help() const override { return "Receive agents' data into a store until SIGTERM"; }
  void declare(CLI::App& app) override {
    app.add_option("--store", m_store, "The store, a .rgl file; created if it is missing")->required();
    app.add_option("--listen", m_options.listen, "HOST:PORT; port 0 takes any free one")->capture_default_str();
    app.add_option("--token-file", m_options.token_file, "Bearer tokens of agents, one per line, mode 0600");
    app.add_option("--tls-cert", m_options.tls_cert, "Server certificate (PEM)");
    app.add_option("--tls-key", m_options.tls_key, "Its key (PEM, mode 0600)");
    app.add_option("--tls-client-ca", m_options.tls_client_ca, "Agents must show a certificate of this CA (PEM)");
    app.add_option("--durability", m_durability, "What an acknowledgement survives: a killed hub, or a power cut")
        ->check(CLI::IsMember({"kill", "power"}))
        ->capture_default_str();
  }
  Status run() override {
    // Blocked before any thread starts, so that only sigwait() below sees them.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    raiseDescriptorLimit();
    m_options.writer = writerOptions();
    m_options.writer.power_safe = m_durability == "power";
    m_options.retention = Retention();
    RG_ASSIGN(auto hub, Hub::start(m_store, m_options));
    std::printf("listening on %s\n", hub->address().c_str());
    std::fflush(stdout);
    int received = 0;
    sigwait(&signals, &received);
    std::signal(SIGTERM, [](int) { _exit(0); });
    std::signal(SIGINT, [](int) { _exit(0); });
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    return hub->stop();
  }

 private:
  std::string m_store, m_durability = "kill";
  HubOptions m_options;
};

}  // namespace

std::unique_ptr<Command> makeServe() { return std::make_unique<Serve>(); }

}  // namespace runglass::ctl
