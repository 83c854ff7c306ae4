// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/input/run_name.h"

#include <filesystem>
#include <string_view>

namespace runglass {

std::string runNameOfFile(const std::string& path) {
  const std::filesystem::path file(path);
  std::string name = file.filename().string();
  for (const std::string_view suffix : {".zst", ".gz", ".bz2", ".xz", ".tar", ".json", ".log", ".txt", ".out"})
    if (name.size() > suffix.size() && name.ends_with(suffix)) name.resize(name.size() - suffix.size());
  const bool generic = name == "trainer_state" || name == "train" || name == "log" || name == "stdout" || name == "stderr" ||
                       name == "output" || name.starts_with("events.out.tfevents");
  if (generic && file.has_parent_path() && !file.parent_path().filename().empty()) name = file.parent_path().filename().string();
  return name;
}

}  // namespace runglass
