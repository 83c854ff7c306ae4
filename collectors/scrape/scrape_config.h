// SPDX-License-Identifier: Apache-2.0
// Endpoints to scrape and their settings; docs/operate/scrape.md describes the file.
//
// Threading:  pure.
// Ownership:  plain values; they hold secrets (tokens) and are never printed.
// Units:      ns.
// Errors:     INVALID_ARGUMENT with file, line and cause; a token file that other users can read is rejected.
// Cost:       O(file); at most kMaxTargets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.h"
#include "model/time.h"

namespace runglass {

struct ScrapeTarget {
  std::string url;     // with scheme and path
  std::string job;     // name of the exporter: "dcgm", "node", ...
  std::string source;  // source of its series: the job, plus the port where a node has several exporters of one job
  std::string node;    // "": the node named by its samples, else the host in the URL
  DurNs interval = 15 * kNsPerSecond, timeout = 10 * kNsPerSecond;
  std::string token;  // for the Authorization header
  std::string ca_file;
  std::int64_t most_series = 20'000;
};

inline constexpr std::size_t kMaxTargets = 4'096;

Result<std::vector<ScrapeTarget>> readScrapeConfig(const std::string& path);
// Host of a URL, without brackets.
std::string hostOf(const std::string& url);

}  // namespace runglass
