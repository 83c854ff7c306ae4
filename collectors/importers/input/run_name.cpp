// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/input/run_name.h"

#include <charconv>
#include <filesystem>

namespace runglass {

std::string runNameOfFile(const std::string& path) {
  const std::filesystem::path file(path);
  std::string name = file.filename().string();
  for (const std::string_view suffix : {".zst", ".gz", ".bz2", ".xz", ".tar", ".json", ".log", ".txt", ".out"})
    if (name.size() > suffix.size() && name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  const bool generic = name == "trainer_state" || name == "train" || name == "log" || name == "stdout" || name == "stderr" ||
                       name == "output" || name.starts_with("events.out.tfevents");
  if (generic && file.has_parent_path() && !file.parent_path().filename().empty()) name = file.parent_path().filename().string();
  return displayName(name);
}

std::optional<std::int32_t> rankOfName(std::string_view name) {
  for (std::size_t at = name.find("rank"); at != std::string_view::npos; at = name.find("rank", at + 1)) {
    std::size_t digits = at + 4;
    if (digits < name.size() && (name[digits] == '-' || name[digits] == '_')) ++digits;
    std::int32_t rank = 0;
    if (std::from_chars(name.data() + digits, name.data() + name.size(), rank).ec == std::errc()) return rank;
  }
  return std::nullopt;
}

}  // namespace runglass
