// SPDX-License-Identifier: GPL-3.0-or-later
// The options of a hub on a command line: the console and `runglassctl serve` take the same.
//
// Threading:  main thread, before any other starts.
// Ownership:  declared options point into this object.
// Errors:     what is wrong with an address, a token file or a certificate is Hub::start()'s to say.
#pragma once

#include <string>
#include <vector>

#include "collectors/hub/server/hub_options.h"
#include "collectors/scrape/scrape_config.h"

namespace runglass {

class Options;

// Takes certificate, key, authority and access list of a folder that `runglassctl pair` made.
void setTrust(HubOptions& options, const std::string& folder);

class HubArguments {
 public:
  // All but the store and --listen, whose help differs.
  void declare(Options options);
  // Raises the limit of open files to what is allowed: an agent is a connection. INVALID_ARGUMENT: --listen or --trust make no sense.
  Result<HubOptions> options() const;

  // What --scrape names; none without it. An error names the file and its line.
  Result<std::vector<ScrapeTarget>> scrapeTargets() const;

  std::vector<std::string> listen = {HubOptions().listen};  // HOST:PORT, unix:PATH, or one of each

 private:
  HubOptions m_options;
  double m_max_gib = 0;
  std::string m_durability = "kill", m_scrape, m_trust;
};

}  // namespace runglass
