// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/hub_arguments.h"

#include <sys/resource.h>

#include "app/cli/options.h"
#include "app/cli/store_access.h"

namespace runglass {

void setTrust(HubOptions& options, const std::string& folder) {
  options.tls_cert = folder + "/hub.pem";
  options.tls_key = folder + "/hub.key";
  options.tls_client_ca = folder + "/ca.pem";
  options.token_file = folder + "/access";
}

void HubArguments::declare(Options options) {
  options.add("--trust", m_trust, "Hub: folder made by `runglassctl pair`; enables TLS and access control");
  options.add("--token-file", m_options.token_file, "Hub: bearer tokens, one per line, mode 0600");
  options.add("--tls-cert", m_options.tls_cert, "Hub: server certificate (PEM); required beyond loopback");
  options.add("--tls-key", m_options.tls_key, "Hub: key of the server certificate (PEM, mode 0600)");
  options.add("--tls-client-ca", m_options.tls_client_ca, "Hub: CA of the agents' client certificates (PEM)");
  options.add("--durability", m_durability, "Hub: acknowledged data survives a killed hub, or a power cut")
      .oneOf({"kill", "power"})
      .defaultShown();
  options.add("--max-store-gib", m_max_gib, "Maximum store size in GiB; oldest data is deleted first (0 = unlimited)")
      .range(0.0, 1e6)
      .defaultShown();
  options.add("--receive", m_receive.http, "Hub: HOST:PORT for remote_write and OTLP/HTTP (docs/operate/receivers.md)");
  options.add("--receive-grpc", m_receive.grpc, "Hub: HOST:PORT for OTLP/gRPC (docs/operate/receivers.md)");
  options.add("--scrape", m_scrape, "Hub: Prometheus endpoints to scrape (TOML; docs/operate/scrape.md)");
  m_kubernetes.declare(options);
  m_prometheus.declare(options);
}

Result<HubOptions> HubArguments::options() const {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
  }
  HubOptions options = m_options;
  options.listen.clear();
  for (const std::string& where : listen) {
    const bool socket = where.starts_with("unix:");
    std::string& to = socket ? options.socket : options.listen;
    if (!to.empty()) return Status(Code::kInvalidArgument, "listen: " + where + ": one HOST:PORT and one unix:PATH at most");
    to = socket ? where.substr(5) : where;
  }
  if (!m_trust.empty()) {
    if (!options.token_file.empty() || !options.tls_cert.empty() || !options.tls_client_ca.empty())
      return Status(Code::kInvalidArgument, "trust: " + m_trust + ": it takes the place of --token-file and the --tls options");
    setTrust(options, m_trust);
  }
  options.writer = writerOptions();
  options.writer.power_safe = m_durability == "power";
  options.retention = Retention{.max_bytes = static_cast<std::int64_t>(m_max_gib * (1 << 30))};
  return options;
}

Result<std::vector<ScrapeTarget>> HubArguments::scrapeTargets() const {
  if (m_scrape.empty()) return std::vector<ScrapeTarget>();
  return readScrapeConfig(m_scrape);
}

}  // namespace runglass
