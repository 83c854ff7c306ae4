// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/report/export_report.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "analysis/report/redacted_reader.h"
#include "analysis/report/report_writers.h"
#include "widgets/core/language.h"
#include "widgets/evidence/lane_picture.h"
#include "widgets/report/report_pdf.h"

namespace runglass {
namespace {

constexpr std::array<const char*, 5> kFormatNames = {"pdf", "html", "md", "json", "csv"};
constexpr int kMaxNames = 1'000;  // report.pdf, report-2.pdf, ...

Status failed(const std::string& path, const char* what) {
  return {errno == EACCES || errno == EROFS ? Code::kPermissionDenied : Code::kInternal,
          "report: " + path + ": " + what + ": " + std::strerror(errno)};
}

// Writes the whole file under this name or nothing; an existing file is never changed.
Status writeNew(const std::string& path, std::string_view bytes) {
  const std::string part = path + ".part";
  const int file = ::open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return failed(part, "cannot be made");
  Status status;
  while (!bytes.empty() && status.ok()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      status = failed(part, "cannot be written");
    else
      bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::close(file) != 0 && status.ok()) status = failed(part, "cannot be written");
  // Unlike rename(), link() never replaces an existing file.
  if (status.ok() && ::link(part.c_str(), path.c_str()) != 0) status = failed(path, "cannot be made");
  ::unlink(part.c_str());
  return status;
}

// "report", or the first "report-N" that is not taken by a file.
std::string freeName(const std::string& folder, const std::set<ReportFormat>& formats) {
  for (int n = 1; n < kMaxNames; ++n) {
    const std::string name = n == 1 ? "report" : "report-" + std::to_string(n);
    const bool taken = std::ranges::any_of(formats, [&](ReportFormat one) {
      std::error_code error;
      const std::string path = folder + "/" + name + (one == ReportFormat::kCsv ? "-csv" : "." + std::string(reportFormatName(one)));
      return std::filesystem::exists(std::filesystem::symlink_status(path, error));
    });
    if (!taken) return name;
  }
  return "report-" + std::to_string(kMaxNames);
}

std::vector<report::Picture> figurePictures(const ReportData& data, bool drawn) {
  std::vector<report::Picture> out;
  for (const Evidence& one : data.evidence) {
    report::Picture picture{.light = {},
                            .dark = {},
                            .title = one.title.toStdString(),
                            .caption = one.caption.toStdString(),
                            .says = one.shows.toStdString(),
                            .coverage = one.coverage.toStdString(),
                            .reason = one.reason.toStdString(),
                            .sql = 0};
    const auto query = std::ranges::find(data.document.queries, one.sql, &report::Query::sql);
    if (!one.sql.empty() && query != data.document.queries.end())
      picture.sql = static_cast<report::SqlRef>(query - data.document.queries.begin()) + 1;
    if (drawn) picture.light = evidenceSvg(one, theme(ThemeName::kLight)), picture.dark = evidenceSvg(one, theme(ThemeName::kDark));
    out.push_back(std::move(picture));
  }
  return out;
}

std::vector<report::Picture> chartPictures(const ReportData& data, const std::vector<DrawnChart>& charts) {
  std::vector<report::Picture> out;
  const auto all = report::chartsOf(data.document);
  for (std::size_t i = 0; i < std::min(all.size(), charts.size()); ++i) {
    report::Picture picture;
    picture.light = charts[i].light, picture.dark = charts[i].dark;
    picture.says = all[i]->caption;
    out.push_back(std::move(picture));
  }
  return out;
}

// The card's content, the place in the console that shows it, and its query.
Status readFigure(Reader& reader, report::FigureReference& figure, TimeStyle style, ReportData& data, const std::stop_token& stop) {
  if (figure.lanes) {
    data.evidence.push_back(lanesEvidence(laneStory(figure.lanes->entries, figure.lanes->range, figure.lanes->zero)));
    return {};
  }
  RG_ASSIGN(Evidence evidence,
            readEvidence(reader, {.card = figure.card, .run = figure.run, .attempt = figure.attempt, .style = style}, stop));
  if (const EvidencePlace& place = evidence.place; !place.view.empty()) {
    TimeRange range;
    if (place.t0 && place.t1) range = {*place.t0, *place.t1};
    figure.link = report::linkInto(data.document.provenance, place.view, range, place.select);
  }
  std::vector<report::Query>& queries = data.document.queries;
  if (!evidence.sql.empty() && std::ranges::find(queries, evidence.sql, &report::Query::sql) == queries.end())
    queries.push_back({"figure: " + evidence.title.toStdString(), evidence.sql});
  data.evidence.push_back(std::move(evidence));
  return {};
}

class Writing {
 public:
  Writing(const ReportData& data, const std::vector<DrawnChart>& charts, const ReportFiles& files, std::stop_token stop,
          const std::function<void(std::size_t, std::size_t)>& progress)
      : m_data(data), m_charts(charts), m_files(files), m_stop(std::move(stop)), m_progress(progress) {}

  Result<std::vector<std::string>> write() {
    RG_TRY(makeFolder(m_files.folder));
    m_name = freeName(m_files.folder, m_files.formats);
    for (const ReportFormat format : m_files.formats) {
      if (m_stop.stop_requested()) return undo(Status(Code::kCancelled, "report: stopped"));
      const Status status = format == ReportFormat::kCsv ? writeTables() : writeOne(format);
      if (!status.ok()) return undo(status);
      if (m_progress) m_progress(m_done = m_paths.size(), m_files.formats.size());
    }
    return std::move(m_paths);
  }

 private:
  Status undo(const Status& status) {
    for (const std::string& path : m_paths) ::unlink(path.c_str());
    for (auto folder = m_folders.rbegin(); folder != m_folders.rend(); ++folder) ::rmdir(folder->c_str());
    return status;
  }

  Status makeFolder(const std::string& folder) {
    std::error_code error;
    if (std::filesystem::create_directories(folder, error)) m_folders.push_back(folder);
    return error ? Status(Code::kPermissionDenied, "report: " + folder + ": " + error.message()) : Status();
  }

  Result<std::string> bytesOf(ReportFormat format) {
    const bool html = format == ReportFormat::kHtml;
    if (format == ReportFormat::kPdf) {
      const ReportPages pages(m_data.document, {m_data.evidence, m_charts}, m_files.paper);
      RG_ASSIGN(const QByteArray pdf,
                pagesPdf(pages, QString::fromStdString(m_data.document.title), m_data.document.provenance.made, m_stop));
      return pdf.toStdString();
    }
    const std::vector<report::Picture> figures = figurePictures(m_data, html);
    const std::vector<report::Picture> charts = html ? chartPictures(m_data, m_charts) : std::vector<report::Picture>();
    const report::Pictures pictures{figures, charts};
    if (html) return report::reportHtml(m_data.document, pictures);
    return format == ReportFormat::kJson ? report::reportJson(m_data.document, pictures)
                                         : report::reportMarkdown(m_data.document, pictures);
  }

  Status writeOne(ReportFormat format) {
    RG_ASSIGN(const std::string bytes, bytesOf(format));
    return save(m_files.folder + "/" + m_name + "." + reportFormatName(format), bytes);
  }

  // A folder with one file per table.
  Status writeTables() {
    const std::string folder = m_files.folder + "/" + m_name + "-csv";
    RG_TRY(makeFolder(folder));
    for (const report::Table* table : report::tablesOf(m_data.document))
      RG_TRY(save(folder + "/" + report::slugOf(table->name) + ".csv", report::tableCsv(*table)));
    return {};
  }

  Status save(const std::string& path, std::string_view bytes) {
    RG_TRY(writeNew(path, bytes));
    m_paths.push_back(path);
    return {};
  }

  const ReportData& m_data;
  const std::vector<DrawnChart>& m_charts;
  const ReportFiles& m_files;
  std::stop_token m_stop;
  const std::function<void(std::size_t, std::size_t)>& m_progress;
  std::string m_name;
  std::size_t m_done = 0;
  std::vector<std::string> m_paths;
  std::vector<std::string> m_folders;  // created by this export
};

}  // namespace

const char* reportFormatName(ReportFormat format) { return kFormatNames[static_cast<std::size_t>(format)]; }

std::optional<std::set<ReportFormat>> reportFormatsFromText(std::string_view text) {
  std::set<ReportFormat> out;
  while (!text.empty()) {
    const std::string_view name = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), name.size() + 1));
    bool known = false;
    for (std::size_t i = 0; i < kFormatNames.size(); ++i)
      if (name == "all" || name == kFormatNames[i]) out.insert(static_cast<ReportFormat>(i)), known = true;
    if (!known) return std::nullopt;
  }
  return out;
}

Result<ReportData> readReportData(Reader& reader, const ReportRequest& request, std::stop_token stop) {
  const InEnglish english;
  report::Redactor redactor(request.redact);
  if (!request.redact.empty()) RG_TRY(report::learnNames(reader, redactor));
  report::RedactedReader redacted(reader, redactor);
  Reader& asked = request.redact.empty() ? reader : redacted;
  report::Question question = request.question;
  question.summary = redactor.text(question.summary);
  question.pseudonyms = redactor.redacts(report::RedactClass::kHosts);
  ReportData data;
  RG_ASSIGN(data.document, report::readReport(asked, question, stop));
  const TimeStyle style = data.document.provenance.clock == TimeDomain::kUtc ? TimeStyle::kUtc : TimeStyle::kRelative;
  for (report::Section& section : data.document.sections)
    for (report::Block& block : section.blocks)
      if (auto* const figure = std::get_if<report::FigureReference>(&block)) RG_TRY(readFigure(asked, *figure, style, data, stop));
  for (const report::RedactClass one : request.redact) {
    RedactionList list{.what = one, .count = redactor.count(one), .examples = {}};
    for (const auto& [what, with] : redactor.found(one))
      if (list.examples.size() < kMaxShown) list.examples.push_back({what, with});
    data.redactions.push_back(std::move(list));
    data.document.provenance.redactions.push_back({report::redactClassName(one), redactor.count(one)});
  }
  return data;
}

Result<std::vector<std::string>> writeReport(const ReportData& data, const std::vector<DrawnChart>& charts, const ReportFiles& files,
                                             std::stop_token stop, const std::function<void(std::size_t, std::size_t)>& progress) {
  const InEnglish english;
  return Writing(data, charts, files, std::move(stop), progress).write();
}

}  // namespace runglass
