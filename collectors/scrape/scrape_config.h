// SPDX-License-Identifier: Apache-2.0
// Which endpoints are scraped, and how: docs/operate/scrape.md describes the file.
//
// Threading:  pure.
// Ownership:  plain values; they hold secrets (tokens) and are never printed.
// Units:      ns.
// Errors:     INVALID_ARGUMENT names file, line and what is wrong with it; a token file that others may read is refused.
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
  std::string job;     // what the exporter is: "dcgm", "node", ...
  std::string source;  // of its series: the job, and the port where a node has several of one job
  std::string node;    // "": what its samples say, else the host in the URL
  DurNs interval = 15 * kNsPerSecond, timeout = 10 * kNsPerSecond;
  std::string token;  // of the Authorization header
  std::string ca_file;
  std::int64_t most_series = 20'000;
};

inline constexpr std::size_t kMaxTargets = 4'096;

Result<std::vector<ScrapeTarget>> readScrapeConfig(const std::string& path);
// The host in a URL, without brackets.
std::string hostOf(const std::string& url);

}  // namespace runglass
