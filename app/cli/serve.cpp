// SPDX-License-Identifier: GPL-3.0-or-later
// runglassctl serve: the headless hub. Runs until SIGTERM or SIGINT; a second signal ends it at once (acknowledged data stays safe).
#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "app/cli/agent_hint.h"
#include "app/cli/command.h"
#include "app/cli/hub_arguments.h"
#include "app/cli/options.h"
#include "app/cli/prometheus_recording.h"
#include "app/cli/receiving.h"
#include "app/cli/scraping.h"
#include "app/cli/service_notify.h"
#include "collectors/hub/watch/watch.h"

namespace runglass::ctl {
namespace {

// With very many series, the watch briefly reads tens of megabytes. By default, the allocator soon serves such blocks from its heaps, where
// small blocks allocated behind them prevent the memory from being returned to the system.
constexpr int kLargeBlock = 1 << 20;
constexpr DurNs kCutEvery = 60 * kNsPerSecond;  // at most one line per interval, however many connections are closed

constexpr const char* kListen = "127.0.0.1:7070";

class Serve : public Command {
 public:
  Serve() { m_hub.listen = {kListen}; }
  const char* name() const override { return "serve"; }
  const char* help() const override { return "Receive agents' data into a store until SIGTERM"; }
  const char* examples() const override {
    return "runglassctl serve --store run.rgl\n"
           "runglassctl serve --store run.rgl --listen 0.0.0.0:7070 --trust trust --listen unix:hub.sock\n"
           "runglassctl serve --store run.rgl --receive 127.0.0.1:9201 --receive-grpc 127.0.0.1:4317\n"
           "runglassctl serve --store run.rgl --prometheus http://prom:9090 --nodes 'gpu-[001-128]'\n";
  }
  void declare(Options options) override {
    options.add("--store", m_store, "The store, a .rgl file; created if it is missing").required();
    options.add("--listen", m_hub.listen, "HOST:PORT (port 0: any free one), or unix:PATH, private to you; once each").defaultShown();
    options.add("--alerts", m_alerts, "Alert rules and targets (TOML; docs/operate/alerts.md); default: record only");
    m_hub.declare(options);
  }
  Status run() override {
    mallopt(M_MMAP_THRESHOLD, kLargeBlock);
    // Blocked before any thread starts, so that only sigwait() below receives them.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    RG_ASSIGN(std::vector<ScrapeTarget> targets, m_hub.scrapeTargets());
    RG_ASSIGN(const std::optional<KubeSelection> cluster, m_hub.kubernetes());
    RG_ASSIGN(const std::optional<PrometheusSelection> prometheus, m_hub.prometheus().selection());
    WatchOptions watching;
    if (!m_alerts.empty()) {
      RG_ASSIGN(watching.alerts, readAlertRules(m_alerts));
    }
    RG_ASSIGN(const HubOptions options, m_hub.options());
    RG_ASSIGN(auto hub, Hub::start(m_store, options));
    RG_ASSIGN(std::unique_ptr<Receivers> receivers, startReceivers(*hub, m_store, m_hub.receive(), options));
    watching.on_stall = captureAtStall(*hub);
    Watch watch(m_store, *hub, watching);
    std::printf("listening on %s\n", hub->address().c_str());
    if (!options.listen.empty() && !options.socket.empty()) std::printf("listening on unix:%s\n", options.socket.c_str());
    if (!m_hub.receive().http.empty()) std::printf("receiving on %s\n", receivers->address().c_str());
    if (!m_hub.receive().grpc.empty()) std::printf("receiving OTLP/gRPC on %s\n", receivers->grpcAddress().c_str());
    std::printf("%s\n", agentHint(hub->address(), options).c_str());
    std::fflush(stdout);
    std::unique_ptr<Scraper> scraper = startScraper(*hub, m_store, std::move(targets));
    std::unique_ptr<KubeWatch> kube_watch = startKubeWatch(*hub, m_store, cluster);
    std::unique_ptr<MetricRecording> recording = startMetricRecording(*hub, m_store, prometheus);
    std::string said, said_access;
    std::int64_t said_cut = 0;
    DurNs cut_at = 0;
    ServiceNotify service;
    (void)service.send("READY=1");
    const timespec second{1, 0};
    while (sigtimedwait(&signals, nullptr, &second) < 0) {
      const HubStats stats = hub->stats();
      service.alive(stats.rounds, monotonicNow());
      if (stats.access_error != said_access)
        std::fprintf(
            stderr, "runglassctl serve: %s\n",
            stats.access_error.empty() ? "who may connect is read again" : (stats.access_error + "; what was read before counts").c_str());
      said_access = stats.access_error;
      if (const DurNs now = monotonicNow(); stats.cut_connections > said_cut && (cut_at == 0 || now - cut_at >= kCutEvery)) {
        std::fprintf(stderr, "runglassctl serve: closed %lld connections that exceed the limits of docs/operate/trust.md; the newest: %s\n",
                     static_cast<long long>(stats.cut_connections - said_cut), stats.newest_cut.c_str());
        said_cut = stats.cut_connections;
        cut_at = now;
      }
      const std::string& error = stats.store_error;
      if (error == said) continue;
      std::fprintf(stderr, "runglassctl serve: %s\n", error.empty() ? "data is stored again" : ("nothing is stored now: " + error).c_str());
      said = error;
    }
    (void)service.send("STOPPING=1");
    std::signal(SIGTERM, [](int) { _exit(0); });
    std::signal(SIGINT, [](int) { _exit(0); });
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    scraper.reset();
    receivers.reset();
    kube_watch.reset();
    recording.reset();
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
