// SPDX-License-Identifier: Apache-2.0
// Scraper: asks Prometheus endpoints for their metrics, each at its own interval, and hands on what they say in batches.
//
// Threading:  one thread of its own for all targets; the rest is thread-safe. `post` and what ScrapePlace holds are called on that thread,
//             posted actions wherever the receiver runs them, one after the other.
// Ownership:  owns thread and connections. stop() and the destructor post what the finished
//             scrapes found.
// Units:      ns, bytes.
// Errors:     a target that does not answer is one event after kFailuresToTell failures, and one when it is back; every failed scrape is
//             an issue. A receiver that is more than kMaxPosted samples behind makes scrapes wait, which is an issue too.
// Cost:       a socket per target; a target that hangs costs no other one anything.
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
  std::int64_t scrapes = 0, failures = 0, samples = 0, waiting = 0;  // waiting: posted and not yet taken
};

class Scraper {
 public:
  static constexpr int kFailuresToTell = 3;
  static constexpr DurNs kLongestPause = 300 * kNsPerSecond;
  static constexpr std::int64_t kMaxPosted = 4'000'000;
  using Post = std::function<void(std::function<void(Recorder&)>)>;

  Scraper(std::vector<ScrapeTarget> targets, ScrapePlace place, Post post);
  ~Scraper();
  // Drops the scrapes that run; nothing is posted afterwards. Later calls do nothing.
  void stop();
  ScraperStats stats() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> m_parts;
};

// When a target is asked next, after `failures` in a row: at its interval, and ever more rarely once it is known to be down.
DurNs pauseAfter(DurNs interval, int failures);

}  // namespace runglass
