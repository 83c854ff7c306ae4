// SPDX-License-Identifier: Apache-2.0
// Invariants:
//  1. A file's data and its import mark are in one transaction: what the mark covers is stored, what is stored is covered.
//  2. A mark's identity tells whether the file at its path is still the same one, grown or not.
//  3. A run's name belongs to the directory or file that first took it; another one of the same name gets a longer name.
#include "collectors/importers/session/import_session.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "collectors/importers/input/input_file.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/session/counting_recorder.h"

namespace runglass {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 12> kSourceFolders = {"train",      "training", "eval", "evaluation", "test", "val",
                                                             "validation", "valid",    "dev",  "logs",       "tb",   "tensorboard"};

bool isEventFile(const fs::path& path) { return path.filename().string().find("tfevents") != std::string::npos; }

std::string canonicalPath(const std::string& path) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  return error ? path : canonical.string();
}

}  // namespace

Result<std::vector<FileResult>> ImportSession::import(const std::vector<std::string>& paths) {
  std::vector<FileResult> results;
  for (const std::string& path : paths) {
    for (const Found& file : collect(path, results)) {
      if (m_options.stop.stop_requested()) return Status(Code::kCancelled, "import stopped at " + file.path);
      if (m_options.on_file) m_options.on_file(file.path);
      RG_TRY(importFile(file, results));
    }
  }
  return results;
}

std::vector<ImportSession::Found> ImportSession::collect(const std::string& path, std::vector<FileResult>& results) const {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const fs::path parent = fs::path(path).parent_path();
    return {{path, parent.empty() ? "." : parent.string(), ""}};
  }
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator it(path, fs::directory_options::skip_permission_denied, error), end; !error && it != end;
       it.increment(error))
    if (it->is_regular_file(error)) files.push_back(it->path());
  if (error) results.push_back({.path = path, .reason = "cannot list the folder: " + error.message(), .status = ImportStatus::kFailed});
  std::sort(files.begin(), files.end());

  // Event files right in the folder, or only in folders that name a phase: the folder itself is the run. Otherwise each folder in it is
  // one.
  const fs::path root(path);
  bool folder_is_run = true;
  for (const fs::path& file : files) {
    if (!isEventFile(file)) continue;
    const fs::path below = fs::relative(file.parent_path(), root, error);
    if (below == ".") {
      folder_is_run = true;
      break;
    }
    const std::string first = below.begin()->string();
    folder_is_run = folder_is_run && std::find(kSourceFolders.begin(), kSourceFolders.end(), first) != kSourceFolders.end();
  }
  std::vector<Found> found;
  for (const fs::path& file : files) {
    const fs::path below = fs::relative(file.parent_path(), root, error);
    fs::path top = root;
    fs::path source = below == "." ? fs::path() : below;
    if (!folder_is_run && !source.empty()) {
      top = root / *source.begin();
      source = fs::relative(file.parent_path(), top, error);
      if (source == ".") source.clear();
    }
    found.push_back({file.string(), top.string(), source.generic_string()});
  }
  return found;
}

Status ImportSession::importFile(const Found& file, std::vector<FileResult>& results) {
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
    RG_TRY(importMember(file, (*member)->path, (*member)->head, *(*member)->stream, (*member)->head_status, results));
  }
}

Status ImportSession::importMember(const Found& file, const std::string& member, std::string_view head, ByteStream& stream,
                                   const Status& head_status, std::vector<FileResult>& results) {
  FileResult& result = results.emplace_back(FileResult{.path = member});
  const ImportProbe probe{member, head};
  Importer* chosen = nullptr;
  int best = 0;
  for (const auto& importer : importers())
    if (const int score = importer->recognise(probe); score > best) best = score, chosen = importer.get();
  if (chosen == nullptr) {
    result.status = head_status.ok() ? ImportStatus::kSkipped : ImportStatus::kFailed;
    result.reason = !head_status.ok() ? head_status.message() : head.empty() ? "the file is empty" : "no importer knows this kind of file";
    return {};
  }
  result.kind = chosen->kind();

  const bool by_folder = chosen->kind() == "tfevents";
  const std::string path_key = canonicalPath(member);
  const std::string identity = chosen->identity(probe);
  const auto mark = m_writer.importMark(path_key);
  const bool same = mark && mark->identity == identity;
  ImportTarget target{.file_name = fs::path(member).filename().string(), .path = member};
  if (by_folder) target.source = file.source;
  if (!m_options.run_name.empty())
    target.run_name = m_options.run_name;
  else if (by_folder)
    target.run_name = runName(fs::path(canonicalPath(file.top)).filename().string(), canonicalPath(file.top));
  else
    target.run_name = runName(runNameOfFile(member), path_key);
  target.attempt_key = same ? mark->state : attemptKey(target.run_name, target.source, chosen->beginTime(probe));
  target.resume_at = same ? static_cast<std::uint64_t>(mark->offset) : 0;

  CountingRecorder counting(m_writer);
  ImportReport report;
  const Status status = chosen->run(stream, target, counting, report, m_options.stop);
  if (status.code() == Code::kCancelled) return status;
  result.run = report.run ? report.run : same ? mark->run : RunId{};
  result.points = counting.points;
  result.spans = counting.span_count;
  result.events = counting.event_count;
  result.issues = counting.issue_counts;
  if (!status.ok()) {
    result.status = ImportStatus::kFailed;
    result.reason = status.message();
  } else if (!report.skipped_reason.empty()) {
    result.status = ImportStatus::kSkipped;
    result.reason = report.skipped_reason;
  } else if (!report.partial_reason.empty()) {
    result.status = ImportStatus::kPartial;
    result.reason = report.partial_reason;
  } else if (same && counting.points + counting.span_count + counting.event_count == 0) {
    result.reason = "nothing new since the last import";
  }
  if (status.ok()) {
    m_writer.setImportMark(path_key, {identity, static_cast<std::int64_t>(report.committed_offset), result.run, target.attempt_key});
    rememberEnd(target.run_name, target.source, target.attempt_key, report.end_time);
  }
  return m_writer.flush();
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

// Attempts of one source are numbered from "0"; a file that begins after the newest one has ended is a restart.
std::string ImportSession::attemptKey(const std::string& run_name, const std::string& source, std::optional<TimeNs> begin) {
  const auto last = m_writer.importMark("attempt:" + run_name + "|" + source);
  if (!last) return "0";
  std::int64_t index = 0;
  std::from_chars(last->state.data(), last->state.data() + last->state.size(), index);
  return begin && *begin >= last->offset ? std::to_string(index + 1) : last->state;
}

void ImportSession::rememberEnd(const std::string& run_name, const std::string& source, const std::string& attempt_key,
                                std::optional<TimeNs> end) {
  const std::string key = "attempt:" + run_name + "|" + source;
  const auto last = m_writer.importMark(key);
  if (end && (!last || *end > last->offset)) m_writer.setImportMark(key, {.identity = {}, .offset = *end, .run = {}, .state = attempt_key});
}

}  // namespace runglass
