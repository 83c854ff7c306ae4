// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl serve: the headless hub. Runs until SIGTERM or SIGINT; a second one ends it at once (what is acknowledged stays safe).
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>

#include "app/ctl/command.h"
#include "app/hub_arguments.h"
#include "app/scraping.h"
#include "app/watch/watch.h"

namespace runglass::ctl {
namespace {

class Serve : public Command {
 public:
  const char* name() const override { return "serve"; }
  const char* help() const override { return "Receive agents' data into a store until SIGTERM"; }
  const char* examples() const override {
    return "runglassctl serve --store run.rgl --listen 127.0.0.1:7070\n"
           "runglassctl serve --store run.rgl --listen 0.0.0.0:7070 --token-file hub.token --tls-cert hub.pem --tls-key hub.key\n";
  }
  void declare(CLI::App& app) override {
    app.add_option("--store", m_store, "The store, a .rgl file; created if it is missing")->required();
    app.add_option("--listen", m_hub.listen, "HOST:PORT; port 0 takes any free one")->capture_default_str();
    app.add_option("--alerts", m_alerts,
                   "Who is told of what, a TOML file (docs/alerts.md); without it the history is kept and nobody told");
    m_hub.declare(app);
  }
  Status run() override {
    // Blocked before any thread starts, so that only sigwait() below sees them.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    RG_ASSIGN(std::vector<ScrapeTarget> targets, m_hub.scrapeTargets());
    WatchOptions watching;
    if (!m_alerts.empty()) {
      RG_ASSIGN(watching.alerts, readAlertRules(m_alerts));
    }
    RG_ASSIGN(auto hub, Hub::start(m_store, m_hub.options()));
    watching.on_stall = captureAtStall(*hub);
    Watch watch(m_store, *hub, watching);
    std::printf("listening on %s\n", hub->address().c_str());
    std::fflush(stdout);
    std::unique_ptr<Scraper> scraper = startScraper(*hub, m_store, std::move(targets));
    std::string said;
    const timespec second{1, 0};
    while (sigtimedwait(&signals, nullptr, &second) < 0) {
      const std::string error = hub->stats().store_error;
      if (error == said) continue;
      std::fprintf(stderr, "runglassctl serve: %s\n", error.empty() ? "data is stored again" : ("nothing is stored now: " + error).c_str());
      said = error;
    }
    std::signal(SIGTERM, [](int) { _exit(0); });
    std::signal(SIGINT, [](int) { _exit(0); });
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    scraper.reset();
    watch.stop();
    return hub->stop();
  }

 private:
  std::string m_store, m_alerts;
  HubArguments m_hub;
};

}  // namespace

std::unique_ptr<Command> makeServe() { return std::make_unique<Serve>(); }

}  // namespace runglass::ctl
