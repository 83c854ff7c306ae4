// SPDX-License-Identifier: Apache-2.0
// Invariants: 1. A target has at most one scrape running, and is in the queue exactly while none is running. 2. Batches are applied in the
// order in which they were posted. 3. Posted actions hold no reference to the Scraper.
#include "collectors/scrape/scraper.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <queue>
#include <random>
#include <thread>
#include <utility>

#include "collectors/scrape/scrape_page.h"
#include "net/http_transfers.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxRunning = 1'024, kPointsPerBatch = 16'384;
constexpr DurNs kPostEvery = 200 * kNsPerMs, kLongestWait = kNsPerSecond, kRetryWhenBehind = kNsPerSecond;
constexpr const char* kAccept = "Accept: application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5";

struct Target {
  Target(ScrapeTarget said, const ScrapePlace& place, std::int64_t& series_of_all)
      : config(std::move(said)), page(config, place, series_of_all) {}
  const ScrapeTarget config;
  ScrapePage page;
  DurNs begun = 0;  // monotonic
  int failures = 0;
  bool down = false;
  TimeNs failing_since = 0;
};

struct Due {
  DurNs at;
  std::size_t target;
  friend bool operator>(const Due& a, const Due& b) { return a.at > b.at; }
};

std::string seconds(DurNs ns) { return std::to_string(ns / kNsPerSecond) + " s"; }

}  // namespace

DurNs pauseAfter(DurNs interval, int failures) {
  const int doublings = std::clamp(failures - Scraper::kFailuresToTell, 0, 20);
  return std::max(interval, std::min(interval << doublings, Scraper::kLongestPause));
}

struct Scraper::Parts {
  Parts(std::vector<ScrapeTarget> said, ScrapePlace where, Post to) : place(std::move(where)), post(std::move(to)) {
    std::mt19937_64 random(std::random_device{}());
    const DurNs now = monotonicNow();
    for (ScrapeTarget& target : said) {
      // First scrapes are spread over the interval, so that a thousand exporters do not respond at once.
      std::uniform_int_distribution<DurNs> jitter(0, std::min<DurNs>(target.interval, 60 * kNsPerSecond));
      queue.push({now + jitter(random), targets.size()});
      targets.push_back(std::make_unique<Target>(std::move(target), place, series));
    }
    thread = std::thread([this] { run(); });
  }

  void run();
  void begin(std::size_t index);
  void done(std::size_t index, const Result<HttpAnswer>& answer);
  void failed(Target& target, const Status& why);
  void answered(Target& target);
  void take(ExporterPart part);
  void send();

  const ScrapePlace place;
  const Post post;
  std::int64_t series = 0;  // of all targets
  std::vector<std::unique_ptr<Target>> targets;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> queue;
  HttpTransfers http;
  ExporterBatch batch;
  DurNs batch_since = 0;
  std::atomic<bool> stopping = false;
  const std::shared_ptr<std::atomic<std::int64_t>> waiting = std::make_shared<std::atomic<std::int64_t>>(0);
  std::atomic<std::int64_t> scrapes = 0, failures = 0, samples = 0;
  std::thread thread;
};

void Scraper::Parts::run() {
  while (!stopping) {
    const DurNs now = monotonicNow();
    while (!queue.empty() && queue.top().at <= now && http.running() < kMaxRunning) {
      const std::size_t index = queue.top().target;
      queue.pop();
      begin(index);
    }
    if (!batch.empty() && now - batch_since >= kPostEvery) send();
    DurNs patience = kLongestWait;
    if (!queue.empty() && http.running() < kMaxRunning) patience = std::min(patience, queue.top().at - now);
    if (!batch.empty()) patience = std::min(patience, batch_since + kPostEvery - now);
    http.drive(std::max<DurNs>(patience + kNsPerMs, 0));
  }
  send();
}

void Scraper::Parts::begin(std::size_t index) {
  Target& target = *targets[index];
  target.begun = monotonicNow();
  if (*waiting > kMaxPosted) {
    ExporterPart part = {.ids = std::make_shared<WrittenIds>()};
    part.issues.push_back({.code = "scrape.writer_behind", .source = shownUrl(target.config.url), .first = wallNow(), .last = wallNow()});
    take(std::move(part));
    queue.push({target.begun + std::max(target.config.interval, kRetryWhenBehind), index});
    return;
  }
  target.page.begin(wallNow());
  HttpRequest request{
      .url = target.config.url, .headers = {kAccept}, .timeout = target.config.timeout, .most_bytes = ScrapePage::kMaxBytes};
  request.ca_file = target.config.ca_file;
  if (!target.config.token.empty()) request.headers.push_back("Authorization: Bearer " + target.config.token);
  http.start(
      std::move(request), [&target](const HttpAnswer& head, std::string_view piece) { return target.page.body(head, piece); },
      [this, index](const Result<HttpAnswer>& answer) { done(index, answer); });
}

void Scraper::Parts::done(std::size_t index, const Result<HttpAnswer>& answer) {
  Target& target = *targets[index];
  ++scrapes;
  Result<ExporterPart> part = target.page.finish(answer);
  if (part.ok()) {
    samples += static_cast<std::int64_t>(part->points.size());
    take(std::move(*part));
    answered(target);
  } else {
    failed(target, part.status());
  }
  // On the target's own time grid: a slow scrape does not shift the later ones.
  const DurNs pause = pauseAfter(target.config.interval, target.failures);
  const DurNs now = monotonicNow();
  queue.push({now < target.begun + pause ? target.begun + pause : now + pause - (now - target.begun) % pause, index});
}

void Scraper::Parts::answered(Target& target) {
  if (std::exchange(target.down, false))
    take(target.page.book().tell(
        {.time = wallNow(),
         .kind = "scrape_target_up",
         .message = shownUrl(target.config.url) + " answers again after " + seconds(wallNow() - target.failing_since)}));
  target.failures = 0;
}

void Scraper::Parts::failed(Target& target, const Status& why) {
  ++failures;
  if (target.failures++ == 0) target.failing_since = wallNow();
  const char* const code = why.code() == Code::kResourceExhausted ? "scrape.too_large" : "scrape.failed";
  ExporterPart part = {.ids = std::make_shared<WrittenIds>()};
  part.issues.push_back(
      {.code = code, .source = shownUrl(target.config.url), .first = wallNow(), .last = wallNow(), .detail = why.message()});
  take(std::move(part));
  if (target.failures < kFailuresToTell || std::exchange(target.down, true)) return;
  take(target.page.book().tell({.time = wallNow(),
                                .kind = "scrape_target_down",
                                .severity = Severity::kWarning,
                                .message = why.message() + " (" + std::to_string(kFailuresToTell) + " times in " +
                                           seconds(wallNow() - target.failing_since) + ")"}));
}

void Scraper::Parts::take(ExporterPart part) {
  if (batch.empty()) batch_since = monotonicNow();
  batch.add(std::move(part));
  if (batch.points() >= kPointsPerBatch) send();
}

void Scraper::Parts::send() {
  if (batch.empty()) return;
  auto posted = std::make_shared<ExporterBatch>(std::exchange(batch, {}));
  const auto points = static_cast<std::int64_t>(posted->points());
  *waiting += points;
  post([posted, points, waiting = waiting](Recorder& out) {
    posted->apply(out);
    *waiting -= points;
  });
}

Scraper::Scraper(std::vector<ScrapeTarget> targets, ScrapePlace place, Post post)
    : m_parts(std::make_unique<Parts>(std::move(targets), std::move(place), std::move(post))) {}

Scraper::~Scraper() { stop(); }

void Scraper::stop() {
  m_parts->stopping = true;
  m_parts->http.wake();
  if (m_parts->thread.joinable()) m_parts->thread.join();
}

ScraperStats Scraper::stats() const {
  return {.scrapes = m_parts->scrapes, .failures = m_parts->failures, .samples = m_parts->samples, .waiting = *m_parts->waiting};
}

}  // namespace runglass
