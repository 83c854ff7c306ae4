// SPDX-License-Identifier: Apache-2.0
// Scraper: scrapes Prometheus endpoints, each at its own interval, and posts the results in batches.
//
// Threading:  one thread for all targets; the public functions are thread-safe. `post` and the functions of ScrapePlace are called on that
//             thread, posted actions on the receiver's, one after the other.
// Ownership:  owns thread and connections. stop() and the destructor post the results of finished scrapes.
// Units:      ns, bytes.
// Errors:     a target that does not answer causes one event after kFailuresToTell failures, and one when it answers again; every failed
//             scrape is an issue. While more than kMaxPosted samples are not yet applied, scrapes are delayed, which is an issue too.
// Cost:       a socket per target; a target that hangs does not delay the others.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectors/scrape/scrape_config.h"
#include "collectors/scrape/target_state.h"
#include "model/recorder.h"

namespace runglass {

struct ScraperStats {
  std::int64_t scrapes = 0, failures = 0, samples = 0, waiting = 0;  // waiting: posted, not yet applied
};

class Scraper {
 public:
  static constexpr int kFailuresToTell = 3;
  static constexpr DurNs kLongestPause = 300 * kNsPerSecond;
  static constexpr std::int64_t kMaxPosted = 4'000'000;
  using Post = std::function<void(std::function<void(Recorder&)>)>;

  Scraper(std::vector<ScrapeTarget> targets, ScrapePlace place, Post post);
  ~Scraper();
  // Aborts running scrapes; nothing is posted afterwards. Later calls do nothing.
  void stop();
  ScraperStats stats() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

// Delay before the next scrape after `failures` in a row: the interval, with backoff once the target is known to be down.
DurNs pauseAfter(DurNs interval, int failures);

}  // namespace runglass
