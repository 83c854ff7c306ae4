// SPDX-License-Identifier: Apache-2.0
// Invariants:
//  1. A file's data and its import mark are in one transaction: what the mark covers is stored, what is stored is covered.
//  2. A mark's identity tells whether the file at its path is still the same one, grown or not.
//  3. A run's name belongs to the directory or file that first took it; another one of the same name gets a longer name.
#include "collectors/importers/session/import_session.h"

#include <charconv>
#include <filesystem>
#include <limits>

#include "collectors/importers/input/input_file.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/session/counting_recorder.h"

namespace runglass {
namespace {

namespace fs = std::filesystem;

constexpr TimeNs kNoEnd = std::numeric_limits<TimeNs>::max();

void describe(const Status& status, const ImportReport& report, bool nothing_new, FileResult& result) {
  if (!status.ok()) {
    result.status = ImportStatus::kFailed;
    result.reason = status.message();
  } else if (!report.skipped_reason.empty()) {
    result.status = ImportStatus::kSkipped;
    result.reason = report.skipped_reason;
  } else if (!report.partial_reason.empty()) {
    result.status = ImportStatus::kPartial;
    result.reason = report.partial_reason;
  } else if (nothing_new) {
    result.reason = "nothing new since the last import";
  }
}

}  // namespace

Result<std::vector<FileResult>> ImportSession::import(const std::vector<std::string>& paths) {
  std::vector<FileResult> results;
  for (const std::string& path : paths) {
    const FileList list = listFiles(path);
    for (const auto& [folder, why] : list.unreadable)
      results.push_back({.path = folder, .reason = "cannot list the folder: " + why, .status = ImportStatus::kFailed});
    for (const FoundFile& file : list.files) {
      if (m_options.stop.stop_requested()) return Status(Code::kCancelled, "import stopped at " + file.path);
      if (m_options.on_file) m_options.on_file(file.path);
      RG_TRY(importFile(file, results));
    }
  }
  return results;
}

Status ImportSession::importFile(const FoundFile& file, std::vector<FileResult>& results) {
  auto input = InputFile::open(file.path);
  if (!input.ok()) {
    results.push_back({.path = file.path, .reason = input.status().message(), .status = ImportStatus::kFailed});
    return {};
  }
  for (;;) {
    auto member = (*input)->next();
    if (!member.ok()) {
      results.push_back({.path = file.path, .reason = member.status().message(), .status = ImportStatus::kFailed});
      return {};
    }
    if (!member->has_value()) return {};
    FileResult& result = results.emplace_back(FileResult{.path = (*member)->path});
    RG_TRY(importMember(file, {(*member)->path, (*member)->head, *(*member)->stream, (*member)->head_status}, result));
  }
}

Status ImportSession::importMember(const FoundFile& file, const Member& member, FileResult& result) {
  const ImportProbe probe{member.path, member.head};
  Importer* chosen = nullptr;
  int best = 0;
  for (const auto& importer : importers())
    if (const int score = importer->recognise(probe); score > best) best = score, chosen = importer.get();
  if (chosen == nullptr) {
    result.status = member.head_status.ok() ? ImportStatus::kSkipped : ImportStatus::kFailed;
    result.reason = !member.head_status.ok() ? member.head_status.message()
                    : member.head.empty()    ? "the file is empty"
                                             : "no importer knows this kind of file";
    return {};
  }
  result.kind = chosen->kind();

  const bool by_folder = chosen->grouping() == Importer::Grouping::kFolder;
  const RunPlace place = by_folder                                              ? placeByFolder(file, member.path)
                         : chosen->grouping() == Importer::Grouping::kRankFiles ? placeOfRankFile(member.path)
                         : chosen->grouping() == Importer::Grouping::kRankDumps ? placeOfRankDump(member.path)
                                                                                : placeAlone(member.path);
  const std::string path_key = canonicalPath(member.path);
  const auto mark = m_writer.importMark(path_key);
  const bool same = mark && chosen->isSame(probe, mark->identity);
  ImportTarget target{.file_name = printable(fs::path(member.path).filename().string()), .path = printable(member.path)};
  target.source = printable(place.source);
  const bool replaced = mark && !same;
  const std::int64_t before = timesReplaced(path_key) + (replaced ? 1 : 0);
  const std::string origin = by_folder || before == 0 ? place.origin : place.origin + "#" + std::to_string(before + 1);
  target.run_name = m_options.run_name.empty() ? runName(place.name, origin) : m_options.run_name;
  target.attempt_key = same ? mark->state : attemptKey(target.run_name, target.source, chosen->beginTime(probe), replaced);
  target.resume_at = same ? static_cast<std::uint64_t>(mark->offset) : 0;

  CountingRecorder counting(m_writer);
  ImportReport report;
  const Status status = chosen->run(member.stream, target, counting, report, m_options.stop);
  const bool cancelled = status.code() == Code::kCancelled;
  result.run = report.run ? report.run : same ? mark->run : RunId{};
  result.points = counting.points;
  result.spans = counting.span_count;
  result.events = counting.event_count;
  result.issues = counting.issue_counts;
  describe(status, report, same && counting.points + counting.span_count + counting.event_count == 0, result);
  // A stopped import is marked too: what it recorded is stored, and the next one goes on behind it.
  if (status.ok() || cancelled) {
    m_writer.setImportMark(path_key,
                           {chosen->identity(probe), static_cast<std::int64_t>(report.committed_offset), result.run, target.attempt_key});
    if (replaced) m_writer.setImportMark("replaced:" + path_key, {.identity = {}, .offset = before});
    rememberEnd(target.run_name, target.source, target.attempt_key, report.end_time);
  }
  RG_TRY(m_writer.flush());
  return cancelled ? status : Status();
}

std::string ImportSession::runName(const std::string& base, const std::string& origin) {
  std::string name = base.empty() ? "run" : base;
  for (int i = 1;; ++i) {
    const auto owner = m_writer.importMark("run:" + name);
    if (owner && owner->identity == origin) return name;
    if (!owner && !m_writer.findRun(name).ok()) {
      m_writer.setImportMark("run:" + name, {.identity = origin});
      return name;
    }
    const std::string parent = fs::path(origin).parent_path().filename().string();
    if (i == 1 && !parent.empty())
      name = parent + "/" + base;
    else
      name = base + " (" + std::to_string(i) + ")";
  }
}

// How often another file has taken this path.
std::int64_t ImportSession::timesReplaced(const std::string& path_key) const {
  const auto mark = m_writer.importMark("replaced:" + path_key);
  return mark ? mark->offset : 0;
}

// Attempts of one source are numbered from "0"; a file that begins after the newest one has ended is a restart, and so is one that took
// the place of another.
std::string ImportSession::attemptKey(const std::string& run_name, const std::string& source, std::optional<TimeNs> begin, bool replaced) {
  const auto last = m_writer.importMark("attempt:" + run_name + "|" + source);
  if (!last) return "0";
  std::int64_t index = 0;
  std::from_chars(last->state.data(), last->state.data() + last->state.size(), index);
  return replaced || (begin && *begin >= last->offset) ? std::to_string(index + 1) : last->state;
}

void ImportSession::rememberEnd(const std::string& run_name, const std::string& source, const std::string& attempt_key,
                                std::optional<TimeNs> end) {
  const std::string key = "attempt:" + run_name + "|" + source;
  const auto last = m_writer.importMark(key);
  if (last && last->state == attempt_key && (!end || (last->offset != kNoEnd && *end <= last->offset))) return;
  // While no file has told a time, none begins after the end.
  const TimeNs newest = !last || last->offset == kNoEnd ? end.value_or(kNoEnd) : std::max(last->offset, end.value_or(last->offset));
  m_writer.setImportMark(key, {.identity = {}, .offset = newest, .run = {}, .state = attempt_key});
}

}  // namespace runglass
