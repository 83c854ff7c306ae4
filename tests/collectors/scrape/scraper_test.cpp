// SPDX-License-Identifier: Apache-2.0
// The scraper with real servers on the loopback interface: a hostile target does not affect the others.
#include "collectors/scrape/scraper.h"

#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "collectors/scrape/scrape_page.h"
#include "tests/support/http_server.h"
#include "tests/support/memory_recorder.h"
#include "tests/support/sanitized.h"
#include "tests/support/wait_until.h"

namespace runglass {
namespace {

using test::HttpServer;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// Peak memory of this process.
double peakMib() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_maxrss) / 1024;
}

class ScraperTest : public testing::Test {
 protected:
  ScrapeTarget target(const std::string& path, DurNs interval = 30 * kNsPerMs, DurNs timeout = 20 * kNsPerSecond) const {
    return {.url = server.url(path), .job = path, .source = path, .node = "n", .interval = interval, .timeout = timeout};
  }
  void start(std::vector<ScrapeTarget> targets) {
    scraper = std::make_unique<Scraper>(std::move(targets), ScrapePlace(), [this](const std::function<void(Recorder&)>& action) {
      const std::lock_guard lock(mutex);
      action(out);
    });
  }
  testing::AssertionResult until(const std::function<bool()>& condition) {
    return test::waitUntil([&] {
      const std::lock_guard lock(mutex);
      return condition();
    });
  }
  std::size_t samplesOf(const std::string& metric) const { return out.samplesOf(metric).value.size(); }
  std::string detailOf(const std::string& path) const {
    for (const Issue& issue : out.issues)
      if (issue.source == server.url(path)) return issue.code + ": " + issue.detail;
    return "";
  }
  // In addition to `path`, which fails with `words`, another target is scraped as usual.
  void expectOnlyThisFails(const std::string& path, const std::string& words) {
    start({target(path), target("/good")});
    EXPECT_TRUE(until([&] { return !detailOf(path).empty() && samplesOf("good") >= 3; }));
    scraper.reset();
    EXPECT_THAT(detailOf(path), HasSubstr(words));
    EXPECT_EQ(detailOf("/good"), "");
    EXPECT_EQ(samplesOf("bad"), 0U);
  }
  // `text` repeated `times` times.
  static std::string gzipped(const std::string& text, std::size_t times = 1) {
    std::string packed(text.size() * times / 100 + 65'536, '\0');
    std::size_t used = 0;
    archive* const to = archive_write_new();
    archive_write_add_filter_gzip(to);
    archive_write_set_format_raw(to);
    archive_write_open_memory(to, packed.data(), packed.size(), &used);
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, "x");
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_write_header(to, entry);
    for (std::size_t i = 0; i < times; ++i) archive_write_data(to, text.data(), text.size());
    archive_entry_free(entry);
    archive_write_close(to);
    archive_write_free(to);
    packed.resize(used);
    return packed;
  }
  bool answer(const std::string& request, const HttpServer::Connection& to) {
    const std::string path = request.substr(4, request.find(' ', 4) - 4);
    if (path == "/good") return to.answer("good 1\n");
    if (path == "/hang") {
      to.hang();
      return false;
    }
    if (path == "/endless") {  // more than two gigabytes, as fast as they are read
      to.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2200000000\r\n\r\n");
      std::string lines;
      for (int i = 0; i < 4'000; ++i) lines += "# bad " + std::string(400, 'x') + "\n";
      while (to.send(lines)) sent += lines.size();
      return false;
    }
    if (path == "/bomb") {
      EXPECT_THAT(request, HasSubstr("Accept-Encoding: gzip\r\n"));
      return to.answer(bomb, "text/plain", "200 OK", "Content-Encoding: gzip\r\n");
    }
    if (path == "/packed") return to.answer(gzipped("packed 7\n"), "text/plain", "200 OK", "Content-Encoding: gzip\r\n");
    if (path == "/explosion") {
      std::string lines;
      for (int i = 0; i < 300; ++i) lines += "e{id=\"" + std::to_string(exploded++) + "\"} 1\n";
      return to.answer(lines);
    }
    if (path == "/html") return to.answer("<html>bad 1</html>", "text/html");
    if (path == "/rubbish") return to.answer("this is no metric\nnor is this one\nbad 1\n");
    if (path == "/elsewhere") return to.answer("bad 1\n", "text/plain", "302 Found", "Location: " + server.url("/good") + "\r\n");
    if (path == "/down") return down ? to.answer("", "text/plain", "503 Service Unavailable") : to.answer("was_down 1\n");
    if (path == "/secret") {
      const bool shown = request.find("\r\nAuthorization: Bearer t0ken\r\n") != std::string::npos;
      return shown ? to.answer("secret 1\n") : to.answer("", "text/plain", "401 Unauthorized");
    }
    if (path == "/accept") {
      accept = request;
      return to.answer("accepted 1\n");
    }
    return to.answer("", "text/plain", "404 Not Found");
  }

  std::atomic<std::size_t> sent = 0;
  std::atomic<bool> down = true;
  std::atomic<int> exploded = 0;
  std::string bomb, accept;
  HttpServer server{[this](const std::string& request, const HttpServer::Connection& to) { return answer(request, to); }};
  std::mutex mutex;
  test::MemoryRecorder out;
  std::unique_ptr<Scraper> scraper;
};

TEST_F(ScraperTest, ATargetIsAskedForTextAgainAndAgain) {
  start({target("/accept"), target("/packed")});
  ASSERT_TRUE(until([&] { return samplesOf("accepted") >= 5 && samplesOf("packed") >= 5; }));
  scraper.reset();
  EXPECT_THAT(accept, HasSubstr("Accept: application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4"));
  const std::vector<TimeNs> times = out.samplesOf("accepted").time;
  EXPECT_TRUE(std::ranges::is_sorted(times));
  EXPECT_EQ(std::ranges::adjacent_find(times), times.end());
  EXPECT_TRUE(out.issues.empty());
  EXPECT_TRUE(out.events.empty());
}

TEST_F(ScraperTest, AHundredExportersThatHangDoNotDelayTheOthers) {
  std::vector<ScrapeTarget> targets{target("/good")};
  for (int i = 0; i < 100; ++i) targets.push_back(target("/hang"));
  start(std::move(targets));
  EXPECT_TRUE(until([&] { return samplesOf("good") >= 20; }));
  EXPECT_EQ(scraper->stats().failures, 0);  // all of them are still waiting
}

TEST_F(ScraperTest, AnExporterThatHangsIsGivenUpAtItsTimeout) {
  start({target("/hang", kNsPerSecond, 50 * kNsPerMs), target("/good")});
  EXPECT_TRUE(until([&] { return !detailOf("/hang").empty() && samplesOf("good") >= 3; }));
  scraper.reset();
  EXPECT_THAT(detailOf("/hang"), HasSubstr("scrape.failed: scrape: GET " + server.url("/hang") + ": no answer within 50 ms"));
}

TEST_F(ScraperTest, TwoGigabytesAreCutOff) {
  expectOnlyThisFails("/endless", "scrape.too_large: ");
  EXPECT_LT(sent, 1U << 30);
}

// 384 MiB in 400 KB.
TEST_F(ScraperTest, AGzipBombIsCutOff) {
  std::string lines;
  while (lines.size() < 1U << 20) lines += "# " + std::string(1'000, 'x') + "\n";
  bomb = gzipped(lines, 384);
  ASSERT_LT(bomb.size(), 2U << 20);
  ASSERT_GT(384 * lines.size(), 10 * ScrapePage::kMaxBytes);
  const double before = peakMib();
  const DurNs begin = monotonicNow();
  expectOnlyThisFails("/bomb", "scrape.too_large: ");
  if (!test::kSanitized) {
    EXPECT_LT(monotonicNow() - begin, 10 * kNsPerSecond) << "ns";
    EXPECT_LT(peakMib() - before, 256) << "MiB";
  }
}

TEST_F(ScraperTest, AnExplosionOfLabelsIsRefusedBeyondTheShare) {
  ScrapeTarget hostile = target("/explosion");
  hostile.most_series = 500;
  start({hostile, target("/good")});
  EXPECT_TRUE(until([&] { return out.issueCount("scrape.too_many_series") > 1'000 && samplesOf("good") >= 5; }));
  scraper.reset();
  EXPECT_EQ(out.series_keys.size(), 500U + 1);
}

TEST_F(ScraperTest, WebPagesRubbishAndRedirectsAreNoMetrics) {
  expectOnlyThisFails("/html", "text/html, which is no metrics");
  expectOnlyThisFails("/rubbish", "no metrics: this is no metric");
  expectOnlyThisFails("/elsewhere", "HTTP status 302; redirects are not followed");
  expectOnlyThisFails("/missing", "HTTP status 404");
}

TEST_F(ScraperTest, ATokenIsSentAndNeverShown) {
  ScrapeTarget with = target("/secret");
  with.token = "t0ken";
  start({with});
  EXPECT_TRUE(until([&] { return samplesOf("secret") >= 1; }));
  with.token = "wrong-t0ken";
  start({with});
  EXPECT_TRUE(until([&] { return out.issueCount("scrape.failed") >= 1; }));
  scraper.reset();
  EXPECT_THAT(detailOf("/secret"), AllOf(HasSubstr("HTTP status 401"), Not(HasSubstr("t0ken"))));
}

TEST_F(ScraperTest, ATargetThatIsDownIsOneEventAndOneWhenItIsBack) {
  start({target("/down", 5 * kNsPerMs, 4 * kNsPerSecond)});
  ASSERT_TRUE(until([&] { return out.issueCount("scrape.failed") >= 6; }));
  {
    const std::lock_guard lock(mutex);
    ASSERT_EQ(out.events.size(), 1U);
    EXPECT_EQ(out.events[0].kind, "scrape_target_down");
    EXPECT_EQ(out.events[0].severity, Severity::kWarning);
    EXPECT_THAT(out.events[0].message, AllOf(HasSubstr(server.url("/down")), HasSubstr("HTTP status 503")));
    EXPECT_EQ(out.nodes[out.events[0].node.value - 1].name, "n");
    EXPECT_TRUE(out.metric_samples.empty());  // a gap, not a zero
  }
  down = false;
  ASSERT_TRUE(until([&] { return samplesOf("was_down") >= 3; }));
  scraper.reset();
  ASSERT_EQ(out.events.size(), 2U);
  EXPECT_EQ(out.events[1].kind, "scrape_target_up");
}

TEST_F(ScraperTest, NothingListeningIsAFailureThatNamesTheAddress) {
  ScrapeTarget nobody = target("/x");
  nobody.url = "http://127.0.0.1:1/x";
  start({nobody});
  EXPECT_TRUE(until([&] { return out.issueCount("scrape.failed") >= 1; }));
  EXPECT_THAT(out.issues[0].detail, HasSubstr("GET http://127.0.0.1:1/x: "));
}

TEST_F(ScraperTest, WhoCannotKeepUpMakesScrapesWait) {
  std::vector<std::function<void(Recorder&)>> held;  // a writer that accepts nothing
  std::atomic<std::int64_t> ms = 1'600'000'000'000;
  const HttpServer many([&](const std::string&, const HttpServer::Connection& to) {
    std::string lines;
    for (int i = 0; i < 190'000; ++i) lines += "m 1 " + std::to_string(++ms) + "\n";
    return to.answer(lines);
  });
  ScrapeTarget large = target("/", 5 * kNsPerMs);
  large.url = many.url("/");
  Scraper behind({large}, ScrapePlace(), [&](std::function<void(Recorder&)> action) {
    const std::lock_guard lock(mutex);
    held.push_back(std::move(action));
  });
  // If the writer is behind, only the issue that reports this is posted, instead of each scrape.
  const auto posted = [&] {
    const std::lock_guard lock(mutex);
    return held.size();
  };
  ASSERT_TRUE(test::waitUntil([&] { return behind.stats().waiting > Scraper::kMaxPosted; }));
  const std::int64_t scrapes = behind.stats().scrapes;
  const std::size_t before = posted();
  ASSERT_TRUE(test::waitUntil([&] { return posted() >= before + 3; }));
  EXPECT_LE(behind.stats().scrapes, scrapes + 1) << "one may have been running";
  behind.stop();
  for (const auto& action : held) action(out);
  EXPECT_GE(out.issueCount("scrape.writer_behind"), 2);
}

TEST(ScrapePause, GrowsOnceATargetIsKnownToBeDown) {
  EXPECT_EQ(pauseAfter(kNsPerSecond, 0), kNsPerSecond);
  EXPECT_EQ(pauseAfter(kNsPerSecond, 3), kNsPerSecond);
  EXPECT_EQ(pauseAfter(kNsPerSecond, 5), 4 * kNsPerSecond);
  EXPECT_EQ(pauseAfter(kNsPerSecond, 1'000), Scraper::kLongestPause);
  EXPECT_EQ(pauseAfter(2 * Scraper::kLongestPause, 1'000), 2 * Scraper::kLongestPause);
}

}  // namespace
}  // namespace runglass
