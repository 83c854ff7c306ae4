// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/session/run_grouping.h"

#include <re2/re2.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "collectors/importers/input/run_name.h"

namespace runglass {
namespace {

namespace fs = std::filesystem;

bool namesAPhase(const fs::path& folder) {
  static constexpr std::array<std::string_view, 12> kPhases = {"train",      "training", "eval", "evaluation", "test", "val",
                                                               "validation", "valid",    "dev",  "logs",       "tb",   "tensorboard"};
  return std::find(kPhases.begin(), kPhases.end(), folder.string()) != kPhases.end();
}

bool isEventFile(const fs::path& path) { return path.filename().string().find("tfevents") != std::string::npos; }

bool folderIsRun(const fs::path& root, const std::vector<fs::path>& files) {
  bool only_phases = true;
  for (const fs::path& file : files) {
    if (!isEventFile(file)) continue;
    const fs::path below = file.parent_path().lexically_relative(root);
    if (below.empty() || below == ".") return true;
    only_phases = only_phases && namesAPhase(*below.begin());
  }
  return only_phases;
}

// Compares component by component, numbers by value: "step9_9" before "step10_19", "rank2" before "rank10".
bool comesBefore(const fs::path& left, const fs::path& right) {
  const std::string_view a = left.native(), b = right.native();
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto numberAt = [&](std::string_view text, std::size_t& at) {
    const std::size_t begin = at;
    while (at < text.size() && digit(text[at])) ++at;
    std::string_view number = text.substr(begin, at - begin);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return number;
  };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const std::string_view x = numberAt(a, i), y = numberAt(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else if (a[i] == b[j]) {
      ++i, ++j;
    } else {
      if (a[i] == '/' || b[j] == '/') return a[i] == '/';
      return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
    }
  }
  return a.size() - i != b.size() - j ? a.size() - i < b.size() - j : a < b;
}

// The folders of an archive member, without components that lead outside.
std::vector<std::string> foldersOf(const std::string& inside) {
  std::vector<std::string> folders;
  for (const fs::path& part : fs::path(inside).parent_path())
    if (part != "." && part != ".." && part != "/" && !part.empty()) folders.push_back(part.string());
  return folders;
}

}  // namespace

std::string canonicalPath(const std::string& path) {
  std::error_code error;
  const fs::path canonical = fs::weakly_canonical(path, error);
  return error ? path : canonical.string();
}

FileList listFiles(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    const fs::path parent = fs::path(path).parent_path();
    return {{{path, parent.empty() ? "." : parent.string(), ""}}, {}};
  }
  // "run/" and "run" are the same folder and must give the same paths.
  fs::path root = fs::path(path).lexically_normal();
  if (!root.has_filename() && root.has_parent_path() && root != root.root_path()) root = root.parent_path();
  FileList list;
  std::vector<fs::path> files;
  fs::recursive_directory_iterator it(root, error);
  if (error) list.unreadable.emplace_back(path, error.message());
  for (const fs::recursive_directory_iterator end; it != end;) {
    const fs::path entry = it->path();
    std::error_code vanished;
    if (it->is_regular_file(vanished)) files.push_back(entry);
    if (it->is_directory(vanished) && !it->is_symlink(vanished) && ::access(entry.c_str(), R_OK | X_OK) != 0) {
      list.unreadable.emplace_back(entry.string(), std::generic_category().message(errno));
      it.disable_recursion_pending();
    }
    it.increment(error);
    if (error) {
      list.unreadable.emplace_back(entry.string(), error.message());
      break;
    }
  }
  std::ranges::sort(files, comesBefore);

  const bool one_run = folderIsRun(root, files);
  for (const fs::path& file : files) {
    const fs::path below = file.parent_path().lexically_relative(root);
    fs::path top = root, source = below == "." ? fs::path() : below;
    if (!one_run && !source.empty()) {
      top = root / *source.begin();
      source = source.lexically_relative(*source.begin());
      if (source == ".") source.clear();
    }
    list.files.push_back({file.string(), top.string(), source.generic_string()});
  }
  return list;
}

RunPlace placeByFolder(const FoundFile& file, const std::string& member) {
  if (member == file.path) {
    const std::string top = canonicalPath(file.top);
    return {displayName(fs::path(top).filename().string()), top, file.source};
  }
  const std::string archive = canonicalPath(file.path);
  RunPlace place{runNameOfFile(file.path), archive, ""};
  std::vector<std::string> folders = foldersOf(member.substr(std::min(member.size(), file.path.size() + 1)));
  if (!folders.empty() && !namesAPhase(folders.front())) {
    place.name = displayName(folders.front());
    place.origin += "/" + folders.front();
    folders.erase(folders.begin());
  }
  for (const std::string& folder : folders) place.source += (place.source.empty() ? "" : "/") + folder;
  return place;
}

RunPlace placeOfRankFile(const std::string& member) {
  const fs::path path(canonicalPath(member));
  const std::string name = path.filename().string(), folder = path.parent_path().string();
  const std::string folder_name = path.parent_path().filename().string();
  // The worker, and the time of writing: a worker may have written several files.
  static const RE2 kWorker("(.*?)(?:\\.[0-9]+)?\\.pt\\.trace\\.json.*");
  std::string before, after, part;
  if (RE2::FullMatch(name, kWorker, &part)) return {displayName(folder_name), folder, "", part};
  static const RE2 kRank("(.*?)[-_.]?rank[-_]?([0-9]+)(.*)");
  if (RE2::FullMatch(name, kRank, &before, &part, &after))
    return {displayName(before.empty() ? folder_name : before), folder + "/" + before + "#" + after, "", part};
  // Names of ndtimeline: the first and the last step of all ranks of a host.
  static const RE2 kSteps("trace_step[0-9]+_[0-9]+((?:\\.[a-z][a-z0-9]*)*)");
  if (RE2::FullMatch(name, kSteps, &after)) return {displayName(folder_name), folder + "/trace_step#" + after, "", ""};
  return placeAlone(member);
}

RunPlace placeOfRankDump(const std::string& member) {
  const fs::path path(canonicalPath(member));
  const std::string name = path.filename().string(), folder = path.parent_path().string();
  const std::string folder_name = path.parent_path().filename().string();
  if (name.find("rank") != std::string::npos) return placeOfRankFile(member);
  // Names of xpu_timer: rank and number of ranks, without a name for the run.
  static const RE2 kRankOfWorld("([0-9]+)-([0-9]+)\\.timeline.*");
  std::string before, after, part;
  if (std::string world; RE2::FullMatch(name, kRankOfWorld, &part, &world))
    return {displayName(folder_name), folder + "/#" + world + ".timeline", "", part};
  // Names of NCCL Inspector: host and process.
  static const RE2 kProcess("(.*-pid[0-9]+)(\\.log.*)");
  if (RE2::FullMatch(name, kProcess, &part, &after)) return {displayName(folder_name), folder + "/#-pid" + after, "", part};
  static const RE2 kNumbered("(.*?)[-_.]*([0-9]+)((?:\\.[a-z][a-z0-9]*)*)");
  if (!RE2::FullMatch(name, kNumbered, &before, &part, &after)) return placeAlone(member);
  // "_dump" and "dump" are not names of a run, so the folder's name is used.
  const bool bare = before.empty() || before == "dump" || before == "_dump";
  return {displayName(bare ? folder_name : before), folder + "/" + before + "#" + after, "", part};
}

RunPlace placeAlone(const std::string& member) { return {runNameOfFile(member), canonicalPath(member), "", ""}; }

}  // namespace runglass
