// SPDX-License-Identifier: GPL-3.0-or-later
// The options of a hub on a command line: the console and `runglassctl serve` accept the same.
//
// Threading:  main thread, before any other starts.
// Ownership:  declared options point into this object.
// Errors:     Hub::start() reports an invalid address, token file or certificate.
#pragma once

#include <string>
#include <vector>

#include "app/cli/kubernetes_watching.h"
#include "app/cli/prometheus_recording.h"
#include "app/cli/receiving.h"
#include "collectors/hub/server/hub_options.h"
#include "collectors/scrape/scrape_config.h"

namespace runglass {

class Options;

// Sets certificate, key, authority and access list from a folder created by `runglassctl pair`.
void setTrust(HubOptions& options, const std::string& folder);

class HubArguments {
 public:
  // All options except the store and --listen, whose help differs.
  void declare(Options options);
  // Raises the limit of open files to the maximum allowed: each agent is a connection. INVALID_ARGUMENT: invalid --listen or --trust.
  Result<HubOptions> options() const;

  // The targets in the --scrape file; none without it. An error names the file and its line.
  Result<std::vector<ScrapeTarget>> scrapeTargets() const;

  const ReceiverAddresses& receive() const { return m_receive; }
  Result<std::optional<KubeSelection>> kubernetes() const { return m_kubernetes.selection(); }
  // --from, --to, --slurm: of the console, whose --prometheus may also be a past window.
  void declareWindow(Options options) { m_prometheus.declareWindow(options); }
  const RecordingArguments& prometheus() const { return m_prometheus; }

  std::vector<std::string> listen = {HubOptions().listen};  // HOST:PORT, unix:PATH, or one of each

 private:
  HubOptions m_options;
  KubernetesArguments m_kubernetes;
  RecordingArguments m_prometheus;
  double m_max_gib = 0;
  std::string m_durability = "kill", m_scrape, m_trust;
  ReceiverAddresses m_receive;
};

}  // namespace runglass
