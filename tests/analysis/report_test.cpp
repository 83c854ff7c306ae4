// SPDX-License-Identifier: Apache-2.0
// A report states the results of the analyses, and no text from outside becomes active in it. The HTML is parsed with gumbo, the parser of
// the HTML standard.
#include "analysis/report/report_writers.h"

#include <gmock/gmock.h>
#include <gumbo.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "analysis/incident/incident_answer.h"
#include "analysis/report/read_report.h"
#include "model/time_text.h"
#include "storage/file_maintenance.h"
#include "storage/open_store.h"
#include "tests/analysis/hostile_strings.h"
#include "tests/analysis/simulated_incident.h"
#include "tests/support/sql_rows.h"
#include "tests/support/temp_folder.h"

namespace runglass::report {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr TimeNs kBegin = 1'700'000'000LL * kNsPerSecond;

// Active or external elements of a page.
std::vector<std::string> activeIn(const std::string& html) {
  std::vector<std::string> found;
  const GumboOptions options = kGumboDefaultOptions;
  GumboOutput* const output = gumbo_parse_with_options(&options, html.data(), html.size());
  const std::vector<std::string> allowed = {
      "html",  "head",       "meta", "title", "style", "body",   "header",     "nav",     "main",   "section", "h1",    "h2",
      "p",     "a",          "ol",   "ul",    "li",    "dl",     "dt",         "dd",      "div",    "small",   "table", "caption",
      "thead", "tbody",      "tr",   "th",    "td",    "figure", "figcaption", "picture", "source", "img",     "time",  "b",
      "span",  "blockquote", "pre",  "code",  "h3",    "br",     "hr",         "em",      "strong", "del"};
  int styles = 0, metas = 0;
  const std::function<void(const GumboNode*)> look = [&](const GumboNode* node) {
    if (node->type == GUMBO_NODE_COMMENT) found.emplace_back("a comment");
    if (node->type != GUMBO_NODE_ELEMENT && node->type != GUMBO_NODE_TEMPLATE) return;
    const GumboElement& element = node->v.element;
    const std::string tag = gumbo_normalized_tagname(element.tag);
    if (tag.empty() || std::ranges::find(allowed, tag) == allowed.end()) found.push_back("element " + tag);
    styles += tag == "style", metas += tag == "meta";
    for (unsigned i = 0; i < element.attributes.length; ++i) {
      const auto* attribute = static_cast<const GumboAttribute*>(element.attributes.data[i]);
      const std::string name = attribute->name, value = attribute->value;
      if (name.starts_with("on") || name == "style" || name == "srcdoc" || name == "action") found.push_back("attribute " + name);
      if (name == "href" && !value.starts_with("runglass://") && !value.starts_with("#")) found.push_back("link " + value);
      if ((name == "src" || name == "srcset") && !value.starts_with("data:image/svg+xml;base64,")) found.push_back("address " + value);
    }
    for (unsigned i = 0; i < element.children.length; ++i) look(static_cast<const GumboNode*>(element.children.data[i]));
  };
  look(output->root);
  gumbo_destroy_output(&options, output);
  if (styles != 1) found.push_back(std::to_string(styles) + " style sheets");
  if (metas != 4) found.push_back(std::to_string(metas) + " meta elements");
  return found;
}

std::string utf8(std::string_view text) { return std::string(text.substr(0, text.find('\0'))); }

// Every text from outside is hostile.
class HostileStore {
 public:
  explicit HostileStore(std::string_view evil) {
    auto opened = openStore(m_folder.file("s.rgl")).writer();
    EXPECT_TRUE(opened.ok());
    Writer& writer = **opened;
    const std::string text(evil), short_text = utf8(evil);
    const RunId run =
        writer.run({.uuid = "u", .name = "run " + short_text, .start = kBegin, .end = kBegin + 600 * kNsPerSecond, .framework = text});
    const NodeId node = writer.node({.uuid = "n", .name = short_text, .rack = short_text});
    const DeviceId gpu = writer.device({.uuid = "GPU-1", .node = node, .index = 0, .kind = "gpu", .model = text});
    for (const char* key : {"0", "1"}) {
      const bool first = *key == '0';
      const AttemptId attempt = writer.attempt({.run = run,
                                                .key = key,
                                                .start = kBegin + (first ? 0 : 300) * kNsPerSecond,
                                                .end = kBegin + (first ? 250 : 600) * kNsPerSecond,
                                                .end_cause = text,
                                                .planned = false,
                                                .layout = {.world = 1}});
      writer.rank({.attempt = attempt, .rank = 0, .node = node, .device = gpu});
      writer.fact({.attempt = attempt, .key = short_text, .value = text + key});
      const SeriesId steps = writer.series({.attempt = attempt, .rank = 0, .metric = "step_time_ns", .kind = SeriesKind::kScalar});
      const SeriesId loss = writer.series({.attempt = attempt, .metric = "loss " + short_text, .kind = SeriesKind::kScalar});
      for (std::int64_t s = 0; s < 20; ++s) {
        const TimeNs time = kBegin + ((first ? 0 : 310) + s * 10) * kNsPerSecond;
        writer.scalar(steps, s, time, 10.0 * kNsPerSecond), writer.scalar(loss, s, time, 3);
      }
      if (!first) continue;
      writer.event({.time = kBegin + 100 * kNsPerSecond,
                    .attempt = attempt,
                    .node = node,
                    .device = gpu,
                    .kind = "xid",
                    .severity = Severity::kCritical,
                    .code = "79",
                    .message = text});
      writer.event({.time = kBegin + 101 * kNsPerSecond,
                    .attempt = attempt,
                    .node = node,
                    .kind = short_text,
                    .severity = Severity::kError,
                    .code = short_text,
                    .message = text});
      writer.log({.time = kBegin + 100 * kNsPerSecond,
                  .attempt = attempt,
                  .node = node,
                  .rank = 0,
                  .stream = short_text,
                  .severity = Severity::kError,
                  .text = text});
      writer.finding(
          {.run = run,
           .attempt = attempt,
           .kind = "hardware_fault",
           .subject = "node:" + short_text,
           .severity = Severity::kCritical,
           .start = kBegin + 100 * kNsPerSecond,
           .end = kBegin + 200 * kNsPerSecond,
           .first_step = 10,
           .node = node,
           .rank = 0,
           .score = 1.0,
           .confidence = 0.9,
           .summary = text,
           .evidence =
               nlohmann::json({{"cause", short_text}, {"meaning", text}}).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)});
      writer.finding({.run = run,
                      .attempt = attempt,
                      .kind = short_text.empty() ? "x" : short_text,
                      .subject = text,
                      .severity = Severity::kError,
                      .start = kBegin + 110 * kNsPerSecond,
                      .summary = text,
                      .evidence = text});
      writer.issue(
          {.code = "clock_jump", .source = text, .count = 1, .first = kBegin, .last = kBegin + 300 * kNsPerSecond, .detail = text});
    }
    EXPECT_TRUE(writer.flush().ok());
    // A store may contain a text that an edit would refuse.
    (void)writer.edit(runglass::Note{.run_uuid = "u", .time = kBegin + 120 * kNsPerSecond, .author = short_text, .text = text});
    Incident incident{.uuid = "11111111-2222-4333-8444-555555555555",
                      .run = run,
                      .title = short_text,
                      .severity = Severity::kError,
                      .range = TimeRange{kBegin + 60 * kNsPerSecond, kBegin + 300 * kNsPerSecond},
                      .summary = text,
                      .notes = text,
                      .findings = {1, 2},
                      .evidence = {{.kind = "loss", .title = short_text, .caption = text, .range = {}, .select = "rank=0"}}};
    stored = writer.incident(incident).ok();
    EXPECT_TRUE(writer.close().ok());
    m_reader = openStore(m_folder.file("s.rgl")).reader().value();
  }
  std::vector<ReportDocument> documents() {
    std::vector<ReportDocument> all;
    std::vector<Question> questions = {{.run = m_reader->runs()->front().id}, {.finding = 1}};
    if (stored) questions.push_back({.incident = "11111111-2222-4333-8444-555555555555"});
    for (const Question& question : questions) {
      auto document = readReport(*m_reader, question, {});
      EXPECT_TRUE(document.ok()) << document.status().message();
      if (document.ok()) all.push_back(std::move(*document));
    }
    return all;
  }
  bool stored = false;

 private:
  test::TempFolder m_folder;
  std::unique_ptr<Reader> m_reader;
};

struct Planted {
  std::string_view evil;
  std::vector<ReportDocument> documents;
  bool incident = false;
};

// Reports of one store per string, made once.
const std::vector<Planted>& planted() {
  static const std::vector<Planted> all = [] {
    std::vector<Planted> out;
    for (const std::string_view evil : kHostile) {
      HostileStore store(evil);
      out.push_back({evil, store.documents(), store.stored});
    }
    return out;
  }();
  return all;
}

TEST(Report, NothingThatOthersWroteIsActiveInTheHtml) {
  ASSERT_GE(std::size(kHostile), 120U);
  int incidents = 0;
  for (const auto& [evil, documents, incident] : planted()) {
    incidents += incident;
    for (const ReportDocument& document : documents) {
      const std::string html = reportHtml(document);
      EXPECT_THAT(activeIn(html), IsEmpty()) << document.kind << " with " << testing::PrintToString(evil);
      EXPECT_THAT(html, HasSubstr("default-src 'none'; style-src 'unsafe-inline'; img-src data:"));
      EXPECT_EQ(html.find('\0'), std::string::npos);
    }
  }
  EXPECT_GT(incidents, 100);
}

TEST(Report, TheHtmlCheckItselfFindsWhatIsActive) {
  const std::string head = "<!DOCTYPE html><html><head><meta><meta><meta><meta><title>t</title><style></style></head><body>";
  EXPECT_THAT(activeIn(head + "<p>text</p>"), IsEmpty());
  int found = 0;
  for (const std::string_view evil : kHostile) found += activeIn(head + std::string(evil)).empty() ? 0 : 1;
  EXPECT_GT(found, 50);
}

TEST(Report, NothingThatOthersWroteIsMarkupInTheMarkdown) {
  for (const auto& [evil, documents, incident] : planted()) {
    for (const ReportDocument& document : documents) {
      const std::string text = reportMarkdown(document);
      std::size_t fence = 0;  // number of backticks of the open fence: only a line with as many closes it
      std::size_t from = 0;
      while (from < text.size()) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        const std::string line = text.substr(from, end - from);
        from = end + 1;
        const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
        if (fence > 0) {
          if (ticks >= fence && ticks == line.size()) fence = 0;
          continue;
        }
        if (ticks >= 3) {
          fence = ticks;
          continue;
        }
        for (const char* markup : {"<script", "<img", "<svg", "](http", "](javascript", "<http", "\x1b", "\u202E"}) {
          for (std::size_t at = line.find(markup); at != std::string::npos; at = line.find(markup, at + 1))
            EXPECT_TRUE(at > 0 && line[at - 1] == '\\') << line << " with " << testing::PrintToString(evil);
        }
        // Lines of the report itself begin like this.
        EXPECT_FALSE(line.starts_with("# heading") || line.starts_with("---") || line.starts_with("===") || line.starts_with("~~~") ||
                     line.starts_with("[x]:") || line.starts_with("    "))
            << line << " with " << testing::PrintToString(evil);
      }
      EXPECT_EQ(fence, 0U) << "an open fence with " << testing::PrintToString(evil);
    }
  }
}

TEST(Report, NoCellOfACsvIsAFormula) {
  for (const auto& [evil, documents, incident] : planted()) {
    for (const ReportDocument& document : documents)
      for (const Table* table : tablesOf(document)) {
        const std::string csv = tableCsv(*table);
        // RFC 4180: fields by commas and lines outside quotes.
        bool quoted = false, begins = true;
        for (std::size_t i = 0; i < csv.size(); ++i) {
          if (begins) {
            const std::size_t first = i + (csv[i] == '"' ? 1 : 0);
            const bool number =
                first + 1 < csv.size() && csv[first] == '-' && csv[first + 1] >= '0' && csv[first + 1] <= '9' && csv[i] != '"';
            EXPECT_TRUE(number || std::string_view("=+-@\t").find(csv[first]) == std::string_view::npos) << csv.substr(i, 60);
            EXPECT_FALSE(std::string_view(csv).substr(first).starts_with("\uFF1D"));
          }
          begins = false;
          if (csv[i] == '"') quoted = !quoted;
          if (!quoted && (csv[i] == ',' || csv[i] == '\n')) begins = i + 1 < csv.size() && csv[i + 1] != '\r';
        }
        EXPECT_FALSE(quoted);
      }
  }
}

TEST(Report, CsvKeepsNumbersAsNumbersAndTextsAsTexts) {
  const Table table{.name = "t",
                    .caption = "",
                    .columns = {{"A", "a"}, {"B", "b"}, {"C", "c"}, {"D", "d"}},
                    .rows = {{Cell{std::int64_t{-5}, "-5"}, Cell{-0.25, "-25 %"}, Cell{std::string("a,\"b\""), ""}, Cell{}},
                             {Cell{std::string("=1"), ""}, Cell{std::string("-1"), ""}, Cell{std::string(), ""}, Cell{NAN, ""}}},
                    .left_out = {}};
  EXPECT_EQ(tableCsv(table), "a,b,c,d\r\n-5,-0.25,\"a,\"\"b\"\"\",\r\n\"'=1\",\"'-1\",\"\",NaN\r\n");
}

TEST(Report, LinksLeadIntoTheConsoleAndNowhereElse) {
  EXPECT_TRUE(isSafeLink("runglass://a-b/run/c?view=gpus&t0=1&select=rank=5,node=n1"));
  for (const char* bad : {"javascript:alert(1)", "runglass://x\" onclick=\"y", "http://x", "runglass://x<y", "runglass://x y", ""})
    EXPECT_FALSE(isSafeLink(bad)) << bad;
}

class SimulatedReport : public testing::Test {
 protected:
  static SimulatedIncident& lost() {
    static SimulatedIncident incident(lostGpu());
    return incident;
  }
  static ReportDocument read(const Question& question) {
    auto document = readReport(lost().reader(), question, {});
    EXPECT_TRUE(document.ok()) << document.status().message();
    return document.ok() ? *document : ReportDocument();
  }
  static std::int64_t fault() {
    for (const Finding& one : lost().findings())
      if (one.kind == "hardware_fault") return one.id;
    ADD_FAILURE() << "no fault was found";
    return 0;
  }
};

TEST_F(SimulatedReport, AFindingsReportTellsWhatAnIncidentOfItWould) {
  const ReportDocument document = read({.finding = fault(), .price = 2.0, .made = kBegin});
  EXPECT_EQ(document.kind, "finding");
  EXPECT_THAT(document.title, HasSubstr("Xid 79"));
  EXPECT_THAT(document.summary, HasSubstr("sim-0002"));
  const std::string text = reportMarkdown(document);
  for (const char* part : {"## Impact", "## Timeline", "## Suspects", "## Evidence", "## Hardware events", "## What was ruled out",
                           "## Data quality", "## Environment", "## From the run log", "## The SQL behind the figures",
                           "## Where this is from", "GPU has fallen off the bus", "runglass://"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST_F(SimulatedReport, EveryFigureEqualsTheAnalysis) {
  const Question question{.finding = fault(), .price = 2.0};
  Incident alone;
  alone.run = lost().run().id, alone.findings = {fault()};
  for (const Finding& one : lost().findings())
    if (one.id == fault()) alone.attempt = one.attempt;
  const auto answer =
      readIncidentAnswer(lost().reader(), {.run = lost().run(), .incident = alone, .findings = lost().findings(), .price = 2.0}, {});
  ASSERT_TRUE(answer.ok());
  const auto json = nlohmann::json::parse(reportJson(read(question)));
  std::map<std::string, nlohmann::json> figures;
  for (const auto& section : json["sections"])
    for (const auto& block : section["blocks"])
      if (block["type"] == "key_figures")
        for (const auto& figure : block["figures"]) figures[figure["name"]] = figure;
  ASSERT_TRUE(answer->impact.lost_time.value && answer->impact.money.value);
  EXPECT_EQ(figures["Wall time lost"]["value"], static_cast<double>(*answer->impact.lost_time.value));
  EXPECT_EQ(figures["Wall time lost"]["text"], durationText(*answer->impact.lost_time.value));
  EXPECT_EQ(figures["Money"]["value"], *answer->impact.money.value);
  EXPECT_FALSE(figures["Wall time lost"]["query"].is_null());
}

TEST_F(SimulatedReport, TheSqlGivesTheFigureAgain) {
  const auto json = nlohmann::json::parse(reportJson(read({.finding = fault()})));
  int checked = 0;
  for (const auto& section : json["sections"])
    for (const auto& block : section["blocks"]) {
      if (block["type"] != "key_figures") continue;
      for (const auto& figure : block["figures"]) {
        if (figure["query"].is_null() || figure["value"].is_null()) continue;
        const std::string sql = json["queries"][figure["query"].get<std::size_t>() - 1]["sql"];
        std::optional<double> value;
        ASSERT_TRUE(lost()
                        .reader()
                        .query(sql, {.columns = {},
                                     .row =
                                         [&](const std::vector<SqlValue>& row) {
                                           if (const auto* whole = std::get_if<std::int64_t>(&row.front()))
                                             value = static_cast<double>(*whole);
                                           if (const auto* real = std::get_if<double>(&row.front())) value = *real;
                                           return true;
                                         }})
                        .ok())
            << sql;
        if (figure["name"] != "Steps lost" && figure["name"] != "Lasted") continue;
        ASSERT_TRUE(value) << sql;
        EXPECT_EQ(*value, figure["value"].get<double>()) << sql;
        ++checked;
      }
    }
  EXPECT_GT(checked, 0);
}

// An exported run is number 1 of its store, and its findings are numbered from 1 as well.
TEST(Report, EveryQueryGivesTheSameRowsInAnExportedSlice) {
  sim::Scenario before = lostGpu();
  before.name = "before", before.seed = 8;
  SimulatedIncident whole(std::vector{before, lostGpu()});
  const test::TempFolder folder;
  ASSERT_TRUE(exportRun(whole.path(), whole.run().id, {}, folder.file("slice.rgl")).ok());
  const auto slice = openStore(folder.file("slice.rgl")).reader();
  ASSERT_TRUE(slice.ok()) << slice.status().message();
  ASSERT_NE((*slice)->runs()->front().id, whole.run().id);
  std::vector<Question> questions{{.run = whole.run().id, .price = 2.0, .made = kBegin}};
  for (const Finding& one : whole.findings()) questions.push_back({.finding = one.id, .price = 2.0, .made = kBegin});
  std::set<std::string> queries;
  for (const Question& question : questions) {
    const auto document = readReport(whole.reader(), question, {});
    ASSERT_TRUE(document.ok()) << document.status().message();
    for (const Query& query : document->queries) queries.insert(query.sql);
  }
  int of_run = 0, of_finding = 0;
  for (const std::string& sql : queries) {
    of_run += sql.find("run_uuid") != std::string::npos ? 1 : 0, of_finding += sql.find("FROM finding") != std::string::npos ? 1 : 0;
    const std::vector<std::string> rows = sqlRows(whole.reader(), sql);
    EXPECT_THAT(rows, Not(IsEmpty())) << sql;
    EXPECT_EQ(sqlRows(**slice, sql), rows) << sql;
  }
  EXPECT_GE(of_run, 6);
  EXPECT_GE(of_finding, 2);
}

TEST_F(SimulatedReport, TheSameStoreAndOptionsGiveTheSameBytes) {
  const Question question{.run = lost().run().id, .price = 3.0, .program = "runglass 1", .made = kBegin};
  const ReportDocument a = read(question), b = read(question);
  EXPECT_EQ(reportHtml(a), reportHtml(b));
  EXPECT_EQ(reportMarkdown(a), reportMarkdown(b));
  EXPECT_EQ(reportJson(a), reportJson(b));
}

TEST_F(SimulatedReport, ARunsReportHasItsLedgerAttemptsAndRanking) {
  const ReportDocument document = read({.run = lost().run().id});
  EXPECT_EQ(document.kind, "run");
  std::vector<std::string> names;
  for (const Table* table : tablesOf(document)) names.push_back(table->name);
  for (const char* name : {"goodput", "attempts", "findings", "ranking", "environment", "logbook"})
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  EXPECT_THAT(reportMarkdown(document), HasSubstr("Made progress"));
}

TEST_F(SimulatedReport, TheSummaryCanBeReplaced) {
  const ReportDocument document = read({.finding = fault(), .summary = "In our <own> words."});
  EXPECT_EQ(document.summary, "In our <own> words.");
  EXPECT_TRUE(document.summary_edited);
  EXPECT_THAT(reportHtml(document), HasSubstr("In our &lt;own&gt; words."));
}

TEST_F(SimulatedReport, WithoutAWordWhichTheNewestIncidentElseTheRunIsReported) { EXPECT_EQ(read({}).kind, "run"); }

TEST(Report, WhatIsMissingSaysWhy) {
  test::TempFolder folder;
  auto writer = openStore(folder.file("s.rgl")).writer().value();
  writer->run({.uuid = "u", .name = "empty"});
  ASSERT_TRUE(writer->close().ok());
  const auto reader = openStore(folder.file("s.rgl")).reader().value();
  const auto document = readReport(*reader, {}, {});
  ASSERT_TRUE(document.ok()) << document.status().message();
  for (const Section& section : document->sections)
    EXPECT_FALSE(section.blocks.empty()) << section.title << " has nothing, and does not say why";
  const std::string text = reportMarkdown(*document);
  EXPECT_THAT(text, HasSubstr("no step is recorded"));
  EXPECT_THAT(text, HasSubstr("No finding is stored"));
  EXPECT_THAT(activeIn(reportHtml(*document)), IsEmpty());
  EXPECT_EQ(readReport(*reader, {.finding = 7}, {}).status().code(), Code::kNotFound);
  EXPECT_EQ(readReport(*reader, {.incident = "nobody"}, {}).status().code(), Code::kNotFound);
  EXPECT_EQ(readReport(*reader, {.run = RunId{99}}, {}).status().code(), Code::kNotFound);
}

TEST(Report, AnEmptyStoreHasNoReport) {
  test::TempFolder folder;
  ASSERT_TRUE((*openStore(folder.file("s.rgl")).writer())->close().ok());
  const auto reader = openStore(folder.file("s.rgl")).reader().value();
  EXPECT_EQ(readReport(*reader, {}, {}).status().code(), Code::kNotFound);
}

TEST(Report, ASlugIsAFileName) {
  EXPECT_EQ(slugOf("Xid 79 (GPU has fallen off the bus), rank 21"), "xid-79-gpu-has-fallen-off-the-bus-rank-21");
  EXPECT_EQ(slugOf("../../etc/passwd"), "etc-passwd");
  EXPECT_EQ(slugOf("\u00fc\u00fc"), "report");
}

}  // namespace
}  // namespace runglass::report
