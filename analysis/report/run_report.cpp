// SPDX-License-Identifier: Apache-2.0
// The sections of a whole run: where its time went, its findings, slow ranks and settings.
#include <algorithm>
#include <set>

#include "analysis/goodput/goodput.h"
#include "analysis/incident/data_quality.h"
#include "analysis/incident/incident_answer.h"
#include "analysis/incident/incident_words.h"
#include "analysis/incident/next_steps.h"
#include "analysis/incident/read_proposals.h"
#include "analysis/ranking/ranking.h"
#include "analysis/report/read_report.h"
#include "analysis/report/report_builder.h"
#include "analysis/run_summary/run_summary.h"
#include "analysis/text/record_sql.h"
#include "model/number_text.h"
#include "model/time_text.h"

namespace runglass::report {
namespace {

constexpr TimeNs kDay = 24 * 3600 * kNsPerSecond;
constexpr std::size_t kMaxDays = 62, kMaxAttemptRows = 200, kMaxText = 400;

std::string sentence(std::string text) {
  if (!text.empty() && !text.ends_with('.')) text += '.';
  return upperFirst(std::move(text));
}

std::optional<double> seconds(std::optional<double> s) { return s ? std::optional(*s * 1e9) : std::nullopt; }

class RunSections {
 public:
  RunSections(Builder& build, const Known& known, std::optional<double> price, std::stop_token stop)
      : m_build(build), m_known(known), m_price(price), m_stop(std::move(stop)) {}

  Status add() {
    RG_ASSIGN(m_summary, readRunSummary(m_build.reader(), m_build.run(), m_stop));
    RG_ASSIGN(m_goodput, readGoodput(m_build.reader(), m_build.run(), m_known.findings, std::nullopt, m_stop));
    if (m_summary.first_data && m_summary.last_data) m_build.document().provenance.range = {*m_summary.first_data, *m_summary.last_data};
    keyFigures();
    std::vector<const Finding*> serious = bySeverity();
    std::erase_if(serious, [](const Finding* one) { return one->severity < Severity::kWarning; });
    addNextSteps(m_build, nextSteps(serious, m_build.places()),
                 m_known.findings.empty()
                     ? "No finding is stored: the store was never analysed (runglassctl analyze), or nothing was found."
                     : "No finding of severity warning or above.");
    goodput();
    if (!m_summary.attempts.empty()) RG_TRY(addStepBreakdown(m_build, m_summary.attempts.back(), m_stop));
    attempts();
    findings();
    incidents();
    RG_TRY(ranking());
    cards();
    RG_TRY(addHardware(m_build, m_build.document().provenance.range, m_stop));
    RG_TRY(quality());
    RG_TRY(settings());
    RG_TRY(addLogbook(m_build, m_known.findings, m_known.incidents, std::nullopt, m_stop));
    RG_ASSIGN(const auto notes, m_build.reader().notes(m_build.run().id));
    addNotes(m_build, "", notes, std::nullopt);
    if (m_build.document().summary.empty()) m_build.document().summary = summaryText();
    return {};
  }

 private:
  const Ledger& ledger() const { return m_goodput.ledger; }

  std::string summaryText() const {
    const std::string attempts = m_summary.attempts.size() == 1 ? "1 attempt" : countText(std::ssize(m_summary.attempts)) + " attempts";
    std::string text = m_build.run().name + ": " + attempts;
    if (m_summary.last_step) text += ", up to step " + countText(*m_summary.last_step);
    if (ledger().wall) text += " in " + shortDurationText(*ledger().wall);
    text += ".";
    if (ledger().effective_ratio) {
      text += " " + percentText(*ledger().effective_ratio) + " of the time made progress";
      if (ledger().lost_steps > 0) text += "; " + countText(ledger().lost_steps) + " steps were lost to restarts";
      text += ".";
    }
    std::vector<const Finding*> worst = bySeverity();
    if (!worst.empty() && worst.front()->severity >= Severity::kWarning)
      text += " The worst that was found: " + sentence(oneLineOf(worst.front()->summary, kMaxText));
    else if (m_known.findings.empty())
      text += " No finding is stored: the store was never analysed, or nothing was found.";
    else
      text += " No finding of severity warning or above.";
    return text;
  }

  void keyFigures() {
    Section& section = m_build.section("The run in numbers", m_build.link("overview", std::nullopt));
    KeyFigures figures;
    const auto add = [&](std::string name, std::optional<double> value, std::string unit, std::string text, std::string reason,
                         std::string_view how, const std::string& sql = {}) {
      const SqlRef ref = m_build.query(name, sql, value, how);
      figures.figures.push_back({.name = std::move(name),
                                 .value = value,
                                 .unit = std::move(unit),
                                 .text = value ? std::move(text) : "",
                                 .reason = value ? "" : std::move(reason),
                                 .sql = ref});
    };
    const auto number = [](auto value) { return value ? std::optional(static_cast<double>(*value)) : std::nullopt; };
    const bool no_clock = m_build.run().time_domain == TimeDomain::kNone;
    constexpr std::string_view kLedger = "goodput (docs/guide/goodput.md); runglassctl analyze --json, goodput";
    constexpr std::string_view kStatus = "the newest steps; runglassctl status --json, step, loss, tokens_per_s and mfu_ratio";
    const std::string of_run = " FROM attempt WHERE " + runIs(m_build.run().uuid), wall = "(max(end_ns) - min(start_ns))";
    add("Wall time", number(ledger().wall), "ns", ledger().wall ? shortDurationText(*ledger().wall) : "",
        no_clock ? "its source has no clock" : "no attempt has a begin and an end", kLedger, "SELECT " + wall + " AS ns" + of_run);
    add("Made progress", ledger().effective_ratio, "ratio", ledger().effective_ratio ? percentText(*ledger().effective_ratio) : "",
        m_goodput.reason,
        "kept steps × median time of a steady one ÷ wall time (docs/guide/goodput.md); runglassctl analyze --json, "
        "goodput.effective_ratio");
    add("Last step", number(m_summary.last_step), "steps", m_summary.last_step ? countText(*m_summary.last_step) : "",
        "no step is recorded", kStatus, "SELECT max(last_step) AS step" + of_run);
    add("Steps lost", static_cast<double>(ledger().lost_steps), "steps", countText(ledger().lost_steps), "", kLedger);
    add("Failures", ledger().failures, "count", countText(ledger().failures), "", kLedger,
        "SELECT count(*) AS failures" + of_run + " AND planned = 0");
    const std::optional<double> mtbf = seconds(ledger().mtbf.mean_s);
    add("Between failures", mtbf, "ns", mtbf ? shortDurationText(static_cast<DurNs>(*mtbf)) : "", "no attempt failed", kLedger);
    add("Loss", m_summary.loss, "", m_summary.loss ? numberText(*m_summary.loss) : "", "no scalar is known as a training loss", kStatus,
        m_summary.loss_tag.empty() ? ""
                                   : "SELECT value FROM scalar WHERE " + runIs(m_build.run().uuid) +
                                         " AND tag = " + sqlText(m_summary.loss_tag) + " ORDER BY step DESC LIMIT 1");
    add("Tokens per second", m_summary.throughput.tokens_per_s, "per_s",
        m_summary.throughput.tokens_per_s ? shortCountText(*m_summary.throughput.tokens_per_s) : "", "no series has tokens", kStatus);
    add("MFU", m_summary.throughput.mfu, "ratio", m_summary.throughput.mfu ? percentText(*m_summary.throughput.mfu) : "",
        "the model's size, the rate or the device's peak is not known", kStatus);
    const std::int64_t world = m_summary.attempts.empty() ? 0 : m_summary.attempts.back().layout.world;
    const std::optional<double> hours = ledger().wall && world > 0
                                            ? std::optional(static_cast<double>(*ledger().wall) / 3.6e12 * static_cast<double>(world))
                                            : std::nullopt;
    add("GPU-hours", hours, "gpu_hours", hours ? gpuHoursText(*hours) : "", "the wall time or the number of ranks is not known",
        "wall time × ranks of the newest attempt",
        "SELECT " + wall + " / 3.6e12 * (SELECT world_size FROM run WHERE " + runIs(m_build.run().uuid) + ") AS gpu_hours" + of_run);
    if (m_price)
      add("Money", hours ? std::optional(*hours * *m_price) : std::nullopt, "money", hours ? moneyText(*hours * *m_price) : "",
          "GPU-hours are not known", "GPU-hours × price of one");
    section.blocks.push_back(std::move(figures));
  }

  void goodput() {
    Section& section = m_build.section("Where the time went", m_build.link("overview", std::nullopt));
    if (!ledger().wall || *ledger().wall <= 0) {
      section.blocks.push_back(
          Paragraph{"Not known: " + (m_goodput.reason.empty() ? "no attempt has a begin and an end" : m_goodput.reason) + ".", true});
      return;
    }
    Table table{.name = "goodput",
                .caption = "Goodput: parts sum to the wall time",
                .columns = {{"Spent on", "spend", false, 2}, {"Time", "time_ns", true}, {"Share", "ratio", true}},
                .rows = {},
                .left_out = {}};
    BarChart chart{.caption = "Share of the wall time by use", .unit = "ratio", .labels = {}, .parts = {{"share", {}}}};
    for (std::size_t i = 0; i < kSpendCount; ++i) {
      const auto spent = ledger().spent[i];
      if (!spent) continue;
      const double share = static_cast<double>(*spent) / static_cast<double>(*ledger().wall);
      const std::string words = upperFirst(spendWords(static_cast<Spend>(i)));
      table.rows.push_back({textCell(words), durationCell(*spent), ratioCell(share)});
      chart.labels.push_back(words), chart.parts[0].values.emplace_back(share);
    }
    section.blocks.push_back(std::move(table));
    if (chart.labels.size() > 1) section.blocks.push_back(std::move(chart));
    if (isUntimed())
      section.blocks.push_back(
          Paragraph{"Step durations are recorded, their times are not: productive is their number times their median.", true});
    if (!m_goodput.advice.reason.empty()) section.blocks.push_back(Paragraph{"Saves: " + m_goodput.advice.reason + ".", true});
    byDay(section);
  }

  bool isUntimed() const {
    return std::ranges::any_of(ledger().rows, [](const LedgerRow& row) { return row.untimed && row.iteration_time; });
  }

  // Steps without times belong to no day.
  void byDay(Section& section) {
    if (isUntimed() || m_build.run().time_domain.value_or(TimeDomain::kUtc) != TimeDomain::kUtc || ledger().rows.empty()) return;
    std::optional<TimeNs> first, last;
    for (const LedgerRow& row : ledger().rows) {
      if (!row.range) continue;
      first = std::min(first.value_or(row.range->t0), row.range->t0), last = std::max(last.value_or(row.range->t1), row.range->t1);
    }
    if (!first || *first < 0 || *last - *first < kDay) return;
    BarChart chart{.caption = "Progress by day (UTC): share of the day that made progress",
                   .unit = "ratio",
                   .labels = {},
                   .parts = {{"progress", {}}},
                   .over_time = true};
    Table table{.name = "goodput-by-day",
                .caption = "Progress by day (UTC)",
                .columns = {{"Day", "day"}, {"Made progress", "ratio", true}},
                .rows = {},
                .left_out = {}};
    const TimeNs begin = std::max(*first / kDay, *last / kDay - static_cast<TimeNs>(kMaxDays)) * kDay;
    for (TimeNs day = begin; day < *last; day += kDay) {
      const SpendTimes spent = spentIn(ledger(), {std::max(day, *first), std::min(day + kDay, *last)});
      const double length = static_cast<double>(std::min(day + kDay, *last) - std::max(day, *first));
      const auto productive = spent[static_cast<std::size_t>(Spend::kProductive)];
      const std::string name = utcText(day).substr(0, 10);
      const double share = static_cast<double>(productive.value_or(0)) / length;
      chart.labels.push_back(name.substr(5)), chart.parts[0].values.emplace_back(share);
      table.rows.push_back({textCell(name), ratioCell(share)});
    }
    section.blocks.push_back(std::move(chart));
    section.blocks.push_back(std::move(table));
  }

  void attempts() {
    Section& section = m_build.section("Attempts", m_build.link("overview", std::nullopt));
    if (ledger().rows.empty()) {
      section.blocks.push_back(Paragraph{"The run has no attempt.", true});
      return;
    }
    Table table{.name = "attempts",
                .caption = "Attempts of the run",
                .columns = {{"#", "attempt", true},
                            {"Began", "start_ns"},
                            {"Lasted", "duration_ns", true},
                            {"Steps", "steps", false, 1.2},
                            {"Lost", "lost_steps", true},
                            {"Step time", "iteration_ns", true},
                            {"Ended by", "end_cause", false, 3}},
                .rows = {},
                .left_out = {}};
    for (const LedgerRow& row : ledger().rows) {
      if (table.rows.size() == kMaxAttemptRows) {
        table.left_out = countText(std::ssize(ledger().rows) - std::ssize(table.rows)) + " more attempts are not listed.";
        break;
      }
      std::string steps = row.first_step && row.last_step ? countText(*row.first_step) + " to " + countText(*row.last_step) : "";
      std::string end = endKindWords(row.ending.kind);
      if (!row.ending.cause.empty() && row.ending.cause != end) end += ": " + oneLineOf(row.ending.cause, kMaxText);
      if (row.ending.planned) end += *row.ending.planned ? " (planned)" : " (not planned)";
      table.rows.push_back({countCell(row.number), m_build.timeCell(row.range ? std::optional(row.range->t0) : std::nullopt),
                            durationCell(row.range ? std::optional(row.range->t1 - row.range->t0) : std::nullopt),
                            textCell(std::move(steps)), countCell(row.lost_steps), durationCell(row.iteration_time),
                            textCell(std::move(end))});
    }
    section.blocks.push_back(std::move(table));
    if (ledger().causes.size() < 2) return;
    Table causes{.name = "end-causes",
                 .caption = "Why attempts ended, and what that cost",
                 .columns = {{"Cause", "cause", false, 2}, {"Times", "count", true}, {"Planned", "planned"}, {"Cost", "cost_ns", true}},
                 .rows = {},
                 .left_out = {}};
    for (const EndCause& cause : ledger().causes)
      causes.rows.push_back({textCell(upperFirst(endKindWords(cause.kind))), countCell(cause.count),
                             textCell(cause.kind == EndKind::kNotSaid ? ""
                                      : cause.planned                 ? "yes"
                                                                      : "no"),
                             durationCell(cause.cost)});
    section.blocks.push_back(std::move(causes));
  }

  std::vector<const Finding*> bySeverity() const {
    std::vector<const Finding*> all;
    for (const Finding& one : m_known.findings)
      if (one.kind != "insufficient_evidence") all.push_back(&one);
    std::ranges::stable_sort(all, [](const Finding* a, const Finding* b) {
      if (a->severity != b->severity) return a->severity > b->severity;
      return a->start.value_or(INT64_MIN) < b->start.value_or(INT64_MIN);
    });
    return all;
  }

  void findings() {
    Section& section = m_build.section("Findings", m_build.link("findings", std::nullopt));
    const std::vector<const Finding*> all = bySeverity();
    if (all.empty())
      section.blocks.push_back(
          Paragraph{"No finding is stored: nothing was found, or the store was never analysed (runglassctl analyze).", true});
    else
      section.blocks.push_back(findingTable(m_build, all, "findings", "What the analyses found, the most severe first"));
    std::vector<std::string> unanswered;
    for (const Finding& one : m_known.findings)
      if (one.kind == "insufficient_evidence" && unanswered.size() < kMaxFindingRows)
        unanswered.push_back(oneLineOf(one.summary, kMaxText));
    if (unanswered.empty()) return;
    section.blocks.push_back(Paragraph{"Not answered, for want of evidence:", true});
    section.blocks.push_back(BulletList{std::move(unanswered)});
  }

  void incidents() {
    Section& section = m_build.section("Incidents", m_build.link("incidents", std::nullopt));
    Table table{.name = "incidents",
                .caption = "Incidents of the run",
                .columns = {{"From", "start_ns"},
                            {"State", "state"},
                            {"Severity", "severity"},
                            {"Title", "title", false, 3},
                            {"Summary", "summary", false, 4}},
                .rows = {},
                .left_out = {}};
    for (const Incident& one : m_known.incidents) {
      if (one.state == IncidentState::kDismissed || table.rows.size() == kMaxFindingRows) continue;
      table.rows.push_back({m_build.timeCell(one.range ? std::optional(one.range->t0) : std::nullopt),
                            textCell(incidentStateName(one.state)), textCell(severityName(one.severity)), textCell(one.title),
                            textCell(oneLineOf(one.summary, kMaxText))});
    }
    if (table.rows.empty())
      section.blocks.push_back(Paragraph{"No incident was made of the findings.", true});
    else
      section.blocks.push_back(std::move(table));
  }

  Status ranking() {
    Section& section = m_build.section("Ranking of ranks", m_build.link("ranking", std::nullopt));
    RankingFeed feed(m_build.run().id, AttemptId{});
    RG_ASSIGN(const Ranking ranking, feed.read(m_build.reader(), &m_known.findings, m_stop));
    if (!ranking.kind) {
      section.blocks.push_back(Paragraph{"No rank is ranked: " + ranking.reason + ".", true});
      return {};
    }
    Table table{
        .name = "ranking",
        .caption = "Ranks of attempt " + std::to_string(ranking.attempt.number) + ", the worst first; score: " + scoreWords(*ranking.kind),
        .columns = {{"Rank", "rank", true},
                    {"Node", "node", false, 1.4},
                    {"Score", "score", true},
                    {"Slower by", "slower_ratio", true},
                    {"Since step", "since_step", true},
                    {"Share of steps", "persistence_ratio", true},
                    {"Sure", "confidence", true},
                    {"Cause", "cause", false, 1}},
        .rows = {},
        .left_out = {}};
    for (const RankedRow& row : ranking.rows) {
      if (table.rows.size() == kMaxRankRows) break;
      const auto node = ranking.nodes.find(row.place.node);
      table.rows.push_back({countCell(row.place.rank), textCell(node != ranking.nodes.end() ? node->second.name : ""),
                            numberCell(row.score), ratioCell(row.slower), countCell(row.since_step), ratioCell(row.persistence),
                            ratioCell(row.confidence), textCell(row.cause)});
    }
    if (ranking.rows.size() > table.rows.size())
      table.left_out = countText(std::ssize(ranking.rows) - std::ssize(table.rows)) + " more ranks are not listed.";
    section.blocks.push_back(std::move(table));
    return {};
  }

  static const char* scoreWords(ScoreKind kind) {
    switch (kind) {
      case ScoreKind::kRelative:
        return "its own work over its peers' (1 = as they)";
      case ScoreKind::kWhatIf:
        return "how many times longer the run takes because of it (1 = no longer)";
      case ScoreKind::kWaitVote:
        return "share of collectives in which it waited less than its peers";
    }
    return "";
  }

  void cards() {
    Section& section = m_build.section("Loss and steps", m_build.link("curves", std::nullopt));
    for (const char* kind : {"loss", "steps"}) {
      IncidentEvidence card{.kind = kind, .title = {}, .caption = {}, .range = {}, .select = {}};
      section.blocks.push_back(
          FigureReference{.card = std::move(card),
                          .run = m_build.run().id,
                          .attempt = {},
                          .link = m_build.link(kind == std::string_view("loss") ? "curves" : "ranking", std::nullopt)});
    }
  }

  Status quality() {
    std::vector<const Finding*> findings;
    for (const Finding& one : m_known.findings) findings.push_back(&one);
    const Attempt* newest = m_summary.attempts.empty() ? nullptr : &m_summary.attempts.back();
    const QualityQuestion question{.run = m_build.run(),
                                   .attempt = newest,
                                   .range = m_build.document().provenance.range,
                                   .findings = findings,
                                   .places = m_build.places()};
    RG_ASSIGN(const DataQuality quality, readDataQuality(m_build.reader(), question, m_stop));
    addQuality(m_build, quality);
    return {};
  }

  // As for an incident of the newest attempt.
  Status settings() {
    if (m_summary.attempts.empty()) return {};
    Incident whole;
    whole.run = m_build.run().id, whole.attempt = m_summary.attempts.back().id;
    RG_ASSIGN(const IncidentAnswer answer,
              readIncidentAnswer(m_build.reader(),
                                 {.run = m_build.run(), .incident = whole, .findings = {}, .price = {}, .with_ranking = false}, m_stop));
    addEnvironment(m_build, answer.environment);
    return {};
  }

  Builder& m_build;
  const Known& m_known;
  std::optional<double> m_price;
  std::stop_token m_stop;
  RunSummary m_summary;
  Goodput m_goodput;
};

}  // namespace

Status addRun(Builder& build, const Known& known, std::optional<double> price, std::stop_token stop) {
  ReportDocument& out = build.document();
  out.title = "Run " + build.run().name;
  out.link = build.link("overview", std::nullopt);
  return RunSections(build, known, price, std::move(stop)).add();
}

}  // namespace runglass::report
