// SPDX-License-Identifier: Apache-2.0
// The run log: a heading per day, a line per entry, and nothing in it that a name or a note could make active.
#include <gmock/gmock.h>

#include <limits>

#include "analysis/logbook/read_logbook.h"
#include "analysis/text/markdown_text.h"
#include "storage/open_store.h"
#include "tests/analysis/incident_places.h"
#include "tests/analysis/simulated_incident.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr TimeNs kMorning = 1'700'000'000LL * kNsPerSecond;  // 2023-11-14 22:13:20

struct Stored {
  test::TempFolder folder;
  std::unique_ptr<Writer> writer;
  Stored() {
    auto opened = openStore(folder.file("s.rgl")).writer();
    EXPECT_TRUE(opened.ok());
    writer = std::move(*opened);
  }
  std::string markdown(std::vector<Incident> incidents = {}) {
    EXPECT_TRUE(writer->close().ok());
    auto reader = openStore(folder.file("s.rgl")).reader();
    const Run run = (*reader)->runs()->front();
    const auto findings = *(*reader)->findings(run.id);
    auto logbook = readLogbook(**reader, run, findings, incidents, {});
    EXPECT_TRUE(logbook.ok()) << logbook.status().message();
    return logbook.ok() ? logbookMarkdown(*logbook) : "";
  }
};

TimeNs after(std::int64_t seconds) { return kMorning + seconds * kNsPerSecond; }

// Two attempts over midnight: a lost GPU ends the first, its node is replaced.
void fill(Writer& writer, std::vector<Incident>& incidents) {
  const RunId run = writer.run(
      {.uuid = "u", .name = "opt-175b", .state = RunState::kFinished, .start = after(0), .end = after(7'200), .framework = "metaseq"});
  const Layout layout{.world = 2, .tp = 2, .pp = 1};
  const AttemptId first = writer.attempt(
      {.run = run, .key = "0", .start = after(0), .end = after(1'000), .end_cause = "hardware fault", .planned = false, .layout = layout});
  const AttemptId second = writer.attempt({.run = run,
                                           .key = "1",
                                           .start = after(1'060),
                                           .end = after(7'200),
                                           .end_cause = "finished",
                                           .planned = true,
                                           .resumed_from_step = 80,
                                           .layout = layout});
  std::vector<NodeId> nodes;
  for (const char* name : {"n0", "n1", "n2"}) {
    nodes.push_back(writer.node({.uuid = name, .name = name}));
    writer.device({.uuid = std::string("GPU-") + name, .node = nodes.back(), .index = 0, .kind = "gpu", .model = "A100"});
  }
  writer.rank({.attempt = first, .rank = 0, .node = nodes[0]}), writer.rank({.attempt = first, .rank = 1, .node = nodes[1]});
  writer.rank({.attempt = second, .rank = 0, .node = nodes[0]}), writer.rank({.attempt = second, .rank = 1, .node = nodes[2]});
  writer.fact({.attempt = first, .key = "global_batch_size", .value = "2048"});
  writer.fact({.attempt = first, .key = "api_token", .value = "hunter2"});
  const auto steps = [&](AttemptId attempt, std::int64_t from, std::int64_t to, std::int64_t begin) {
    const SeriesId id = writer.series({.attempt = attempt, .rank = 0, .metric = "step_time_ns", .kind = SeriesKind::kScalar});
    for (std::int64_t s = from; s <= to; ++s) writer.scalar(id, s, after(begin + (s - from) * 10), 10.0 * kNsPerSecond);
  };
  steps(first, 1, 95, 0), steps(second, 81, 690, 1'100);
  for (const std::int64_t step : {20, 40, 60, 80})
    writer.checkpoint(
        {.attempt = first, .step = step, .begin = after(step * 10), .durable = after(step * 10 + 5), .path = "c" + std::to_string(step)});
  writer.checkpoint({.attempt = second, .step = 700, .begin = after(7'190), .path = "c700"});
  Finding fault{.run = run,
                .attempt = first,
                .kind = "hardware_fault",
                .subject = "device:GPU-n1 xid 79",
                .severity = Severity::kCritical,
                .start = after(950),
                .end = after(1'000),
                .first_step = 95,
                .node = nodes[1],
                .rank = 1,
                .summary = "GPU 0 of n1 (rank 1): Xid 79",
                .evidence = "{}"};
  writer.finding(fault);
  writer.finding({.run = run,
                  .attempt = second,
                  .kind = "loss_spike",
                  .subject = "attempt:1 loss",
                  .severity = Severity::kWarning,
                  .start = after(6'600),
                  .first_step = 631,
                  .summary = "loss jumped to 9.1",
                  .evidence = "{}"});
  writer.finding({.run = run,
                  .attempt = second,
                  .kind = "settings",
                  .subject = "s",
                  .severity = Severity::kInfo,
                  .start = after(6'601),
                  .summary = "only information",
                  .evidence = "{}"});
  writer.event({.time = after(960), .attempt = first, .kind = "process_exit", .severity = Severity::kError, .message = "a symptom"});
  writer.event(
      {.time = after(3'000), .attempt = second, .kind = "traceback", .severity = Severity::kError, .message = "RuntimeError: data"});
  incidents = {{.uuid = "i",
                .run = run,
                .attempt = first,
                .title = "Xid 79 on n1",
                .state = IncidentState::kResolved,
                .severity = Severity::kCritical,
                .range = TimeRange{after(949), after(1'060)},
                .cause = "gpu_faulty"}};
}

TEST(Logbook, ReadsLikeOneThatWasKeptByHand) {
  Stored stored;
  std::vector<Incident> incidents;
  fill(*stored.writer, incidents);
  EXPECT_EQ(stored.markdown(incidents), R"(# Run log of opt-175b

2 attempts, 690 steps kept, 15 lost; 95.8 % of 2 h made progress. Times are UTC.

## 2023-11-14

- 22:13:20 · step 1 · **start**: attempt 0, metaseq, 2 ranks (TP 2) on 2 nodes, 2 × A100; global_batch_size 2048
- 22:26:45 · step 80 · **checkpoints**: 4 durable, steps 20 to 80
- 22:29:09 · step 95 · **incident, resolved** (critical): Xid 79 on n1; cause: gpu_faulty
- 22:29:10 · step 95 · **hardware fault** (critical): GPU 0 of n1 (rank 1): Xid 79; for 50 s
- 22:30:00 · step 95 · **end** (error): attempt 0 at step 95: hardware fault (not planned)
- 22:31:00 · step 80 · **restart**: attempt 1 resumes from step 80, 15 steps are lost, 1 min after the end; the one before ended by: hardware fault; n1 is replaced by n2
- 23:03:20 · step 271 · **traceback** (error): RuntimeError: data

## 2023-11-15

- 00:03:20 · step 631 · **loss spike** (warning): loss jumped to 9.1
- 00:13:10 · step 700 · **checkpoint** (warning): no record that step 700 became durable
- 00:13:20 · step 690 · **end**: attempt 1 at step 690: finished (planned)
)");
}
TEST(Logbook, NotesAndAlertsStandBetweenWhatHappened) {
  const RunPlaces places = twoRacks();
  const std::vector findings = {xid79(1'400, 3, 21)};
  const std::vector<Alert> alerts = {{.rule = "pager",
                                      .kind = "hardware_fault",
                                      .severity = Severity::kCritical,
                                      .due = at(1'460),
                                      .summary = findings[0].summary,
                                      .delivery = "mail: sent"},
                                     {.rule = "never", .summary = "held back"}};
  const std::vector<Note> notes = {{.time = at(1'500), .author = "ada", .text = "drained n3,\nasked for a new one"},
                                   {.text = "the long run"}};
  const std::string text =
      logbookMarkdown(logbookOf({.run = {.name = "r"}, .places = places, .findings = findings, .alerts = alerts, .notes = notes}));
  EXPECT_THAT(text, HasSubstr("## Of the run as a whole\n\n- **note**: the long run\n"));
  EXPECT_THAT(text, HasSubstr("**alert pager** (critical): hardware fault (mail: sent)\n"));
  EXPECT_THAT(text, HasSubstr("**note of ada**: drained n3, asked for a new one\n"));
  EXPECT_THAT(text, Not(HasSubstr("held back")));
}
TEST(Logbook, NoSecretIsInIt) {
  Stored stored;
  std::vector<Incident> incidents;
  fill(*stored.writer, incidents);
  EXPECT_THAT(stored.markdown(), Not(HasSubstr("hunter2")));
}
TEST(Logbook, OfARunThatReportedNothingItSaysSo) {
  Stored stored;
  stored.writer->run({.name = "nothing"});
  EXPECT_EQ(stored.markdown(), "# Run log of nothing\n\nno attempt. Times are UTC.\n\nNothing was recorded.\n");
}
TEST(Logbook, ARunWithoutAClockHasItsEntriesBySteps) {
  RunPlaces places;
  places.attempts[kFirst] = {.id = kFirst, .number = 0, .end_cause = "finished", .last_step = 9};
  std::vector findings = {finding("loss_spike", "b", 80, {}), finding("loss_spike", "a", 20, {})};
  for (Finding& one : findings) one.start.reset();
  const std::string text =
      logbookMarkdown(logbookOf({.run = {.name = "r", .time_domain = TimeDomain::kNone}, .places = places, .findings = findings}));
  EXPECT_THAT(text, HasSubstr("## Without a clock\n"));
  EXPECT_LT(text.find("step 5 ·"), text.find("step 20 ·"));
  EXPECT_THAT(text, Not(HasSubstr("1970")));
}
TEST(Logbook, ASimulatedRunWithALostGpuHasItsRestartInIt) {
  SimulatedIncident played(lostGpu());
  const auto logbook = readLogbook(played.reader(), played.run(), played.findings(), {}, {});
  ASSERT_TRUE(logbook.ok());
  const std::string text = logbookMarkdown(*logbook);
  EXPECT_THAT(text, HasSubstr("Xid 79"));
  EXPECT_THAT(text, HasSubstr("attempt 1 resumes from step 80, 20 steps are lost, 30 s after the end"));
}
TEST(Logbook, HostileTextsAreOnlyTexts) {
  const std::string hostile =
      "x\n# h\r\n- [a](javascript:alert(1)) <script>alert(1)</script> ![i](http://e.vil/p.png) `c` *b* |t| &lt; $m$ @all ~~s~~ "
      "www.e.vil mailto:a@b.c \x1b[2J\xe2\x80\xae\xc2\x85\xff\xe2\x80\xa8";
  RunPlaces places = twoRacks();
  places.attempts[kFirst].end_cause = hostile, places.nodes[NodeId{1}].name = hostile;
  Finding bad = xid79(100, 1, 3);
  bad.kind = hostile, bad.summary = hostile;
  const std::vector findings = {bad};
  const std::vector<Note> notes = {{.time = at(5), .author = hostile, .text = hostile}};
  const std::vector<Alert> alerts = {
      {.rule = hostile, .severity = Severity::kError, .due = std::numeric_limits<TimeNs>::min(), .summary = hostile}};
  const std::vector<Event> events = {
      {.time = std::numeric_limits<TimeNs>::max(), .kind = hostile, .severity = Severity::kError, .message = hostile}};
  const std::string text = logbookMarkdown(logbookOf({.run = {.name = hostile, .framework = hostile},
                                                      .places = places,
                                                      .findings = findings,
                                                      .alerts = alerts,
                                                      .notes = notes,
                                                      .events = events}));
  std::size_t line = 0;
  for (std::size_t end = 0; (end = text.find('\n', line)) != std::string::npos; line = end + 1) {
    const std::string one = text.substr(line, end - line);
    EXPECT_TRUE(one.empty() || one.starts_with("# Run log of ") || one.starts_with("## ") || one.starts_with("- ") ||
                one.starts_with("2 attempts"))
        << one;
  }
  for (const char* active : {"[a](", " <script", "![i", " `c", " *b", " |t", " &lt", " $m", " @all", " ~~", "http://", "www.e", "mailto:a",
                             "\x1b", "\xe2\x80\xae", "\xc2\x85", "\xff", "\r"})
    EXPECT_THAT(text, Not(HasSubstr(active))) << active;
}
TEST(MarkdownText, PlainWordsStayAsTheyAre) {
  EXPECT_EQ(markdownText("Rank 5 on sim-0000: 3.75 s against 3.16 s a step (+19 %), grad_norm größer 1×"),
            "Rank 5 on sim-0000: 3.75 s against 3.16 s a step (+19 %), grad_norm größer 1×");
}
TEST(MarkdownText, EmphasisAroundWordsIsEscaped) { EXPECT_EQ(markdownText("_a_ __b__ a_b"), "\\_a\\_ \\_\\_b\\_\\_ a_b"); }
TEST(MarkdownText, ACutIsNotInsideACharacter) {
  EXPECT_EQ(markdownText("aé", 2), "a...");
  EXPECT_EQ(markdownText("aé", 3), "aé");
}
TEST(MarkdownText, TornAndOverlongBytesAreReplaced) {
  EXPECT_EQ(markdownText("\xc3"), "\xEF\xBF\xBD");
  EXPECT_EQ(markdownText("\xc0\xaf"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(markdownText("\xed\xa0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
}  // namespace runglass
