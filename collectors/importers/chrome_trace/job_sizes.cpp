// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/chrome_trace/job_sizes.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <vector>

#include "collectors/importers/input/run_name.h"

namespace runglass {
namespace {

namespace fs = std::filesystem;
__extension__ using Wide = __int128;

constexpr std::size_t kMaxBytes = 64U << 10;
constexpr int kMaxNames = 4'096;

struct Size {
  std::string_view key;
  std::int32_t Layout::*field;
};
constexpr Size kSizes[] = {{"world_size", &Layout::world}, {"tp_size", &Layout::tp},  {"pp_size", &Layout::pp}, {"dp_size", &Layout::dp},
                           {"cp_size", &Layout::cp},       {"dsp_size", &Layout::cp}, {"ep_size", &Layout::ep}, {"vpp_size", &Layout::vpp}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  text = text.substr(first, text.find_last_not_of(kSpace) - first + 1);
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// False for a line that cannot be used.
bool readLine(std::string_view line, std::set<std::string, std::less<>>& seen, JobSizes& out) {
  if (const std::size_t comment = line.find('#'); comment != std::string_view::npos) line = line.substr(0, comment);
  if (trimmed(line).empty() || line.starts_with("---")) return true;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view key = trimmed(line.substr(0, colon)), value = trimmed(line.substr(colon + 1));
  const bool nested = line.front() == ' ' || line.front() == '\t';
  if (nested) return true;  // belongs to another key
  if (!seen.insert(std::string(key)).second) return false;
  if (key == "trial_name") out.trial = displayName(value);
  const auto* size = std::ranges::find(kSizes, key, &Size::key);
  if (size == std::end(kSizes)) return true;
  std::int32_t number = 0;
  const auto parsed = std::from_chars(value.data(), value.data() + value.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size() || number < 1) return false;
  out.layout.*size->field = number;
  return true;
}

std::optional<std::string> readSmall(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(kMaxBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxBytes) return std::nullopt;
  return text;
}

// "X" of "timeline-X.json.gz".
std::string trialOf(const fs::path& trace) {
  constexpr std::string_view kTimeline = "timeline-";
  const std::string name = trace.filename().string();
  const std::size_t dot = name.find(".json");
  if (!name.starts_with(kTimeline) || dot == std::string::npos) return {};
  return name.substr(kTimeline.size(), dot - kTimeline.size());
}

std::optional<fs::path> onlyYaml(const fs::path& folder) {
  std::optional<fs::path> only;
  std::error_code error;
  fs::directory_iterator entry(folder.empty() ? "." : folder, error);
  for (int names = 0; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (++names > kMaxNames) return std::nullopt;
    if (entry->path().extension() != ".yaml" && entry->path().extension() != ".yml") continue;
    if (only) return std::nullopt;
    only = entry->path();
  }
  return only;
}

int sizesKnown(const Layout& layout) {
  return static_cast<int>(std::ranges::count_if(kSizes, [&](const Size& size) { return layout.*size.field > 0; }));
}

}  // namespace

JobSizes parseJobSizes(std::string_view text) {
  JobSizes sizes;
  std::set<std::string, std::less<>> seen;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (!readLine(text.substr(0, end), seen, sizes)) ++sizes.odd_lines;
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return sizes;
}

std::optional<JobSizes> jobSizesBeside(const std::string& path) {
  const fs::path trace(path), folder = trace.parent_path();
  std::vector<fs::path> named;
  if (const std::string trial = trialOf(trace); !trial.empty()) named.push_back(folder / ("meta-" + trial + ".yaml"));
  named.push_back(folder / "meta.yaml");
  for (const fs::path& candidate : named) {
    const auto text = readSmall(candidate);
    if (!text) continue;
    JobSizes sizes = parseJobSizes(*text);
    sizes.path = candidate.string();
    return sizes;
  }
  // This YAML may be unrelated: only clear sizes count, and its other lines are not counted as odd.
  const auto other = onlyYaml(folder);
  const auto text = other ? readSmall(*other) : std::nullopt;
  if (!text) return std::nullopt;
  JobSizes sizes = parseJobSizes(*text);
  if (sizesKnown(sizes.layout) < 2) return std::nullopt;
  sizes.path = other->string();
  sizes.odd_lines = 0;
  return sizes;
}

bool productFits(const Layout& layout) {
  if (layout.world <= 0 || layout.tp <= 0 || layout.pp <= 0 || layout.dp <= 0 || layout.cp <= 0) return true;
  return static_cast<Wide>(layout.tp) * layout.pp * layout.dp * layout.cp == layout.world;
}

}  // namespace runglass
