// SPDX-License-Identifier: GPL-3.0-or-later
// A report on paper: nothing is cut, its text is readable by other programs, the same report gives the same bytes; and the preview dialog.
// PDFs are read with poppler's tools.
#include <gmock/gmock.h>

#include <QCheckBox>
#include <QFile>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>

#include "storage/file_maintenance.h"
#include "storage/open_store.h"
#include "tests/analysis/simulated_incident.h"
#include "tests/support/sql_rows.h"
#include "tests/support/temp_folder.h"
#include "tests/widgets/offscreen.h"
#include "widgets/report/page_table.h"
#include "widgets/report/report_charts.h"
#include "widgets/report/report_dialog.h"
#include "widgets/report/report_pdf.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr TimeNs kMade = 1'790'000'000LL * kNsPerSecond;

// The output of a command; absent: the shell does not have it.
std::optional<std::string> outputOf(const std::string& command) {
  std::FILE* const pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
  std::string out;
  std::array<char, 4096> block{};
  for (std::size_t n = 0; (n = std::fread(block.data(), 1, block.size(), pipe)) > 0;) out.append(block.data(), n);
  return ::pclose(pipe) == 0 ? std::optional(out) : std::nullopt;
}

std::string readFile(const std::string& path) {
  QFile file(QString::fromStdString(path));
  EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path;
  return file.readAll().toStdString();
}

SimulatedIncident& lost() {
  static SimulatedIncident incident(lostGpu());
  return incident;
}

std::int64_t fault() {
  for (const Finding& one : lost().findings())
    if (one.kind == "hardware_fault") return one.id;
  return 0;
}

Result<ReportData> dataOf(std::optional<std::int64_t> finding, std::set<report::RedactClass> redact = {}) {
  ReportRequest request{.question = {}, .redact = std::move(redact)};
  if (finding)
    request.question.finding = finding;
  else
    request.question.run = lost().run().id;
  request.question.made = kMade, request.question.program = "runglass 1.0";
  return readReportData(lost().reader(), request, {});
}

// The first column of the first row, if it is a number.
std::optional<double> answerOf(const std::string& sql, int& rows) {
  std::optional<double> answer;
  rows = 0;
  const Status status = lost().reader().query(sql, {.columns = {}, .row = [&](const std::vector<SqlValue>& row) {
                                                      if (++rows > 1) return true;
                                                      if (const auto* whole = std::get_if<std::int64_t>(&row.front()))
                                                        answer = static_cast<double>(*whole);
                                                      if (const auto* real = std::get_if<double>(&row.front())) answer = *real;
                                                      return true;
                                                    }});
  EXPECT_TRUE(status.ok()) << sql << "\n" << status.message();
  return answer;
}

TEST(ReportSql, EveryQueryRunsAndGivesTheFigureBesideIt) {
  int figures = 0, pictures = 0;
  for (const std::optional<std::int64_t> finding : {std::optional(fault()), std::optional<std::int64_t>()}) {
    const auto data = dataOf(finding);
    ASSERT_TRUE(data.ok()) << data.status().message();
    const auto& queries = data->document.queries;
    int rows = 0;
    for (const report::Query& one : queries) {
      (void)answerOf(one.sql, rows);
      EXPECT_GT(rows, 0) << one.what << ": " << one.sql;
    }
    std::set<std::string> reported;
    for (const report::Computed& one : data->document.computed) {
      reported.insert(one.what);
      EXPECT_FALSE(one.how.empty());
    }
    for (const report::Section& section : data->document.sections)
      for (const report::Block& block : section.blocks)
        if (const auto* all = std::get_if<report::KeyFigures>(&block))
          for (const report::KeyFigure& one : all->figures) {
            if (!one.value) continue;
            if (one.sql == 0) {
              EXPECT_TRUE(reported.contains(one.name)) << one.name << " has no query and nothing says how it was reckoned";
              continue;
            }
            const auto answer = answerOf(queries[one.sql - 1].sql, rows);
            ASSERT_TRUE(answer) << queries[one.sql - 1].sql;
            EXPECT_NEAR(*answer, *one.value, 1e-9 * std::abs(*one.value) + (std::abs(*one.value) > 1e6 ? 16 : 0)) << one.name;
            ++figures;
          }
    for (const Evidence& one : data->evidence) {
      if (one.empty() || one.kind == "lanes") continue;
      (void)answerOf(one.sql, rows);
      EXPECT_GT(rows, 0) << one.kind << ": " << one.sql;
      ++pictures;
    }
  }
  EXPECT_GE(figures, 8);
  EXPECT_GE(pictures, 4);
}

// The cards; the report's own queries: tests/analysis/report_test.cpp. An exported run is number 1 of its store.
TEST(ReportSql, EveryCardsQueryGivesTheSameRowsInAnExportedSlice) {
  sim::Scenario before = lostGpu();
  before.name = "before", before.seed = 8;
  SimulatedIncident whole(std::vector{before, lostGpu()});
  const test::TempFolder folder;
  ASSERT_TRUE(exportRun(whole.path(), whole.run().id, {}, folder.file("slice.rgl")).ok());
  const auto slice = openStore(folder.file("slice.rgl")).reader();
  ASSERT_TRUE(slice.ok()) << slice.status().message();
  ASSERT_NE((*slice)->runs()->front().id, whole.run().id);
  int cards = 0;
  for (const Finding& one : whole.findings()) {
    ReportRequest request{.question = {}, .redact = {}};
    request.question.finding = one.id, request.question.made = kMade;
    const auto data = readReportData(whole.reader(), request, {});
    ASSERT_TRUE(data.ok()) << data.status().message();
    for (const Evidence& card : data->evidence) {
      if (card.empty() || card.kind == "lanes") continue;
      EXPECT_EQ(sqlRows(**slice, card.sql), sqlRows(whole.reader(), card.sql)) << card.sql;
      ++cards;
    }
  }
  EXPECT_GE(cards, 4);
}

TEST(ReportLanes, AFindingsReportPaintsWhatHappenedAndWhatWasKnown) {
  const auto data = dataOf(fault());
  ASSERT_TRUE(data.ok());
  const auto lanes = std::ranges::find(data->evidence, std::string("lanes"), &Evidence::kind);
  ASSERT_NE(lanes, data->evidence.end());
  EXPECT_THAT(lanes->shows.toStdString(), HasSubstr("first sign"));
  const std::string svg = evidenceSvg(*lanes, theme(ThemeName::kLight));
  EXPECT_THAT(svg, HasSubstr("what happened"));
  EXPECT_THAT(svg, HasSubstr("what was known"));
  EXPECT_THAT(svg, Not(HasSubstr("<image")));
}

TEST(ReportPages, NotesKeepTheirShapeOnPaper) {
  report::ReportDocument document;
  document.title = "T";
  document.sections.push_back(
      {"Notes", "", {report::WrittenNote{"me", "# Head\n- one\n- **two**\n\n    code\n\n> said\n\n---\n[x](http://y.example)"}}});
  const ReportPages pages(document, {}, kA4);
  const auto pdf = pagesPdf(pages, QStringLiteral("T"), kMade, {});
  ASSERT_TRUE(pdf.ok());
  EXPECT_FALSE(pdf->contains("y.example)"));  // no clickable link
  test::TempFolder folder;
  QFile file(QString::fromStdString(folder.file("n.pdf")));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly) && file.write(*pdf) == pdf->size());
  file.close();
  const auto text = outputOf("pdftotext -layout " + folder.file("n.pdf") + " -");
  ASSERT_TRUE(text) << "pdftotext of poppler-utils, which ./dev installs";
  for (const char* part : {"Head", "• one", "• two", "code", "said", "x (http://y.example)"}) EXPECT_THAT(*text, HasSubstr(part));
  EXPECT_THAT(*text, Not(HasSubstr("**")));
}

TEST(ReportPages, PiecesAreNeverCutAndHeadsStayWithWhatFollows) {
  PageFlow flow(kA4);
  std::vector<double> painted;
  const auto piece = [&](double height, bool keep) {
    return Piece{.height = height,
                 .before = 0,
                 .keep_with_next = keep,
                 .paint = [&painted, height](QPainter&, QPointF at) { painted.push_back(at.y() + height); },
                 .head = nullptr};
  };
  const double body = flow.bodyHeight();
  flow.add(piece(body - 30, false));
  flow.add(piece(20, true));
  flow.add(piece(20, false));
  flow.breakPages();
  ASSERT_EQ(flow.pages(), 2U);
  QImage image(10, 10, QImage::Format_RGB32);
  QPainter painter(&image);
  flow.paint(painter, 0);
  EXPECT_EQ(painted.size(), 1U);
  flow.paint(painter, 1);
  EXPECT_EQ(painted.size(), 3U);
  for (const double bottom : painted) EXPECT_LE(bottom, kA4.height - kPageMargin - kPageFoot + 0.01);
}

TEST(ReportPages, ATableGoesOnWithItsHead) {
  report::Table table{.name = "t", .caption = "Rows", .columns = {{"Number", "n", true}, {"Text", "t"}}, .rows = {}, .left_out = {}};
  for (std::int64_t i = 0; i < 200; ++i)
    table.rows.push_back({report::Cell{i, std::to_string(i)}, report::Cell{std::string("row"), "row"}});
  report::ReportDocument document;
  document.title = "T", document.sections.push_back({"S", "", {table}});
  const ReportPages pages(document, {}, kA4);
  ASSERT_GT(pages.count(), 2U);
  const auto pdf = pagesPdf(pages, QStringLiteral("T"), kMade, {});
  ASSERT_TRUE(pdf.ok());
  test::TempFolder folder;
  QFile file(QString::fromStdString(folder.file("t.pdf")));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly) && file.write(*pdf) == pdf->size());
  file.close();
  for (std::size_t page = 1; page < pages.count(); ++page) {
    const auto text =
        outputOf("pdftotext -layout -f " + std::to_string(page) + " -l " + std::to_string(page) + " " + folder.file("t.pdf") + " -");
    ASSERT_TRUE(text) << "pdftotext of poppler-utils, which ./dev installs";
    EXPECT_THAT(*text, HasSubstr("Number"));
    EXPECT_THAT(*text, HasSubstr("page " + std::to_string(page) + " of " + std::to_string(pages.count())));
  }
}

TEST(ReportPages, ColumnsFillThePageAndNoMore) {
  report::Table table{.name = "t",
                      .caption = "",
                      .columns = {{"When", "time_ns"}, {"Text", "t", false, 4}, {"Other", "o", false, 1}},
                      .rows = {},
                      .left_out = {}};
  const std::string words(2'000, 'x'), many = "many words " + std::string(500, ' ') + words;
  table.rows.push_back({report::Cell{std::int64_t{1}, "2026-03-02 10:00:00Z"}, report::Cell{many, many}, report::Cell{words, words}});
  const std::vector<double> widths = columnWidths(table, 600);
  double sum = 0;
  for (const double width : widths) {
    EXPECT_GT(width, 20);
    sum += width;
  }
  EXPECT_LE(sum, 600.5);
}

TEST(ReportPdf, TheSameReportGivesTheSameBytesWhateverTheTime) {
  const auto data = dataOf(fault());
  ASSERT_TRUE(data.ok()) << data.status().message();
  const ReportPages pages(data->document, {data->evidence, drawCharts(data->document)}, kA4);
  const auto a = pagesPdf(pages, QStringLiteral("T"), kMade, {});
  QTest::qWait(1'100);  // times that Qt writes into a PDF have a resolution of a second
  const ReportPages again(data->document, {data->evidence, drawCharts(data->document)}, kA4);
  const auto b = pagesPdf(again, QStringLiteral("T"), kMade, {});
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_TRUE(*a == *b);
  EXPECT_TRUE(a->contains("D:20260921"));
}

TEST(ReportPdf, OthersCanReadItsTextItsFontsAreInItAndItsLinksLeadBack) {
  const auto data = dataOf(fault());
  ASSERT_TRUE(data.ok()) << data.status().message();
  test::TempFolder folder;
  const auto paths =
      writeReport(*data, drawCharts(data->document), {.formats = {ReportFormat::kPdf}, .paper = kLetter, .folder = folder.path()}, {});
  ASSERT_TRUE(paths.ok()) << paths.status().message();
  const std::string pdf = paths->front();
  EXPECT_THAT(readFile(pdf), HasSubstr("/URI (runglass://"));
  const auto text = outputOf("pdftotext -layout " + pdf + " -");
  ASSERT_TRUE(text) << "pdftotext of poppler-utils, which ./dev installs";
  for (const char* part : {"Xid 79", "Impact", "Suspects", "page 1 of ", "Where this is from", "runglass 1.0"})
    EXPECT_THAT(*text, HasSubstr(part));
  const auto info = outputOf("pdfinfo " + pdf);
  ASSERT_TRUE(info);
  EXPECT_THAT(*info, HasSubstr("612 x 792"));
  const auto fonts = outputOf("pdffonts " + pdf);
  ASSERT_TRUE(fonts);
  std::size_t lines = 0;
  for (std::size_t at = fonts->find('\n', fonts->find("---")); at != std::string::npos && at + 1 < fonts->size();
       at = fonts->find('\n', at + 1)) {
    const std::string line = fonts->substr(at + 1, fonts->find('\n', at + 1) - at - 1);
    EXPECT_THAT(line, HasSubstr(" yes ")) << "a font is not embedded";
    ++lines;
  }
  EXPECT_GT(lines, 0U);
}

TEST(ReportExport, EveryFormatIsAFileAndNoneIsWrittenOver) {
  const auto data = dataOf(std::nullopt);
  ASSERT_TRUE(data.ok()) << data.status().message();
  test::TempFolder folder;
  const ReportFiles files{.formats = *reportFormatsFromText("all"), .paper = kA4, .folder = folder.path() + "/new/folder"};
  const auto charts = drawCharts(data->document);
  const auto first = writeReport(*data, charts, files, {}), second = writeReport(*data, charts, files, {});
  ASSERT_TRUE(first.ok() && second.ok()) << first.status().message() << second.status().message();
  EXPECT_GT(first->size(), 8U);
  EXPECT_EQ(first->size(), second->size());
  for (std::size_t i = 0; i < first->size(); ++i) {
    EXPECT_NE((*first)[i], (*second)[i]);
    EXPECT_EQ(readFile((*first)[i]), readFile((*second)[i]));
  }
  EXPECT_THAT(readFile(files.folder + "/report.html"), HasSubstr("data:image/svg+xml;base64,"));
  for (const auto& entry : std::filesystem::directory_iterator(files.folder)) EXPECT_FALSE(entry.path().string().ends_with(".part"));
}

TEST(ReportExport, AFolderThatCannotBeWrittenSaysWhich) {
  const auto data = dataOf(fault());
  ASSERT_TRUE(data.ok());
  const auto paths = writeReport(*data, {}, {.formats = {ReportFormat::kJson}, .paper = kA4, .folder = "/proc/nowhere"}, {});
  ASSERT_FALSE(paths.ok());
  EXPECT_THAT(paths.status().message(), HasSubstr("/proc/nowhere"));
}

TEST(ReportExport, WhatIsStoppedLeavesNothing) {
  const auto data = dataOf(fault());
  ASSERT_TRUE(data.ok());
  test::TempFolder folder;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(
      writeReport(*data, {}, {.formats = {ReportFormat::kPdf}, .paper = kA4, .folder = folder.path()}, stop.get_token()).status().code(),
      Code::kCancelled);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ReportExport, ReplacedNamesAreInNoPageAndNoPicture) {
  const auto plain = dataOf(fault()), data = dataOf(fault(), *report::redactClassesFromText("all"));
  ASSERT_TRUE(plain.ok() && data.ok()) << data.status().message();
  test::TempFolder folder;
  const auto paths =
      writeReport(*data, drawCharts(data->document), {.formats = *reportFormatsFromText("all"), .paper = kA4, .folder = folder.path()}, {});
  ASSERT_TRUE(paths.ok());
  for (const std::string& path : *paths) {
    if (path.ends_with(".pdf")) continue;  // its text is compressed
    EXPECT_THAT(readFile(path), Not(HasSubstr("sim-000"))) << path;
  }
  int pictures = 0;
  for (std::size_t i = 0; i < data->evidence.size(); ++i) {
    EXPECT_THAT(evidenceSvg(data->evidence[i], theme(ThemeName::kLight)), Not(HasSubstr("sim-000")));
    pictures += evidenceSvg(plain->evidence[i], theme(ThemeName::kLight)).find("sim-000") != std::string::npos;
  }
  EXPECT_GT(pictures, 0) << "no picture shows a node's name: the test proves nothing";
  ASSERT_FALSE(data->redactions.empty());
  EXPECT_GT(data->redactions.front().count, 0U);
  const auto text = outputOf("pdftotext " + folder.file("report.pdf") + " -");
  ASSERT_TRUE(text) << "pdftotext of poppler-utils, which ./dev installs";
  EXPECT_THAT(*text, Not(HasSubstr("sim-000")));
  EXPECT_THAT(*text, HasSubstr("node-0"));
}

// A separate store that the workers can open.
class ReportDialogTest : public testing::Test {
 protected:
  // Exists before any worker opens it.
  struct Stored {
    test::TempFolder folder;
    Stored() {
      auto writer = openStore(folder.file("s.rgl")).writer().value();
      fillSampleStore(*writer);
      EXPECT_TRUE(writer->close().ok());
    }
  };
  static bool settle(ReportDialog& dialog) {
    QTest::qWait(20);  // the new request has begun
    return waitFor([&] { return dialog.isFinal() && dialog.pages() > 0; });
  }
  Stored m_stored;
  test::TempFolder& m_folder = m_stored.folder;
  QueryService m_queries{[this] { return openStore(m_folder.file("s.rgl")).reader(); }};
};

TEST_F(ReportDialogTest, ShowsThePagesAndWritesWhatIsChosen) {
  auto* dialog = new ReportDialog(m_queries, {.made = kMade}, nullptr);
  dialog->show();
  ASSERT_TRUE(settle(*dialog));
  EXPECT_GE(dialog->pages(), 1U);
  dialog->setFolder(QString::fromStdString(m_folder.file("out")));
  dialog->exportNow();
  ASSERT_TRUE(settle(*dialog));
  EXPECT_TRUE(std::filesystem::exists(m_folder.file("out") + "/report.pdf"));
  EXPECT_TRUE(std::filesystem::exists(m_folder.file("out") + "/report.html"));
  EXPECT_FALSE(std::filesystem::exists(m_folder.file("out") + "/report.json"));
  delete dialog;
}

TEST_F(ReportDialogTest, WhatIsTypedAndWhatIsChosenIsInTheFiles) {
  auto* dialog = new ReportDialog(m_queries, {.made = kMade}, nullptr);
  dialog->show();
  ASSERT_TRUE(settle(*dialog));
  dialog->findChild<QPlainTextEdit*>()->setPlainText(QStringLiteral("In our words, of node-a."));
  ASSERT_TRUE(settle(*dialog));
  dialog->setFolder(QString::fromStdString(m_folder.file("plain")));
  dialog->exportNow();
  ASSERT_TRUE(settle(*dialog));
  EXPECT_THAT(readFile(m_folder.file("plain") + "/report.html"), HasSubstr("In our words, of node-a."));
  int boxes = 0;
  for (QCheckBox* box : dialog->findChildren<QCheckBox*>())
    if (box->text().startsWith(QLatin1String("Hosts"))) box->setChecked(true), ++boxes;
  ASSERT_EQ(boxes, 1);
  ASSERT_TRUE(settle(*dialog));
  dialog->setFolder(QString::fromStdString(m_folder.file("redacted")));
  dialog->exportNow();
  ASSERT_TRUE(settle(*dialog));
  const std::string html = readFile(m_folder.file("redacted") + "/report.html");
  EXPECT_THAT(html, HasSubstr("In our words, of node-01."));
  EXPECT_THAT(html, Not(HasSubstr("node-a")));
  delete dialog;
}

TEST_F(ReportDialogTest, WhatCannotBeReadIsReported) {
  auto* dialog = new ReportDialog(m_queries, {.finding = 999}, nullptr);
  dialog->show();
  ASSERT_TRUE(waitFor([&] { return dialog->isFinal(); }));
  bool reported = false;
  for (const QLabel* label : dialog->findChildren<QLabel*>()) reported |= label->text().contains(QLatin1String("no finding 999"));
  EXPECT_TRUE(reported);
  EXPECT_EQ(dialog->pages(), 0U);
  delete dialog;
}

TEST_F(ReportDialogTest, ClosingItWhileItReadsIsNoTrouble) {
  auto* dialog = new ReportDialog(m_queries, {.made = kMade}, nullptr);
  dialog->show();
  delete dialog;
  EXPECT_TRUE(waitFor([&] { return m_queries.pending() == 0; })) << "its answers arrive after it";
}

}  // namespace
}  // namespace runglass
