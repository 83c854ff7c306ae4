// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A file's data and its import mark are in one transaction: a mark covers exactly the stored data. Files that are parsed at the same
//    time share a transaction; m_uncommitted_bytes is 0 outside of it.
// 2. A mark's identity determines whether the file at its path is still the same one, possibly grown.
// 3. A run's name belongs to the first directory or file that used it; another one with the same name gets a longer name.
#include "collectors/importers/session/import_session.h"

#include <sched.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <thread>

#include "collectors/importers/input/input_file.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/session/counting_recorder.h"
#include "collectors/importers/session/parse_thread.h"
#include "storage/store_files.h"

namespace runglass {
namespace {

namespace fs = std::filesystem;

// The store takes a third of a parser's time: more than three parsers would wait for it.
constexpr std::size_t kMaxParses = 3;
// Bytes of text: the records of one transaction are in memory, at some 50 bytes a KiB.
constexpr std::uint64_t kMaxUncommitted = 1ULL << 30, kUnpacked = 12;
constexpr TimeNs kNoEnd = std::numeric_limits<TimeNs>::max();

// Cores usable by this process: under taskset and in containers fewer than the machine has.
std::size_t usableCores() {
  cpu_set_t cores;
  return ::sched_getaffinity(0, sizeof cores, &cores) == 0 ? static_cast<std::size_t>(CPU_COUNT(&cores))
                                                           : std::thread::hardware_concurrency();
}

std::int64_t numberOf(const std::string& attempt_key) {
  std::int64_t number = 0;
  std::from_chars(attempt_key.data(), attempt_key.data() + attempt_key.size(), number);
  return number;
}

std::string attemptMark(const std::string& run_name, const std::string& source) { return "attempt:" + run_name + "|" + source; }

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

// A file and its destination in the store.
struct ImportSession::Plan {
  Importer* importer = nullptr;
  ImportTarget target;
  std::string path_key, identity, part;
  std::optional<Writer::ImportMark> mark;
  bool same = false, replaced = false;
  std::int64_t times_replaced = 0;
  std::size_t result = 0;
};

// A rank's file while it is parsed.
struct ImportSession::Parse {
  Parse(Plan what, Writer& out) : plan(std::move(what)), counting(out, &out), player(counting) {}
  Plan plan;
  CountingRecorder counting;
  CallPlayer player;
  std::unique_ptr<ParseThread> thread;
};

ImportSession::ImportSession(Writer& writer, ImportOptions options) : m_writer(writer), m_options(std::move(options)) {
  const std::size_t cores = m_options.threads > 0 ? m_options.threads : usableCores();
  m_most_parses = std::clamp<std::size_t>(cores, 1, kMaxParses);
}

ImportSession::~ImportSession() = default;

Result<std::vector<FileResult>> ImportSession::import(const std::vector<std::string>& paths) {
  m_results.clear();
  m_restarted.clear();
  for (const std::string& path : paths) {
    const FileList list = listFiles(path);
    for (const auto& [folder, why] : list.unreadable)
      m_results.push_back({.path = folder, .reason = "cannot list the folder: " + why, .status = ImportStatus::kFailed});
    for (const FoundFile& file : list.files) {
      if (m_options.stop.stop_requested()) {
        RG_TRY(finishParses());
        return Status(Code::kCancelled, "import stopped at " + file.path);
      }
      if (m_options.on_file) m_options.on_file(file.path);
      RG_TRY(importFile(file));
    }
  }
  RG_TRY(finishParses());
  return std::move(m_results);
}

Status ImportSession::importFile(const FoundFile& file) {
  if (isOpenHere(file.path)) {
    m_results.push_back({.path = file.path, .reason = "this is a store that is open", .status = ImportStatus::kSkipped});
    return {};
  }
  auto input = InputFile::open(file.path);
  if (!input.ok()) {
    m_results.push_back({.path = file.path, .reason = input.status().message(), .status = ImportStatus::kFailed});
    return {};
  }
  for (;;) {
    auto member = (*input)->next();
    if (!member.ok()) {
      m_results.push_back({.path = file.path, .reason = member.status().message(), .status = ImportStatus::kFailed});
      return {};
    }
    if (!member->has_value()) return {};
    m_results.push_back({.path = (*member)->path});
    Importer* const importer = importerOf(**member);
    if (importer == nullptr) continue;
    const bool whole_file = (*member)->path == file.path;
    if (whole_file && mayParseAside(*importer, **member)) return parseAside(file, std::move(*input), **member, *importer);
    RG_TRY(finishParses());
    RG_TRY(importMember(plan(file, **member, *importer), *(*member)->stream));
  }
}

// Null if no importer recognises the member; its result then has the reason.
Importer* ImportSession::importerOf(const InputFile::Member& member) {
  const ImportProbe probe{member.path, member.head};
  Importer* const chosen = recognisedBy(probe, m_options.mapped.get());
  FileResult& result = m_results.back();
  if (chosen != nullptr) {
    result.kind = chosen->kind();
    return chosen;
  }
  result.status = member.head_status.ok() ? ImportStatus::kSkipped : ImportStatus::kFailed;
  result.reason = member.head_status.ok() ? whyUnrecognised(probe) : member.head_status.message();
  return nullptr;
}

ImportSession::Plan ImportSession::plan(const FoundFile& file, const InputFile::Member& member, Importer& importer) {
  const ImportProbe probe{member.path, member.head};
  const bool by_folder = importer.grouping() == Importer::Grouping::kFolder;
  const RunPlace place = by_folder                                               ? placeByFolder(file, member.path)
                         : importer.grouping() == Importer::Grouping::kRankFiles ? placeOfRankFile(member.path)
                         : importer.grouping() == Importer::Grouping::kRankDumps ? placeOfRankDump(member.path)
                                                                                 : placeAlone(member.path);
  Plan plan{.importer = &importer, .path_key = canonicalPath(member.path), .identity = importer.identity(probe)};
  plan.result = m_results.size() - 1;
  plan.part = place.part;
  plan.mark = m_writer.importMark(plan.path_key);
  plan.same = plan.mark && importer.isSame(probe, plan.mark->identity);
  plan.replaced = plan.mark && !plan.same;
  plan.times_replaced = timesReplaced(plan.path_key) + (plan.replaced ? 1 : 0);
  const std::string origin =
      by_folder || plan.times_replaced == 0 ? place.origin : place.origin + "#" + std::to_string(plan.times_replaced + 1);
  ImportTarget& target = plan.target;
  target.file_name = printable(fs::path(member.path).filename().string());
  target.path = printable(member.path);
  target.canonical_path = plan.path_key;
  target.source = printable(place.source);
  target.run_name = m_options.run_name.empty() ? runName(place.name, origin) : m_options.run_name;
  // If a replaced file becomes another run, it needs no new attempt.
  const bool restarts = plan.replaced && (by_folder || !m_options.run_name.empty());
  target.attempt_key = plan.same ? plan.mark->state : attemptKey(target.run_name, target.source, importer.beginTime(probe), restarts);
  target.resume_at = plan.same ? static_cast<std::uint64_t>(plan.mark->offset) : 0;
  target.modified = member.modified;
  target.run_named = !m_options.run_name.empty();
  return plan;
}

Status ImportSession::importMember(const Plan& plan, ByteStream& stream) {
  CountingRecorder counting(m_writer, &m_writer);
  ImportReport report;
  const Status status = plan.importer->run(stream, plan.target, counting, report, m_options.stop);
  conclude(plan, counting.refused().ok() ? status : counting.refused(), report, counting);
  RG_TRY(m_writer.flush());
  return status.code() == Code::kCancelled ? status : Status();
}

void ImportSession::conclude(const Plan& plan, const Status& status, const ImportReport& report, const CountingRecorder& counting) {
  FileResult& result = m_results[plan.result];
  result.run = report.run ? report.run : plan.same ? plan.mark->run : RunId{};
  result.points = counting.points;
  result.spans = counting.span_count;
  result.events = counting.event_count;
  result.issues = counting.issue_counts;
  describe(status, report, plan.same && counting.points + counting.span_count + counting.event_count == 0, result);
  // A stopped import is marked too: its recorded data is stored, and the next import continues after it.
  if (!status.ok() && status.code() != Code::kCancelled) return;
  const ImportTarget& target = plan.target;
  m_writer.setImportMark(plan.path_key,
                         {plan.identity, static_cast<std::int64_t>(report.committed_offset), result.run, target.attempt_key});
  if (plan.replaced) m_writer.setImportMark("replaced:" + plan.path_key, {.identity = {}, .offset = plan.times_replaced});
  rememberEnd(target.run_name, target.source, target.attempt_key, report.end_time);
}

// Files of ranks are independent: a file needs neither the end time nor the mark of the previous one.
bool ImportSession::mayParseAside(const Importer& importer, const InputFile::Member& member) const {
  if (m_most_parses == 1) return false;
  const bool of_rank = importer.grouping() == Importer::Grouping::kRankFiles || importer.grouping() == Importer::Grouping::kRankDumps;
  const ImportProbe probe{member.path, member.head};
  if (!of_rank || importer.beginTime(probe)) return false;
  const std::string path_key = canonicalPath(member.path);
  const auto mark = m_writer.importMark(path_key);
  if (mark && !importer.isSame(probe, mark->identity)) return false;
  return std::ranges::none_of(m_parses, [&](const auto& parse) { return parse->plan.path_key == path_key; });
}

Status ImportSession::parseAside(const FoundFile& file, std::unique_ptr<InputFile> input, const InputFile::Member& member,
                                 Importer& importer) {
  // The tail is accessible only in a plain file.
  const bool packed = member.stream->tail(1).empty();
  std::error_code unknown;
  const std::uint64_t size = fs::file_size(file.path, unknown);
  const std::uint64_t bytes = unknown ? 1 : size * (packed ? kUnpacked : 1);
  if (m_uncommitted_bytes + bytes > kMaxUncommitted) RG_TRY(finishParses());
  m_uncommitted_bytes += bytes;
  auto parse = std::make_unique<Parse>(plan(file, member, importer), m_writer);
  // Earlier files that may share a track with it must be stored first.
  const auto in_the_way = [&](const auto& other) {
    return other->plan.target.run_name == parse->plan.target.run_name &&
           (other->plan.part.empty() || parse->plan.part.empty() || other->plan.part == parse->plan.part);
  };
  while (m_parses.size() >= m_most_parses || std::ranges::any_of(m_parses, in_the_way)) playNext();
  parse->thread = std::make_unique<ParseThread>(importer, std::move(input), *member.stream, parse->plan.target, m_options.stop);
  m_parses.push_back(std::move(parse));
  return {};
}

// The files take turns, one batch each, so that the store's content does not depend on the threads' speed.
void ImportSession::playNext() {
  Parse& parse = *m_parses[m_turn];
  if (auto calls = parse.thread->next()) {
    parse.player.play(std::move(*calls));
    m_turn = (m_turn + 1) % m_parses.size();
    return;
  }
  const Status status = parse.counting.refused().ok() ? parse.thread->status() : parse.counting.refused();
  ImportReport report = parse.thread->report();
  report.run = parse.player.run(report.run);
  conclude(parse.plan, status, report, parse.counting);
  if (status.code() == Code::kCancelled && m_cancelled.ok()) m_cancelled = status;
  m_parses.erase(m_parses.begin() + static_cast<std::ptrdiff_t>(m_turn));
  if (m_turn >= m_parses.size()) m_turn = 0;
}

Status ImportSession::finishParses() {
  if (m_uncommitted_bytes == 0) return {};
  while (!m_parses.empty()) playNext();
  m_uncommitted_bytes = 0;
  RG_TRY(m_writer.flush());
  return std::exchange(m_cancelled, {});
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

// Number of times that another file has replaced the one at this path.
std::int64_t ImportSession::timesReplaced(const std::string& path_key) const {
  const auto mark = m_writer.importMark("replaced:" + path_key);
  return mark ? mark->offset : 0;
}

// Attempts of one source are numbered from "0"; a file that begins after the end of the newest one is a restart. So is a file that replaced
// another one; all files replaced in the same import belong to the same restart.
std::string ImportSession::attemptKey(const std::string& run_name, const std::string& source, std::optional<TimeNs> begin, bool replaced) {
  const std::string key = attemptMark(run_name, source);
  const auto last = m_writer.importMark(key);
  if (!last) return "0";
  const std::string next = std::to_string(numberOf(last->state) + 1);
  const bool later = begin && *begin >= last->offset;
  if (!replaced) return later ? next : last->state;
  const auto restarted = m_restarted.try_emplace(key, next).first;
  if (later) restarted->second = next;
  return restarted->second;
}

void ImportSession::rememberEnd(const std::string& run_name, const std::string& source, const std::string& attempt_key,
                                std::optional<TimeNs> end) {
  const std::string key = attemptMark(run_name, source);
  const auto last = m_writer.importMark(key);
  if (last && last->state == attempt_key && (!end || (last->offset != kNoEnd && *end <= last->offset))) return;
  // A file of an older attempt does not make that attempt the newest again.
  if (last && numberOf(attempt_key) < numberOf(last->state)) return;
  // Until a file has a time, no file begins after the end.
  const TimeNs newest = !last || last->offset == kNoEnd ? end.value_or(kNoEnd) : std::max(last->offset, end.value_or(last->offset));
  m_writer.setImportMark(key, {.identity = {}, .offset = newest, .run = {}, .state = attempt_key});
}

}  // namespace runglass
