// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/tailed_files.h"

#include <fnmatch.h>

#include <cstdlib>
#include <filesystem>

namespace runglass {
namespace {

// Absolute, with a home directory for ~, and without a slash at its end.
std::string absolutePattern(std::string pattern) {
  if (const char* home = std::getenv("HOME"); home != nullptr && (pattern == "~" || pattern.starts_with("~/"))) pattern.replace(0, 1, home);
  std::error_code error;
  if (!pattern.starts_with('/')) pattern = (std::filesystem::current_path(error) / pattern).string();
  pattern = std::filesystem::path(pattern).lexically_normal().string();
  while (pattern.size() > 1 && pattern.ends_with('/')) pattern.pop_back();
  return pattern;
}

// The folders up to the first wildcard without symbolic links, as /proc names an open file.
std::string canonicalPattern(const std::string& pattern) {
  const std::size_t wildcard = pattern.find_first_of("*?[\\");
  const std::size_t folder = wildcard == std::string::npos ? pattern.size() : pattern.rfind('/', wildcard);
  if (folder == std::string::npos) return pattern;
  std::error_code error;
  const std::string real = std::filesystem::weakly_canonical(pattern.substr(0, folder), error).string();
  return error ? pattern : (real == "/" ? "" : real) + pattern.substr(folder);
}

bool matches(const std::string& pattern, const std::string& path) {
  return ::fnmatch(pattern.c_str(), path.c_str(), FNM_PATHNAME | FNM_PERIOD) == 0;
}

}  // namespace

void TailedFiles::claim(const std::string& pattern, Takes takes) {
  const std::string absolute = absolutePattern(pattern), canonical = canonicalPattern(absolute);
  const MutexLock lock(m_mutex);
  m_claims.emplace(absolute, takes);
  m_claims.emplace(canonical, takes);
}

bool TailedFiles::names(const std::string& path) const {
  const std::string file_name = std::filesystem::path(path).filename().string();
  const MutexLock lock(m_mutex);
  for (const auto& [pattern, takes] : m_claims) {
    if (matches(pattern, path)) return true;
    if (!takes(file_name)) continue;
    std::filesystem::path folder = std::filesystem::path(path).parent_path();
    for (int level = 0; level <= kMaxFolderDepth; ++level, folder = folder.parent_path()) {
      if (matches(pattern, folder.string())) return true;
      if (folder == folder.root_path()) break;
    }
  }
  return false;
}

}  // namespace runglass
